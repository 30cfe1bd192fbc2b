package notices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/provider"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// commitStatus is the body of a notice that publishes how a commit fares.
type commitStatus struct {
	Connection domain.ConnectionID `json:"connection"`
	Repository string              `json:"repository"` // its address
	Commit     string              `json:"commit"`
	provider.Status
}

// BuildChanged writes what is to be published about a build. One that nobody is notified of costs nothing.
func (s *Service) BuildChanged(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	published, err := s.publishStatus(tx, c)
	if err != nil {
		return false, err
	}
	told, err := s.publishToServices(tx, c)
	if err != nil {
		return false, err
	}
	notified, err := s.notify(tx, c)
	if err != nil {
		return false, err
	}
	mailed, err := s.mailCreator(tx, c)
	return published || told || notified || mailed, err
}

// publishStatus writes how a commit fares, for the host of its repository.
func (s *Service) publishStatus(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	to, b := c.Now.Publishing, c.Now
	if to == nil || !domain.IsFullCommit(b.Commit) {
		return false, nil
	}
	if to.PerStep {
		if noticed, err = s.publishSteps(tx, c); err != nil {
			return false, err
		}
	}
	state, words := stateOf(b, to)
	if before, _ := stateOf(c.Before, to); !c.IsNew && c.Before.Commit == b.Commit && before == state &&
		c.Before.State == b.State {
		return noticed, nil
	}
	status := commitStatus{Connection: to.ConnectionID, Repository: to.Repository, Commit: b.Commit}
	status.Status = provider.Status{State: state, Context: to.Context, Description: describe(b, words)}
	return true, s.writeStatus(tx, b, status, c.At)
}

// publishSteps writes how the steps of a build with keys fare, for the host of its repository.
func (s *Service) publishSteps(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	to, b := c.Now.Publishing, c.Now
	changed, err := changedSteps(tx, c, false)
	for _, step := range changed {
		status := commitStatus{Connection: to.ConnectionID, Repository: to.Repository, Commit: b.Commit}
		status.Status = stepStatus(step.Step, step.moment, step.outcome)
		status.Context = to.Context + "/" + *step.Key
		if err := s.writeStatus(tx, b, status, c.At); err != nil {
			return false, err
		}
	}
	return len(changed) > 0, err
}

// stepStatus returns how a step fares in the eyes of its commit, without a context.
func stepStatus(step domain.Step, m moment, outcome flow.Outcome) provider.Status {
	name := cmp.Or(step.Label, textOf(step.Key), "Step")
	switch {
	case m == momentStarted:
		return provider.Status{State: provider.Running, Description: name + " is running"}
	case outcome == flow.HardFailed || outcome == flow.Errored:
		return provider.Status{State: provider.Failure, Description: name + " failed"}
	case outcome == flow.SoftFailed:
		return provider.Status{State: provider.Success, Description: name + " failed softly"}
	}
	return provider.Status{State: provider.Success, Description: name + " passed"}
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// writeStatus writes a notice that publishes a status.
func (s *Service) writeStatus(tx store.Tx, b *domain.Build, status commitStatus, at time.Time) error {
	body, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return tx.InsertNotice(domain.Notice{
		ID: domain.NewIDAt[domain.NoticeID](at), OrganizationID: b.OrganizationID, Kind: domain.NoticeCommitStatus,
		Target: "connection " + string(status.Connection),
		Lane:   status.Repository + " " + status.Commit + " " + status.Context, NewestOnly: true, BuildID: &b.ID,
		Summary: fmt.Sprintf("%s of %.7s: %s", status.Context, status.Commit, status.State), Body: string(body),
		CreatedAt: at, State: domain.NoticeNew,
	})
}

// stateOf returns how a build fares in the eyes of its commit, and a word for it.
func stateOf(b *domain.Build, to *domain.Publishing) (state provider.State, words string) {
	switch b.State {
	case flow.BuildPassed:
		return provider.Success, "passed"
	case flow.BuildFailed, flow.BuildFailing:
		return provider.Failure, string(b.State)
	case flow.BuildSkipped:
		return provider.Failure, "was skipped"
	case flow.BuildCanceled, flow.BuildCanceling:
		return provider.Canceled, "was canceled"
	case flow.BuildNotRun:
		return provider.Success, "had nothing to run"
	case flow.BuildBlocked:
		return blockedStateOf(b, to), "is blocked"
	case flow.BuildRunning:
		return provider.Running, "is running"
	default:
		return provider.Pending, "is scheduled"
	}
}

// blockedStateOf returns how a build fares that waits for a person.
func blockedStateOf(b *domain.Build, to *domain.Publishing) provider.State {
	switch {
	case b.BlockedState == string(flow.BuildFailed):
		return provider.Failure
	case to.BlockedAsPending || b.BlockedState == string(flow.BuildRunning):
		return provider.Pending
	}
	return provider.Success
}

// describe says in a line how a build goes.
func describe(b *domain.Build, words string) string {
	line := fmt.Sprintf("Build #%d %s", b.Number, words)
	if b.StartedAt != nil && b.FinishedAt != nil && b.FinishedAt.After(*b.StartedAt) {
		line += " (" + sayDuration(b.FinishedAt.Sub(*b.StartedAt)) + ")"
	}
	return line
}

// sayDuration returns a duration in words, such as 1 minute 4 seconds.
func sayDuration(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	var parts []string
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"hour", 3600}, {"minute", 60}, {"second", 1}} {
		if n := seconds / unit.seconds; n == 1 {
			parts = append(parts, "1 "+unit.name)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit.name))
		}
		seconds %= unit.seconds
	}
	if len(parts) == 0 {
		return "less than a second"
	}
	return strings.Join(parts[:min(2, len(parts))], " ")
}

