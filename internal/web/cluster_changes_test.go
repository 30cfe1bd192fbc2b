package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/testkit"
)

const (
	inClusterPath = inOrganizationPath + "/clusters/{cluster}"
	theCluster    = "/organizations/acme-inc/clusters/" + testkit.MaintainedID
	theQueue      = theCluster + "/queues/" + testkit.QueueID
	theRegistry   = theCluster + "/registries/" + testkit.RegistryID
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/clusters/new":                            {path: "/organizations/acme-inc/clusters/new", says: "Create cluster"},
	inClusterPath + "/settings":                                     {path: theCluster + "/settings", says: "Delete cluster…"},
	inClusterPath + "/delete":                                       {path: theCluster + "/delete", says: "Pipelines still run on this cluster"},
	inClusterPath + "/queues":                                       {path: theCluster + "/queues", says: "Self-hosted"},
	inClusterPath + "/queues/new":                                   {path: theCluster + "/queues/new", says: "Hosted: Linux amd64, 2 CPUs, 4 GB"},
	inClusterPath + "/queues/{queue}":                               {path: theQueue, says: "active", email: "member@example.com"},
	inClusterPath + "/queues/{queue}/edit":                          {path: theQueue + "/edit", says: "Save queue", email: "maintainer@example.com"},
	inClusterPath + "/queues/{queue}/pause":                         {path: theQueue + "/pause", says: "Pause queue", email: "teammate@example.com"},
	inClusterPath + "/queues/{queue}/delete":                        {path: theQueue + "/delete", says: "Delete queue"},
	inClusterPath + "/tokens":                                       {path: theCluster + "/tokens", says: "No agent tokens yet"},
	inClusterPath + "/tokens/new":                                   {path: theCluster + "/tokens/new", says: "Create agent token"},
	inClusterPath + "/tokens/{token}/edit":                          {path: theCluster + "/tokens/" + testkit.QueueID + "/edit", says: "No cluster token found"},
	inClusterPath + "/tokens/{token}/revoke":                        {path: theCluster + "/tokens/" + testkit.QueueID + "/revoke", says: "No cluster token found"},
	inClusterPath + "/maintainers":                                  {path: theCluster + "/maintainers", says: "Platform"},
	inClusterPath + "/maintainers/new":                              {path: theCluster + "/maintainers/new", says: "Already a maintainer"},
	inClusterPath + "/maintainers/{maintainer}/remove":              {path: theCluster + "/maintainers/" + testkit.QueueID + "/remove", says: "No cluster maintainer found"},
	inClusterPath + "/registries":                                   {path: theCluster + "/registries", says: "Ruby gems"},
	inClusterPath + "/registries/new":                               {path: theCluster + "/registries/new", says: "Create cache registry"},
	inClusterPath + "/registries/{registry}":                        {path: theRegistry, says: "Saved entries are shared by all jobs"},
	inClusterPath + "/registries/{registry}/policy":                 {path: theRegistry + "/policy", says: "The policy is valid"},
	inClusterPath + "/registries/{registry}/store":                  {path: theRegistry + "/store", says: "agent-managed"},
	inClusterPath + "/registries/{registry}/settings":               {path: theRegistry + "/settings", says: "Make default"},
	inClusterPath + "/registries/{registry}/delete":                 {path: theRegistry + "/delete", says: "Delete cache registry"},
	inClusterPath + "/registries/{registry}/entries":                {path: theRegistry + "/entries", says: "No cache entries"},
	inClusterPath + "/registries/{registry}/activity":               {path: theRegistry + "/activity", says: "No job has used this registry yet"},
	inClusterPath + "/registries/{registry}/entries/{entry}/delete": {path: theRegistry + "/entries/x/delete", says: "No cache entry found"},
})

// clusterPosts are all addresses that change a cluster or something in it, which only its managers may do.
var clusterPosts = []string{
	theCluster + "/queues/new", theQueue + "/edit", theQueue + "/pause", theQueue + "/resume", theQueue + "/default", theQueue + "/delete",
	theCluster + "/tokens/new", theCluster + "/tokens/" + testkit.QueueID + "/edit", theCluster + "/tokens/" + testkit.QueueID + "/revoke",
	theCluster + "/maintainers/new", theCluster + "/maintainers/" + testkit.QueueID + "/remove",
	theCluster + "/registries/new", theRegistry + "/policy", theRegistry + "/store", theRegistry + "/settings", theRegistry + "/default", theRegistry + "/delete",
	theRegistry + "/entries/" + testkit.QueueID + "/delete",
}

// anyInput has a value for each field of the forms that clusterPosts take.
func anyInput() url.Values {
	return url.Values{"name": {"Other"}, "key": {"other"}, "description": {"Other"}, "user": {testkit.MemberID}, "do": {"save"},
		"policy": {"{}"}, "cache_store": {"s3://bucket"}, "retry_agent_affinity": {"prefer-different"}}
}

