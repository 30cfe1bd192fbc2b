package service_test

import (
	"testing"

	"penstock/internal/testkit"
)

func TestBootstrapCreatorIsTheFirstAdministrator(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(`
users:
  - {email: second@example.com, name: Second}
  - {email: member@example.com, name: Member}
  - {email: first@example.com, name: First}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members:
      - {user: member@example.com, role: member}
      - {user: first@example.com, role: admin}
      - {user: second@example.com, role: admin}
    teams: [{name: Platform}]
    clusters: [{name: Open Source, maintainers: [{team: platform}], queues: [{key: default}], cache_registries: [{name: Gems}]}]
    pipelines: [{name: Web, repository: x}]
`)
		for _, table := range []string{"teams", "clusters", "cluster_maintainers", "cluster_queues", "cache_registries", "pipelines"} {
			s.expect("first@example.com", `SELECT DISTINCT COALESCE(u.email, 'nobody') FROM `+table+` x LEFT JOIN users u ON u.id = x.created_by`)
		}
	})
}

func TestFormerDefaultCacheRegistryCanBeDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		former := s.Get(testkit.AdminToken, cluster).Want(t, 200).Text("default_cache_registry_url")
		s.Delete(testkit.AdminToken, former).Want(t, 422)
		s.Patch(testkit.AdminToken, cluster, `{"default_cache_registry_uuid": "`+testkit.RegistryID+`"}`).Want(t, 200)
		s.Delete(testkit.AdminToken, former).Want(t, 204)
		s.Get(testkit.AdminToken, former).WantMessage(t, 404, "No cache registry found")
		s.Delete(testkit.AdminToken, cluster+"/cache-registries/"+testkit.RegistryID).Want(t, 422)
	})
}
