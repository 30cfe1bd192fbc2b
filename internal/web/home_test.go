package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// The list of what is left to do ticks itself, and is for administrators.
func TestChecklist(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		before := admin.get(acme).want(t, http.StatusOK, "Get started", "4 of 7 done", `href="`+theCluster+`/tokens/new">Create an agent token</a>`, "No builds yet")
		checkMarkup(t, before)
		admin.create(theCluster+"/tokens/new", "description", "First", "expires_at", "")
		if a := admin.get(acme).want(t, http.StatusOK, "5 of 7 done"); strings.Contains(a.Body, ">Create an agent token</a>") {
			t.Errorf("it is still to be done: %s", a.Body)
		}
		if a := member.get(acme).want(t, http.StatusOK, ">Web</a>"); strings.Contains(a.Body, "Get started") {
			t.Errorf("a member is told to: %s", a.Body)
		}
		admin.submit(theQueue+"/pause", "dispatch_paused_note", "Moving house").wantRedirect(t, theCluster+"/queues")
		checkMarkup(t, member.get(acme).want(t, http.StatusOK, "Paused queues", "Moving house", theQueue))
	})
}

func TestPipelinesOfACluster(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		checkMarkup(t, b.get(theCluster).want(t, http.StatusOK, `href="`+web1+`">Web</a>`))
		checkMarkup(t, b.get(acme+"/pipelines?cluster="+testkit.MaintainedID).want(t, http.StatusOK, ">Web</a>", "Only pipelines of the cluster", `name="cluster" value="`+testkit.MaintainedID+`"`))
		b.get(acme+"/pipelines?cluster="+testkit.ElsewhereID).want(t, http.StatusOK, "No pipelines")
		b.get(acme+"/pipelines?cluster=nonsense").want(t, http.StatusOK, ">Web</a>")
	})
}

// An emoji can be typed as it is. It is kept by its name.
func TestEmojiAreTyped(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		made := b.submit(acme+"/clusters/new", "name", "Rockets", "emoji", " 🚀 ").Header.Get("Location")
		b.get(made+"/settings").want(t, http.StatusOK, `value=":rocket:"`)
	})
}

// The first queue of a cluster becomes its default, unless one says otherwise.
func TestTheFirstQueueIsTheDefault(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		made := b.submit(acme+"/clusters/new", "name", "Empty").Header.Get("Location")
		b.get(made+"/queues/new").want(t, http.StatusOK, `name="make_default" value="on" checked`)
		b.submit(made+"/queues/new", "key", "first", "retry_agent_affinity", "prefer-warmest", "make_default", "on").wantRedirect(t, made+"/queues")
		b.get(made+"/queues").want(t, http.StatusOK, `>default</span>`)
		if a := b.get(made+"/queues/new").want(t, http.StatusOK, "Key"); strings.Contains(a.Body, "make_default") {
			t.Errorf("the second is to be the default: %s", a.Body)
		}
	})
}
