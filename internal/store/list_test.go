package store

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

var update = flag.Bool("update", false, "write the files in testdata again")

// statements is a list as far as its SQL is concerned.
type statements interface {
	rangeSQL(*arguments, Viewer, string, Range) string
	pageSQL(a *arguments, viewer Viewer, parent string, part Range, passed int64) string
	rangesSQL(*arguments, Viewer, []string, Range, bool) string
	countSQL(*arguments, Viewer, []string) string
	reachesSQL(*arguments, Viewer, string, Position, bool) string
	keyCount() int
}

func (l List[T]) keyCount() int { return len(l.keys) }

var anyUser, anyPortal = Viewer{User: "user"}, Viewer{Portal: "portal"}

// everyList returns each list, in each order and with each filter that changes its statements, by the name of its function.
func everyList() map[string]statements {
	yes, no, slug, moment := true, false, "slug", time.UnixMilli(1)
	cluster, team, user, pipeline := domain.ClusterID("c"), domain.TeamID("t"), domain.UserID("u"), domain.PipelineID("p")
	queue, job, pattern := domain.QueueID("q"), domain.JobID("j"), "log/*.txt"
	var caller authz.Identity
	lists := map[string]statements{
		"AccessibleOrganizations of a token":   AccessibleOrganizations(authz.Credential{Kind: authz.APIToken}, &caller, nil),
		"AccessibleOrganizations of a session": AccessibleOrganizations(authz.Credential{Kind: authz.Session}, &caller, []domain.OrganizationID{"o"}),
		"AccessibleOrganizations of a portal":  AccessibleOrganizations(authz.Credential{Kind: authz.PortalToken}, &caller, nil),
		"AgentTokensOf":                        AgentTokensOf(),
		"AgentTokensMadeBy":                    AgentTokensMadeBy(user),
		"ClusterSecretsOf":                     ClusterSecretsOf(),
		"AuditEventsOf":                        AuditEventsOf(domain.AuditFilter{}),
		"AuditEventsOf chosen": AuditEventsOf(domain.AuditFilter{Types: []domain.AuditEventType{"a", "b"}, Subjects: []string{"s"},
			Actors: []string{"a"}, ActorTypes: []domain.AuditActorType{"t"}, SubjectTypes: []domain.AuditSubjectType{"s"}, From: &moment, To: &moment}),
		"CacheEntriesOf":                  CacheEntriesOf(),
		"CacheRegistriesOf":               CacheRegistriesOf(),
		"ClustersMaintainedBy":            ClustersMaintainedBy(user),
		"InvitationsOf":                   InvitationsOf(domain.InvitationFilter{}, domain.RecentlyCreated, moment),
		"InvitationsOf pending by name":   InvitationsOf(domain.InvitationFilter{States: []domain.InvitationState{domain.InvitationPending}}, domain.ByName, moment),
		"TeamsOfInvitations":              TeamsOfInvitations(),
		"MaintainersOf":                   MaintainersOf(),
		"NoticesOf":                       NoticesOf(),
		"OrganizationTokensOf":            OrganizationTokensOf(domain.TokenFilter{}, moment),
		"OrganizationTokensOf the newest": OrganizationTokensOf(domain.TokenFilter{User: &user, Search: "a", NewestFirst: true}, moment),
		"BuildsOfSchedules":               BuildsOfSchedules(),
		"PipelineSchedulesOf":             PipelineSchedulesOf(),
		"UnclusteredTokensOf":             UnclusteredTokensOf(nil),
		"OrganizationBannersOf":           OrganizationBannersOf(),
		"NotificationServicesOf":          NotificationServicesOf(),
		"PipelineTriggersOf":              PipelineTriggersOf(),
		"RulesOf":                         RulesOf(domain.RuleFilter{}),
		"RulesOf chosen":                  RulesOf(domain.RuleFilter{Types: []domain.RuleType{"t"}, Source: &pipeline, Target: &pipeline}),
		"OwnTokens":                       OwnTokens(),
		"OwnUser":                         OwnUser(),
		"InvokablePortalsOf":              InvokablePortalsOf(),
		"PortalSecretsOf":                 PortalSecretsOf(),
		"PortalsKnownBy":                  PortalsKnownBy(user),
		"PortalTokensOf":                  PortalTokensOf(moment),
		"MemberPortalTokensOf":            MemberPortalTokensOf(moment),
		"OwnPortalTokens":                 OwnPortalTokens(moment),
		"SessionsOf":                      SessionsOf(moment),
		"BuildsOfOrganizations":           BuildsOfOrganizations(domain.BuildFilter{}, false),
		"BuildsOfOrganizations keys only": BuildsOfOrganizations(domain.BuildFilter{}, true),
		"BuildsOfPipelines":               BuildsOfPipelines(domain.BuildFilter{}),
		"BuildsOfPipelines chosen": BuildsOfPipelines(domain.BuildFilter{Branches: []string{"main", "a*b*c"}, Commits: []string{"a"}, CreatedFrom: &moment, CreatedTo: &moment,
			FinishedFrom: &moment, Creator: &user, States: []flow.BuildState{"passed"}, ShownStates: []flow.BuildState{"failed"}, MetaData: map[string]string{"a": "b"}, Pairs: []string{"a:b"}}),
		"BuildsOfUsers":       BuildsOfUsers([]domain.OrganizationID{"o"}, domain.BuildFilter{}),
		"JobsOfBuilds":        JobsOfBuilds(domain.JobFilter{}),
		"JobsOfBuilds chosen": JobsOfBuilds(domain.JobFilter{ShownStates: []string{"passed", "failed", "running"}, StepKey: &slug, GroupKey: &slug, NewestOnly: true}),
		"AgentsOf":            AgentsOf(domain.AgentFilter{}),
		"AgentsOf chosen":     AgentsOf(domain.AgentFilter{Name: &slug, Hostname: &slug, Version: &slug, Queue: &queue}),
		"ConnectedAgents":     ConnectedAgents(domain.AgentSearch{}, moment),
		"ConnectedAgents chosen": ConnectedAgents(domain.AgentSearch{Text: "a", Queues: []domain.QueueID{"q"}, Cluster: &cluster, Unclustered: true, Tags: []string{"a=b"},
			Running: &yes, Paused: &no}, moment),
		"DependenciesOfSteps":        DependenciesOfSteps(),
		"MetaDataOf":                 MetaDataOf(),
		"StepUploadsOf":              StepUploadsOf(domain.StepUploadFilter{}),
		"AnnotationsOfBuilds":        AnnotationsOfBuilds(domain.AnnotationFilter{}, domain.FirstCreated),
		"AnnotationsOfBuilds recent": AnnotationsOfBuilds(domain.AnnotationFilter{}, domain.RecentlyCreated),
		"AnnotationsOfBuilds chosen": AnnotationsOfBuilds(domain.AnnotationFilter{Scopes: []domain.AnnotationScope{domain.ScopeOfBuild}, Styles: []string{"info"}, WithoutBody: true}, domain.ByPriority),
		"AnnotationsOfJobs":          AnnotationsOfJobs(domain.AnnotationFilter{}, domain.FirstCreated),
		"ArtifactsOfBuilds":          ArtifactsOfBuilds(domain.ArtifactFilter{}),
		"ArtifactsOfJobs":            ArtifactsOfJobs(domain.ArtifactFilter{}),
		"ArtifactsOfJobs chosen":     ArtifactsOfJobs(domain.ArtifactFilter{States: []domain.ArtifactState{domain.ArtifactFinished}, Path: &pattern}),
		"StepUploadsOf of one":       StepUploadsOf(domain.StepUploadFilter{Job: &job}),
	}
	chosenJobs := domain.JobSearch{States: []flow.JobState{"running"}, Types: []domain.JobType{domain.CommandJob, domain.BlockJob}, Queues: []domain.QueueID{"q"},
		StepKeys: []string{"a"}, Groups: []string{"g"}, Priorities: []int64{1, 2}, AgentRules: []string{"a=b"}, Cluster: &cluster, Unclustered: true, Passed: &no,
		CreatedFrom: &moment, CreatedTo: &moment, FinishedFrom: &moment}
	for name, list := range map[string]func(domain.JobSearch, domain.Order) List[*domain.JobView]{
		"JobsOfOrganizations": JobsOfOrganizations, "JobsOfPipelines": JobsOfPipelines, "JobsOfAgents": JobsOfAgents, "JobsSearchedInBuilds": JobsSearchedInBuilds,
	} {
		lists[name] = list(domain.JobSearch{}, domain.RecentlyCreated)
		lists[name+" by assignment"] = list(domain.JobSearch{}, domain.RecentlyAssigned)
		lists[name+" chosen"] = list(chosenJobs, domain.RecentlyCreated)
	}
	for name, order := range map[string]domain.Order{" by name": domain.ByName, " by time": domain.RecentlyCreated} {
		lists["ClustersOf"+name] = ClustersOf("", order)
		lists["ClustersOf"+name+" searched"] = ClustersOf("a", order)
		lists["QueuesOf"+name] = QueuesOf(order, false)
		lists["QueuesOf"+name+" keys only"] = QueuesOf(order, true)
		lists["TeamsOf"+name] = TeamsOf(domain.TeamFilter{}, order)
		lists["TeamsOf"+name+" chosen"] = TeamsOf(domain.TeamFilter{Search: "a", Privacy: []domain.TeamPrivacy{"p"}, User: &user, Pipeline: &pipeline,
			PipelineSlug: &slug, NotPipeline: &pipeline}, order)
		lists["TeamMembersOf"+name] = TeamMembersOf(nil, "", order)
		lists["TeamMembersOf"+name+" chosen"] = TeamMembersOf([]domain.TeamRole{"r"}, "a", order)
		lists["TeamsOfMembers"+name] = TeamsOfMembers(order)
		lists["TeamPipelinesOf"+name] = TeamPipelinesOf("", order)
		lists["TeamsOfPipelines"+name] = TeamsOfPipelines("", order)
		lists["MembersOf"+name] = MembersOf(domain.MemberFilter{}, order, anyUser)
		lists["MembersOf"+name+" chosen"] = MembersOf(domain.MemberFilter{Search: "a", Email: &slug, Roles: []domain.Role{"r"}, Team: &team, TeamSlug: &slug,
			NotTeam: &team, InactiveSince: &moment}, order, anyUser)
		lists["PortalsOf"+name] = PortalsOf("", order)
		lists["PipelineTemplatesOf"+name] = PipelineTemplatesOf(order)
	}
	for name, order := range map[string]domain.Order{" by name": domain.ByName, " by time": domain.RecentlyCreated, " favorites first": domain.FavoritesFirst} {
		for with, filter := range map[string]domain.PipelineFilter{
			"": {}, " live": {Archived: &no}, " archived": {Archived: &yes}, " named": {Archived: &no, Name: "a", RepositoryPart: "b"}, " of a cluster": {Archived: &no, Cluster: &cluster},
			" of a team": {Archived: &no, Team: &team}, " of a team's slug": {Archived: &no, TeamSlug: &slug}, " favorites": {Archived: &no, Favorite: &yes},
			" tagged": {Archived: &no, Tags: []string{"a", "b"}}, " of a time": {Archived: &no, CreatedFrom: &moment, CreatedTo: &moment},
			" of other filters": {Archived: &no, Unclustered: true, Repository: &slug, Text: "a", NotTeam: &team},
		} {
			lists["PipelinesOf"+name+with] = PipelinesOf(filter, order, anyUser, false)
		}
		lists["PipelinesOf"+name+" live names only"] = PipelinesOf(domain.PipelineFilter{Archived: &no}, order, anyUser, true)
	}
	return lists
}

