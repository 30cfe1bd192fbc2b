package artifacts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/junit"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// addTestReport records that a file which has just been stored is to be read as a report of tests, if it is one.
func addTestReport(tx store.Tx, before, after *domain.Artifact, now time.Time) error {
	if after.State != domain.ArtifactFinished || before.State == after.State || !after.IsTestReport() {
		return nil
	}
	others, err := tx.CountTestReports(after.JobID)
	if err != nil {
		return err
	}
	return tx.InsertTestReport(domain.NewTestReport(after, others, now))
}

const (
	reportBatch    = 20
	reportReadTime = 20 * time.Second // for one report
)

// ReadTestReports reads the reports of tests that jobs have stored.
func (s *Service) ReadTestReports(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return core.RunPages(ctx, s.core, reportBatch, func(tx store.Tx, now time.Time) ([]domain.TestReport, error) {
		return tx.WaitingTestReports(now, reportBatch)
	}, core.Items[domain.TestReport]{Kind: store.ReadTestReports, ID: func(r domain.TestReport) string {
		return string(r.ID)
	},
		Do: core.OneByOne(s.readTestReport)})
}

// readTestReport reads a report, and stores what it says, or why it cannot be read.
func (s *Service) readTestReport(ctx context.Context, waiting domain.TestReport) error {
	read, err := s.parseTestReport(ctx, waiting)
	if err != nil {
		return err
	}
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		now, found, err := tx.TestReport(waiting.ID)
		if err != nil || !found || now.State != domain.TestReportWaiting { // another server was faster
			return err
		}
		e.Builds[read.BuildID] = true
		return tx.UpdateTestReport(read)
	})
}

func (s *Service) parseTestReport(ctx context.Context, r domain.TestReport) (domain.TestReport, error) {
	unreadable := func(reason string) (domain.TestReport, error) {
		r.State, r.Reason = domain.TestReportUnreadable, reason
		return r, nil
	}
	bounded, cancel := context.WithTimeout(ctx, reportReadTime)
	defer cancel()
	a := domain.Artifact{ID: r.ID, OrganizationID: r.OrganizationID}
	content, err := s.blobs.Get(bounded, a.Key(), 0, domain.MaxTestReportSize+1)
	switch {
	case errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrRange):
		return unreadable("its content is gone")
	case err != nil:
		return r, core.StorageError(err)
	}
	defer func() { _ = content.Close() }() // it was only read
	file, err := io.ReadAll(content)
	if err != nil {
		return r, core.StorageError(err)
	}
	var report junit.Report
	err = s.core.Processors.Use(bounded, r.OrganizationID, func() (err error) {
		report, err = junit.Read(bytes.NewReader(file))
		return err
	})
	if format, ok := errors.AsType[*junit.FormatError](err); ok {
		return unreadable(format.Reason)
	}
	if err != nil {
		return r, err
	}
	r.State, r.Tests, r.Failed, r.Skipped, r.Took = domain.TestReportRead, report.Tests, report.Failed, report.Skipped,
		report.Took
	for _, c := range report.Cases {
		r.Cases = append(r.Cases, domain.TestCase{Name: c.Name, Suite: c.Suite, Outcome: string(c.Outcome),
			Microseconds: c.Took.Microseconds(), Message: c.Message, Detail: c.Detail})
	}
	return r, nil
}
