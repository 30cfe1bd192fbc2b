// Package matrix runs the permission tests of the areas of the service that people, agents and jobs call: every case is
// a method and what comes of it for each of the actors. It is for tests only.
package matrix

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// The columns of the matrix.
const (
	// people are nobody; tokens with all scopes of a plain member, a maintainer of the cluster, a member of the team that may build the pipeline and
	// maintains the cluster, an administrator, and an administrator of another organization; tokens of the administrator with all read scopes, with
	// all write scopes, without organizations, and revoked; an operator's command; a portal, and one of another organization; the administrator at a
	// browser, and a browser in which nobody is signed in.
	people = "nobody member maintainer teammate admin outsider reads writes ungranted revoked operator portal foreignPortal session visitor"
	// programs are agent tokens of the cluster, of another one, and one that was deleted; the session of the agent that runs the job, of one that a
	// job is assigned to, of one that has none, of agents of another cluster and another organization, and of one whose agent token was deleted; the
	// tokens of the job, of another one of its build, of one of another build, of one of another cluster, of one that ended just now, and of one that
	// ended long ago; a job's token as that of an agent, an agent's as that of a job, and an agent's and a job's where people ask.
	programs = "register secondRegister deadRegister agent assigned free second foreign deadAgent job sibling otherBuild secondJob over ended jobAsAgent agentAsJob agentAtREST jobAtREST"
)

// The rows of people.
const (
	//              nobody member maintainer teammate admin outsider reads writes ungranted revoked operator portal foreignPortal session visitor
	Everyone     = "ok     ok     ok         ok       ok    ok       ok    ok     ok        ok      ok       ok     ok            ok      ok"
	NoPeople     = "anon   anon   anon       anon     anon  anon     anon  anon   anon      anon    anon     anon   anon          anon    anon"
	MembersRead  = "anon   ok     ok         ok       ok    none     ok    scope  none      anon    anon     ok     none          ok      anon"
	MembersWrite = "anon   ok     ok         ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	OwnRead      = "anon   ok     ok         ok       ok    ok       ok    scope  ok        anon    anon     anon   anon          ok      anon"
	BuildersOnly = "anon   deny   deny       ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	VotersOnly   = "anon   ok     deny       deny     ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	ManagersOnly = "anon   deny   ok         ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	OperatorOnly = "deny   deny   deny       deny     deny  deny     deny  deny   deny      deny    ok       deny   deny          deny    deny"
	BadTicket    = "ticket ticket ticket     ticket   ticket ticket  ticket ticket ticket   ticket  ticket   ticket ticket        ticket  ticket"
	TooLate      = "gone   gone   gone       gone     gone  gone     gone  gone   gone      gone    gone     gone   gone          gone    gone"
)