// TestEveryListIsTested fails for a function that returns a list and is not in everyList.
func TestEveryListIsTested(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	tested := map[string]bool{}
	for name := range everyList() {
		function, _, _ := strings.Cut(name, " ")
		tested[function] = true
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.IndexExpr); ok && fmt.Sprint(result.X) == "List" && !tested[f.Name.Name] {
				t.Errorf("%s is in no test", f.Name.Name)
			}
		}
	}
}

// TestStatementsOfLists compares the final text of every list's statements, in every shape and on both engines, with the files of testdata.
// go test ./internal/store -run TestStatementsOfLists -update writes them again.
func TestStatementsOfLists(t *testing.T) {
	t.Parallel()
	lists := everyList()
	filtered := regexp.MustCompile(`^PipelinesOf.* (archived|named|of .*|favorites|tagged)$`)
	texts := map[string]string{} // by the name of the function
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		function, _, _ := strings.Cut(name, " ")
		text := statementsOf(lists[name])
		if filtered.MatchString(name) { // the other statements differ by the same condition
			text, _, _ = strings.Cut(text, "-- first after")
		}
		texts[function] += "-- # " + name + "\n\n" + text
	}
	for function, text := range texts {
		path := filepath.Join("testdata", function+".sql")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || string(want) != text {
			t.Errorf("%s is not what the list's statements are; %v. It would be:\n%s", path, err, text)
		}
	}
	if files, err := filepath.Glob("testdata/*.sql"); err != nil || len(files) != len(texts) {
		t.Errorf("testdata has files of lists that there are no more: %v, %v", files, err)
	}
}

