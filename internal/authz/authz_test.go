package authz_test

import (
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// lastAction is the last of the table's actions; they are numbered from 1.
const lastAction = authz.ManageAccount

// Whatever the facts are, who is no person does nothing that is for people: also an identity that was read wrongly, with the role of
// an administrator.
func TestAgentsJobsAndNobodyDoNothingThatIsForPeople(t *testing.T) {
	t.Parallel()
	all := authz.Facts{Maintainer: true, ManagesPipeline: true, TeamPrivacy: domain.TeamVisible, TeamRole: domain.TeamRoleMaintainer}
	for name, id := range map[string]authz.Identity{
		"an agent that registers": {Role: domain.RoleAdmin, Agent: authz.Agent{Cluster: "c"}},
		"an agent":                {Role: domain.RoleAdmin, Agent: authz.Agent{ID: "a", Cluster: "c"}},
		"a job":                   {Role: domain.RoleAdmin, Job: authz.Job{ID: "j", Agent: "a", Cluster: "c"}},
		"an agent of a user":      {Role: domain.RoleAdmin, User: domain.User{ID: "u"}, Agent: authz.Agent{ID: "a", Cluster: "c"}},
		"nobody":                  {Role: domain.RoleAdmin},
	} {
		for action := authz.Action(1); action <= lastAction; action++ {
			if authz.Check(&id, action, all) == nil {
				t.Errorf("%s may do action %d", name, action)
			}
		}
	}
}

func TestAnUnknownActionIsRefused(t *testing.T) {
	t.Parallel()
	admin := authz.Identity{Role: domain.RoleAdmin, User: domain.User{ID: "u"}}
	for _, action := range []authz.Action{0, -1, lastAction + 1} {
		if authz.Check(&admin, action, authz.Facts{}) == nil {
			t.Errorf("action %d is allowed", action)
		}
	}
	for action := authz.Action(1); action <= lastAction; action++ {
		if authz.Check(&admin, action, authz.Facts{}) != nil {
			t.Errorf("an administrator may not do action %d", action)
		}
	}
}