// sendStatus publishes how a commit fares.
func (s *Service) sendStatus(ctx context.Context, n domain.Notice) (string, error) {
	var status commitStatus
	if err := json.Unmarshal([]byte(n.Body), &status); err != nil {
		return "", &SendError{Reason: "It cannot be read", Final: true}
	}
	return s.publishTo(ctx, n.BuildID, status)
}

// publishTo publishes a status at its host.
func (s *Service) publishTo(ctx context.Context, build *domain.BuildID, status commitStatus) (string, error) {
	connection, token, page, err := s.openStatus(ctx, build, status)
	if err != nil {
		return "", err
	}
	name, ok := connection.RepositoryName(status.Repository)
	if !ok {
		return "", &SendError{Reason: "The repository is not at " + connection.URL + " any more", Final: true}
	}
	status.URL = page
	client := provider.Client{Kind: connection.Kind, Base: connection.URL, Token: token, HTTP: s.client}
	client.Limited = func(limit domain.RateLimit) { s.recordLimit(ctx, &connection, limit) }
	answer, err := client.PublishStatus(ctx, name, status.Commit, status.Status)
	if refused, ok := errors.AsType[*provider.Error](err); ok {
		return "", &SendError{Reason: refused.Error(), Away: refused.IsAway(), After: refused.After}
	}
	return answer, err
}

// limitInterval is how long a host may take other numbers of requests before that is stored again.
const limitInterval = time.Minute

// recordLimit stores how many requests a host takes, once in a while. That it is not stored is no reason to send
// nothing.
func (s *Service) recordLimit(ctx context.Context, c *domain.RepositoryConnection, limit domain.RateLimit) {
	now := time.Now()
	if last, known := s.limited.Load(c.ID); known && now.Sub(last.(time.Time)) < limitInterval {
		return
	}
	s.limited.Store(c.ID, now)
	if err := s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.SetRateLimit(c.ID, limit) }); err != nil &&
		ctx.Err() == nil {
		s.core.Logger.WarnContext(ctx, "the rate limit of a repository host was not stored", "connection", c.ID, "error",
			domain.Explain(err))
	}
}

// openStatus returns where a status goes, and the page of its build.
func (s *Service) openStatus(ctx context.Context, build *domain.BuildID, status commitStatus) (
	c domain.RepositoryConnection, token domain.Secret, page string, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		var found bool
		if c, found, err = tx.RepositoryConnection(status.Connection); err != nil {
			return err
		}
		id, sealed, hasToken, err := tx.ConnectionSecret(status.Connection, store.ConnectionToken)
		switch {
		case err != nil:
			return err
		case !found || !hasToken:
			return &SendError{Reason: "The connection was removed", Final: true}
		}
		if token, err = s.core.Open(sealed, store.AboutConnection+id); err != nil {
			return err
		}
		if build == nil {
			return nil
		}
		x, err := tx.JobContext(*build)
		if err != nil {
			return err
		}
		b, found, err := tx.Build(*build)
		if err == nil && !found {
			err = &SendError{Reason: "The build was deleted", Final: true}
		}
		page = s.baseURL + domain.BuildPath(x.OrganizationSlug, x.PipelineSlug, b.Number)
		return err
	})
	return c, token, page, err
}