// statementsOf returns all statements of a list.
func statementsOf(l statements) string {
	at := make(Position, l.keyCount())
	for i := range at {
		at[i] = "x"
	}
	var b strings.Builder
	write := func(what string, statement func(*arguments) string) {
		fmt.Fprintf(&b, "-- %s\n%s;\n\n", what, statement(&arguments{}))
	}
	parents := []string{"a", "b"}
	write("first", func(a *arguments) string { return l.rangeSQL(a, anyUser, "a", Range{Limit: 10}) })
	write("first after a position, seen by a portal", func(a *arguments) string { return l.rangeSQL(a, anyPortal, "a", Range{After: at, Limit: 10}) })
	write("last before a position", func(a *arguments) string {
		return l.rangeSQL(a, anyUser, "a", Range{Before: at, Limit: 10, FromEnd: true})
	})
	write("page", func(a *arguments) string { return l.pageSQL(a, anyUser, "a", Range{Limit: 10}, 50) })
	write("page from the end", func(a *arguments) string { return l.pageSQL(a, anyUser, "a", Range{Limit: 10, FromEnd: true}, 50) })
	write("first of several parents, PostgreSQL", func(a *arguments) string { return l.rangesSQL(a, anyUser, parents, Range{Limit: 10}, true) })
	write("first of several parents, SQLite", func(a *arguments) string { return l.rangesSQL(a, anyUser, parents, Range{Limit: 10}, false) })
	write("last of several parents, SQLite", func(a *arguments) string {
		return l.rangesSQL(a, anyUser, parents, Range{Limit: 10, FromEnd: true}, false)
	})
	write("count", func(a *arguments) string { return l.countSQL(a, anyUser, parents) })
	write("at a position or behind", func(a *arguments) string { return l.reachesSQL(a, anyUser, "a", at, false) })
	return b.String()
}