// admin is the administrator, as the service knows them.
func admin() authz.Actor {
	return authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("192.0.2.1"))
}

// events counts what was changed.
func (s *site) events() (n int64) {
	s.t.Helper()
	err := s.DB.Read(s.t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT count(*) FROM audit_events`, func(r *db.Row) { n = r.Int() })
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *site) exec(sql string) {
	s.t.Helper()
	testkit.Exec(s.t, s.DB, sql)
}

func TestClusterFormsNeedTheirToken(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		token := b.tokenOf(theCluster + "/settings")
		before := s.events()
		for _, path := range append([]string{"/organizations/acme-inc/clusters/new", theCluster + "/settings", theCluster + "/delete"}, clusterPosts...) {
			b.send(http.MethodPost, path, anyInput(), nil).want(t, http.StatusForbidden, "out of date")
			forged := anyInput()
			forged.Set("form_token", token)
			b.send(http.MethodPost, path, forged, map[string]string{"Sec-Fetch-Site": "cross-site"}).want(t, http.StatusForbidden)
			s.browser().send(http.MethodPost, path, forged, nil).want(t, http.StatusUnauthorized, "Your session has ended")
		}
		if after := s.events(); after != before {
			t.Errorf("%d things were changed", after-before)
		}
	})
}

func TestPlainMembersManageNoCluster(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		token := b.tokenOf("/organizations/acme-inc/clusters/new")
		before := s.events()
		for _, path := range clusterPosts {
			form := anyInput()
			form.Set("form_token", token)
			b.send(http.MethodPost, path, form, nil).want(t, http.StatusForbidden, "No permission")
			if !strings.HasSuffix(path, "/resume") && !strings.HasSuffix(path, "/default") {
				b.get(path).want(t, http.StatusForbidden)
			}
		}
		for _, path := range []string{"/tokens", "/registries", "/registries/" + testkit.RegistryID, "/registries/" + testkit.RegistryID + "/entries", "/registries/" + testkit.RegistryID + "/activity"} {
			b.get(theCluster+path).want(t, http.StatusForbidden)
		}
		for _, path := range []string{"", "/queues", "/queues/" + testkit.QueueID, "/maintainers"} {
			a := b.get(theCluster+path).want(t, http.StatusOK)
			for _, hidden := range []string{"Agent tokens", "Cache registries", "Pause", "/edit", "/new", "/remove", "Make default"} {
				if strings.Contains(a.Body, hidden) {
					t.Errorf("%s shows %q to a plain member", path, hidden)
				}
			}
		}
		// While members may change clusters, they may do that, and no more.
		a := b.get(theCluster+"/settings").want(t, http.StatusOK, "Default queue")
		if strings.Contains(a.Body, "Default cache registry") || strings.Contains(a.Body, "hosted_git_mirror_enabled") {
			t.Error("a plain member sees what managers set")
		}
		b.submit(theCluster+"/settings", "name", "Renamed", "default_cache_registry_uuid", testkit.RegistryID).wantRedirect(t, theCluster+"/settings")
		b.get(theCluster+"/delete").want(t, http.StatusOK, "Pipelines still run on this cluster")
		if after := s.events(); after != before+1 {
			t.Errorf("%d things were changed", after-before)
		}

		s.exec(`UPDATE organizations SET cluster_writes = 'managers'`)
		if a := b.get("/organizations/acme-inc/clusters").want(t, http.StatusOK); strings.Contains(a.Body, "New cluster") {
			t.Error("who may make no cluster is offered to")
		}
		if a := b.get(theCluster).want(t, http.StatusOK); strings.Contains(a.Body, "/settings") {
			t.Error("who may not change the cluster is offered to")
		}
		for _, path := range []string{"/organizations/acme-inc/clusters/new", theCluster + "/settings", theCluster + "/delete"} {
			b.get(path).want(t, http.StatusForbidden)
			form := anyInput()
			form.Set("form_token", token)
			b.send(http.MethodPost, path, form, nil).want(t, http.StatusForbidden)
		}
		outsider := s.signedIn("outsider@example.com")
		for _, path := range []string{"", "/queues", "/tokens", "/registries", "/maintainers", "/settings", "/delete"} {
			outsider.get(theCluster+path).want(t, http.StatusNotFound)
			outsider.get("/organizations/elsewhere/clusters/"+testkit.MaintainedID+path).want(t, http.StatusNotFound)
		}
	})
}

func TestClustersAreMadeAndFound(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const list = "/organizations/acme-inc/clusters"
		b := s.signedIn("admin@example.com")
		b.get(list).want(t, http.StatusOK, "New cluster")
		b.submit(list+"/new", "name", " ", "description", "Kept text", "emoji", "rocket", "color", "red").
			want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", "Kept text", `value="rocket"`, "is unknown", `value="red"`, "Color must be")
		made := b.submit(list+"/new", "name", "Straße", "description", "For builds", "emoji", ":rocket:", "color", "#a9cce3")
		b.get(made.Header.Get("Location")).want(t, http.StatusOK, "Cluster created.", "Straße", "For builds", "🚀", `fill="#a9cce3"`)

		if a := b.get(list + "?search=STRASSE"); !strings.Contains(a.Body, "Straße") || strings.Contains(a.Body, ">Maintained<") || !strings.Contains(a.Body, "1 cluster") {
			t.Errorf("the search finds %s", a.Body)
		}
		b.get(list+"?search=nothing").want(t, http.StatusOK, "No clusters found")
		b.get(list+"?search=%00%ff").want(t, http.StatusOK)
		for _, list := range []string{"clusters", "pipelines", "teams", "members", "portals", "tokens"} {
			for _, long := range []string{strings.Repeat("%25", 20_000), strings.Repeat("x", 60_000)} {
				if a := b.get(acme + "/" + list + "?search=" + long); a.Status != http.StatusOK {
					t.Errorf("a search of %d characters in the %s is answered with %d", len(long), list, a.Status)
				}
			}
		}
		newest := b.get(list + "?order=RECENTLY_CREATED").Body
		if strings.Index(newest, "Straße") > strings.Index(newest, ">Maintained<") {
			t.Error("the newest is not the first")
		}
	})
}

func TestClusterSettings(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const path = theCluster + "/settings"
		if a := b.get(path).want(t, http.StatusOK, "Default cache registry", ">Ruby gems</option>", ">default</option>"); strings.Contains(a.Body, "Git mirror") {
			t.Error("a cluster without hosted agents shows their settings")
		}
		b.submit(path, "name", "", "color", "#12", "default_cache_registry_uuid", "nonsense", "default_queue_id", testkit.RegistryID).
			want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", `value="#12"`, "must be the UUID of a cache registry", "must be the UUID of a queue")
		b.submit(path, "name", "Renamed", "emoji", ":seedling:", "default_cache_registry_uuid", testkit.RegistryID, "default_queue_id", testkit.QueueID).wantRedirect(t, path)
		b.get(path).want(t, http.StatusOK, "Settings saved.", `value="Renamed"`, `value="`+testkit.RegistryID+`" selected`, `value="`+testkit.QueueID+`" selected`)
		b.submit(path, "name", "Renamed", "default_cache_registry_uuid", testkit.RegistryID).wantRedirect(t, path)
		if c, err := s.Service.Cluster(t.Context(), admin(), testkit.Maintained()); err != nil || c.DefaultQueueID != nil || c.Emoji != nil {
			t.Errorf("what was left empty is still there: %+v, %v", c, err)
		}

		b.submit(theCluster+"/queues/new", "key", "hosted", "hosted_agents.instance_shape", "LINUX_ARM64_2X4", "retry_agent_affinity", "prefer-warmest").wantRedirect(t, theCluster+"/queues")
		b.get(path).want(t, http.StatusOK, `name="hosted_container_cache_enabled" value="on" checked`, `name="hosted_git_mirror_enabled" value="on" aria`)
		b.submit(path, "name", "Renamed", "default_cache_registry_uuid", testkit.RegistryID, "hosted_git_mirror_enabled", "on").wantRedirect(t, path)
		c, err := s.Service.Cluster(t.Context(), admin(), testkit.Maintained())
		if err != nil || !c.HostedGitMirrorEnabled || c.HostedContainerCacheEnabled {
			t.Errorf("the switches are %v and %v: %v", c.HostedGitMirrorEnabled, c.HostedContainerCacheEnabled, err)
		}
	})
}

func TestClustersAreDeleted(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const path = theCluster + "/delete"
		b.get(path).want(t, http.StatusOK, "Delete the cluster “Maintained”?", "Pipelines still run on this cluster")
		b.submit(path).want(t, http.StatusUnprocessableEntity, "while pipelines are assigned to it", "Delete cluster")
		s.exec(`UPDATE pipelines SET cluster_id = NULL`)
		s.exec(`UPDATE organizations SET default_cluster_id = '` + testkit.MaintainedID + `' WHERE slug = 'acme-inc'`)
		b.get(path).want(t, http.StatusOK, "Choose another default in the organization's settings first")
		b.submit(path).want(t, http.StatusUnprocessableEntity, "default cluster for new pipelines")
		s.exec(`UPDATE organizations SET default_cluster_id = NULL`)
		b.get(path).want(t, http.StatusOK, "1 queue", "0 agent tokens", "2 maintainers", "cache registries")
		b.submit(path).wantRedirect(t, "/organizations/acme-inc/clusters")
		b.get("/organizations/acme-inc/clusters").want(t, http.StatusOK, "Cluster deleted.", "No clusters yet")
		b.get(theCluster).want(t, http.StatusNotFound)
	})
}
