package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1" //nolint:gosec // names of commits and sums of artifacts are SHA-1
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
)

// demoBuild is an example build, which an agent of the demo has run.
type demoBuild struct {
	pipeline, branch, message string
	ago                       time.Duration
	fails                     string // the command of the job that fails; empty: none
	retried                   bool   // the job that failed was retried, and passed
	canceled, blocked         bool
}

// demoBuilds are the example builds, the oldest first.
var demoBuilds = []demoBuild{
	{pipeline: "web", branch: "main", message: "Show prices with tax", ago: 52 * time.Hour},
	{pipeline: "web", branch: "feature/search", message: "Speed up the search", ago: 50 * time.Hour},
	{pipeline: "docs", branch: "main", message: "Explain how to pay by invoice", ago: 49 * time.Hour},
	{pipeline: "web", branch: "main", message: "Update dependencies", ago: 30 * time.Hour, fails: "part 2", retried: true},
	{pipeline: "web", branch: "feature/search", message: "Search in descriptions too", ago: 28 * time.Hour,
		fails: "part 3"},
	{pipeline: "web", branch: "main", message: "Cache the catalogue", ago: 26 * time.Hour},
	{pipeline: "docs", branch: "main", message: "Correct the address of support", ago: 25 * time.Hour},
	{pipeline: "web", branch: "main", message: "Send receipts by mail", ago: 6 * time.Hour},
	{pipeline: "web", branch: "experiment", message: "Try another layout", ago: 5 * time.Hour, canceled: true},
	{pipeline: "web", branch: "main", message: "Remember the cart", ago: 3 * time.Hour},
	{pipeline: "web", branch: "feature/totals", message: "Round totals of the cart to cents", ago: 40 * time.Minute,
		fails: "part 2"},
	{pipeline: "docs", branch: "main", message: "Describe the new cart", ago: 15 * time.Minute, blocked: true},
}

// demoWork runs the example builds as an agent would, through the service that agents call.
type demoWork struct {
	Areas
	db      *db.DB
	admin   authz.Actor
	session authz.Actor
	ready   time.Time // when the present job could begin
}

// runDemoBuilds creates the example builds, with logs, artifacts, annotations and reports of tests. Afterwards it sets
// when they ran.
func runDemoBuilds(ctx context.Context, areas Areas, d *db.DB, admin authz.Actor,
	agentToken domain.Secret) error {
	token := authz.AgentActor(authz.AgentToken, agentToken.Reveal(), netip.IPv6Loopback())
	made, err := areas.Agents.RegisterAgent(ctx, token, agents.Registration{Name: "demo-builder", Hostname: "demo",
		OS:   "Linux",
		Arch: "amd64", Version: "3.138.1", Build: "1", PID: 1,
		Priority: "1", MetaData: []string{"queue=default"}})
	if err != nil {
		return err
	}
	w := &demoWork{Areas: areas, db: d, admin: admin, session: authz.AgentActor(authz.AgentSession, made.Session.Reveal(),
		token.Address)}
	if err := areas.Agents.ConnectAgent(ctx, w.session); err != nil {
		return err
	}
	for _, b := range demoBuilds {
		if err := w.run(ctx, b); err != nil {
			return fmt.Errorf("the example build %q: %w", b.message, err)
		}
	}
	if err := areas.Artifacts.ReadTestReports(ctx, authz.OperatorActor()); err != nil {
		return err
	}
	return areas.Agents.DisconnectAgent(ctx, w.session)
}

// run creates a build and runs its jobs.
func (w *demoWork) run(ctx context.Context, b demoBuild) error {
	sum := sha1.Sum([]byte(b.message)) //nolint:gosec // as Git names commits
	pipeline := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: b.pipeline}
	made, err := w.Builds.CreateBuild(ctx, w.admin, pipeline, domain.SourceAPI, core.Value(domain.BuildInput{
		Commit: hex.EncodeToString(sum[:]), Branch: b.branch, Message: b.message, Author: domain.Author{Name: "Demo Member",
			Email: "member@example.com"},
	}))
	if err != nil {
		return err
	}
	begun := time.Now().Add(-b.ago)
	w.ready = begun
	ref := domain.BuildRef{Pipeline: pipeline, Number: made.Number}
	if err := w.runJobs(ctx, b, ref); err != nil {
		return err
	}
	return w.setTimes(ctx, made.ID, begun)
}

