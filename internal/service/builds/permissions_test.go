package builds_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/db"
	"penstock/internal/domain"
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

// What can come of a call.
var permissionOutcomes = map[string]struct {
	code    domain.Code
	message string // its beginning
}{
	"ok":    {0, ""},
	"anon":  {domain.Unauthenticated, "Authentication required"},
	"ended": {domain.Unauthenticated, "The job has ended"},
	"none":  {domain.NotFound, "No organization found"},
	"scope": {domain.Forbidden, "Your access token doesn't have the "},
	"deny":  {domain.Forbidden, "Forbidden"},

	"other":      {domain.Forbidden, "This token is for another job"},
	"unassigned": {domain.Invalid, "This job is not assigned to this agent"},
	"nobuild":    {domain.NotFound, "No build found"},
	"nojob":      {domain.NotFound, "No job found"},
	"nostep":     {domain.NotFound, "No step found"},
	"noartifact": {domain.NotFound, "No artifact found"},
	"noupload":   {domain.NotFound, "No upload found"},
	"ticket":     {domain.Forbidden, "This address is not valid"},
	"noregistry": {domain.NotFound, "Cache registry not found"},
	"nosaved":    {domain.NotFound, "Cache upload not found"},
	"gone":       {domain.Invalid, "The artifact is no longer being uploaded"},
}

// The rows of people.
const (
	//              nobody member maintainer teammate admin outsider reads writes ungranted revoked operator portal foreignPortal session visitor
	everyone     = "ok     ok     ok         ok       ok    ok       ok    ok     ok        ok      ok       ok     ok            ok      ok"
	noPeople     = "anon   anon   anon       anon     anon  anon     anon  anon   anon      anon    anon     anon   anon          anon    anon"
	membersRead  = "anon   ok     ok         ok       ok    none     ok    scope  none      anon    anon     ok     none          ok      anon"
	membersWrite = "anon   ok     ok         ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	ownRead      = "anon   ok     ok         ok       ok    ok       ok    scope  ok        anon    anon     anon   anon          ok      anon"
	buildersOnly = "anon   deny   deny       ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	votersOnly   = "anon   ok     deny       deny     ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	managersOnly = "anon   deny   ok         ok       ok    none     scope ok     none      anon    anon     ok     none          ok      anon"
	operatorOnly = "deny   deny   deny       deny     deny  deny     deny  deny   deny      deny    ok       deny   deny          deny    deny"
	badTicket    = "ticket ticket ticket     ticket   ticket ticket  ticket ticket ticket   ticket  ticket   ticket ticket        ticket  ticket"
	tooLate      = "gone   gone   gone       gone     gone  gone     gone  gone   gone      gone    gone     gone   gone          gone    gone"
)

