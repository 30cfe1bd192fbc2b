package main

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// TestRunningJobsSurviveAnUpgrade starts this server on databases whose servers have just stopped, with agents amid their jobs.
func TestRunningJobsSurviveAnUpgrade(t *testing.T) {
	t.Parallel()
	if found, err := os.ReadDir(releasesDir); err != nil || !slices.ContainsFunc(found, hasBuilds) {
		t.Fatalf("no release has builds: %v", err)
	}
	eachRelease(t, func(t *testing.T, release, engine string, o db.Options) {
		handles, blobs, found := restoreOutside(t, release, engine)
		if !found {
			return // it had no builds
		}
		moveToNow(t, o)
		serve := append([]string{"serve", "--blobs", blobs}, databaseFlags(o)...)
		s := &releaseServer{process: start(t, releaseEnvironment, serve...), releaseHandles: handles}
		s.wantBuilds(buildsOf(release, buildsOfBefore))
		s.wantLimited("second")
		s.wantPages()
		s.finishWhatRan()
		s.runWhatWaited()
		s.stop()
		withDatabase(t, o, func(d *db.DB) {
			if rows := testkit.Rows(t, d); slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, "build_tasks ") }) {
				t.Errorf("tasks are left: %v", rows)
			}
		})
		s.process = start(t, releaseEnvironment, serve...)
		s.wantBuilds(buildsOf(release, buildsInTheEnd))
		s.wantPages()
	})
}

func hasBuilds(release os.DirEntry) bool {
	handles, _ := outsideFiles(release.Name(), "sqlite")
	_, err := os.Stat(handles)
	return err == nil
}

// buildsOf returns builds with those that makeStartData makes, in releases that could start them.
func buildsOf(release string, made map[string]string) map[string]string {
	all := maps.Clone(made)
	if release != "0.2.0-alpha" {
		all["hosted/1"] = "passed: "
	}
	return all
}

// buildsOfBefore are the builds that makeBuildData makes, with their states and those of their jobs.
var buildsOfBefore = map[string]string{
	"running/1":   "running: running=running uploaded=waiting",
	"assigned/1":  "scheduled: assigned=assigned",
	"accepted/1":  "scheduled: accepted=accepted",
	"scheduled/1": "scheduled: scheduled=scheduled",
	"first/1":     "running: first=running",
	"second/1":    "scheduled: second=scheduled",
	"waiting/1":   "scheduled: before=scheduled after=waiting",
	"blocked/1":   "passed: Release=blocked",
	"canceling/1": "canceling: canceling=canceling",
	"retried/1":   "scheduled: failing=failed failing=scheduled",
	"finished/1":  "passed: passing=passed",
	"child/1":     "passed: child=passed",
	"child/2":     "scheduled: child=scheduled",
	"parent/1":    "running: =running",
}

// buildsInTheEnd are the same builds when all jobs have run.
var buildsInTheEnd = map[string]string{
	"running/1":   "passed: running=passed uploaded=passed",
	"assigned/1":  "passed: assigned=passed",
	"accepted/1":  "passed: accepted=passed",
	"scheduled/1": "passed: scheduled=passed",
	"first/1":     "failed: first=failed",
	"second/1":    "passed: second=passed",
	"waiting/1":   "passed: before=passed after=passed",
	"blocked/1":   "passed: Release=unblocked",
	"canceling/1": "canceled: canceling=canceled",
	"retried/1":   "failed: failing=failed failing=failed",
	"finished/1":  "passed: passing=passed",
	"child/1":     "passed: child=passed",
	"child/2":     "passed: child=passed",
	"parent/1":    "passed: =passed",
}

// wantBuilds compares the list of builds, and each build by itself, with what they should be.
func (s *releaseServer) wantBuilds(want map[string]string) {
	s.t.Helper()
	type build struct {
		State    string
		Number   int64
		Pipeline struct{ Slug string }
		Jobs     []struct{ Name, Type, State string }
	}
	show := func(b build) (address, states string) {
		var jobs []string
		for _, j := range b.Jobs {
			if j.Type != "waiter" {
				jobs = append(jobs, j.Name+"="+j.State)
			}
		}
		return b.Pipeline.Slug + "/" + strconv.FormatInt(b.Number, 10), b.State + ": " + strings.Join(jobs, " ")
	}
	listed := map[string]string{}
	_, answer := s.get("/v2/organizations/acme-inc/builds?per_page=100&include_retried_jobs=true", testToken)
	for _, b := range decode[[]build](s.t, answer) {
		address, states := show(b)
		listed[address] = states
	}
	if !maps.Equal(listed, want) {
		s.t.Errorf("the builds are %v, not %v", listed, want)
	}
	for address, states := range want {
		pipeline, number, _ := strings.Cut(address, "/")
		_, one := s.get(releasePipelines+"/"+pipeline+"/builds/"+number+"?include_retried_jobs=true", testToken)
		if _, alone := show(decode[build](s.t, one)); alone != states {
			s.t.Errorf("the build %s is %q, not %q", address, alone, states)
		}
	}
}

