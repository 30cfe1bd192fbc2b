package service_test

import "testing"

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
