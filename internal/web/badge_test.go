package web_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/web"
)

// TestBadgesLookAsTheirAddressAsks draws badges in styles and themes. What is no theme is the default one: nothing of it is in the picture.
func TestBadgesLookAsTheirAddressAsks(t *testing.T) {
	t.Parallel()
	plain := web.Badge(domain.BadgePassing, web.BadgeLook{})
	for _, c := range []struct {
		look web.BadgeLook
		has  string // "": as without
	}{
		{web.BadgeLook{Style: "square"}, `rx="0"`},
		{web.BadgeLook{Style: "flat-square"}, `rx="0"`},
		{web.BadgeLook{Style: "round"}, ""},
		{web.BadgeLook{Theme: "github"}, `fill="#1a7f37"`},
		{web.BadgeLook{Theme: "9c0,f93,0ad"}, `fill="#9c0"`},
		{web.BadgeLook{Theme: "9c0,f93,0ad,d6d6d6"}, `fill="#d6d6d6"`},
		{web.BadgeLook{Theme: "9c0,f93,0ad,d6d6d6,000"}, `text-anchor="middle" fill="#000">passing`},
		{web.BadgeLook{Theme: "9c0,f93,0ad,d6d6d6,000,abc"}, `text-anchor="middle" fill="#abc">passing`},
		{web.BadgeLook{Theme: "none"}, ""},
		{web.BadgeLook{Theme: "9c0,f93"}, ""},
		{web.BadgeLook{Theme: `9c0,f93,"/><script>`}, ""},
		{web.BadgeLook{Theme: "1,2,3,4,5,6,7"}, ""},
	} {
		got := web.Badge(domain.BadgePassing, c.look)
		if c.has == "" && got != plain || !strings.Contains(got, c.has) {
			t.Errorf("%+v: %s", c.look, got)
		}
	}
}