// The rows of programs.
const (
	//               register secondRegister deadRegister agent assigned free second foreign deadAgent job sibling otherBuild secondJob over ended jobAsAgent agentAsJob agentAtREST jobAtREST
	noProgram      = "anon    anon           anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	deniedPrograms = "deny    deny           deny         deny  deny     deny deny   deny    deny      deny deny   deny       deny      deny deny  deny       deny       deny        deny"
	anyProgram     = "ok      ok             ok           ok    ok       ok   ok     ok      ok        ok   ok     ok         ok        ok   ok    ok         ok         ok          ok"
	livePrograms   = "ok      ok             anon         ok    ok       ok   ok     ok      anon      ok   ok     ok         ok        ok   anon  anon       anon       anon        anon"
	registrations  = "ok      ok             anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	clusterOfStack = "ok      nojob          anon         anon  anon     anon anon   anon    anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	agents         = "anon    anon           anon         ok    ok       ok   ok     ok      anon      anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	waitingAgents  = "anon    anon           anon         ok    ok       ok   ok     ok      ok        anon anon   anon       anon      anon anon  ok         anon       anon        anon"
	leavingAgents  = "anon    anon           anon         ok    ok       ok   ok     ok      ok        anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	agentsAndJobs  = "anon    anon           anon         ok    ok       ok   ok     ok      anon      ok   ok     ok         ok        anon anon  anon       anon       anon        anon"
	liveJobs       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         ok        anon anon  anon       anon       anon        anon"
	uploadingJobs  = "anon anon anon anon anon anon anon anon anon ok ok ok ok ended anon anon anon anon anon"
	assignedAgent  = "anon    anon           anon         unassigned ok unassigned nojob nojob anon    anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	freeAgent      = "anon    anon           anon         unassigned unassigned ok nojob nojob anon    anon anon   anon       anon      anon anon  anon       anon       anon        anon"
	theJob         = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   other  other      other     other anon anon       anon       anon        anon"
	ownJobs        = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         ok        ok   anon  anon       anon       anon        anon"
	clusterOfJob   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         nojob     anon anon  anon       anon       anon        anon"
	clusterOfBuild = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         nobuild   anon anon  anon       anon       anon        anon"
	ownBuild       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     nobuild    nobuild   anon anon  anon       anon       anon        anon"
	cacheUsers     = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     ok         noregistry anon anon anon       anon       anon        anon"
	ownCacheUpload = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   nosaved nosaved   noregistry anon anon anon       anon       anon        anon"
	ownSteps       = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   ok     nostep     nostep    anon anon  anon       anon       anon        anon"
	ownUploads     = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   noupload noupload noupload  anon anon  anon       anon       anon        anon"
	ownUploadIDs   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   other  other      other     anon anon  anon       anon       anon        anon"
	ownArtifacts   = "anon    anon           anon         anon  anon     anon anon   anon    anon      ok   noartifact noartifact noartifact noartifact anon anon anon   anon        anon"
	badTickets     = "ticket  ticket         ticket       ticket ticket  ticket ticket ticket ticket   ticket ticket ticket   ticket    ticket ticket ticket  ticket     ticket      ticket"
	tooLateForAny  = "gone    gone           gone         gone  gone     gone gone   gone    gone      gone gone   gone       gone      gone gone  gone       gone       gone        gone"
)

// withoutActor are the methods that nobody calls for a request, and why.
var withoutActor = map[string]string{
	"ArtifactAddresses": "it signs addresses of what a snapshot let the caller read",
	"AwaitLogs":         "it only waits",
	"SetBaseURL":        "the server calls it once",
	"SetReady":          "the server calls it once",
	"SigningKey":        "it is there for tests",
}

// permissionTarget is what the calls are about.
type permissionTarget struct {
	programs   map[string]authz.Actor
	requireJob map[string]string // by the hash of a job's token
	pipeline   domain.PipelineRef
	build      domain.BuildRef
	job        domain.JobRef // which runs
	block      domain.JobRef
	vote       domain.JobRef // a block for a team
	bad        domain.JobRef // which failed
	free       domain.JobRef // which waits for an agent
	agent      domain.AgentRef
	buildID    string
	stepID     string // of the job free
	assigned   string // a job
	queue      domain.QueueID
	upload     string
	artifact   string
	annotation string
	batch      builds.AnnouncedArtifacts
	parted     string
	part       string // its ticket
	download   string // its ticket
	report     string // the ticket for files of its job
	content    string
	pending    builds.PendingUpload // of an artifact that was given up

	cacheUpload string // of the job
}

// permissionCase is a row of the matrix.
type permissionCase struct {
	method   string
	people   string
	programs string
	call     func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error
	prepare  func(t *testing.T, w *permissionWorld, at *permissionTarget)
	names    string // what the caller names: crossed names are tried too
	repeats  bool   // it can be done again and again
}

// permissionWorld is a server with two organizations.
type permissionWorld struct {
	*testkit.Server
	t      *testing.T
	builds *builds.Service
	people map[string]authz.Actor

	mainToken, secondToken, foreignToken string
	foreign                              permissionTarget
	made                                 int
}

