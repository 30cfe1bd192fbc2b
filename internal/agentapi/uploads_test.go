package agentapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: before}, {command: c, label: up}, {command: c, label: beside}, wait, {command: c, label: after}]")
		a, b := w.NewAgent(), w.NewAgent()
		a.RunJob("before", 0)
		up := a.StartJobWith("up")
		up.Upload(`{"steps":[{"command":"c","label":"x","key":"x"},"wait",{"command":"c","label":"y"}]}`).Want(t, http.StatusOK)
		up.Upload(`{"steps":[{"command":"c","label":"later","depends_on":null}]}`).Want(t, http.StatusOK)
		w.WantStates(build, "before=finished up=running later=scheduled x=waiting =waiting y=waiting beside=scheduled =waiting after=waiting")
		b.RunJob("later", 0)
		b.RunJob("beside", 0)
		b.WantIdle() // what is uploaded waits for its uploader
		up.Finish(0).Want(t, http.StatusOK)
		b.RunJob("x", 0)
		b.RunJob("y", 0)
		b.RunJob("after", 0) // which waited for what was uploaded
		w.WantBuild(build, "passed")
	})
}

func TestUploadsThatAreRepeated(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: up}, {command: c, label: other}]")
		a, b := w.NewAgent(), w.NewAgent()
		up, other := a.StartJobWith("up"), b.StartJobWith("other")
		id := domain.NewID[string]()
		state := func(want, message string) {
			t.Helper()
			answer := up.Send(http.MethodGet, "/pipelines/"+id, nil).Want(t, http.StatusOK)
			if answer.Text("state") != want || answer.Text("message") != message {
				t.Errorf("%s", answer)
			}
		}
		up.Send(http.MethodGet, "/pipelines/"+id, nil).Want(t, http.StatusNotFound)
		for range 3 {
			up.UploadAs(id, `{"steps":[{"command":"c","label":"x","key":"x"}]}`, false).Want(t, http.StatusOK)
		}
		up.UploadAs(strings.ToUpper(id), `{"steps":[{"command":"c","label":"y"}]}`, true).Want(t, http.StatusOK) // the first outcome
		up.UploadAs(id, `{"steps":[{"nothing":1}]}`, false).Want(t, http.StatusOK)
		w.WantStates(build, "up=running x=waiting other=running")
		state("applied", "")
		other.UploadAs(id, `{"steps":[{"command":"c","label":"z"}]}`, false).Want(t, http.StatusForbidden)
		other.Send(http.MethodGet, "/pipelines/"+id, nil).Want(t, http.StatusNotFound)

		id = domain.NewID[string]()
		const taken = `The key "x" has already been used by another step in this build`
		up.UploadAs(id, `{"steps":[{"command":"c","key":"x"}]}`, false).WantMessage(t, http.StatusUnprocessableEntity, taken)
		up.UploadAs(id, `{"steps":[{"command":"c"}]}`, false).WantMessage(t, http.StatusUnprocessableEntity, taken)
		state("rejected", taken)
		w.WantStates(build, "up=running x=waiting other=running")
	})
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: up, key: up}, {command: c, label: b, key: b}]")
		up := w.NewAgent().AcceptJob()
		up.Upload(`{"steps":["wait"]}`).WantMessage(t, http.StatusUnprocessableEntity, "You can only change the pipeline of a running build")
		up.Start().Want(t, http.StatusOK)
		many := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"command":"c"},`, n), ",") }
		for document, text := range map[string]string{
			`{"steps":[{"command":"c","agent":{"a":"b"}}]}`:                                                     "`agent` is not a valid property on the `command` step, perhaps you meant `agents`?",
			`{"steps":[{"command":"c","zzzzzzzz":1}]}`:                                                          "`zzzzzzzz` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties.",
			`{"steps":[{"name":"foo"}]}`:                                                                        "Step is missing a type `{\"name\":\"foo\"}`",
			`{"steps":[{"command":"c","key":"k"},{"command":"c","key":"k"}]}`:                                   `The key "k" has already been used by another step in this build`,
			`{"steps":[{"command":"c","key":"b"}]}`:                                                             `The key "b" has already been used by another step in this build`,
			`{"steps":[` + many(501) + `]}`:                                                                     "The number of jobs in this upload exceeds your organization limit of 500.",
			`{"steps":[{"group":"g","steps":[` + many(500) + `]}]}`:                                             "The number of jobs in this upload exceeds your organization limit of 500.",
			`{"steps":[{"command":"c","parallelism":501}]}`:                                                     "The number of jobs in this upload exceeds your organization limit of 500.",
			`{"steps":[{"group":"g"}]}`:                                                                         "The `steps` property is required for a group",
			`{"steps":[{"group":"g","steps":[{"group":"h","steps":["wait"]}]}]}`:                                "`group` is invalid",
			`{"steps":[{"command":"c","if":"build.branch ==","label":"x"}]}`:                                    "`if` is invalid",
			`{"steps":[{"command":"c","if":"true","branches":"main"}]}`:                                         "is invalid",
			`{"steps":[{"command":"c","concurrency":1}]}`:                                                       "is invalid",
			`{"steps":[{"command":"c","key":"0190a000-0000-7000-8000-000000000001"}]}`:                          "`key` is invalid",
			`{"steps":[{"command":"c","matrix":["a"],"parallelism":2}]}`:                                        "`matrix` is invalid",
			`{"steps":[{"command":"c","depends_on":"y","key":"z"},{"command":"c","key":"y","depends_on":"z"}]}`: "is invalid",
			`{"env":{"A":1}}`:                    "The `steps` property is required",
			`{"steps":{}}`:                       "`steps` is invalid",
			`[]`:                                 "The pipeline is not a JSON object",
			`null`:                               "The pipeline is not a JSON object",
			`"steps"`:                            "The pipeline is not a JSON object",
			`{"steps":[null]}`:                   "Step is missing a type",
			`{"steps":["bogus"]}`:                "Step is missing a type",
			`{"steps":[{"command":"a\u0000b"}]}`: "NUL",
			`{"env":{"A\u0000":"x"},"steps":["wait"]}`: "NUL",
		} {
			answer := up.Upload(document).Want(t, http.StatusUnprocessableEntity)
			if !strings.Contains(answer.Message(), text) {
				t.Errorf("%.200s: %q, not %q", document, answer.Message(), text)
			}
		}
		for _, body := range []string{`{}`, `{"uuid":"x","pipeline":{"steps":["wait"]}}`, fmt.Sprintf(`{"uuid":%q}`, domain.NewID[string]())} {
			up.Send(http.MethodPost, "/pipelines", body).Want(t, http.StatusUnprocessableEntity)
		}
		w.WantStates(build, "up=running b=scheduled") // otherwise untouched
		up.Upload(`{"steps":[`+many(500)+`]}`).Want(t, http.StatusOK)
	})
}

