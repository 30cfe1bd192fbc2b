package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// releaseKey encrypts the secrets of release data.
const releaseKey = "cmVsZWFzZSBkYXRhIGlzIGVuY3J5cHRlZCBieSBpdCE="

// releaseHandles are what programs outside of a database of a release know: sessions of agents and tokens of jobs.
type releaseHandles struct {
	Agents map[string]string     `json:"agents"` // sessions, by what the agents do
	Jobs   map[string]releaseJob `json:"jobs"`   // by the labels
}

type releaseJob struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// releaseServer is a server with what agents know of its builds.
type releaseServer struct {
	*process
	releaseHandles
	agentToken string
}

// sendAgent sends what an agent or its job would, wants an answer without error, and returns it.
func (s *releaseServer) sendAgent(method, path, token string, body any) map[string]any {
	s.t.Helper()
	content, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		content = string(encoded)
	}
	status, answer := s.send(method, "/v3/"+path, content, "Authorization", "Token "+token)
	if status >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if answer == "" {
		return nil
	}
	return decode[map[string]any](s.t, answer)
}

// addAgent connects an agent that runs only jobs of a label.
func (s *releaseServer) addAgent(label string) {
	s.t.Helper()
	made := s.sendAgent(http.MethodPost, "register", s.agentToken, map[string]any{"name": label, "hostname": "vm", "os": "linux", "arch": "amd64", "version": "3.138.1",
		"build": "x", "meta_data": []string{"queue=builders", "label=" + label}, "script_eval_enabled": true, "pid": 100, "machine_id": "m", "features": []string{}})
	s.Agents[label], _ = made["access_token"].(string)
	s.sendAgent(http.MethodPost, "connect", s.Agents[label], nil)
}

// assign waits until an agent is assigned a job.
func (s *releaseServer) assign(label string) {
	s.t.Helper()
	eventually(s.t, "a job for the agent of "+label, func() bool {
		job, _ := s.sendAgent(http.MethodGet, "ping", s.Agents[label], nil)["job"].(map[string]any)
		id, _ := job["id"].(string)
		s.Jobs[label] = releaseJob{ID: id}
		return id != ""
	})
}

func (s *releaseServer) accept(label string) {
	s.t.Helper()
	id := s.Jobs[label].ID
	token, _ := s.sendAgent(http.MethodPut, "jobs/"+id+"/accept", s.Agents[label], nil)["token"].(string)
	s.Jobs[label] = releaseJob{id, token}
}

func (s *releaseServer) sendJob(label, method, below string, body any) map[string]any {
	s.t.Helper()
	return s.sendAgent(method, "jobs/"+s.Jobs[label].ID+below, s.Jobs[label].Token, body)
}

func (s *releaseServer) startJob(label string) {
	s.t.Helper()
	s.sendJob(label, http.MethodPut, "/start", `{"started_at":"2026-11-16T09:00:00Z"}`)
}

func (s *releaseServer) finishJob(label string, status int) {
	s.t.Helper()
	s.sendJob(label, http.MethodPut, "/finish", fmt.Sprintf(`{"exit_status":"%d","finished_at":"2026-11-16T09:01:00Z","chunks_failed_count":0}`, status))
}

// takeJob assigns, accepts and starts a job.
func (s *releaseServer) takeJob(label string) {
	s.t.Helper()
	s.assign(label)
	s.accept(label)
	s.startJob(label)
}

// runJob runs a job to its end.
func (s *releaseServer) runJob(label string, status int) {
	s.t.Helper()
	s.takeJob(label)
	s.finishJob(label, status)
}

// addChunk sends a piece of a job's log.
func (s *releaseServer) addChunk(label string, sequence, offset int, text string) {
	s.t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	s.sendJob(label, http.MethodPost, fmt.Sprintf("/chunks?sequence=%d&offset=%d&size=%d", sequence, offset, len(text)), b.String())
}

const releasePipelines = "/v2/organizations/acme-inc/pipelines"

// addBuild makes a pipeline and a build of it. {NAME} in its steps stands for the rules by which the agent of that name is chosen.
func (s *releaseServer) addBuild(name, steps string) {
	s.t.Helper()
	for label := range strings.FieldsSeq("running assigned accepted scheduled first second before after canceling failing passing child uploaded") {
		steps = strings.ReplaceAll(steps, "{"+label+"}", "label: "+label+", command: make "+label+", agents: {queue: builders, label: "+label+"}")
	}
	body, err := json.Marshal(map[string]string{"name": name, "repository": "git@example.com:acme/" + name + ".git", "cluster_id": releaseCluster, "configuration": steps})
	if err != nil {
		s.t.Fatal(err)
	}
	sendOwn[any](s.process, http.MethodPost, releasePipelines, string(body), http.StatusCreated)
	s.createBuild(name)
}

func (s *releaseServer) createBuild(pipeline string) {
	s.t.Helper()
	sendOwn[any](s.process, http.MethodPost, releasePipelines+"/"+pipeline+"/builds",
		`{"commit": "HEAD", "branch": "main", "message": "A change", "meta_data": {"made": "with the build"}}`, http.StatusCreated)
}