var permissionAddress = netip.MustParseAddr("192.0.2.1")

const (
	permissionSteps = `
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
	permissionFixture = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    teams: [{name: Voters, slug: voters, members: [{user: member@example.com, role: member}]}]
    clusters: [{id: 0190b000-0000-7000-8000-000000000001, name: Second, queues: [{key: default, default: true}]}]
  - slug: elsewhere
    name: Elsewhere
    clusters: [{id: 0190b000-0000-7000-8000-000000000002, name: Theirs, queues: [{key: default, default: true}]}]
`
	permissionSecondID = "0190b000-0000-7000-8000-000000000001"
	permissionTheirsID = "0190b000-0000-7000-8000-000000000002"
)

func (w *permissionWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func newPermissionWorld(t *testing.T, d *db.DB) *permissionWorld {
	t.Helper()
	w := &permissionWorld{Server: testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: permissionFixture}), t: t}
	blobs, err := blob.OpenDirectory(t.TempDir())
	w.must(err)
	w.builds = builds.New(builds.Options{Core: core.New(core.Options{DB: d, Now: w.Clock.Now, Keyring: testkit.NewKeyring(t)}), Blobs: blobs, BaseURL: "https://ci.example.com"})
	admin, outsider := w.token("admin@example.com", testkit.Organization, ""), w.token("outsider@example.com", testkit.ElsewhereSlug, "")
	acme, elsewhere := domain.OrganizationRef{Slug: testkit.Organization}, domain.OrganizationRef{Slug: testkit.ElsewhereSlug}
	w.people = map[string]authz.Actor{
		"nobody": {}, "admin": admin, "outsider": outsider,
		"member":     w.token("member@example.com", testkit.Organization, ""),
		"maintainer": w.token("maintainer@example.com", testkit.Organization, ""),
		"teammate":   w.token("teammate@example.com", testkit.Organization, ""),
		"reads":      w.token("admin@example.com", testkit.Organization, "read_"),
		"writes":     w.token("admin@example.com", testkit.Organization, "write_"),
		"ungranted":  w.token("admin@example.com", "", ""),
		"revoked":    w.token("admin@example.com", testkit.Organization, ""),
		"operator":   authz.OperatorActor(),
		"visitor":    authz.VisitorActor(permissionAddress),
	}
	testkit.Change(t, d, `UPDATE api_tokens SET revoked_at = 1 WHERE hash = $1`, w.people["revoked"].Credential.Hash)
	for name, by := range map[string]authz.Actor{"portal": admin, "foreignPortal": outsider} {
		slug := map[string]string{"portal": testkit.Organization, "foreignPortal": testkit.ElsewhereSlug}[name]
		_, value, err := w.Service.CreatePortal(t.Context(), by, slug, core.Value(domain.PortalInput{Name: domain.Some("Portal"), Query: domain.Some("{ __typename }")}))
		w.must(err)
		w.people[name] = authz.PortalActor(value.Reveal(), permissionAddress)
	}
	session, err := w.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(permissionAddress), domain.VerifiedClaims{Email: "admin@example.com", EmailVerified: true})
	w.must(err)
	w.people["session"] = authz.SessionActor(session.Reveal(), permissionAddress)

	w.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), map[string]any{"default_queue_id": testkit.QueueID}).Want(t, 200)
	agentToken := func(by authz.Actor, organization domain.OrganizationRef, cluster string) (string, string) {
		made, value, err := w.Service.CreateAgentToken(t.Context(), by, domain.ClusterRef{Organization: organization, ID: cluster}, core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
		w.must(err)
		return value.Reveal(), string(made.ID)
	}
	w.mainToken, _ = agentToken(admin, acme, testkit.MaintainedID)
	w.secondToken, _ = agentToken(admin, acme, permissionSecondID)
	w.foreignToken, _ = agentToken(outsider, elsewhere, permissionTheirsID)
	w.pipeline(admin, acme, "target", testkit.MaintainedID, []domain.PipelineTeamInput{{ID: testkit.TeamID, AccessLevel: domain.PipelineBuildAndRead}})
	w.pipeline(admin, acme, "second", permissionSecondID, nil)
	w.pipeline(outsider, elsewhere, "theirs", permissionTheirsID, nil)
	return w
}