// wantLimited looks for a job that waits for its concurrency group, which REST shows as scheduled.
func (s *releaseServer) wantLimited(label string) {
	s.t.Helper()
	query := `{"query": "{ organization(slug: \"acme-inc\") { jobs(first: 50, state: [LIMITED]) { edges { node { ... on JobTypeCommand { label } } } } } }"}`
	_, answer := s.send(http.MethodPost, "/v1", query, "Authorization", "Bearer "+testToken)
	if want := `[{"node":{"label":"` + label + `"}}]`; !strings.Contains(answer, want) {
		s.t.Errorf("the jobs that wait for their group are %s", answer)
	}
}

// wantPages looks at what else builds have, and at their pages.
func (s *releaseServer) wantPages() {
	s.t.Helper()
	for path, want := range map[string]string{
		"/finished/builds/1/jobs/" + s.Jobs["passing"].ID + "/log.txt": "all is well",
		"/running/builds/1/jobs/" + s.Jobs["running"].ID + "/log.txt":  "one\ntwo\n",
		"/running/builds/1/artifacts":                                  `"out.txt"`,
		"/running/builds/1/annotations":                                "Deployed",
		"/running/builds/1":                                            `"version":"7"`,
		"/parent/builds/1":                                             `"triggered_build":{`,
	} {
		if status, body := s.get(releasePipelines+path, testToken); status != http.StatusOK || !strings.Contains(body, want) {
			s.t.Errorf("%s: %d, no %q in %s", path, status, want, body)
		}
	}
	b := newBrowser(s.t)
	b.signIn(s.url+"/", "admin@example.com", releasePassword)
	for path, want := range map[string]string{
		"/organizations/acme-inc/pipelines/running": "A change",
		"/acme-inc/running/builds/1":                "uploaded",
		"/acme-inc/second/builds/1":                 "second",
		"/organizations/acme-inc/builds":            "canceling",
		"/acme-inc/retried/builds/1":                "failing",
		"/organizations/acme-inc/agents":            "passing",
	} {
		if page := b.send(http.MethodGet, s.url+path, nil); !strings.Contains(page, want) {
			s.t.Errorf("no %q in the page %s: %s", want, path, page)
		}
	}
}

// finishWhatRan lets agents go on that the upgrade met amid their jobs.
func (s *releaseServer) finishWhatRan() {
	s.t.Helper()
	for _, session := range s.Agents {
		s.sendAgent(http.MethodPost, "heartbeat", session, map[string]string{"sent_at": "2026-11-16T09:00:00Z"})
	}
	s.addChunk("running", 3, 8, "three\n")
	s.sendJob("running", http.MethodGet, "/secrets?key=DEPLOY_KEY", nil)
	s.sendJob("running", http.MethodPost, "/data/set", `{"key": "later", "value": "8"}`)
	s.sendAgent(http.MethodPost, "cache_registries/ruby-gems/peek", s.Jobs["running"].Token,
		`{"target_paths": ["gems"], "cache_key": [{"value": "committed", "mandatory": true}]}`)
	s.finishJob("running", 0)
	s.accept("assigned")
	s.startJob("assigned")
	s.finishJob("assigned", 0)
	s.startJob("accepted")
	s.finishJob("accepted", 0)
	if state := s.sendJob("canceling", http.MethodGet, "", nil)["state"]; state != "canceling" {
		s.t.Errorf("the canceled job's agent is told that it is %v", state)
	}
	s.finishJob("canceling", -1)
	s.finishJob("first", 1)
}

// runWhatWaited runs the jobs that waited for something, on agents of before and new ones.
func (s *releaseServer) runWhatWaited() {
	s.t.Helper()
	s.runJob("scheduled", 0)
	s.runJob("failing", 4)
	s.runJob("child", 0)
	s.agentToken = sendOwn[struct{ Token string }](s.process, http.MethodPost, clusters+"/"+releaseCluster+"/tokens", `{"description": "Later"}`, http.StatusCreated).Token
	for label := range strings.FieldsSeq("uploaded second before after") {
		s.addAgent(label)
		s.runJob(label, 0)
	}
	jobs := sendOwn[struct{ Jobs []struct{ ID string } }](s.process, http.MethodGet, releasePipelines+"/blocked/builds/1", "", http.StatusOK).Jobs
	sendOwn[any](s.process, http.MethodPut, releasePipelines+"/blocked/builds/1/jobs/"+jobs[0].ID+"/unblock", `{"fields": {"version": "9"}}`, http.StatusOK)
	eventually(s.t, "the end of the trigger", func() bool {
		_, parent := s.get(releasePipelines+"/parent/builds/1", testToken)
		return strings.Contains(parent, `"state":"passed"`)
	})
}
