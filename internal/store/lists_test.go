package store

import (
	"regexp"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// planOf asks SQLite how it would read a part of the list of each of some parents.
func planOf[T any](l List[T], part Part) func(*testing.T, *db.DB) string {
	return func(t *testing.T, d *db.DB) string {
		t.Helper()
		var a arguments
		sql := l.bounded(&a, Sight{User: "user"}, `(SELECT id AS parent_ FROM `+l.parents+` WHERE `+in(&a, "id", []string{"a", "b", "c"})+`) parents`, part)
		return explained(t, d, sql, a)
	}
}

// TestNestedListsAreReadByTheirParts asks SQLite how it would read each list in each order: what a part ends with, or its ids, must
// be found once for each parent, and not for each of all the things that the parent has.
func TestNestedListsAreReadByTheirParts(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	// Either the things are looked up by the ids of the part, or a key's range is.
	byParts := regexp.MustCompile(`\((organization_id=\? AND )?id=\?\)\nCORRELATED LIST SUBQUERY|[<>]\?\)\nCORRELATED SCALAR SUBQUERY \d+\nCO-ROUTINE`)
	sight := Sight{User: "user"}
	yes, cluster, team, slug, at := true, domain.ClusterID("c"), domain.TeamID("t"), "slug", time.UnixMilli(1)
	for _, part := range []Part{{Limit: 10}, {Limit: 10, FromEnd: true}} {
		plans := map[string]func(*testing.T, *db.DB) string{
			"agent tokens":     planOf(AgentTokensOf(), part),
			"cache registries": planOf(CacheRegistriesOf(), part),
			"audit events":     planOf(AuditEventsOf(domain.AuditListFilter{}), part),
			"chosen events":    planOf(AuditEventsOf(domain.AuditListFilter{Types: []domain.AuditEventType{"a", "b"}, Subjects: []string{"s"}, From: &at, To: &at}), part),
			"tokens":           planOf(TokensOf(domain.TokenFilter{}, at), part),
		}
		for _, order := range []string{ByName, RecentlyCreated} {
			plans["clusters "+order] = planOf(ClustersOf("", order), part)
			plans["queues "+order] = planOf(QueuesOf(order, false), part)
			plans["queues' keys "+order] = planOf(QueuesOf(order, true), part)
			plans["teams "+order] = planOf(TeamsOf(domain.TeamFilter{}, order), part)
			plans["teams with a pipeline "+order] = planOf(TeamsOf(domain.TeamFilter{PipelineSlug: &slug}, order), part)
			plans["team members "+order] = planOf(TeamMembersOf(nil, "", order), part)
			plans["teams of a member "+order] = planOf(TeamsOfMember(order), part)
			plans["team pipelines "+order] = planOf(TeamPipelinesOf("", order), part)
			plans["teams of a pipeline "+order] = planOf(TeamsOfPipeline("", order), part)
			plans["members "+order] = planOf(MembersOf(domain.MemberFilter{}, order, sight), part)
			plans["members of a team "+order] = planOf(MembersOf(domain.MemberFilter{TeamSlug: &slug}, order, sight), part)
			plans["portals "+order] = planOf(PortalsOf("", order), part)
		}
		for _, order := range []string{ByName, RecentlyCreated, domain.FavoritesFirst} {
			for name, filter := range map[string]domain.PipelineListFilter{
				"all": {}, "names": {NamesOnly: true}, "archived": {Archived: true}, "search": {Search: "a"}, "cluster": {Cluster: &cluster}, "team": {Team: &team},
				"team's slug": {TeamSlug: &slug}, "favorites": {Favorite: &yes}, "tags": {Tags: []string{"a"}}, "since": {CreatedFrom: &at, CreatedTo: &at},
			} {
				plans["pipelines "+order+" "+name] = planOf(PipelinesOf(filter, order, sight), part)
			}
		}
		for name, plan := range plans {
			if steps := plan(t, d); !byParts.MatchString(steps) {
				t.Errorf("%s, from the end: %t\n%s", name, part.FromEnd, steps)
			}
		}
	}
}