// The rows of programs.
const (
	//               register secondRegister deadRegister agent assigned free second foreign deadAgent job sibling otherBuild secondJob over ended jobAsAgent agentAsJob agentAtREST jobAtREST
	NoProgram      = "anon    anon           anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	DeniedPrograms = "deny    deny           deny         deny  deny     deny deny   deny    deny      deny deny   deny       deny      deny deny  deny       deny       deny        deny"
	AnyProgram     = "ok      ok             ok           ok    ok       ok   ok     ok      ok        ok   ok     ok         ok        ok   ok    ok         ok         ok          ok"
	LivePrograms   = "ok      ok             anon         ok    ok       ok   ok     ok      anon      ok   ok     ok         ok        ok   anon  anon       anon       anon        anon"
	Registrations  = "ok      ok             anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	ClusterOfStack = "ok      nojob          anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	AnyAgent       = "anon    anon           anon         ok    ok       ok   ok     ok      anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	WaitingAgents  = "anon    anon           anon         ok    ok       ok   ok     ok      ok        anon anon   anon       anon      anon anon  ok         anon       anon        anon"
	LeavingAgents  = "anon    anon           anon         ok    ok       ok   ok     ok      ok        anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	AgentsAndJobs  = "anon    anon           anon         ok    ok       ok   ok     ok      anon      ok   ok     ok         ok        anon anon  anon       anon       anon        anon"
	LiveJobs       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         ok        anon anon  anon       anon       anon        anon"
	UploadingJobs  = "anon anon anon anon anon anon anon anon anon ok ok ok ok ended anon anon anon anon anon"
	AssignedAgent  = "anon    anon           anon         unassigned ok unassigned nojob nojob anon    anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	FreeAgent      = "anon    anon           anon         unassigned unassigned ok nojob nojob anon    anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	TheJob         = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   other  other      other     other anon anon       anon       anon        anon"
	OwnJobs        = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         ok        ok   anon  anon       anon       anon        anon"
	ClusterOfJob   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         nojob     anon anon  anon       anon       anon        anon"
	ClusterOfBuild = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         nobuild   anon anon  anon       anon       anon        anon"
	OwnBuild       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     nobuild    nobuild   anon anon  anon       anon       anon        anon"
	CacheUsers     = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         noregistry anon anon anon       anon       anon        anon"
	OwnCacheUpload = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   nosaved nosaved   noregistry anon anon anon       anon       anon        anon"
	OwnSteps       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     nostep     nostep    anon anon  anon       anon       anon        anon"
	OwnUploads     = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   noupload noupload noupload  anon anon  anon       anon       anon        anon"
	OwnUploadIDs   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   other  other      other     anon anon  anon       anon       anon        anon"
	OwnArtifacts   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   noartifact noartifact noartifact noartifact anon anon anon   anon        anon"
	BadTickets     = "ticket  ticket         ticket       ticket ticket  ticket ticket ticket ticket   ticket ticket ticket   ticket    ticket ticket ticket  ticket     ticket      ticket"
	TooLateForAny  = "gone    gone           gone         gone  gone     gone gone   gone    gone      gone gone   gone       gone      gone gone  gone       gone       gone        gone"
)

// Target is what the calls are about.
type Target struct {
	Programs   map[string]authz.Actor
	JobOf      map[string]string // by the hash of a job's token
	Pipeline   domain.PipelineRef
	Build      domain.BuildRef
	Job        domain.JobRef // which runs
	Block      domain.JobRef
	Vote       domain.JobRef // a block for a team
	Bad        domain.JobRef // which failed
	Free       domain.JobRef // which waits for an agent
	Agent      domain.AgentRef
	BuildID    string
	StepID     string // of the job free
	Assigned   string // a job
	Queue      domain.QueueID
	Upload     string
	Artifact   string
	Annotation string
	Batch      artifacts.AnnouncedArtifacts
	Parted     string
	Part       string // its ticket
	Download   string // its ticket
	Report     string // the ticket for files of its job
	Content    string
	Pending    artifacts.PendingUpload // of an artifact that was given up

	CacheUpload string // of the job
}

// Case is a row of the matrix.
type Case struct {
	Method   string
	People   string
	Programs string
	Call     func(ctx context.Context, w *World, a authz.Actor, at *Target) error
	Prepare  func(t *testing.T, w *World, at *Target)
	Names    string // what the caller names: crossed names are tried too
	Repeats  bool   // it can be done again and again
}

// World is a server with two organizations, their agents and jobs.
type World struct {
	*testkit.Server
	t      *testing.T
	People map[string]authz.Actor

	mainToken, secondToken, foreignToken string
	foreign                              Target
	made                                 int
}

