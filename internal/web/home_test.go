package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
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

// What concerns a member stands on the overview, also among many pipelines and clusters.
func TestOverviewAmongMany(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, releaseSteps)
		s.withClusters(t, 120)
		testkit.Exec(t, s.DB, `UPDATE cluster_queues SET dispatch_paused_at = 1, dispatch_paused_note = 'Moving house' WHERE key = 'Large_99'`)
		for i := range 30 {
			_, err := s.Service.CreatePipeline(t.Context(), s.adminToken(), domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.PipelineInput{
				Name: domain.Some(fmt.Sprintf("App %02d", i)), Repository: domain.Some("git@example.com:acme/app.git"), ClusterID: domain.Some(testkit.MaintainedID), Configuration: domain.Some(releaseSteps)}))
			if err != nil {
				t.Fatal(err)
			}
		}
		member := s.signedIn("member@example.com")
		a := member.get(acme).want(t, http.StatusOK, "App 00", "Large_99", "Moving house", "agents</")
		if strings.Contains(a.Body, "Your builds") || strings.Contains(a.Body, "App 08") || strings.Contains(a.Body, ">Release</a>") {
			t.Errorf("the overview of a member who did nothing shows %s", a.Body)
		}
		// Their own build comes before others' pipelines, their favourite before that.
		s.createBuildAs(t, s.actorOf("member@example.com"), "release")
		if _, err := s.Service.FavoritePipeline(t.Context(), s.actorOf("member@example.com"), domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "app-20"}, true); err != nil {
			t.Fatal(err)
		}
		a = member.get(acme).want(t, http.StatusOK, "Your builds", "Release #1", ">App 20</a>", ">Release</a>")
		checkMarkup(t, member.get(acme+"/pipelines?search=release").want(t, http.StatusOK, "Latest build", `builds/1">#1</a>`))
		checkMarkup(t, a)
		if favorite, own, other := strings.Index(a.Body, ">App 20</a>"), strings.Index(a.Body, ">Release</a>"), strings.Index(a.Body, ">App 00</a>"); favorite >= own || own >= other {
			t.Errorf("the pipelines are not in order: %d, %d, %d", favorite, own, other)
		}
	})
}

func TestOverviewOfAnEmptyOrganization(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.Bootstrap(`
organizations:
  - {slug: empty, name: Empty, members: [{user: admin@example.com, role: admin}, {user: member@example.com, role: member}]}
`)
		checkMarkup(t, s.signedIn("admin@example.com").get("/organizations/empty").want(t, http.StatusOK, "Get started", "1 of 7 done"))
		checkMarkup(t, s.signedIn("member@example.com").get("/organizations/empty").want(t, http.StatusOK, "No pipelines yet"))
	})
}
