package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/audit":         {path: acme + "/audit", says: "Operator"},
	inOrganizationPath + "/audit/{event}": {path: acme + "/audit/" + testkit.AdminID, says: "No audit event found"},
})

var auditLink = regexp.MustCompile(`href="(/organizations/acme-inc/audit/[0-9a-f-]{36})"`)

func TestAuditLog(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.resubmit(b.get(web1+"/settings"), web1+"/settings", "name", "Website", "env", "TOKEN=very-secret", "configuration", "steps: []").wantRedirect(t, acme+"/pipelines/website/settings")
		s.Clock.Advance(48 * time.Hour)
		s.signedIn("member@example.com").submit(acme+"/new-pipeline", "name", "Mine", "repository", "x", "visibility", "private").wantRedirect(t, acme+"/pipelines/mine")

		for query, want := range map[string][2]bool{ // the change of May 3, the creation of May 5
			"":                               {true, true},
			"?type=PIPELINE_UPDATED":         {true, false},
			"?type=ORGANIZATION_DELETED":     {false, false}, // which nothing records
			"?actor=admin@example.com":       {true, false},
			"?actor=" + testkit.MemberID:     {false, true},
			"?actor=memb":                    {false, true},
			"?subject=" + pipelineID:         {true, false},
			"?from=2026-05-04":               {false, true},
			"?to=2026-05-04":                 {true, false},
			"?from=2026-05-05&to=2026-05-05": {false, true},
			"?from=2026-05-06":               {false, false},
		} {
			body := b.get(acme+"/audit"+query).want(t, http.StatusOK).Body
			if got := [2]bool{strings.Contains(body, `<p class="below">Website</p>`), strings.Contains(body, `<p class="below">Mine</p>`)}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
		a := b.get(acme+"/audit?type=NOTHING&actor=nobody@example.com&subject=nothing-at-all&from=soon&to=2026-02-30").
			want(t, http.StatusUnprocessableEntity, "Choose a type of event", "No member has that name or email address", "Nothing has that name", "From must be a date", "To must be a date", `value="soon"`)
		checkMarkup(t, a)
		b.get(acme+"/audit?after=x").want(t, http.StatusBadRequest)
		b.get(acme + "/audit?actor=%00&subject=%00&from=%00")

		event := auditLink.FindStringSubmatch(b.get(acme + "/audit?type=PIPELINE_UPDATED").Body)
		if event == nil {
			t.Fatal("the log leads to no event")
		}
		a = b.get(event[1]).want(t, http.StatusOK, "Pipeline changed", "Admin", `<span class="went">Web</span>`, `<span class="came">Website</span>`, "configuration sha256",
			`href="/organizations/acme-inc/pipelines/website"`, "127.0.0.1")
		if strings.Contains(a.Body, "very-secret") || strings.Contains(a.Body, "default branch") {
			t.Errorf("the event shows a value, or what did not change: %s", a.Body)
		}
		for _, email := range []string{"member@example.com", "maintainer@example.com"} {
			other := s.signedIn(email)
			other.get(acme+"/audit").want(t, http.StatusForbidden)
			other.get(event[1]).want(t, http.StatusForbidden)
			if strings.Contains(other.get(acme).Body, acme+"/audit") {
				t.Error("the audit log is offered to a plain member")
			}
		}
		s.signedIn("outsider@example.com").get(event[1]).want(t, http.StatusNotFound)
	})
}

func TestAuditLogHasPages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		for range 40 {
			b.submitTo(web1, web1+"/archive").wantRedirect(t, web1)
			b.submitTo(web1, web1+"/unarchive").wantRedirect(t, web1)
		}
		seen := map[string]bool{}
		next := acme + "/audit?type=PIPELINE_UPDATED"
		for range 3 {
			body := b.get(next).want(t, http.StatusOK).Body
			for _, found := range auditLink.FindAllStringSubmatch(body, -1) {
				if seen[found[1]] {
					t.Errorf("%s is there twice", found[1])
				}
				seen[found[1]] = true
			}
			link := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(body)
			if link == nil {
				break
			}
			next = strings.ReplaceAll(link[1], "&amp;", "&")
		}
		if len(seen) != 80 {
			t.Errorf("%d events were seen, want 80", len(seen))
		}
	})
}