// TestUploadsOfABuildTakeBoundedRoom checks that what is refused again and again does not fill the database.
func TestUploadsOfABuildTakeBoundedRoom(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: up}]")
		up := w.NewAgent().StartJob()
		const refusal = "`zzz` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties."
		bad := `{"steps":[{"command":"` + strings.Repeat("c", 300_000) + `","zzz":1}]}`
		id := domain.NewID[string]()
		for range 2 {
			up.UploadAs(id, bad, false).WantMessage(t, http.StatusUnprocessableEntity, refusal)
		}
		if document := w.Text(`SELECT document FROM step_uploads WHERE id = $1`, id); document != "null" {
			t.Errorf("%d bytes of what was refused are kept", len(document))
		}
		testkit.Change(t, w.DB, `UPDATE step_uploads SET document = $1 WHERE id = $2`, strings.Repeat("x", 64<<20), id)
		up.Upload(`{"steps":["wait"]}`).WantMessage(t, http.StatusUnprocessableEntity, "`steps` is invalid: all uploads of the build would have more than 64 MiB")
		testkit.Change(t, w.DB, `UPDATE step_uploads SET document = 'null' WHERE id = $1`, id)
		if err := w.DB.Write(t.Context(), func(tx *db.Tx) error {
			for range 998 {
				if _, err := tx.Exec(`INSERT INTO step_uploads (id, build_id, job_id, created_at, is_applied, replaces, message, document) VALUES ($1, $2, $3, 1, $4, $4, 'x', 'null')`,
					domain.NewID[string](), build.ID, up.ID, false); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			up.Upload(bad).WantMessage(t, http.StatusUnprocessableEntity, refusal)
		}
		up.Upload(`{"steps":["wait"]}`).Want(t, http.StatusOK)
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM step_uploads WHERE build_id = $1`, build.ID); n != "1001" {
			t.Errorf("%s uploads are kept, not 1001", n)
		}
	})
}

func TestUploadsThatReplace(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: up}, {command: c, label: kept}, {command: c, label: old, key: k}, wait, {command: c, label: last, key: l}, {group: g, key: g, steps: [{command: c, label: inner}]}]")
		a, b := w.NewAgent(), w.NewAgent()
		up, kept := a.StartJobWith("up"), b.StartJobWith("kept")
		up.UploadAs(domain.NewID[string](), `{"steps":[{"command":"c","key":"k","zzz":1}]}`, true).Want(t, http.StatusUnprocessableEntity)
		w.WantStates(build, "up=running kept=running old=scheduled =waiting last=waiting inner=waiting")
		up.UploadAs(domain.NewID[string](), `{"steps":[{"command":"c","label":"new","key":"k"},{"group":"g","key":"g","steps":[{"command":"c","label":"in","depends_on":"k"}]}]}`, true).Want(t, http.StatusOK)
		w.WantStates(build, "up=running new=waiting in=waiting kept=running old=skipped =skipped last=skipped inner=skipped")
		up.Finish(0).Want(t, http.StatusOK)
		kept.Finish(0).Want(t, http.StatusOK)
		a.RunJob("new", 0)
		a.RunJob("in", 0)
		a.WantIdle()
		w.WantBuild(build, "passed")
	})
}

// Two uploads at once that are right alone and wrong together: each waits for what the other one adds.
func TestUploadsAtOnceCannotMakeACycle(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		for range 5 {
			w.BuildOf("steps: [{command: c, label: one}, {command: c, label: two}]")
			a, b := w.NewAgent(), w.NewAgent()
			one, two := a.StartJobWith("one"), b.StartJobWith("two")
			statuses := make(chan int, 2)
			go func() {
				statuses <- one.Upload(`{"steps":[{"command":"c","label":"x","key":"x","depends_on":"y"}]}`).Status
			}()
			go func() {
				statuses <- two.Upload(`{"steps":[{"command":"c","label":"y","key":"y","depends_on":"x"}]}`).Status
			}()
			if first, second := <-statuses, <-statuses; first+second != http.StatusOK+http.StatusUnprocessableEntity {
				t.Errorf("two uploads that wait for each other: %d and %d", first, second)
			}
			one.Finish(0).Want(t, http.StatusOK)
			two.Finish(0).Want(t, http.StatusOK)
		}
	})
}

// All uploads that a build gets at once are applied, whatever the others add.
func TestManyUploadsAtOnce(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		const n, size = 10, 50
		build := w.BuildOf(fmt.Sprintf("steps: [{command: c, label: up, parallelism: %d}]", n))
		var wg sync.WaitGroup
		for i := range n {
			up := w.NewAgent().StartJobWith("up")
			var steps []string
			for k := range size {
				steps = append(steps, fmt.Sprintf(`{"command":"c","label":"s","key":"k%d-%d","depends_on":["k%d-%d"],"if":"build.state == 'running'"}`, i, k, (i+1)%n, size))
			}
			wg.Go(func() { up.Upload(`{"steps":[`+strings.Join(steps, ",")+`]}`).Want(t, http.StatusOK) })
		}
		wg.Wait()
		got := w.Read(2, `SELECT CAST(count(*) AS TEXT), CAST(count(DISTINCT position) AS TEXT) FROM jobs
			WHERE build_id = $1 AND step_id IN (SELECT id FROM build_steps WHERE label = 's')`, build.ID)
		if want := fmt.Sprint(n * size); got[0][0] != want || got[0][1] != want {
			t.Errorf("%s jobs at %s positions", got[0][0], got[0][1])
		}
	})
}

func TestUploadsIntoGroups(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{group: Tests, steps: [{command: c, label: up}]}, wait, {command: c, label: after}]")
		a := w.NewAgent()
		up := a.StartJobWith("up")
		up.Upload(`{"steps":[{"group":"Tests","key":"tests","steps":[{"command":"c","label":"x"}]}]}`).Want(t, http.StatusOK)
		groups := w.Read(1, `SELECT step_key FROM build_steps WHERE build_id = $1 AND kind = 'group'`, build.ID)
		if len(groups) != 1 || groups[0][0] != "tests" {
			t.Errorf("the groups are %v", groups)
		}
		up.Upload(`{"steps":[{"command":"c","label":"z","depends_on":"tests"}]}`).Want(t, http.StatusOK)
		up.Finish(0).Want(t, http.StatusOK)
		j := a.StartJobWith("x")
		if env := j.Env(); env["BUILDKITE_GROUP_LABEL"] != "Tests" || env["BUILDKITE_GROUP_KEY"] != "tests" {
			t.Errorf("%v", env)
		}
		j.Finish(0).Want(t, http.StatusOK)
		a.RunJob("z", 0)
		a.RunJob("after", 0)
		w.WantBuild(build, "passed")
	})
}

func TestLimitsOfABuild(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: up}]")
		up := w.NewAgent().StartJob()
		for range 7 {
			up.Upload(`{"steps":[{"command":"c","parallelism":500}]}`).Want(t, http.StatusOK)
		}
		up.Upload(`{"steps":[{"command":"c","parallelism":500}]}`).WantMessage(t, http.StatusUnprocessableEntity, "`steps` is invalid: the build would have more than 4000 jobs")
		up.Upload(`{"steps":[{"command":"c","parallelism":499}]}`).Want(t, http.StatusOK)
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM jobs`); n != "4000" {
			t.Errorf("%s jobs", n)
		}
		up.Finish(0).Want(t, http.StatusOK)
		w.Cancel(build)
		w.WantBuild(build, "canceled")
	})
}

