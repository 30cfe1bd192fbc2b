package starts_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
)

const triggersPath = pipelinePath + "/triggers"

// trigger makes a trigger, and returns it and its token.
func (s *site) trigger(body string) (map[string]any, domain.Secret) {
	s.t.Helper()
	made := s.Post(testkit.AdminToken, triggersPath, body).Want(s.t, http.StatusCreated).Object()
	return made, domain.Secret(path.Base(made["endpoint_url"].(string)))
}

func (s *site) post(token domain.Secret, body string, headers ...string) (starts.Delivered, error) {
	s.t.Helper()
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return s.Starts.DeliverToTrigger(s.t.Context(), authz.Actor{}, token, header, []byte(body))
}

// wantRefused fails unless a delivery was refused with a message, and no build was made.
func (s *site) wantRefused(token domain.Secret, body string, code domain.Code, message string, headers ...string) {
	s.t.Helper()
	before := s.buildCount()
	done, err := s.post(token, body, headers...)
	if domain.CodeOf(err) != code || err == nil || err.Error() != message || done.Build != nil {
		s.t.Errorf("%+v, %v: want %q", done, err, message)
	}
	if got := s.buildCount(); got != before {
		s.t.Errorf("%d builds were made", got-before)
	}
}

func (s *site) buildCount() (n int64) {
	s.t.Helper()
	testkit.ReadOne(s.t, s.DB, `SELECT count(*) FROM builds`, func(r *db.Row) { n = r.Int() })
	return n
}

func signed(body, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestATriggerStartsTheBuildThatItDescribes(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		_, plain := s.trigger(`{"type": "webhook", "label": "Deploy"}`)
		done, err := s.post(plain, `{"action": "go"}`)
		if err != nil || done.Outcome != "built #1" {
			t.Fatal(done, err)
		}
		build := s.Get(testkit.AdminToken, pipelinePath+"/builds/1").Want(t, http.StatusOK).Object()
		for member, want := range map[string]any{"id": string(done.Build.ID), "message": "Triggered build", "commit": "HEAD", "branch": "main", "source": "webhook", "creator": nil} {
			if build[member] != want {
				t.Errorf("%s is %v, want %v", member, build[member], want)
			}
		}
		_, full := s.trigger(`{"type": "webhook", "label": "All", "build": {"message": "Ship it", "commit": "` + shaA + `", "branch": "release", "environment": {"STAGE": "production"}}}`)
		if done, err = s.post(full, `[]`); err != nil || done.Outcome != "built #2" {
			t.Fatal(done, err)
		}
		build = s.Get(testkit.AdminToken, pipelinePath+"/builds/2").Want(t, http.StatusOK).Object()
		if build["message"] != "Ship it" || build["commit"] != shaA || build["branch"] != "release" || build["env"].(map[string]any)["STAGE"] != "production" {
			t.Errorf("the build is %v", build)
		}
		s.Patch(testkit.AdminToken, pipelinePath, map[string]any{"default_branch": "trunk"}).Want(t, http.StatusOK)
		if done, err = s.post(plain, `{}`); err != nil || done.Build.Branch != "trunk" {
			t.Errorf("%+v, %v: the branch is not the pipeline's default", done, err)
		}
	})
}

func TestTriggersRefuseWhatTheyDoNotKnow(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		made, token := s.trigger(`{"type": "webhook", "label": "Deploy"}`)
		one := triggersPath + "/" + made["id"].(string)
		for _, bad := range []domain.Secret{"pnt_", "pnt_x", token[:len(token)-1], token + "x", "pnt_\x00", s.token} {
			s.wantRefused(bad, `{}`, domain.Malformed, "Invalid pipeline trigger token")
		}
		s.wantRefused(domain.NewTokenValue(domain.TriggerTokenKind), `{}`, domain.NotFound, "Pipeline trigger not found")
		for _, body := range []string{"", "{", "push", "{} {}"} {
			s.wantRefused(token, body, domain.Malformed, "The body must be JSON")
		}
		s.wantRefused(token, `"`+strings.Repeat("x", domain.MaxDelivery)+`"`, domain.Invalid, "The delivery is larger than 5 MB")
		s.Patch(testkit.AdminToken, one, `{"enabled": false}`).Want(t, http.StatusOK)
		s.wantRefused(token, `{}`, domain.Forbidden, "Pipeline trigger is disabled")
		s.Patch(testkit.AdminToken, one, `{"enabled": true}`).Want(t, http.StatusOK)
		if _, err := s.post(token, `{}`); err != nil {
			t.Error(err)
		}
		s.Delete(testkit.AdminToken, one).Want(t, http.StatusNoContent)
		s.wantRefused(token, `{}`, domain.NotFound, "Pipeline trigger not found")
	})
}

