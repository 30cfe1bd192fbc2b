package rest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestAnnotationsOverREST(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, job := startedJob(t, s)
		build, alone := strings.TrimSuffix(job, "/jobs/"+j.ID), "/v2/organizations/acme-inc/jobs/"+j.ID
		made := s.Post(testkit.AdminToken, build+"/annotations", `{"body": "# Hi\n\n<script>x</script><b>there</b>", "style": "info", "context": "a/b", "priority": 7}`).Want(t, 201)
		got := timeless(t, made)
		id := made.Text("id")
		want := map[string]any{"id": id, "context": "a/b", "style": "info", "scope": "build", "job_id": nil, "priority": 7.0, "created_at": "TIME", "updated_at": "TIME",
			"body_html": "<h1>Hi</h1>\n<b>there</b>"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, not %v", got, want)
		}
		// The same context is the same annotation.
		again := s.Post(testkit.AdminToken, build+"/annotations", `{"body": " more", "context": "a/b", "append": true}`).Want(t, 201)
		if again.Text("id") != id || again.Object()["priority"] != 7.0 || !strings.Contains(again.Text("body_html"), "<b>there</b> more") {
			t.Errorf("appended: %s", again)
		}
		ofJob := s.Post(testkit.AdminToken, job+"/annotations", `{"body": "of the job"}`).Want(t, 201)
		if ofJob.Text("job_id") != j.ID || ofJob.Text("scope") != "job" || ofJob.Text("context") != "default" || ofJob.Text("style") != "default" {
			t.Errorf("of the job: %s", ofJob)
		}
		if err := s.Builds.Annotate(t.Context(), j.token, j.ID, domain.AnnotationInput{Body: "by the agent"}); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			build + "/annotations": "[a/b default]", build + "/annotations?scope=build": "[a/b default]", build + "/annotations?scope=job": "[default]",
			build + "/annotations?scope=all": "[a/b default default]", job + "/annotations": "[default]", alone + "/annotations": "[default]",
			build + "/annotations?scope=all&per_page=1&page=2": "[default]",
		} {
			if got := column(s.Get(testkit.MemberToken, path).Want(t, 200).List(), "context"); got != want {
				t.Errorf("%s: %s, not %s", path, got, want)
			}
		}
		for _, path := range []string{build, job, alone} {
			for _, shown := range s.Get(testkit.MemberToken, path+"/annotations?omit_body=true").Want(t, 200).List() {
				if body, has := shown["body_html"]; !has || body != nil {
					t.Errorf("%s shows a body: %v", path, shown)
				}
			}
		}
		s.Get(testkit.MemberToken, build+"/annotations?scope=team").WantMessage(t, 400, "scope must be build, job or all")
		// Delete.
		s.Delete(testkit.AdminToken, job+"/annotations/"+id).WantMessage(t, 404, "No annotation found")
		s.Delete(testkit.AdminToken, build+"/annotations/"+id).Want(t, 204)
		s.Delete(testkit.AdminToken, build+"/annotations/"+id).WantMessage(t, 404, "No annotation found")
		s.Delete(testkit.AdminToken, alone+"/annotations/"+ofJob.Text("id")).Want(t, 204)
		if left := s.Get(testkit.AdminToken, build+"/annotations?scope=all").Want(t, 200).List(); len(left) != 1 || left[0]["job_id"] != j.ID {
			t.Errorf("left: %v", left)
		}
	})
}

func TestAnnotationsAreRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, job := startedJob(t, s)
		build := strings.TrimSuffix(job, "/jobs/"+j.ID)
		for body, message := range map[string]string{
			`{}`:                             "Annotation body can't be blank",
			`{"body": "x", "style": "loud"}`: "Annotation style must be one of default, info, warning, error, success",
			`{"body": "x", "priority": 0}`:   "Annotation priority must be from 1 to 10",
			`{"body": "x", "priority": 11}`:  "Annotation priority must be from 1 to 10",
			`{"body": "x", "context": "` + strings.Repeat("ü", 101) + `"}`: "Annotation context is too long (maximum is 100 characters), or not valid text",
			`{"body": "` + strings.Repeat("x", 1<<20+1) + `"}`:             "Annotation body is too long (maximum is 1 MiB)",
		} {
			for _, path := range []string{build, job} {
				s.Post(testkit.AdminToken, path+"/annotations", body).WantMessage(t, 422, message)
			}
		}
		s.Post(testkit.AdminToken, build+"/annotations", `{"body": "`+strings.Repeat(`\n`, 1<<20)+`", "context": "`+strings.Repeat("ü", 100)+`"}`).Want(t, 201)
		s.Post(testkit.AdminToken, build+"/annotations", `{"body": "x", "append": true, "context": "`+strings.Repeat("ü", 100)+`"}`).Want(t, 422)
		s.Post(testkit.OutsiderToken, build+"/annotations", `{"body": "x"}`).Want(t, 404)
	})
}

