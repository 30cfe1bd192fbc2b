package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
)

// TestReportedTestsAreShown uploads reports of tests, some of which can't be read.
func TestReportedTestsAreShown(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		build := s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: Unit, command: x}, {label: Browser, command: y}]`), "main", "Tests")
		first := worker.take()
		first.upload(`<testsuites><testsuite name="cart"><testcase name="adds" time="0.25"/><testcase name="totals `+strings.NewReplacer("<", "&lt;", `"`, "&quot;").Replace(attack)+`" classname="Cart"><failure message="41.40, want 41.42">cart_test.go:48</failure></testcase><testcase name="later"><skipped message="no tax yet"/></testcase></testsuite></testsuites>`, "out/JUnit-unit.xml")
		first.upload(`<testsuite/>`, "out/other.xml", "junit.txt")
		first.finish(1)
		second := worker.take()
		second.upload(`<!DOCTYPE x [<!ENTITY a "b">]><testsuite>&a;</testsuite>`, "junit-browser.xml")
		second.upload(`<testsuite><testcase name="opens"/></testsuite>`, "more-junit.xml")
		announced, err := s.Artifacts.CreateArtifacts(t.Context(), second.token, second.ID, artifacts.ArtifactBatch{ID: domain.NewID[string](), UploadDestination: "s3://elsewhere", // the agent keeps it
			Artifacts: []domain.ArtifactInput{{Path: "far-junit.xml", FileSize: 9, SHA1Sum: strings.Repeat("a", 40), URL: "https://example.com/far"}}})
		s.must(err)
		s.must(s.Artifacts.UpdateArtifacts(t.Context(), second.token, second.ID, []artifacts.ArtifactChange{{ID: string(announced.IDs[0]), State: domain.ArtifactFinished}}))
		second.finish(0)
		b := s.signedIn("member@example.com")
		checkMarkup(t, b.get(build).want(t, http.StatusOK, "is being read"))
		for range 2 { // the second finds nothing to do
			s.must(s.Artifacts.ReadTestReports(t.Context(), authz.OperatorActor()))
		}
		shown := b.get(build).want(t, http.StatusOK, "2 passed, 1 failed, 1 skipped, in 4 reports", "the agent keeps it in another store", "totals ", "41.40, want 41.42", "cart_test.go:48", "no tax yet", "The report can't be read: it has a document type", "more-junit.xml")
		checkMarkup(t, shown)
		shown.wantHarmless(t, 1)
		if strings.Contains(shown.Body, "is being read") {
			t.Error("a report was not read")
		}
		job := b.get(build+"/jobs/"+second.ID).want(t, http.StatusOK, "1 passed, 0 failed, 0 skipped, in 3 reports")
		if strings.Contains(job.Body, "41.40") {
			t.Error("a job shows tests of another one")
		}
		s.signedIn("outsider@example.com").get(build).want(t, http.StatusNotFound)
	})
}
