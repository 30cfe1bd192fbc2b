package web

import (
	"cmp"
	"fmt"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

// testsView is what files of a build say about tests.
type testsView struct {
	domain.TestStats
	Failures []testRow // of all reports that are shown
	Reports  []reportRow
	Left     int64 // reports that are not listed
}

// testRow is a test.
type testRow struct {
	domain.TestCase
	Took string
	Job  string // label of the job
	To   string // its page
}

// Class is the class of the test's state.
func (r testRow) Class() string {
	switch r.Outcome {
	case "failed":
		return badState
	case "skipped":
		return quietState
	}
	return goodState
}

// reportRow is a file.
type reportRow struct {
	*domain.TestReport
	Job   string
	JobTo string
	To    string // address of the file
	Took  string
	Cases []testRow
}

// Listed is how many tests are named.
func (r reportRow) Listed() int64 { return int64(len(r.Cases)) }

const (
	maxFailuresShown = 50
	maxTestsListed   = 100 // of a report
)

// showTests returns what a build's files say about tests; of one job, if job is not empty.
func (c *call) showTests(of *builds.BuildPage, job domain.JobID) (view testsView) {
	labels := map[domain.JobID]string{}
	for _, j := range of.Build.Jobs {
		labels[j.ID] = numberedLabel(j)
	}
	view.TestStats = of.Tests
	if job != "" {
		view.TestStats = domain.TestStats{}
	}
	for i := range of.TestReports {
		r := &of.TestReports[i]
		if job != "" {
			if r.JobID != job {
				continue
			}
			view.TestStats = domain.TestStats{Reports: view.TestStats.Reports + 1, Tests: view.Tests + r.Tests,
				Failed: view.Failed + r.Failed, Skipped: view.Skipped + r.Skipped}
		}
		to := c.linkToBuild(of.Build.OrganizationSlug, of.Build.Pipeline.Slug, of.Build.Number, "jobs", string(r.JobID))
		row := reportRow{TestReport: r, Job: cmp.Or(labels[r.JobID], "Job"), JobTo: to, To: to + "/artifacts/" +
			string(r.ID) + "/view", Took: shortTime(r.Took)}
		for _, test := range r.Cases {
			t := testRow{test, shortTime(test.Length()), row.Job, to}
			if test.Outcome == "failed" {
				if len(view.Failures) < maxFailuresShown {
					view.Failures = append(view.Failures, t)
				}
				continue
			}
			if len(row.Cases) < maxTestsListed {
				row.Cases = append(row.Cases, t)
			}
		}
		view.Reports = append(view.Reports, row)
	}
	view.Left = view.TestStats.Reports - int64(len(view.Reports))
	return view
}

// FailuresLeft is how many tests failed that are not listed.
func (v testsView) FailuresLeft() int64 { return v.Failed - int64(len(v.Failures)) }

// Passed is how many tests passed.
func (v testsView) Passed() int64 { return max(0, v.Tests-v.Failed-v.Skipped) }

// shortTime returns how long a test took: 0.25s, 3s, 1m 2s.
func shortTime(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return duration{Length: d}.String()
}