func TestDataOfABuild(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.Build(w.Pipeline("steps: [{command: c, label: a, key: a, parallelism: 2}, {command: c, label: b, key: b}]"))
		j := w.NewAgent().StartJob()
		exists := func(key string) any {
			t.Helper()
			return j.Send(http.MethodPost, "/data/exists", map[string]string{"key": key}).Want(t, http.StatusOK).Object()["exists"]
		}
		if exists("k") != false {
			t.Error("a key exists that nobody set")
		}
		j.Send(http.MethodPost, "/data/get", map[string]string{"key": "k"}).WantMessage(t, http.StatusNotFound, `No key "k" found`)
		j.Send(http.MethodPost, "/data/set", map[string]string{"key": "k", "value": strings.Repeat("v", 100_000)}).Want(t, http.StatusOK)
		for _, bad := range []map[string]string{{"key": "k", "value": strings.Repeat("v", 100_001)}, {"key": "", "value": "v"}, {"key": strings.Repeat("k", 256), "value": "v"}, {"key": "k", "value": ""}, {"key": "k", "value": "a\x00"}} {
			j.Send(http.MethodPost, "/data/set", bad).Want(t, http.StatusUnprocessableEntity)
		}
		items := []map[string]string{{"key": "x", "value": "1"}, {"key": "", "value": "1"}}
		j.Send(http.MethodPost, "/data/set-batch", map[string]any{"items": items}).Want(t, http.StatusUnprocessableEntity)
		if exists("x") != false || exists("k") != true {
			t.Error("a batch is set in part")
		}
		j.Send(http.MethodPost, "/data/set-batch", map[string]any{"items": items[:1]}).Want(t, http.StatusOK)
		if keys := strings.TrimSpace(string(j.Send(http.MethodPost, "/data/keys", nil).Want(t, http.StatusOK).Body)); keys != `["k","x"]` {
			t.Errorf("the keys are %s", keys)
		}
		commit := strings.Repeat("a1", 20)
		j.Send(http.MethodPost, "/data/set", map[string]string{"key": "buildkite:git:commit", "value": "commit " + commit + "\nabbrev-commit a1a1a1a"}).Want(t, http.StatusOK)
		if got := w.Text(`SELECT commit_sha FROM builds WHERE id = $1`, build.ID); got != commit {
			t.Errorf("HEAD became %s", got)
		}
		if next := w.NewAgent().StartJob(); next.Env()["BUILDKITE_COMMIT"] != commit || next.Env()["BUILDKITE_COMMIT_RESOLVED"] != "true" {
			t.Error("the next job is not told the commit")
		}
		step := func(body map[string]any) int {
			t.Helper()
			return w.Send(http.MethodPut, "steps/b", j.Token, body).Status
		}
		id := domain.NewID[string]()
		for range 2 {
			if step(map[string]any{"idempotency_uuid": id, "build_id": string(build.ID), "attribute": "label", "value": " more", "append": true}) != http.StatusOK {
				t.Error("a label is not changed")
			}
		}
		output := w.Send(http.MethodPost, "steps/b/export", j.Token, map[string]string{"attribute": "label"}).Want(t, http.StatusOK).Text("output")
		if output != "b more" {
			t.Errorf("the label is %q", output)
		}
		if got := w.Send(http.MethodPost, "steps/b/export", j.Token, map[string]string{"attribute": "state"}).Text("output"); got != "ready" {
			t.Errorf("the step is %q", got)
		}
		w.Send(http.MethodPost, "steps/b/export", j.Token, map[string]string{"attribute": "bogus"}).Want(t, http.StatusUnprocessableEntity)
		for _, body := range []map[string]any{{"attribute": "command", "value": "x"}, {"attribute": "priority", "value": "x"}, {"attribute": "parallelism", "value": "3"}, {"attribute": "label", "value": "a\x00"},
			{"attribute": "notify", "value": "x"}, {"attribute": "label", "value": "x", "idempotency_uuid": strings.Repeat("x", 1000)}} {
			if status := step(body); status != http.StatusUnprocessableEntity {
				t.Errorf("%v: %d", body, status)
			}
		}
		// What a check says is changed member by member.
		if status := step(map[string]any{"attribute": "notify.github_check.output.title", "value": "x"}); status != http.StatusUnprocessableEntity {
			t.Errorf("a check that is not there is changed: %d", status)
		}
		for _, body := range []map[string]any{
			{"attribute": "notify", "value": `["github_check"]`}, {"attribute": "notify.github_check.name", "value": "N"}, {"attribute": "notify.github_check.output.title", "value": "T"},
			{"attribute": "notify.github_check.output.title", "value": "U", "append": true},
			{"attribute": "notify.github_check.output.annotations", "value": `[{"path":"a"}]`}, {"attribute": "notify.github_check.output.annotations", "value": `[{"path":"b"}]`, "append": true},
		} {
			if status := step(body); status != http.StatusOK {
				t.Errorf("%v: %d", body, status)
			}
		}
		if got := w.Send(http.MethodPost, "steps/b/export", j.Token, map[string]string{"attribute": "notify"}).Text("output"); got != `[{"github_check":{"name":"N","output":{"annotations":[{"path":"a"},{"path":"b"}],"title":"TU"}}}]` {
			t.Errorf("the notifications are %s", got)
		}
		for _, body := range []map[string]any{{"attribute": "notify.github_check.output.colour", "value": "x"}, {"attribute": "notify.github_check.output.annotations", "value": "x"},
			{"attribute": "notify.github_check.output.text", "value": strings.Repeat("x", 70_000)}} {
			if status := step(body); status != http.StatusUnprocessableEntity {
				t.Errorf("%.100v: %d", body, status)
			}
		}
		if step(map[string]any{"attribute": "priority", "value": "9"}) != http.StatusOK {
			t.Error("a priority is not changed")
		}
		w.Send(http.MethodPut, "steps/a", j.Token, map[string]any{"attribute": "parallelism", "value": "3"}).Want(t, http.StatusOK)
		w.WantStates(build, "a=running a=running a=scheduled b more=scheduled")
	})
}