// makeBuildData makes builds with jobs in every state, and leaves them to a later release.
func makeBuildData(p *process) releaseHandles {
	p.t.Helper()
	s := &releaseServer{process: p, releaseHandles: releaseHandles{Agents: map[string]string{}, Jobs: map[string]releaseJob{}}}
	cluster := clusters + "/" + releaseCluster
	sendOwn[any](p, http.MethodPost, cluster+"/secrets", `{"key": "DEPLOY_KEY", "value": "a secret"}`, http.StatusCreated)
	s.agentToken = sendOwn[struct{ Token string }](p, http.MethodPost, cluster+"/tokens", `{"description": "Builders"}`, http.StatusCreated).Token
	for label := range strings.FieldsSeq("running assigned accepted scheduled first canceling failing passing child") {
		s.addAgent(label)
	}
	s.addBuild("running", "steps: [{ {running} }]\n")
	s.takeJob("running")
	s.addJobData("running")

	s.addBuild("assigned", "steps: [{ {assigned} }]\n")
	s.assign("assigned")
	s.addBuild("accepted", "steps: [{ {accepted} }]\n")
	s.assign("accepted")
	s.accept("accepted")
	s.addBuild("scheduled", "steps: [{ {scheduled} }]\n")

	s.addBuild("first", "steps: [{ {first}, concurrency: 1, concurrency_group: deploy }]\n")
	s.takeJob("first")
	s.addBuild("second", "steps: [{ {second}, concurrency: 1, concurrency_group: deploy }]\n")

	s.addBuild("waiting", "steps: [{ {before}, key: before }, wait, { {after}, depends_on: before }]\n")
	s.addBuild("blocked", "steps: [{block: Release, key: release, fields: [{text: Version, key: version}]}]\n")
	s.addBuild("canceling", "steps: [{ {canceling} }]\n")
	s.takeJob("canceling")
	sendOwn[any](p, http.MethodPut, releasePipelines+"/canceling/builds/1/cancel", "", http.StatusOK)

	s.addBuild("retried", "steps: [{ {failing}, retry: {automatic: [{exit_status: 3, limit: 1}]} }]\n")
	s.runJob("failing", 3)
	s.addBuild("finished", "steps: [{ {passing} }]\n")
	s.takeJob("passing")
	s.addChunk("passing", 1, 0, "all is well\n")
	s.finishJob("passing", 0)
	eventually(p.t, "a log in one object", func() bool {
		_, answer := p.get(releasePipelines+"/finished/builds/1/jobs/"+s.Jobs["passing"].ID+"/log", testToken)
		return strings.Contains(answer, "all is well")
	})

	s.addBuild("child", "steps: [{ {child} }]\n")
	s.runJob("child", 0)
	s.addBuild("parent", "steps: [{trigger: child}]\n")
	eventually(p.t, "a triggered build", func() bool {
		status, _ := p.get(releasePipelines+"/child/builds/2", testToken)
		return status == http.StatusOK
	})
	return s.releaseHandles
}

// addJobData stores what a job can store while it runs.
func (s *releaseServer) addJobData(label string) {
	s.t.Helper()
	s.addChunk(label, 1, 0, "one\n")
	s.addChunk(label, 2, 4, "two\n")
	s.sendJob(label, http.MethodPost, "/header_times", `{"header_times": {"0": "2026-11-16T09:00:00Z"}}`)
	s.sendJob(label, http.MethodPost, "/data/set", `{"key": "version", "value": "7"}`)
	s.sendJob(label, http.MethodPost, "/annotations", `{"body": "**Deployed**", "style": "success", "context": "deploy"}`)
	s.sendJob(label, http.MethodPost, "/pipelines",
		`{"uuid": "0190a1b2-0000-7000-8000-00000000000a", "pipeline": {"steps": [{"label": "uploaded", "command": "x", "agents": {"queue": "builders", "label": "uploaded"}}]}}`)
	s.sendJob(label, http.MethodGet, "/secrets?key=DEPLOY_KEY", nil)
	s.sendJob(label, http.MethodPost, "/oidc/tokens", `{"audience": "example"}`)
	s.addArtifact(label, "out.txt", "an artifact")
	s.saveCache(label, "committed", true)
	s.saveCache(label, "begun", false)
}

const releaseDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func (s *releaseServer) saveCache(label, key string, commit bool) {
	s.t.Helper()
	registry := "cache_registries/ruby-gems"
	stored := s.sendAgent(http.MethodPut, registry+"/store", s.Jobs[label].Token, `{"target_paths": ["gems"], "cache_key": [{"value": "`+key+`", "mandatory": true}],
		"blobs": [{"digest": {"algorithm": "sha256", "value": "`+releaseDigest+`"}, "file_size": 1, "compression": "zip"}], "platform": "linux/amd64"}`)
	if commit {
		s.sendAgent(http.MethodPut, registry+"/commit", s.Jobs[label].Token, map[string]any{"upload_id": stored["upload_id"]})
	}
}