const (
	steps = `
agents: {only: nobody}
steps:
  - {command: "true", key: main}
  - {command: "true", key: sibling, depends_on: []}
  - {command: "false", key: bad, depends_on: []}
  - {command: "false", key: old, depends_on: []}
  - {command: "true", key: free, depends_on: []}
  - {command: "true", key: assigned, depends_on: [], agents: {only: $BUILDKITE_BRANCH}}
  - {block: Go, key: block, depends_on: []}
  - {block: Vote, key: vote, depends_on: [], allowed_teams: [voters]}
`
	fixture = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    teams: [{name: Voters, slug: voters, members: [{user: member@example.com, role: member}]}]
    clusters: [{id: 0190b000-0000-7000-8000-000000000001, name: Second, queues: [{key: default, default: true}]}]
  - slug: elsewhere
    name: Elsewhere
    clusters: [{id: 0190b000-0000-7000-8000-000000000002, name: Theirs, queues: [{key: default, default: true}]}]
`
	secondID = "0190b000-0000-7000-8000-000000000001"
	theirsID = "0190b000-0000-7000-8000-000000000002"
)

// Must ends the test if there is an error.
func (w *World) Must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func newWorld(t *testing.T, d *db.DB) *World {
	t.Helper()
	w := &World{Server: testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: fixture, Quiet: true}), t: t}
	w.People = w.PermissionActors(t)
	admin, outsider := w.People["admin"], w.People["outsider"]
	acme, elsewhere := domain.OrganizationRef{Slug: testkit.Organization}, domain.OrganizationRef{Slug: testkit.ElsewhereSlug}
	w.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), map[string]any{"default_queue_id": testkit.QueueID}).Want(t, 200)
	agentToken := func(by authz.Actor, organization domain.OrganizationRef, cluster string) string {
		_, value, err := w.Service.CreateAgentToken(t.Context(), by, domain.ClusterRef{Organization: organization, ID: cluster}, core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
		w.Must(err)
		return value.Reveal()
	}
	w.mainToken = agentToken(admin, acme, testkit.MaintainedID)
	w.secondToken = agentToken(admin, acme, secondID)
	w.foreignToken = agentToken(outsider, elsewhere, theirsID)
	w.pipeline(admin, acme, "target", testkit.MaintainedID, []domain.PipelineTeamInput{{ID: testkit.TeamID, AccessLevel: domain.PipelineBuildAndRead}})
	w.pipeline(admin, acme, "second", secondID, nil)
	w.pipeline(outsider, elsewhere, "theirs", theirsID, nil)
	return w
}

func (w *World) pipeline(by authz.Actor, organization domain.OrganizationRef, name, cluster string, teams []domain.PipelineTeamInput) {
	w.t.Helper()
	in := domain.PipelineInput{Name: domain.Some(name), Repository: domain.Some("r"), ClusterID: domain.Some(cluster), Configuration: domain.Some(steps)}
	if teams != nil {
		in.Teams = domain.Some(teams)
	}
	_, err := w.Service.CreatePipeline(w.t.Context(), by, organization, core.Value(in))
	w.Must(err)
}

// agentOf registers and connects an agent.
func (w *World) agentOf(token string, tags ...string) (domain.AgentID, authz.Actor) {
	w.t.Helper()
	made, err := w.Agents.RegisterAgent(w.t.Context(), authz.AgentActor(authz.AgentToken, token, testkit.PermissionAddress), agents.Registration{Name: "agent", MetaData: tags})
	w.Must(err)
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), testkit.PermissionAddress)
	w.Must(w.Agents.ConnectAgent(w.t.Context(), session))
	return made.Agent.ID, session
}

// buildOf makes a build, and returns the ids of its jobs by the keys of their steps.
func (w *World) buildOf(by authz.Actor, ref domain.PipelineRef) (domain.BuildView, map[string]string) {
	w.t.Helper()
	w.made++
	made, err := w.Builds.CreateBuild(w.t.Context(), by, ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "branch-" + strings.Repeat("x", w.made)}))
	w.Must(err)
	jobs := map[string]string{}
	for _, j := range made.Jobs {
		if j.StepKey != nil {
			jobs[*j.StepKey] = string(j.ID)
		}
	}
	return made, jobs
}

// run lets an agent begin with a job.
func (w *World) run(session authz.Actor, job string) authz.Actor {
	w.t.Helper()
	taken, err := w.Builds.AcquireJob(w.t.Context(), session, job)
	w.Must(err)
	token := authz.AgentActor(authz.JobToken, taken.Token.Reveal(), testkit.PermissionAddress)
	w.Must(w.Builds.StartJob(w.t.Context(), token, job))
	return token
}

// target makes what a call is about, and the programs that make it.
func (w *World) target() *Target {
	w.t.Helper()
	ctx, t := w.t.Context(), w.t
	admin, outsider := w.People["admin"], w.People["outsider"]
	acme, elsewhere := domain.OrganizationRef{Slug: testkit.Organization}, domain.OrganizationRef{Slug: testkit.ElsewhereSlug}
	at := &Target{JobOf: map[string]string{}, Queue: testkit.QueueID, Pipeline: domain.PipelineRef{Organization: acme, Slug: "target"}}
	made, jobs := w.buildOf(admin, at.Pipeline)
	at.Build, at.BuildID = domain.BuildRef{Pipeline: at.Pipeline, Number: made.Number}, string(made.ID)
	for _, j := range made.Jobs {
		if string(j.ID) == jobs["free"] {
			at.StepID = string(j.StepID)
		}
	}
	ref := func(key string) domain.JobRef { return domain.JobRef{Organization: acme, ID: jobs[key]} }
	at.Job, at.Block, at.Vote, at.Bad, at.Free, at.Assigned = ref("main"), ref("block"), ref("vote"), ref("bad"), ref("free"), jobs["assigned"]

	as := func(kind authz.CredentialKind, value string) authz.Actor {
		return authz.AgentActor(kind, value, testkit.PermissionAddress)
	}
	begin := func(token, job string) (domain.AgentID, authz.Actor, authz.Actor) {
		id, session := w.agentOf(token)
		own := w.run(session, job)
		at.JobOf[own.Credential.Hash] = job
		return id, session, own
	}
	p := map[string]authz.Actor{"register": as(authz.AgentToken, w.mainToken), "secondRegister": as(authz.AgentToken, w.secondToken)}
	var agent domain.AgentID
	agent, p["agent"], p["job"] = begin(w.mainToken, jobs["main"])
	at.Agent = domain.AgentRef{Organization: acme, ID: string(agent)}
	_, _, p["sibling"] = begin(w.mainToken, jobs["sibling"])
	_, _, p["over"] = begin(w.mainToken, jobs["bad"])
	_, _, p["ended"] = begin(w.mainToken, jobs["old"])
	for name, key := range map[string]string{"over": "bad", "ended": "old"} {
		w.Must(w.Builds.FinishJob(ctx, p[name], jobs[key], builds.Finish{ExitStatus: 1}))
	}
	testkit.Change(t, w.DB, `UPDATE job_runs SET token_until = 1 WHERE job_id = $1`, jobs["old"])
	_, others := w.buildOf(admin, at.Pipeline)
	_, _, p["otherBuild"] = begin(w.mainToken, others["main"])
	_, seconds := w.buildOf(admin, domain.PipelineRef{Organization: acme, Slug: "second"})
	_, p["second"], p["secondJob"] = begin(w.secondToken, seconds["main"])
	theirs := domain.PipelineRef{Organization: elsewhere, Slug: "theirs"}
	foreignBuild, foreignJobs := w.buildOf(outsider, theirs)
	var foreignAgent domain.AgentID
	foreignAgent, p["foreign"] = w.agentOf(w.foreignToken)
	_, p["free"] = w.agentOf(w.mainToken)
	_, p["assigned"] = w.agentOf(w.mainToken, "only="+made.Branch)
	if ping, err := w.Builds.PingAgent(ctx, p["assigned"]); err != nil || string(ping.Job) != at.Assigned {
		t.Fatalf("the agent was given %q, not %q: %v", ping.Job, at.Assigned, err)
	}
	dead, value, err := w.Service.CreateAgentToken(ctx, admin, domain.ClusterRef{Organization: acme, ID: testkit.MaintainedID}, core.Value(domain.AgentTokenInput{Description: domain.Some("dead")}))
	w.Must(err)
	_, p["deadAgent"] = w.agentOf(value.Reveal())
	p["deadRegister"] = as(authz.AgentToken, value.Reveal())
	w.Must(w.Service.DeleteAgentToken(ctx, admin, domain.ClusterRef{Organization: acme, ID: testkit.MaintainedID}, string(dead.ID), nil))
	p["jobAsAgent"], p["agentAsJob"], p["agentAtREST"], p["jobAtREST"] = p["job"], p["agent"], p["agent"], p["job"]
	for name, change := range map[string]func(*authz.Actor){
		"jobAsAgent":  func(a *authz.Actor) { a.Credential.Kind = authz.AgentSession },
		"agentAsJob":  func(a *authz.Actor) { a.Credential.Kind = authz.JobToken },
		"agentAtREST": func(a *authz.Actor) { a.Surface = authz.REST },
		"jobAtREST":   func(a *authz.Actor) { a.Surface = authz.REST },
	} {
		a := p[name]
		change(&a)
		p[name] = a
	}
	at.Programs = p

	at.Upload = domain.NewID[string]()
	_, err = w.Builds.UploadPipeline(ctx, p["job"], at.Job.ID, builds.Upload{ID: at.Upload, Document: []byte(`{"steps": [{"command": "true", "agents": {"only": "nobody"}}]}`)})
	w.Must(err)
	w.Must(w.Builds.SetMetaData(ctx, p["job"], builds.Target{Job: at.Job.ID}, map[string]string{"k": "v"}))
	w.Must(w.Builds.Annotate(ctx, p["job"], at.Job.ID, domain.AnnotationInput{Context: "there", Body: "Text"}))

	w.foreign = Target{Pipeline: theirs, Build: domain.BuildRef{Pipeline: theirs, Number: foreignBuild.Number}, BuildID: string(foreignBuild.ID),
		Job: domain.JobRef{Organization: elsewhere, ID: foreignJobs["main"]}, Block: domain.JobRef{Organization: elsewhere, ID: foreignJobs["block"]},
		Agent: domain.AgentRef{Organization: elsewhere, ID: string(foreignAgent)}}
	return at
}

// rows returns every row of the database that a refused call must not change.
func (w *World) rows() []string {
	w.t.Helper()
	rows := testkit.PermissionRows(w.t, w.DB)
	for _, table := range []string{"builds", "jobs", "agents", "meta_data", "annotations", "step_uploads"} {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row[:min(len(row), 40)], table) }) {
			w.t.Fatalf("the rows of %s are not compared", table)
		}
	}
	return rows
}

func (c Case) target(t *testing.T, w *World) *Target {
	t.Helper()
	at := w.target()
	if c.Prepare != nil {
		c.Prepare(t, w, at)
	}
	return at
}

// run makes the calls that are to be refused, which must not change anything, and then the others, each on a target of its own.
func (c Case) run(t *testing.T, w *World) {
	names := append(strings.Fields(people), strings.Fields(programs)...)
	outcomes := append(strings.Fields(c.People), strings.Fields(c.Programs)...)
	if len(names) != len(outcomes) {
		t.Fatalf("%d outcomes for %d actors", len(outcomes), len(names))
	}
	call := func(name, outcome string, at *Target) {
		t.Helper()
		actor, isProgram := at.Programs[name]
		if !isProgram {
			actor = w.People[name]
		}
		testkit.CheckOutcome(t, c.Method+" by "+name, c.Call(t.Context(), w, actor, at), outcome)
	}
	at := c.target(t, w)
	before := w.rows()
	for i, name := range names {
		if outcomes[i] != "ok" {
			call(name, outcomes[i], at)
		}
	}
	testkit.CheckSameRows(t, "a refused "+c.Method, before, w.rows())
	c.cross(t, w, at, before)
	for i, name := range names {
		if outcomes[i] != "ok" {
			continue
		}
		call(name, "ok", at)
		if !c.Repeats {
			at = c.target(t, w)
		}
	}
}

// cross makes calls that name things of another organization, or of another build, below one's own. They must find nothing.
func (c Case) cross(t *testing.T, w *World, at *Target, before []string) {
	t.Helper()
	if c.Names == "" {
		return
	}
	theirs, acme := w.foreign, at.Pipeline.Organization
	below := *at // their things, as if they were ours
	below.Pipeline.Slug = theirs.Pipeline.Slug
	below.Build = domain.BuildRef{Pipeline: below.Pipeline, Number: 1}
	below.Job = domain.JobRef{Organization: acme, ID: theirs.Job.ID}
	below.Block, below.Vote, below.Bad, below.Free = domain.JobRef{Organization: acme, ID: theirs.Block.ID}, below.Job, below.Job, below.Job
	below.Agent = domain.AgentRef{Organization: acme, ID: theirs.Agent.ID}
	byID := *at // their things, by their ids alone
	of := func(kind domain.ThingKind, id string) domain.OrganizationRef {
		return domain.OrganizationRef{Of: domain.ThingRef{Kind: kind, ID: id}}
	}
	byID.Build = domain.BuildRef{ID: domain.BuildID(theirs.BuildID)}
	byID.Job = domain.JobRef{Organization: of(domain.JobThing, theirs.Job.ID), ID: theirs.Job.ID}
	byID.Block, byID.Vote, byID.Bad, byID.Free = domain.JobRef{Organization: of(domain.JobThing, theirs.Block.ID), ID: theirs.Block.ID}, byID.Job, byID.Job, byID.Job
	byID.Agent = domain.AgentRef{Organization: of(domain.AgentThing, theirs.Agent.ID), ID: theirs.Agent.ID}
	mixed := *at // a job of one build below another one, ours and theirs
	otherJob := at.JobOf[at.Programs["otherBuild"].Credential.Hash]
	mixed.Job = domain.JobRef{Build: &at.Build, ID: otherJob}
	mixed.Block, mixed.Vote, mixed.Bad, mixed.Free = mixed.Job, mixed.Job, mixed.Job, domain.JobRef{Build: &at.Build, ID: theirs.Job.ID}
	tries := map[string]*Target{"below": &below, "byID": &byID}
	if c.Names == "job" {
		tries["mixed"] = &mixed
	}
	if c.Names == "pipeline" {
		delete(tries, "byID")
	}
	for name, target := range tries {
		for _, who := range []string{"admin", "session", "portal"} {
			if err := c.Call(t.Context(), w, w.People[who], target); domain.CodeOf(err) != domain.NotFound {
				t.Errorf("%s of what is not theirs, %s, by %s: %v", c.Method, name, who, err)
			}
		}
	}
	testkit.CheckSameRows(t, c.Method+" of what is not one's own", before, w.rows())
}

// Suite is the permission test of one service.
type Suite struct {
	Service      reflect.Type
	Cases        []Case
	WithoutActor map[string]string // the methods that nobody calls for a request, and why
	Public       []string          // the methods that everybody may call
}

// CheckMethods fails for a method of the service that no case allows, or none refuses.
func (s Suite) CheckMethods(t *testing.T) {
	t.Helper()
	outcomes := map[string]string{}
	for _, c := range s.Cases {
		outcomes[c.Method] += c.People + " " + c.Programs + " "
		if p, q := len(strings.Fields(c.People)), len(strings.Fields(c.Programs)); p != len(strings.Fields(people)) || q != len(strings.Fields(programs)) {
			t.Errorf("%s has %d outcomes for people and %d for programs", c.Method, p, q)
		}
	}
	testkit.CheckMethods(t, s.Service, outcomes, s.WithoutActor, s.Public...)
}

// Run makes the calls of all cases on both engines, some cases to a server.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	for cases := range slices.Chunk(s.Cases, 8) {
		t.Run(cases[0].Method+" to "+cases[len(cases)-1].Method, func(t *testing.T) {
			t.Parallel()
			testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				for _, c := range cases {
					t.Run(c.Method, func(t *testing.T) { w.t = t; c.run(t, w) })
				}
			})
		})
	}
}

// EndWatch ends what an operation has begun to watch, and returns why it did not.
func EndWatch(w core.Watch, err error) error {
	if err == nil {
		w.Stop()
	}
	return err
}
