package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/usage": {path: acme + "/usage", says: "How this is calculated"},
})

// usageHistory has activity in some of the months before testkit's present, which is in May 2026.
const usageHistory = `
organizations:
  - {slug: yearly, name: Yearly, subscription: {plan: annual}, members: [{user: admin@example.com, role: admin}, {user: member@example.com, role: member}]}
  - {slug: monthly, name: Monthly, subscription: {plan: monthly, anchor: 2026-01-31}, members: [{user: admin@example.com, role: admin}, {user: member@example.com, role: member}]}
tokens:
  - {user: member@example.com, token: token-of-a-counted-member, description: usage, organizations: [yearly, monthly], scopes: [read_organizations]}
activity:
  - {organization: yearly, user: admin@example.com, on: 2025-12-03}
  - {organization: yearly, user: member@example.com, on: 2025-12-30}
  - {organization: yearly, user: teammate@example.com, on: 2025-12-31}
  - {organization: yearly, user: admin@example.com, on: 2026-03-01}
  - {organization: yearly, user: member@example.com, on: 2026-03-31}
  - {organization: yearly, user: outsider@example.com, on: 2026-04-01}
  - {organization: monthly, user: teammate@example.com, on: 2026-04-29}
  - {organization: monthly, user: outsider@example.com, on: 2026-04-30}
`

var bigFigure = regexp.MustCompile(`<p class="big"><strong>(\d+)</strong>`)

func TestUsagePageShowsTheFigureOfTheAPI(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.Bootstrap(usageHistory)
		b := s.signedIn("member@example.com")
		for organization, says := range map[string][]string{
			// The member is active in May, by looking.
			"yearly": {"Annual plan", "Nov 1, 2025 to May 31, 2026", "0 + 3 + 0 + 0 + 2 + 1 + 1 = 7, and 7 ÷ 7 = 1.",
				"November 2025: 0; December 2025: 3; January 2026: 0; February 2026: 0; March 2026: 2; April 2026: 1; May 2026: 1."},
			"monthly": {"Monthly plan", "Apr 30, 2026 to May 30, 2026", "April 2026: 2; May 2026: 1."},
		} {
			path := "/organizations/" + organization + "/usage"
			a := b.get(path).want(t, http.StatusOK)
			checkMarkup(t, a)
			for _, text := range says {
				if shown := textOf(t, a.Body); !strings.Contains(shown, text) {
					t.Errorf("%s does not say %q: %s", path, text, shown)
				}
			}
			api := s.Get("token-of-a-counted-member", "/v2"+path).Want(t, http.StatusOK).Object()["active_users_count"]
			if found := bigFigure.FindStringSubmatch(a.Body); found == nil || found[1] != fmt.Sprint(api) {
				t.Errorf("%s shows %v, and the API %v", path, found, api)
			}
			a.want(t, http.StatusOK, `<title id="plot-title">`, `aria-labelledby="plot-title plot-desc"`, `<th scope="row">April 2026</th>`)
		}
		s.signedIn("outsider@example.com").get("/organizations/yearly/usage").want(t, http.StatusNotFound)

		s.Clock.Advance(31 * 24 * time.Hour) // to June
		june := textOf(t, s.signedIn("member@example.com").get("/organizations/yearly/usage").want(t, http.StatusOK).Body)
		if !strings.Contains(june, "3 + 0 + 0 + 2 + 1 + 1 + 1 = 8, and 8 ÷ 7 = 1.14, which is rounded down to 1.") {
			t.Errorf("in June it says %s", june)
		}
	})
}

// A figure that can't be had is not shown, nor is another in its place.
func TestUsagePageWithoutAFigure(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		b.get(acme+"/usage").want(t, http.StatusOK)
		if err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`ALTER TABLE usage_counts RENAME TO usage_counts_away`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		a := b.get(acme+"/usage").want(t, http.StatusServiceUnavailable, "Usage data is temporarily unavailable. Please retry.")
		if a.Header.Get("Retry-After") == "" || bigFigure.MatchString(a.Body) {
			t.Errorf("the answer is %v: %s", a.Header, a.Body)
		}
	})
}

// A parent says that it counts others' users too, and a child that it is counted there.
func TestUsageOfOrganizationsThatAreBilledTogether(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		b.get(acme+"/usage").want(t, http.StatusOK, "Users of organizations billed with this one count here too")
		_, err := s.Service.UpdateBilling(t.Context(), authz.OperatorActor(), testkit.Organization, domain.BillingPatch{Parent: domain.Some("elsewhere")})
		if err != nil {
			t.Fatal(err)
		}
		b.get(acme+"/usage").want(t, http.StatusOK, "This organization is billed with another one")
	})
}