// TestNestedListsAreReadByTheirParts asks SQLite how it would read each list below several parents: the ids of a part must be found once for
// each parent, and not for each of all the things that the parent has.
func TestNestedListsAreReadByTheirParts(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	byParts := regexp.MustCompile(`\((organization_id=\? AND )?(id|job_id|build_id=\? AND key)=\?\)\nCORRELATED LIST SUBQUERY`)
	for name, l := range everyList() {
		if strings.HasPrefix(name, "AccessibleOrganizations") || name == "OwnUser" { // of one parent only
			continue
		}
		for _, part := range []Range{{Limit: 10}, {Limit: 10, FromEnd: true}} {
			var a arguments
			sql := l.rangesSQL(&a, anyUser, []string{"a", "b", "c"}, part, false)
			if steps := explained(t, d, sql, a); !byParts.MatchString(steps) {
				t.Errorf("%s, from the end: %t\n%s", name, part.FromEnd, steps)
			}
		}
	}
}

// TestDeepPagesAreFoundInAnIndex asks SQLite how it would read a late page of a list that can be long: what comes before it is passed over
// in an index that has the list's order, and only the page's own rows are looked up. (A build has 4,000 jobs at most.)
func TestDeepPagesAreFoundInAnIndex(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	for _, name := range []string{"ClustersOf by name", "PipelinesOf by name", "PipelinesOf by name live", "AgentTokensOf", "QueuesOf by name",
		"BuildsOfOrganizations", "BuildsOfPipelines", "AgentsOf", "StepUploadsOf", "CacheEntriesOf",
		"ArtifactsOfBuilds", "ArtifactsOfJobs"} {
		for _, fromEnd := range []bool{false, true} {
			var a arguments
			steps := explained(t, d, everyList()[name].pageSQL(&a, anyUser, "a", Range{Limit: 10, FromEnd: fromEnd}, 50), a)
			_, inner, found := strings.Cut(steps, "CO-ROUTINE page")
			if inner, _, _ = strings.Cut(inner, "SCAN page"); !found || !strings.Contains(inner, "USING COVERING INDEX") || strings.Contains(inner, "TEMP B-TREE") {
				t.Errorf("%s, from the end: %t\n%s", name, fromEnd, steps)
			}
		}
	}
}

// TestOpenJobsAreFoundByTheirState asks SQLite how it would read the jobs of a queue that wait, or run: without reading all jobs that the
// organization or the queue ever had.
func TestOpenJobsAreFoundByTheirState(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	for _, states := range [][]flow.JobState{{flow.Scheduled, flow.Reserved}, {flow.Assigned, flow.Accepted, flow.Running, flow.Canceling, flow.TimingOut}} {
		l := JobsOfOrganizations(domain.JobSearch{States: states, Queues: []domain.QueueID{"q"}}, domain.RecentlyCreated)
		for what, statement := range map[string]func(*arguments) string{
			"first": func(a *arguments) string { return l.rangeSQL(a, anyUser, "a", Range{Limit: 10}) },
			"last":  func(a *arguments) string { return l.rangeSQL(a, anyUser, "a", Range{Limit: 10, FromEnd: true}) },
			"count": func(a *arguments) string { return l.countSQL(a, anyUser, []string{"a"}) },
		} {
			var a arguments
			sql := statement(&a)
			if plan := explained(t, d, sql, a); !strings.Contains(plan, "job_runs_listed (organization_id=? AND list_state=?)") {
				t.Errorf("%s of %v: %s\n%s", what, states, sql, plan)
			}
		}
	}
}
