package notices

import (
	"context"
	"fmt"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// mailCreator writes a mail for who created a build that has finished, unless it is clear that they do not want one.
// Who they are, and what they chose, is looked at when it is sent.
func (s *Service) mailCreator(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	b := c.Now
	hasFinished := b.State == flow.BuildPassed || b.State == flow.BuildFailed
	if s.mail == nil || !hasFinished || !c.IsNew && c.Before.State == b.State {
		return false, nil
	}
	told := domain.ToldFailed
	if b.State == flow.BuildPassed {
		last, err := tx.LastFinishedBefore(b.PipelineID, b.Branch, b.Number)
		switch {
		case err != nil:
			return false, err
		case last == string(flow.BuildFailed):
			told = domain.ToldFixed
		case s.wantsAllMails.Load():
			told = domain.ToldPassed
		default:
			return false, nil
		}
	}
	return true, tx.InsertNotice(domain.Notice{
		ID: newNoticeID(c.At), OrganizationID: b.OrganizationID, Kind: domain.NoticeMemberMail, Target: "creators " +
			string(b.OrganizationID), Lane: string(b.ID), BuildID: &b.ID,
		Summary: "Mail to who created it: " + toldWords[told], Body: `"` + told + `"`, CreatedAt: c.At,
		State: domain.NoticeNew,
	})
}

// sendMemberMail mails how a build went to the member who created it, if they want that.
func (s *Service) sendMemberMail(ctx context.Context, n domain.Notice) (string, error) {
	var address, page string
	var wanted domain.BuildMails
	var b domain.Build
	var x store.JobContext
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		var found bool
		var err error
		address, wanted, found, err = tx.MailedCreator(*n.BuildID)
		if err == nil && !found {
			err = &SendError{Reason: "No member created the build", Unwanted: true}
		}
		if err != nil {
			return err
		}
		if b, _, err = tx.Build(*n.BuildID); err != nil {
			return err
		}
		x, err = tx.JobContext(b.ID)
		page = s.baseURL + domain.BuildPath(x.OrganizationSlug, x.PipelineSlug, b.Number)
		return err
	})
	if err != nil {
		return "", err
	}
	told := strings.Trim(n.Body, `"`)
	if wanted == domain.NoBuildMails || wanted == domain.FailedBuildMails && told == domain.ToldPassed {
		return "", &SendError{Reason: "Who created the build does not want the mail", Unwanted: true}
	}
	return s.mailBuild(ctx, n, address, fmt.Sprintf("%s #%d %s", x.PipelineName, b.Number, toldWords[told]), b, page)
}