func (s *releaseServer) addArtifact(label, path, content string) {
	s.t.Helper()
	made := s.sendJob(label, http.MethodPost, "/artifacts", `{"id": "0190a1b2-0000-7000-8000-00000000000b", "artifacts": [{"path": "`+path+`",
		"absolute_path": "/`+path+`", "glob_path": "*", "file_size": `+fmt.Sprint(len(content))+`, "sha1sum": "`+fmt.Sprintf("%x", sha1.Sum([]byte(content)))+`",
		"content_type": "text/plain"}]}`)
	data := made["upload_instructions"].(map[string]any)["data"].(map[string]any)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range data {
		_ = w.WriteField(name, strings.ReplaceAll(value.(string), "${artifact:path}", path))
	}
	file, err := w.CreateFormFile("file", path)
	if err == nil {
		_, err = io.WriteString(file, content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		s.t.Fatal(err)
	}
	if status, answer := s.send(http.MethodPost, "/v3/artifacts/upload", form.String(), "Content-Type", w.FormDataContentType()); status >= 300 {
		s.t.Fatalf("an upload: %d %s", status, answer)
	}
	id := made["artifact_ids"].([]any)[0]
	s.sendJob(label, http.MethodPut, "/artifacts", map[string]any{"artifacts": []map[string]any{{"id": id, "state": "finished"}}})
}

// addUnseenRows puts rows into tables whose rows servers remove, or make much later.
func addUnseenRows(t *testing.T, d *db.DB) {
	t.Helper()
	testkit.Change(t, d, `INSERT INTO build_tasks (id, kind, build_id, job_id, due_at, attempts) SELECT 'a task', 'supersede', id, NULL, 0, 0 FROM builds WHERE state = 'blocked'`)
	testkit.Change(t, d, `INSERT INTO blob_deletions (key, due_at) VALUES ('logs/gone', 0)`)
	testkit.Exec(t, d, `INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes)
		VALUES ($1, '2026-11-15', 1, 0, 0, 1, 0, 1, 1) ON CONFLICT DO NOTHING`, releaseRegistry)
}

// releaseEnvironment is that of servers on databases of releases.
var releaseEnvironment = []string{"PENSTOCK_ENCRYPTION_KEY=" + releaseKey}

// outsideFiles returns where testdata has what is known outside of a database of a release, and the objects beside it.
func outsideFiles(version, engine string) (handles, blobs string) {
	dir := filepath.Join(releasesDir, version)
	return filepath.Join(dir, engine+".json"), filepath.Join(dir, engine+"-blobs.zip")
}

func storeOutside(t *testing.T, version, engine string, handles releaseHandles, blobs string) {
	t.Helper()
	handlesFile, blobsFile := outsideFiles(version, engine)
	text, err := json.MarshalIndent(handles, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	if err := errors.Join(w.AddFS(os.DirFS(blobs)), w.Close(), os.WriteFile(handlesFile, append(text, '\n'), 0o644),
		os.WriteFile(blobsFile, archive.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// restoreOutside returns what is known outside of a database of a release, and a directory with the objects; hasBuilds is false for
// releases without any.
func restoreOutside(t *testing.T, version, engine string) (handles releaseHandles, blobs string, hasBuilds bool) {
	t.Helper()
	handlesFile, blobsFile := outsideFiles(version, engine)
	blobs = t.TempDir()
	text, err := os.ReadFile(handlesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return handles, blobs, false
	}
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(blobsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	if err := os.CopyFS(blobs, archive); err != nil {
		t.Fatal(err)
	}
	return decode[releaseHandles](t, string(text)), blobs, true
}

// moveToNow changes all times in a database of a release, as if its servers had stopped just now. Jobs were assigned some minutes later, so that a slow
// machine does not take them back.
func moveToNow(t *testing.T, o db.Options) {
	t.Helper()
	isTime := regexp.MustCompile(`_at$|_until$|_from$|^deadline$`)
	withDatabase(t, o, func(d *db.DB) {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			var past int64
			_, err := tx.One(`SELECT max(seen_at) FROM agent_heartbeats`, func(r *db.Row) { past = db.Micros(time.Now()) - r.Int() })
			if err != nil {
				return err
			}
			tables, _, err := tx.Tables()
			for _, table := range tables {
				if err == nil && slices.Contains(table.ColumnNames(), "assigned_at") {
					_, err = tx.Exec("UPDATE " + db.Quote(table.Name) + ` SET assigned_at = assigned_at + 300000000, accepted_at = accepted_at + 300000000
						WHERE state IN ('assigned', 'accepted')`)
				}
				for _, c := range table.Columns {
					if err == nil && c.Type == "bigint" && isTime.MatchString(c.Name) {
						_, err = tx.Exec("UPDATE "+db.Quote(table.Name)+" SET "+c.Name+" = "+c.Name+" + $1 WHERE "+c.Name+" > 1000000000000", past)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