// token makes a token with the scopes that begin so, and returns who uses it.
func (w *permissionWorld) token(email, organization, scopes string) authz.Actor {
	w.t.Helper()
	in := domain.APITokenInput{User: email, Description: "a test's", Organizations: strings.Fields(organization)}
	for _, scope := range domain.AllScopes {
		if strings.HasPrefix(string(scope), scopes) {
			in.Scopes = append(in.Scopes, string(scope))
		}
	}
	_, value, err := w.Service.CreateAPIToken(w.t.Context(), authz.OperatorActor(), in)
	w.must(err)
	return authz.TokenActor(authz.REST, value.Reveal(), permissionAddress)
}

func (w *permissionWorld) pipeline(by authz.Actor, organization domain.OrganizationRef, name, cluster string, teams []domain.PipelineTeamInput) {
	w.t.Helper()
	in := domain.PipelineInput{Name: domain.Some(name), Repository: domain.Some("r"), ClusterID: domain.Some(cluster), Configuration: domain.Some(permissionSteps)}
	if teams != nil {
		in.Teams = domain.Some(teams)
	}
	_, err := w.Service.CreatePipeline(w.t.Context(), by, organization, core.Value(in))
	w.must(err)
}

// agentOf registers and connects an agent.
func (w *permissionWorld) agentOf(token string, tags ...string) (domain.AgentID, authz.Actor) {
	w.t.Helper()
	made, err := w.builds.RegisterAgent(w.t.Context(), authz.AgentActor(authz.AgentToken, token, permissionAddress), builds.Registration{Name: "agent", MetaData: tags})
	w.must(err)
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), permissionAddress)
	w.must(w.builds.ConnectAgent(w.t.Context(), session))
	return made.Agent.ID, session
}

// buildOf makes a build, and returns the ids of its jobs by the keys of their steps.
func (w *permissionWorld) buildOf(by authz.Actor, ref domain.PipelineRef) (domain.BuildView, map[string]string) {
	w.t.Helper()
	w.made++
	made, err := w.builds.CreateBuild(w.t.Context(), by, ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "branch-" + strings.Repeat("x", w.made)}))
	w.must(err)
	jobs := map[string]string{}
	for _, j := range made.Jobs {
		if j.StepKey != nil {
			jobs[*j.StepKey] = string(j.ID)
		}
	}
	return made, jobs
}

// run lets an agent begin with a job.
func (w *permissionWorld) run(session authz.Actor, job string) authz.Actor {
	w.t.Helper()
	taken, err := w.builds.AcquireJob(w.t.Context(), session, job)
	w.must(err)
	token := authz.AgentActor(authz.JobToken, taken.Token.Reveal(), permissionAddress)
	w.must(w.builds.StartJob(w.t.Context(), token, job))
	return token
}