// runJobs runs a build's jobs until it has ended, or waits for a person.
func (w *demoWork) runJobs(ctx context.Context, b demoBuild, ref domain.BuildRef) error {
	for range 20 {
		ping, err := w.Builds.PingAgent(ctx, w.session)
		if err != nil {
			return err
		}
		if ping.Job == "" {
			more, err := w.goOn(ctx, b, ref)
			if err != nil || !more {
				return err
			}
			continue
		}
		if err := w.runJob(ctx, b, ref, string(ping.Job)); err != nil {
			return err
		}
		if b.canceled {
			_, err := w.Builds.CancelBuild(ctx, w.admin, ref)
			return err
		}
	}
	return nil
}

// goOn does what a person does where no job can run: retry the one that failed, or unblock. It reports whether there is
// more to run.
func (w *demoWork) goOn(ctx context.Context, b demoBuild, ref domain.BuildRef) (bool, error) {
	build, err := w.Builds.Build(ctx, w.admin, ref, builds.BuildParts{Jobs: &domain.JobFilter{NewestOnly: true}})
	if err != nil {
		return false, err
	}
	for _, j := range build.Jobs {
		job := domain.JobRef{Organization: ref.Pipeline.Organization, Build: &ref, ID: string(j.ID)}
		switch {
		case j.ShownState() == "failed" && b.retried:
			_, err := w.Builds.RetryJob(ctx, w.admin, job)
			return err == nil, err
		case j.ShownState() == "blocked" && j.Type() == domain.BlockJob && !b.blocked:
			_, err := w.Builds.UnblockJob(ctx, w.admin, job,
				builds.UnblockInput{Fields: map[string]string{"notes": "Read by two of us."}})
			return err == nil, err
		}
	}
	return false, nil
}

// runJob accepts a job, does what its command says it does, and ends it.
func (w *demoWork) runJob(ctx context.Context, b demoBuild, ref domain.BuildRef, id string) error {
	accepted, err := w.Builds.AcceptJob(ctx, w.session, id)
	if err != nil {
		return err
	}
	token := authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), w.session.Address)
	if err := w.Builds.StartJob(ctx, token, id); err != nil {
		return err
	}
	j, err := w.Builds.Job(ctx, w.admin, domain.JobRef{Organization: ref.Pipeline.Organization, Build: &ref, ID: id})
	if err != nil {
		return err
	}
	part := fmt.Sprintf("part %d", j.ParallelIndex+1)
	script := demoScriptOf(&j)
	if b.fails == part && j.ParallelTotal > 0 && j.RetriesCount == 0 {
		script = failedDemoTest
	}
	waits := time.Duration(2+len(b.message)%5) * time.Second
	started := w.ready.Add(waits)
	if err := w.writeLog(ctx, token, id, started, script.log, script.takes); err != nil {
		return err
	}
	for path, content := range script.files {
		if err := w.store(ctx, token, id, path, strings.ReplaceAll(content, "PART", part)); err != nil {
			return err
		}
	}
	if script.annotation != "" {
		if err := w.Builds.Annotate(ctx, token, id, domain.AnnotationInput{Body: script.annotation, Style: script.style,
			Context: script.style}); err != nil {
			return err
		}
	}
	if script.metaData != nil {
		if err := w.Builds.SetMetaData(ctx, token, builds.Target{Job: id}, script.metaData); err != nil {
			return err
		}
	}
	finished := started.Add(script.takes + time.Duration(j.ParallelIndex*7)*time.Second)
	if err := w.Builds.FinishJob(ctx, token, id, builds.Finish{ExitStatus: script.status}); err != nil {
		return err
	}
	err = w.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(
			`UPDATE job_runs SET runnable_at = $1, scheduled_at = $1, assigned_at = $2, accepted_at = $2,
				started_at = $3, finished_at = $4 WHERE job_id = $5`,
			w.ready.UnixMicro(), started.Add(-time.Second).UnixMicro(), started.UnixMicro(), finished.UnixMicro(), id)
		return err
	})
	if j.ParallelTotal == 0 || j.ParallelIndex+1 == j.ParallelTotal { // parallel jobs began together
		w.ready = finished
	}
	return err
}