// wideTable is a small text that would become a large table.
var wideTable = "|" + strings.Repeat("a|", 500) + `\n|` + strings.Repeat("-|", 500) + `\n` + strings.Repeat(`|\n`, 2_000)

func TestAnnotationsThatBecomeTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	const tables = "Annotation body has tables that are too large (maximum is 50,000 cells in all: columns times rows). Shorten it, or upload it as an artifact and link to that"
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, job := startedJob(t, s)
		build := strings.TrimSuffix(job, "/jobs/"+j.ID)
		s.Post(testkit.AdminToken, build+"/annotations", `{"body": "before\n\n"}`).Want(t, 201)
		for _, path := range []string{build, job} {
			s.Post(testkit.AdminToken, path+"/annotations", `{"body": "`+wideTable+`", "context": "new"}`).WantMessage(t, 422, tables)
		}
		// What is appended counts with what it is appended to, and a refusal leaves that as it was.
		s.Post(testkit.AdminToken, build+"/annotations", `{"body": "`+wideTable+`", "append": true}`).WantMessage(t, 422, tables)
		s.Post(testkit.AdminToken, build+"/annotations", `{"body": "[a]: http://e.example/`+strings.Repeat("a", 1<<19)+`\n\n`+strings.Repeat(`[a]\n\n`, 100)+`"}`).
			WantMessage(t, 422, "Annotation body becomes too much HTML (maximum is 4 MiB). Shorten it, or upload it as an artifact and link to that")
		err := s.Builds.Annotate(t.Context(), j.token, j.ID, domain.AnnotationInput{Body: strings.ReplaceAll(wideTable, `\n`, "\n"), Append: true})
		if domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), "tables") {
			t.Errorf("by a job: %v", err)
		}
		list := s.Get(testkit.MemberToken, build+"/annotations").Want(t, 200).List()
		if len(list) != 1 || list[0]["body_html"] != "<p>before</p>\n" {
			t.Errorf("left: %v", list)
		}
	})
}

// TestStoredAnnotationsAreRenderedLater reads annotations that an earlier release has stored or changed.
func TestStoredAnnotationsAreRenderedLater(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, job := startedJob(t, s)
		build := strings.TrimSuffix(job, "/jobs/"+j.ID)
		shown := func() string {
			return column(s.Get(testkit.MemberToken, build+"/annotations").Want(t, 200).List(), "body_html")
		}
		for i := range 20 {
			s.Post(testkit.AdminToken, build+"/annotations", fmt.Sprintf(`{"body": "*%d*", "context": "%d"}`, i, i)).Want(t, 201)
		}
		all := shown()
		testkit.Exec(t, s.DB, `UPDATE annotations SET body_html = '', rendered_at = 0`)
		if got := shown(); !strings.HasPrefix(got, "[<pre>*0*</pre>") {
			t.Errorf("not rendered: %s", got)
		}
		render := func() {
			t.Helper()
			if err := s.Builds.RenderAnnotations(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
		}
		render()
		if got := shown(); got != all {
			t.Errorf("rendered: %s, not %s", got, all)
		}
		// An earlier release changes the body and the time, and one has stored what becomes too much.
		testkit.Exec(t, s.DB, `UPDATE annotations SET body = 'x', updated_at = updated_at + 1000 WHERE context = '0'`)
		testkit.Exec(t, s.DB, `UPDATE annotations SET body = $1, updated_at = updated_at + 1000 WHERE context = '1'`, strings.ReplaceAll(wideTable, `\n`, "\n"))
		if got := shown(); !strings.HasPrefix(got, "[<pre>x</pre>\n <pre>|a|") {
			t.Errorf("changed: %.50s", got)
		}
		render()
		if got := shown(); !strings.HasPrefix(got, "[<p>x</p>\n <pre>|a|") {
			t.Errorf("changed and rendered: %.50s", got)
		}
	})
}

func TestAnnotationsAreAppendedOneAtATime(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, job := startedJob(t, s)
		build := strings.TrimSuffix(job, "/jobs/"+j.ID)
		const writers = 10
		var all sync.WaitGroup
		for range writers {
			all.Go(func() { s.Post(testkit.AdminToken, build+"/annotations", `{"body": "x", "append": true}`).Want(t, 201) })
		}
		all.Wait()
		list := s.Get(testkit.AdminToken, build+"/annotations").Want(t, 200).List()
		if want := "<p>" + strings.Repeat("x", writers) + "</p>\n"; len(list) != 1 || list[0]["body_html"] != want {
			t.Errorf("%v, not %s", list, want)
		}
	})
}