// target makes what a call is about, and the programs that make it.
func (w *permissionWorld) target() *permissionTarget {
	w.t.Helper()
	ctx, t := w.t.Context(), w.t
	admin, outsider := w.people["admin"], w.people["outsider"]
	acme, elsewhere := domain.OrganizationRef{Slug: testkit.Organization}, domain.OrganizationRef{Slug: testkit.ElsewhereSlug}
	at := &permissionTarget{requireJob: map[string]string{}, queue: testkit.QueueID, pipeline: domain.PipelineRef{Organization: acme, Slug: "target"}}
	made, jobs := w.buildOf(admin, at.pipeline)
	at.build, at.buildID = domain.BuildRef{Pipeline: at.pipeline, Number: made.Number}, string(made.ID)
	for _, j := range made.Jobs {
		if string(j.ID) == jobs["free"] {
			at.stepID = string(j.StepID)
		}
	}
	ref := func(key string) domain.JobRef { return domain.JobRef{Organization: acme, ID: jobs[key]} }
	at.job, at.block, at.vote, at.bad, at.free, at.assigned = ref("main"), ref("block"), ref("vote"), ref("bad"), ref("free"), jobs["assigned"]

	as := func(kind authz.CredentialKind, value string) authz.Actor {
		return authz.AgentActor(kind, value, permissionAddress)
	}
	begin := func(token, job string) (domain.AgentID, authz.Actor, authz.Actor) {
		id, session := w.agentOf(token)
		own := w.run(session, job)
		at.requireJob[own.Credential.Hash] = job
		return id, session, own
	}
	p := map[string]authz.Actor{"register": as(authz.AgentToken, w.mainToken), "secondRegister": as(authz.AgentToken, w.secondToken)}
	var agent domain.AgentID
	agent, p["agent"], p["job"] = begin(w.mainToken, jobs["main"])
	at.agent = domain.AgentRef{Organization: acme, ID: string(agent)}
	_, _, p["sibling"] = begin(w.mainToken, jobs["sibling"])
	_, _, p["over"] = begin(w.mainToken, jobs["bad"])
	_, _, p["ended"] = begin(w.mainToken, jobs["old"])
	for name, key := range map[string]string{"over": "bad", "ended": "old"} {
		w.must(w.builds.FinishJob(ctx, p[name], jobs[key], builds.Finish{ExitStatus: 1}))
	}
	testkit.Change(t, w.DB, `UPDATE job_runs SET token_until = 1 WHERE job_id = $1`, jobs["old"])
	_, others := w.buildOf(admin, at.pipeline)
	_, _, p["otherBuild"] = begin(w.mainToken, others["main"])
	_, seconds := w.buildOf(admin, domain.PipelineRef{Organization: acme, Slug: "second"})
	_, p["second"], p["secondJob"] = begin(w.secondToken, seconds["main"])
	theirs := domain.PipelineRef{Organization: elsewhere, Slug: "theirs"}
	foreignBuild, foreignJobs := w.buildOf(outsider, theirs)
	var foreignAgent domain.AgentID
	foreignAgent, p["foreign"] = w.agentOf(w.foreignToken)
	_, p["free"] = w.agentOf(w.mainToken)
	_, p["assigned"] = w.agentOf(w.mainToken, "only="+made.Branch)
	if ping, err := w.builds.PingAgent(ctx, p["assigned"]); err != nil || string(ping.Job) != at.assigned {
		t.Fatalf("the agent was given %q, not %q: %v", ping.Job, at.assigned, err)
	}
	dead, value, err := w.Service.CreateAgentToken(ctx, admin, domain.ClusterRef{Organization: acme, ID: testkit.MaintainedID}, core.Value(domain.AgentTokenInput{Description: domain.Some("dead")}))
	w.must(err)
	_, p["deadAgent"] = w.agentOf(value.Reveal())
	p["deadRegister"] = as(authz.AgentToken, value.Reveal())
	w.must(w.Service.DeleteAgentToken(ctx, admin, domain.ClusterRef{Organization: acme, ID: testkit.MaintainedID}, string(dead.ID), nil))
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
	at.programs = p

	at.upload = domain.NewID[string]()
	_, err = w.builds.UploadPipeline(ctx, p["job"], at.job.ID, builds.Upload{ID: at.upload, Document: []byte(`{"steps": [{"command": "true", "agents": {"only": "nobody"}}]}`)})
	w.must(err)
	w.must(w.builds.SetMetaData(ctx, p["job"], builds.Target{Job: at.job.ID}, map[string]string{"k": "v"}))
	w.must(w.builds.Annotate(ctx, p["job"], at.job.ID, domain.AnnotationInput{Context: "there", Body: "Text"}))

	w.foreign = permissionTarget{pipeline: theirs, build: domain.BuildRef{Pipeline: theirs, Number: foreignBuild.Number}, buildID: string(foreignBuild.ID),
		job: domain.JobRef{Organization: elsewhere, ID: foreignJobs["main"]}, block: domain.JobRef{Organization: elsewhere, ID: foreignJobs["block"]},
		agent: domain.AgentRef{Organization: elsewhere, ID: string(foreignAgent)}}
	return at
}