func TestTriggersOfGitHubAreSigned(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		const secret, body = "a-good-secret", `{"action": "opened"}`
		made, token := s.trigger(`{"type": "github", "label": "Pull requests", "verification": {"strategy": "hmac", "secret": "` + secret + `"}}`)
		one := triggersPath + "/" + made["id"].(string)
		const refusal = "The signature is missing or wrong: X-Hub-Signature-256 must be made with the secret of the pipeline trigger"
		s.wantRefused(token, body, domain.Forbidden, refusal)
		s.wantRefused(token, body, domain.Forbidden, refusal, "X-Hub-Signature-256", signed(body, "another-secret"))
		s.wantRefused(token, body+" ", domain.Forbidden, refusal, "X-Hub-Signature-256", signed(body, secret))
		github := []string{"X-GitHub-Event", "pull_request", "X-GitHub-Delivery", "72d3529e", "X-Hub-Signature-256", signed(body, secret)}
		for _, want := range []string{"built #1", "ignored: it came before"} {
			if done, err := s.post(token, body, github...); err != nil || done.Outcome != want {
				t.Errorf("%+v, %v: want %s", done, err, want)
			}
		}
		if done, err := s.post(token, body, "X-GitHub-Event", "ping", "X-Hub-Signature-256", signed(body, secret)); err != nil || done.Outcome != "ignored: ping" {
			t.Error(done, err)
		}
		// Another trigger gets the same event under the same id.
		_, other := s.trigger(`{"type": "github", "label": "Too"}`)
		if done, err := s.post(other, body, github...); err != nil || done.Outcome != "built #2" {
			t.Error(done, err)
		}
		// A new secret replaces the old one; without any, deliveries need no signature.
		s.Patch(testkit.AdminToken, one, `{"verification": {"strategy": "hmac", "secret": "second-secret"}}`).Want(t, http.StatusOK)
		s.wantRefused(token, body, domain.Forbidden, refusal, "X-Hub-Signature-256", signed(body, secret))
		s.Patch(testkit.AdminToken, one, `{"verification": {"strategy": "hmac"}, "label": "Renamed"}`).Want(t, http.StatusOK)
		if done, err := s.post(token, body, "X-Hub-Signature-256", signed(body, "second-secret")); err != nil || done.Outcome != "built #3" {
			t.Error(done, err)
		}
		// A secret that is lost lets nobody in.
		testkit.Change(t, s.DB, `DELETE FROM trigger_secrets`)
		s.wantRefused(token, body, domain.Forbidden, refusal, "X-Hub-Signature-256", signed(body, "second-secret"))
		s.wantRefused(token, body, domain.Forbidden, refusal, "X-Hub-Signature-256", signed(body, ""))
		s.Patch(testkit.AdminToken, one, `{"verification": null}`).Want(t, http.StatusOK)
		if done, err := s.post(token, body); err != nil || done.Outcome != "built #4" {
			t.Error(done, err)
		}
	})
}

func TestDeliveriesToTriggersAreListedAndBuiltAgain(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		made, token := s.trigger(`{"type": "webhook", "label": "Deploy"}`)
		if _, err := s.post(token, `{"action": "go"}`); err != nil {
			t.Fatal(err)
		}
		admin := s.PermissionActors(t)["admin"]
		list, err := s.Starts.Deliveries(t.Context(), admin, web)
		if err != nil || len(list) != 1 || list[0].Event != "trigger: Deploy" || list[0].Outcome != "built #1" || list[0].BuildNumber != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		if _, body, err := s.Starts.Delivery(t.Context(), admin, web, string(list[0].ID)); err != nil || body != `{"action": "go"}` {
			t.Error(body, err)
		}
		if setup, err := s.Starts.PipelineWebhook(t.Context(), admin, web); err != nil || setup.Last != nil {
			t.Errorf("%+v, %v: it counts as the repository host's", setup.Last, err)
		}
		if done, err := s.Starts.RepeatDelivery(t.Context(), admin, web, string(list[0].ID)); err != nil || done.Outcome != "built #2" {
			t.Error(done, err)
		}
		s.Delete(testkit.AdminToken, triggersPath+"/"+made["id"].(string)).Want(t, http.StatusNoContent)
		if _, err := s.Starts.RepeatDelivery(t.Context(), admin, web, string(list[0].ID)); domain.CodeOf(err) != domain.Invalid || err.Error() != "The trigger that this came to was deleted" {
			t.Error(err)
		}
	})
}

// TestABuildThatATriggerCannotStart is refused with why, which the list of deliveries says too.
func TestABuildThatATriggerCannotStart(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		_, token := s.trigger(`{"type": "webhook", "label": "Deploy"}`)
		s.Post(testkit.AdminToken, pipelinePath+"/archive", nil).Want(t, http.StatusOK)
		_, err := s.post(token, `{}`)
		if domain.CodeOf(err) != domain.Invalid {
			t.Fatal(err)
		}
		var outcome string
		testkit.ReadOne(t, s.DB, `SELECT outcome FROM deliveries`, func(r *db.Row) { outcome = r.Text() })
		if outcome != "failed: "+err.Error() || s.buildCount() != 0 {
			t.Errorf("%q after %v", outcome, err)
		}
	})
}

func TestAPipelineHasTenTriggers(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		for i := range domain.MaxTriggers {
			s.trigger(fmt.Sprintf(`{"type": "webhook", "label": "Number %d"}`, i))
		}
		s.Post(testkit.AdminToken, triggersPath, `{"type": "webhook", "label": "One more"}`).WantMessage(t, http.StatusUnprocessableEntity, "The pipeline has too many triggers (maximum is 10)")
	})
}
