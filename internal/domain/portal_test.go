package domain_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
)

var portalNow = time.Date(2026, 5, 3, 4, 17, 55, 0, time.UTC)

func TestNewPortal(t *testing.T) {
	t.Parallel()
	var faults domain.Faults
	p := domain.NewPortal(domain.PortalInput{
		Name: domain.Some(" Größen & Zahlen "), Query: domain.Some("{ a }"), Description: domain.Null[string](), AllowedIPAddresses: domain.Some(" 10.0.0.0/8\n192.0.2.1 "),
	}, "o", portalNow, &faults)
	if len(faults) > 0 || p.Name != "Größen & Zahlen" || p.Slug != "grossen-zahlen" || p.OrganizationID != "o" || p.Query != "{ a }" || p.Description != nil ||
		p.AllowedIPAddresses == nil || *p.AllowedIPAddresses != "10.0.0.0/8 192.0.2.1" || !p.CreatedAt.Equal(portalNow) {
		t.Errorf("%+v, %v", p, faults)
	}
	id := p.ID
	p.Apply(domain.PortalInput{Name: domain.Some("Other")}, &faults)
	if len(faults) > 0 || p.Name != "Other" || p.Slug != "grossen-zahlen" || p.ID != id || p.Query != "{ a }" {
		t.Errorf("%+v, %v", p, faults)
	}
}

func TestCheckQuery(t *testing.T) {
	t.Parallel()
	asked := ""
	valid := func(query string) error {
		asked = query
		if reason, bad := strings.CutPrefix(query, "bad "); bad {
			return errors.New(reason)
		}
		return nil
	}
	for _, c := range []struct {
		query  domain.Optional[string]
		reason string
		asks   bool
	}{
		{domain.Optional[string]{}, "", false},
		{domain.Null[string](), "Query can't be blank", false},
		{domain.Some(" \n"), "Query can't be blank", false},
		{domain.Some("a\x00"), "Query must be valid UTF-8 without NUL", false},
		{domain.Some("a\xff"), "Query must be valid UTF-8 without NUL", false},
		{domain.Some(strings.Repeat("x", 256<<10)), "", true},
		{domain.Some(strings.Repeat("x", 256<<10+1)), "Query is too long (maximum is 256 KiB)", false},
		{domain.Some("bad Syntax Error"), "Query is not valid: Syntax Error", true},
		{domain.Some("bad Query is too deep"), "Query is too deep", true},
		{domain.Some("bad " + strings.Repeat("ä", 1000)), "Query is not valid: " + strings.Repeat("ä", 500), true},
	} {
		asked = ""
		var faults domain.Faults
		in := domain.PortalInput{Query: c.query}
		in.CheckQuery(valid, &faults)
		reason := ""
		if len(faults) > 0 {
			reason = faults[0].Reason
		}
		if reason != c.reason || len(faults) > 1 || (asked != "") != c.asks {
			t.Errorf("%.50q: %v, asked %.50q", c.query.Value, faults, asked)
		}
		in.CheckQuery(nil, &domain.Faults{}) // which says nothing of a good one
	}
}

func TestPortalDoesMore(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	before := domain.Portal{Name: "A", Query: "{ a }", AllowedIPAddresses: text("10.0.0.0/8")}
	for name, c := range map[string]struct {
		change func(*domain.Portal)
		more   bool
	}{
		"nothing changes":    {func(*domain.Portal) {}, false},
		"names":              {func(p *domain.Portal) { p.Name, p.Slug, p.Description = "B", "b", text("c") }, false},
		"fewer addresses":    {func(p *domain.Portal) { p.AllowedIPAddresses = text("10.1.0.0/16") }, false},
		"other addresses":    {func(p *domain.Portal) { p.AllowedIPAddresses = text("10.1.0.0/16 ::1") }, true},
		"every address":      {func(p *domain.Portal) { p.AllowedIPAddresses = nil }, true},
		"members may run it": {func(p *domain.Portal) { p.UserInvokable = true }, true},
		"another document":   {func(p *domain.Portal) { p.Query = "{ b }" }, true},
	} {
		after := before
		if c.change(&after); after.DoesMoreThan(before) != c.more {
			t.Errorf("%s: it does more: %t", name, !c.more)
		}
	}
	everyone := before
	everyone.UserInvokable, everyone.AllowedIPAddresses = true, nil
	if before.DoesMoreThan(everyone) {
		t.Error("a portal that does less does more")
	}
}