// TestABuildsDataIsBounded checks that a job cannot store so much that its build, or a list with it, can be shown to nobody.
func TestABuildsDataIsBounded(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		batch := func(from int) *testkit.Answer {
			t.Helper()
			var items []map[string]string
			for i := range 40 {
				items = append(items, map[string]string{"key": fmt.Sprint("k", from+i), "value": strings.Repeat("v", 100_000)})
			}
			return j.Send(http.MethodPost, "/data/set-batch", map[string]any{"items": items})
		}
		batch(0).Want(t, http.StatusOK)
		batch(40).Want(t, http.StatusOK)
		batch(80).WantMessage(t, http.StatusUnprocessableEntity, "The build's meta-data is too large (maximum is 10000 values, and 8 MiB of keys and values)")
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM build_meta_data WHERE build_id = $1`, build.ID); n != "80" {
			t.Errorf("%s values are stored", n)
		}
		batch(40).Want(t, http.StatusOK)
		j.Send(http.MethodPost, "/data/set", map[string]string{"key": "small", "value": "v"}).Want(t, http.StatusOK)

		annotate := func(name string) *testkit.Answer {
			t.Helper()
			return j.Send(http.MethodPost, "/annotations", map[string]any{"body": strings.Repeat("x", 1<<20), "context": name})
		}
		for i := range 15 { // as HTML, they are a little longer
			annotate(fmt.Sprint(i)).Want(t, http.StatusOK)
		}
		annotate("more").WantMessage(t, http.StatusUnprocessableEntity, "The build's annotations are too large (maximum is 1000 annotations, and 16 MiB)")
		j.Send(http.MethodPost, "/annotations", map[string]any{"body": strings.Repeat("x", 1<<20), "context": "job", "scope": "job"}).Want(t, http.StatusUnprocessableEntity)
		annotate("0").Want(t, http.StatusOK)
		j.Send(http.MethodDelete, "/annotations/0", nil).Want(t, http.StatusOK)
		annotate("more").Want(t, http.StatusOK)
	})
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		annotate := func(body map[string]any) int {
			t.Helper()
			return j.Send(http.MethodPost, "/annotations", body).Status
		}
		for _, test := range []struct {
			body map[string]any
			want int
		}{
			{map[string]any{"body": "one", "context": "100%25 a/b.c", "style": "info"}, http.StatusOK},
			{map[string]any{"body": " two", "context": "100%25 a/b.c", "append": true}, http.StatusOK},
			{map[string]any{"body": strings.Repeat("x", 1<<20), "context": "long"}, http.StatusOK},
			{map[string]any{"body": "y", "context": "long", "append": true}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "y", "context": strings.Repeat("c", 101)}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "y", "style": "bogus"}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "y", "priority": 11}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "y", "scope": "pipeline"}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "a\x00"}, http.StatusUnprocessableEntity},
			{map[string]any{"context": "c\x00", "body": "y"}, http.StatusUnprocessableEntity},
			{map[string]any{"context": "empty"}, http.StatusUnprocessableEntity},
			{map[string]any{"body": "of the job", "scope": "job", "priority": 10}, http.StatusOK},
		} {
			if status := annotate(test.body); status != test.want {
				t.Errorf("%.100v: %d", test.body, status)
			}
		}
		if body := w.Text(`SELECT body FROM annotations WHERE style = 'info'`); body != "one two" {
			t.Errorf("the annotation is %q", body)
		}
		j.Send(http.MethodDelete, "/annotations/100%2525%20a%2Fb%2Ec", nil).Want(t, http.StatusOK)
		j.Send(http.MethodDelete, "/annotations/100%2525%20a%2Fb%2Ec", nil).Want(t, http.StatusNotFound)
		j.Send(http.MethodDelete, "/annotations/default", nil).Want(t, http.StatusNotFound)
		j.Send(http.MethodDelete, "/annotations/default?scope=job", nil).Want(t, http.StatusOK)
		j.Send(http.MethodDelete, "/annotations/default?scope=bogus", nil).Want(t, http.StatusUnprocessableEntity)
	})
}