// setTimes sets when a build ran, by its jobs.
func (w *demoWork) setTimes(ctx context.Context, id domain.BuildID, begun time.Time) error {
	return w.db.Write(ctx, func(tx *db.Tx) error {
		for _, sql := range []string{
			`UPDATE builds SET created_at = $1, scheduled_at = $1,
				started_at = CASE WHEN started_at IS NULL THEN NULL
					ELSE (SELECT min(started_at) FROM job_runs WHERE build_id = $2) END,
				finished_at = CASE WHEN finished_at IS NULL THEN NULL
					ELSE (SELECT max(finished_at) FROM job_runs WHERE build_id = $2 AND started_at IS NOT NULL) END
				WHERE id = $2`,
			`UPDATE job_runs SET unblocked_at = (SELECT min(runnable_at) FROM job_runs later
				WHERE later.build_id = $2 AND later.runnable_at > $1 + 30000000) WHERE build_id = $2 AND unblocked_at IS NOT NULL`,
			`UPDATE artifacts SET created_at = $1 WHERE build_id = $2`,
		} {
			if _, err := tx.Exec(sql, begun.UnixMicro(), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeLog writes a job's log, each line with its time.
func (w *demoWork) writeLog(ctx context.Context, token authz.Actor, id string, started time.Time, text string,
	takes time.Duration) error {
	lines := strings.SplitAfter(strings.TrimPrefix(text, "\n"), "\n")
	var log strings.Builder
	for i, line := range lines {
		if line != "" {
			at := started.Add(takes * time.Duration(i) / time.Duration(len(lines)))
			fmt.Fprintf(&log, "\x1b_bk;t=%d\x07%s", at.UnixMilli(), line)
		}
	}
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	if _, err := io.WriteString(out, log.String()); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return w.Logs.AddLogChunk(ctx, token, id, logs.LogChunk{Sequence: 1, Size: int64(log.Len()),
		Content: packed.Bytes()})
}

// store stores a file of a job.
func (w *demoWork) store(ctx context.Context, token authz.Actor, id, path, content string) error {
	sum := sha1.Sum([]byte(content)) //nolint:gosec // as agents announce artifacts
	batch := artifacts.ArtifactBatch{ID: domain.NewID[string](),
		Artifacts: []domain.ArtifactInput{{Path: path, FileSize: int64(len(content)), SHA1Sum: hex.EncodeToString(sum[:])}}}
	announced, err := w.Artifacts.CreateArtifacts(ctx, token, id, batch)
	if err != nil {
		return err
	}
	pending, err := w.Artifacts.OpenUpload(ctx, authz.Actor{}, announced.Ticket, path)
	if err != nil {
		return err
	}
	if _, err := w.Artifacts.StoreUpload(ctx, authz.Actor{}, pending, strings.NewReader(content)); err != nil {
		return err
	}
	return w.Artifacts.UpdateArtifacts(ctx, token, id,
		[]artifacts.ArtifactChange{{ID: string(announced.IDs[0]), State: domain.ArtifactFinished}})
}

// demoScript is what a job of the example builds writes and stores.
type demoScript struct {
	log               string
	takes             time.Duration
	status            int64
	files             map[string]string
	annotation, style string
	metaData          map[string]string
}

func demoScriptOf(j *domain.JobView) demoScript {
	switch {
	case strings.Contains(j.Label, "Build"):
		return demoScript{takes: 48 * time.Second, log: "\n~~~ Preparing working directory\nskipping the checkout\n--- " +
			":hammer: Compiling\n\x1b[90m$\x1b[0m make build\ncompiling 214 packages\n\x1b[32mdone\x1b[0m in 41s\n--- " +
			":package: Packing\nbin/web  18.2 MB\n",
			files: map[string]string{
				"bin/size.json": `{"binary":"bin/web","bytes":18204112,"packages":214,"flags":["-trimpath"]}`}}
	case strings.Contains(j.Label, "Test"):
		return demoScript{takes: 65 * time.Second, log: "\n--- :test_tube: Testing\n\x1b[90m$\x1b[0m make " +
			"test\n\x1b[32mok\x1b[0m    acme/billing    \x1b[90m1.204s\x1b[0m\n\x1b[32mok\x1b[0m    acme/cart       " +
			"\x1b[90m0.318s\x1b[0m\n\x1b[32mok\x1b[0m    acme/checkout   \x1b[90m2.090s\x1b[0m\n\x1b[42;30m PASS \x1b[0m 3 " +
			"packages\n",
			files: map[string]string{
				"junit.xml": `<testsuite name="PART"><testcase name="TestInvoices" classname="acme/billing" time="1.2"/><testcase name="TestCartTotals" classname="acme/cart" time="0.3"/><testcase name="TestCheckout" classname="acme/checkout" time="2.1"/><testcase name="TestVouchers" classname="acme/checkout"><skipped message="needs the voucher service"/></testcase></testsuite>`}}
	case strings.Contains(j.Label, "Report"):
		return demoScript{takes: 6 * time.Second, log: "\n--- :memo: Reporting\nannotated the build\n",
			annotation: "All tests **passed** on every part.", style: "success", metaData: map[string]string{"release": "1.4"}}
	case strings.Contains(j.Label, "Render"):
		return demoScript{takes: 19 * time.Second, log: "\n--- :book: Rendering\n42 pages\n",
			annotation: "Rendered 42 pages. Open `index.html` under **Artifacts** to read them.", style: "info",
			files: map[string]string{
				"index.html": `<!doctype html><meta charset="utf-8"><title>Docs</title><style>body{font:16px/1.5 system-ui;margin:3rem;max-width:40rem}</style><h1>The docs of Acme</h1><p>This is what the job rendered.</p><ul><li>How to pay by invoice</li><li>Where to get help</li></ul>`,
				"pages.svg":  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120" width="640" height="240"><rect width="320" height="120" fill="#eef2f4"/><g fill="#0b6e79"><rect x="20" y="70" width="40" height="40"/><rect x="80" y="50" width="40" height="60"/><rect x="140" y="60" width="40" height="50"/><rect x="200" y="30" width="40" height="80"/><rect x="260" y="20" width="40" height="90"/></g></svg>`,
			}}
	}
	return demoScript{takes: 11 * time.Second, log: "\n--- :rocket: Publishing\n<h1>The docs of Acme</h1>\npublished 42 " +
		"pages\n"}
}

// failedDemoTest is the part of the tests that fails.
var failedDemoTest = demoScript{
	takes: 58 * time.Second, status: 1,
	log: "\n--- :test_tube: Testing\n\x1b[90m$\x1b[0m make test\n\x1b[32mok\x1b[0m    acme/billing    " +
		"\x1b[90m1.204s\x1b[0m\n\x1b[31m--- FAIL: TestCartTotals (0.02s)\x1b[0m\n    cart_test.go:48: total is " +
		"\x1b[1;31m41.40\x1b[0m, want \x1b[1;32m41.42\x1b[0m\n\x1b[41;97m FAIL \x1b[0m acme/cart\n^^^ +++\n\x1b[31mmake: " +
		"*** [test] Error 1\x1b[0m\n",
	files: map[string]string{
		"junit.xml": `<testsuite name="PART"><testcase name="TestInvoices" classname="acme/billing" time="1.2"/><testcase name="TestCartTotals" classname="acme/cart" time="0.02"><failure message="total is 41.40, want 41.42">cart_test.go:48: total is 41.40, want 41.42</failure></testcase></testsuite>`},
	annotation: "**TestCartTotals** failed: the total is 41.40, want 41.42.", style: "error",
}
