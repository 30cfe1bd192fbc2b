package domain

import (
	"path"
	"strings"
	"time"
)

// TestReport is what a file of a job says about tests, in the format of JUnit.
type TestReport struct {
	ID             ArtifactID // of the file
	OrganizationID OrganizationID
	BuildID        BuildID
	JobID          JobID
	Path           string
	State          TestReportState
	Reason         string // why it cannot be read
	Tests          int64
	Failed         int64
	Skipped        int64
	Took           time.Duration // of all tests together
	Cases          []TestCase    // those that did not pass, then others; not all of many
	CreatedAt      time.Time
}

// TestReportState is whether a report was read.
type TestReportState string

// The states of reports.
const (
	TestReportWaiting    TestReportState = "waiting"
	TestReportRead       TestReportState = "read"
	TestReportUnreadable TestReportState = "unreadable"
)

// TestCase is a test.
type TestCase struct {
	Name         string `json:"name"`
	Suite        string `json:"suite,omitempty"`
	Outcome      string `json:"outcome"`        // passed, failed or skipped
	Microseconds int64  `json:"took,omitempty"` // that it took
	Message      string `json:"message,omitempty"`
	Detail       string `json:"detail,omitempty"`
}

// Length is how long the test took.
func (c TestCase) Length() time.Duration { return time.Duration(c.Microseconds) * time.Microsecond }

// Limits of reports.
const (
	MaxTestReportSize   = 10 << 20 // bytes of a file
	MaxTestReportsOfJob = 100
)

// IsTestReport reports whether a file is read as a report of tests: its name has junit in it, and ends in .xml.
func (a *Artifact) IsTestReport() bool {
	_, name := a.Split()
	name = strings.ToLower(name)
	return strings.Contains(name, "junit") && path.Ext(name) == ".xml"
}

// NewTestReport returns the report of a file that was just stored, of a job that has so many others.
func NewTestReport(a *Artifact, others int64, now time.Time) TestReport {
	r := TestReport{ID: a.ID, OrganizationID: a.OrganizationID, BuildID: a.BuildID, JobID: a.JobID, Path: a.Path,
		State: TestReportWaiting, Cases: []TestCase{}, CreatedAt: now}
	switch {
	case !a.IsOurs():
		r.State, r.Reason = TestReportUnreadable, "the agent keeps it in another store"
	case a.FileSize > MaxTestReportSize:
		r.State, r.Reason = TestReportUnreadable, "it is larger than 10 MiB"
	case others >= MaxTestReportsOfJob:
		r.State, r.Reason = TestReportUnreadable, "only the first 100 reports of a job are read"
	}
	return r
}

// TestStats are what all reports of a build come to.
type TestStats struct{ Reports, Tests, Failed, Skipped int64 }
