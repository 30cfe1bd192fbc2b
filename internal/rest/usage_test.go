package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit"
)

const usagePath = "/v2/organizations/acme-inc/usage"

// usageFixture declares an annual billing parent with two children.
const usageFixture = `
users:
  - {email: one@example.com, name: One}
  - {email: two@example.com, name: Two}
organizations:
  - {slug: holding-co, name: Holding Co, subscription: {plan: annual}, members: [{user: one@example.com, role: member}]}
  - {slug: monthly, name: Monthly, subscription: {plan: monthly, anchor: 2026-01-15}, billing_parent: holding-co, members: [{user: one@example.com, role: member}]}
  - {slug: second, name: Second, billing_parent: holding-co}
tokens:
  - {user: one@example.com, token: token-of-number-one-in-all, organizations: [holding-co, monthly], scopes: [read_organizations]}
`

func usageServer(t *testing.T, fn func(t *testing.T, s *testkit.Server)) {
	t.Helper()
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(usageFixture)
		fn(t, s)
	})
}

func usageOf(t *testing.T, s *testkit.Server, slug string) float64 {
	t.Helper()
	answer := s.Get("token-of-number-one-in-all", "/v2/organizations/"+slug+"/usage").Want(t, 200).Object()
	count, isNumber := answer["active_users_count"].(float64)
	if !isNumber || len(answer) != 1 {
		t.Errorf("the usage is %v", answer)
	}
	return count
}

func TestUsageFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		answer := s.Get(testkit.AdminToken, usagePath).Want(t, 200)
		if string(answer.Body) != `{"active_users_count":1}` {
			t.Errorf("the answer is %s", answer)
		}
		again := s.Do(testkit.Request{Method: "GET", Path: usagePath, Token: testkit.AdminToken, Header: map[string]string{"If-None-Match": answer.Header.Get("ETag")}})
		again.Want(t, 304)
		s.Get(testkit.MemberToken, usagePath).Want(t, 200)
		if body := string(s.Get(testkit.AdminToken, usagePath).Body); body != `{"active_users_count":2}` {
			t.Errorf("with a second user the answer is %s", body)
		}
	})
}

func TestUsageIsOpenToEveryMember(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, token := range []string{testkit.AdminToken, testkit.MemberToken, testkit.MaintainerToken, testkit.TeammateToken} {
			s.Get(token, usagePath).Want(t, 200)
		}
		s.Get("", usagePath).Want(t, 401)
		s.Get(testkit.ReadOnlyToken, usagePath).WantMessage(t, 403, "Your access token doesn't have the read_organizations scope")
		for _, token := range []string{testkit.OutsiderToken, testkit.UngrantedToken} {
			s.Get(token, usagePath).WantMessage(t, 404, "No organization found")
		}
		s.Get(testkit.AdminToken, "/v2/organizations/nowhere/usage").WantMessage(t, 404, "No organization found")
		s.Post(testkit.AdminToken, usagePath, `{}`).Want(t, 405)
	})
}

func TestUsageOfPlansAndBillingParents(t *testing.T) {
	usageServer(t, func(t *testing.T, s *testkit.Server) {
		var activity strings.Builder
		activity.WriteString("activity:\n")
		use := func(organization, user, on string) {
			fmt.Fprintf(&activity, "  - {organization: %s, user: %s@example.com, on: %s}\n", organization, user, on)
		}
		for month := 11; month <= 17; month++ { // the seven months up to May
			for _, organization := range []string{"holding-co", "monthly", "second"} {
				use(organization, "two", time.Date(2025, time.Month(month), 20, 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
			}
		}
		use("second", "member", "2026-05-01")
		use("second", "teammate", "2025-10-31") // too long ago
		s.Bootstrap(activity.String())

		if got := usageOf(t, s, "holding-co"); got != 1 { // one in six months, and three in May, with the caller: 9 / 7
			t.Errorf("the parent has %v", got)
		}
		if got := usageOf(t, s, "monthly"); got != 2 { // since 15 April: Two, and the caller
			t.Errorf("the child has %v", got)
		}
		var more strings.Builder
		more.WriteString("activity:\n")
		for _, user := range []string{"admin", "maintainer", "teammate", "outsider", "member"} {
			for _, organization := range []string{"monthly", "second"} { // each once a month
				fmt.Fprintf(&more, "  - {organization: %s, user: %s@example.com, on: 2026-05-02}\n", organization, user)
			}
		}
		s.Bootstrap(more.String())
		if got := usageOf(t, s, "holding-co"); got != 1 { // 13 / 7
			t.Errorf("the parent has %v", got)
		}
		if got := usageOf(t, s, "monthly"); got != 7 {
			t.Errorf("the child has %v", got)
		}
		s.Bootstrap("activity:\n  - {organization: second, user: admin@example.com, on: 2026-04-02}\n")
		if got := usageOf(t, s, "holding-co"); got != 2 { // 14 / 7
			t.Errorf("the parent has %v", got)
		}
	})
}