// withArtifacts adds artifacts that are about to be uploaded.
func withArtifacts(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	at.content = "content"
	announce := func(batch builds.ArtifactBatch) builds.AnnouncedArtifacts {
		batch.ID = domain.NewID[string]()
		announced, err := w.builds.CreateArtifacts(t.Context(), at.programs["job"], at.job.ID, batch)
		w.must(err)
		return announced
	}
	at.batch = announce(builds.ArtifactBatch{Artifacts: []domain.ArtifactInput{{Path: "a.txt", FileSize: int64(len(at.content)), SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.artifact = string(at.batch.IDs[0])
	parted := announce(builds.ArtifactBatch{InParts: true, Artifacts: []domain.ArtifactInput{{Path: "large", FileSize: 1 << 30, SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.parted = string(parted.IDs[0])
	_, at.part, _ = strings.Cut(parted.Own[parted.IDs[0]].Parts[0], "?ticket=")
	key, err := w.builds.SigningKey(t.Context())
	w.must(err)
	at.download = builds.NewTicket(key, builds.DownloadTicket, at.artifact, time.Now().Add(time.Hour))
	at.report = builds.NewTicket(key, builds.ReportTicket, at.job.ID, time.Now().Add(time.Hour))
}

// withStored is withArtifacts for one that has arrived.
func withStored(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	withArtifacts(t, w, at)
	pending, err := w.builds.OpenUpload(t.Context(), authz.Actor{}, at.batch.Ticket, "a.txt")
	w.must(err)
	_, err = w.builds.StoreUpload(t.Context(), authz.Actor{}, pending, strings.NewReader(at.content))
	w.must(err)
}

// withGivenUp is withArtifacts for one that its agent gave up while it came.
func withGivenUp(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	withArtifacts(t, w, at)
	var err error
	at.pending, err = w.builds.OpenUpload(t.Context(), authz.Actor{}, at.batch.Ticket, "a.txt")
	w.must(err)
	w.must(w.builds.UpdateArtifacts(t.Context(), at.programs["job"], at.job.ID, []builds.ArtifactChange{{ID: at.artifact, State: domain.ArtifactError}}))
}

// withFinished is withStored for one that its agent has said so of.
func withFinished(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	withStored(t, w, at)
	w.must(w.builds.UpdateArtifacts(t.Context(), at.programs["job"], at.job.ID, []builds.ArtifactChange{{ID: at.artifact, State: domain.ArtifactFinished}}))
}

// withAnnotation adds an annotation of the build.
func withAnnotation(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	made, err := w.builds.AnnotateBuild(t.Context(), w.people["admin"], at.build, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
	w.must(err)
	at.annotation = string(made.ID)
}

// What jobs save in caches.
var (
	cachedAddress = domain.CacheAddress{TargetPaths: []string{"vendor"}, Key: []domain.CacheKeyPart{{Value: "v1", Mandatory: true}}}
	cachedContent = domain.CacheContent{Platform: "linux/amd64", Blobs: []domain.CacheBlob{{Digest: domain.CacheDigest{Algorithm: "sha256", Value: strings.Repeat("a", 64)}, FileSize: 7, Compression: "zip"}}}
)

// withCache adds an entry that the job has saved.
func withCache(t *testing.T, w *permissionWorld, at *permissionTarget) {
	t.Helper()
	upload, err := w.builds.SaveCache(t.Context(), at.programs["job"], "ruby-gems", cachedAddress, cachedContent)
	w.must(err)
	w.must(w.builds.CommitCache(t.Context(), at.programs["job"], "ruby-gems", string(upload)))
	at.cacheUpload = string(upload)
}

// withPauses pauses all agents.
func withPauses(t *testing.T, w *permissionWorld, _ *permissionTarget) {
	t.Helper()
	testkit.Change(t, w.DB, `UPDATE agents SET paused_at = $1, paused_timeout = 5`, time.Now().UnixMicro())
}

// zip compresses a text as agents compress logs.
func zip(text string) []byte {
	var b bytes.Buffer
	out := gzip.NewWriter(&b)
	_, _ = io.WriteString(out, text)
	_ = out.Close()
	return b.Bytes()
}

var changesOfRequests = regexp.MustCompile(`,("\d{4}-\d\d-\d\d"|null),`)

// dump returns every row of the database, but for what is recorded of a request whatever becomes of it.
func (w *permissionWorld) dump() (rows []string) {
	w.t.Helper()
	for _, row := range testkit.Rows(w.t, w.DB) {
		switch {
		case strings.HasPrefix(row, "activity_"), strings.HasPrefix(row, "usage_"):
		case strings.HasPrefix(row, "organization_members "):
			rows = append(rows, changesOfRequests.ReplaceAllString(row, ","))
		default:
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	for _, table := range []string{"builds", "jobs", "agents", "meta_data", "annotations", "step_uploads"} {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row[:min(len(row), 40)], table) }) {
			w.t.Fatalf("the rows of %s are not compared", table)
		}
	}
	return rows
}

// wantSame fails if refused calls have changed anything.
func (w *permissionWorld) wantSame(t *testing.T, what string, before []string) {
	t.Helper()
	after := w.dump()
	for _, row := range without(after, before) {
		t.Errorf("%s left %s", what, row)
	}
	for _, row := range without(before, after) {
		t.Errorf("%s took away %s", what, row)
	}
}

// without returns the rows that others, which are in order, does not have.
func without(rows, others []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
		_, found := slices.BinarySearch(others, row)
		return found
	})
}

// TestEveryMethodHasCases fails for a method of the service that no case allows, or none refuses.
func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	outcomes := map[string]string{}
	for _, c := range permissionCases {
		outcomes[c.method] += c.people + " " + c.programs + " "
		if p, q := len(strings.Fields(c.people)), len(strings.Fields(c.programs)); p != len(strings.Fields(people)) || q != len(strings.Fields(programs)) {
			t.Errorf("%s has %d outcomes for people and %d for programs", c.method, p, q)
		}
	}
	methods := reflect.TypeFor[*builds.Service]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		row := strings.Fields(outcomes[name])
		delete(outcomes, name)
		if withoutActor[name] != "" {
			continue
		}
		if !slices.Contains(row, "ok") {
			t.Errorf("no case allows %s", name)
		}
		if !slices.ContainsFunc(row, func(outcome string) bool { return outcome != "ok" }) && name != "IdentityKeys" { // which are public
			t.Errorf("no case refuses %s", name)
		}
	}
	for name := range outcomes {
		t.Errorf("there is no %s", name)
	}
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	for cases := range slices.Chunk(permissionCases, 8) {
		t.Run(cases[0].method+" to "+cases[len(cases)-1].method, func(t *testing.T) {
			t.Parallel()
			testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
				w := newPermissionWorld(t, d)
				for _, c := range cases {
					t.Run(c.method, func(t *testing.T) { w.t = t; c.run(t, w) })
				}
			})
		})
	}
}

func (c permissionCase) target(t *testing.T, w *permissionWorld) *permissionTarget {
	t.Helper()
	at := w.target()
	if c.prepare != nil {
		c.prepare(t, w, at)
	}
	return at
}

// run makes the calls that are to be refused, which must not change anything, and then the others, each on a target of its own.
func (c permissionCase) run(t *testing.T, w *permissionWorld) {
	names := append(strings.Fields(people), strings.Fields(programs)...)
	outcomes := append(strings.Fields(c.people), strings.Fields(c.programs)...)
	if len(names) != len(outcomes) {
		t.Fatalf("%d outcomes for %d actors", len(outcomes), len(names))
	}
	call := func(name, outcome string, at *permissionTarget) {
		t.Helper()
		actor, isProgram := at.programs[name]
		if !isProgram {
			actor = w.people[name]
		}
		err := c.call(t.Context(), w.builds, actor, at)
		want, known := permissionOutcomes[outcome]
		if !known || domain.CodeOf(err) != want.code || (err == nil) != (outcome == "ok") || err != nil && !strings.HasPrefix(err.Error(), want.message) {
			t.Errorf("%s by %s: %v, not %s", c.method, name, err, outcome)
		}
	}
	at := c.target(t, w)
	before := w.dump()
	for i, name := range names {
		if outcomes[i] != "ok" {
			call(name, outcomes[i], at)
		}
	}
	w.wantSame(t, "a refused "+c.method, before)
	c.cross(t, w, at, before)
	for i, name := range names {
		if outcomes[i] != "ok" {
			continue
		}
		call(name, "ok", at)
		if !c.repeats {
			at = c.target(t, w)
		}
	}
}

// cross makes calls that name things of another organization, or of another build, below one's own. They must find nothing.
func (c permissionCase) cross(t *testing.T, w *permissionWorld, at *permissionTarget, before []string) {
	t.Helper()
	if c.names == "" {
		return
	}
	theirs, acme := w.foreign, at.pipeline.Organization
	below := *at // their things, as if they were ours
	below.pipeline.Slug = theirs.pipeline.Slug
	below.build = domain.BuildRef{Pipeline: below.pipeline, Number: 1}
	below.job = domain.JobRef{Organization: acme, ID: theirs.job.ID}
	below.block, below.vote, below.bad, below.free = domain.JobRef{Organization: acme, ID: theirs.block.ID}, below.job, below.job, below.job
	below.agent = domain.AgentRef{Organization: acme, ID: theirs.agent.ID}
	byID := *at // their things, by their ids alone
	of := func(kind domain.ThingKind, id string) domain.OrganizationRef {
		return domain.OrganizationRef{Of: domain.ThingRef{Kind: kind, ID: id}}
	}
	byID.build = domain.BuildRef{ID: domain.BuildID(theirs.buildID)}
	byID.job = domain.JobRef{Organization: of(domain.JobThing, theirs.job.ID), ID: theirs.job.ID}
	byID.block, byID.vote, byID.bad, byID.free = domain.JobRef{Organization: of(domain.JobThing, theirs.block.ID), ID: theirs.block.ID}, byID.job, byID.job, byID.job
	byID.agent = domain.AgentRef{Organization: of(domain.AgentThing, theirs.agent.ID), ID: theirs.agent.ID}
	mixed := *at // a job of one build below another one, ours and theirs
	otherJob := at.requireJob[at.programs["otherBuild"].Credential.Hash]
	mixed.job = domain.JobRef{Build: &at.build, ID: otherJob}
	mixed.block, mixed.vote, mixed.bad, mixed.free = mixed.job, mixed.job, mixed.job, domain.JobRef{Build: &at.build, ID: theirs.job.ID}
	tries := map[string]*permissionTarget{"below": &below, "byID": &byID}
	if c.names == "job" {
		tries["mixed"] = &mixed
	}
	if c.names == "pipeline" {
		delete(tries, "byID")
	}
	for name, target := range tries {
		for _, who := range []string{"admin", "session", "portal"} {
			if err := c.call(t.Context(), w.builds, w.people[who], target); domain.CodeOf(err) != domain.NotFound {
				t.Errorf("%s of what is not theirs, %s, by %s: %v", c.method, name, who, err)
			}
		}
	}
	w.wantSame(t, c.method+" of what is not one's own", before)
}
