package notices

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/provider"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// openedNotification is a notification with what it is about.
type openedNotification struct {
	notification
	entry   steps.Notification
	build   domain.Build
	step    domain.Step // the zero value: it is about the build
	context store.JobContext
	last    string // how the last build of the branch ended before
	page    string // of the build
}

// Variables returns what conditions of notifications see of a build.
type Variables func(ctx context.Context, actor authz.Actor, build domain.BuildID) (steps.Variables, error)

// openNotification reads what a notification needs.
func (s *Service) openNotification(ctx context.Context, n domain.Notice) (o openedNotification, err error) {
	if err := json.Unmarshal([]byte(n.Body), &o.notification); err != nil {
		return o, &SendError{Reason: "It cannot be read", Final: true}
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		var found bool
		if o.build, found, err = tx.Build(o.Subject.Build); err != nil {
			return err
		}
		if !found {
			return &SendError{Reason: "The build was deleted", Final: true}
		}
		var entries []steps.Notification
		if o.Step != "" {
			if o.step, _, err = tx.Step(o.Step); err != nil {
				return err
			}
			entries = steps.Notifications(o.step.Notify)
		} else if o.build.Notifications != nil {
			entries = o.build.Notifications.Build
		}
		if o.Entry >= len(entries) {
			return &SendError{Reason: "The notification was removed from the step", Unwanted: true}
		}
		o.entry = entries[o.Entry]
		o.build.State, o.build.StartedAt, o.build.FinishedAt = o.Subject.State, o.Subject.StartedAt, o.Subject.FinishedAt
		if o.last, err = tx.LastFinishedBefore(o.build.PipelineID, o.build.Branch, o.build.Number); err != nil {
			return err
		}
		o.context, err = tx.JobContext(o.build.ID)
		o.page = s.baseURL + domain.BuildPath(o.context.OrganizationSlug, o.context.PipelineSlug, o.build.Number)
		return err
	})
	return o, err
}

// sendNotification sends what the configuration of a build asks for, if its condition holds.
func (s *Service) sendNotification(ctx context.Context, n domain.Notice) (string, error) {
	o, err := s.openNotification(ctx, n)
	if err != nil {
		return "", err
	}
	if err := s.checkCondition(ctx, &o); err != nil {
		return "", err
	}
	switch o.entry.Kind {
	case steps.NotifyEmail:
		return s.notifyByMail(ctx, n, &o)
	case steps.NotifyWebhook:
		return s.notifyByWebhook(ctx, &o)
	case steps.NotifySlack:
		return s.notifyBySlack(ctx, &o)
	case steps.NotifyPagerDuty:
		return s.notifyByPagerDuty(ctx, &o)
	case steps.NotifyCampfire:
		return s.notifyByCampfire(ctx, &o)
	default:
		return s.notifyByStatus(ctx, &o)
	}
}

// checkCondition returns an error unless the condition of a notification holds.
func (s *Service) checkCondition(ctx context.Context, o *openedNotification) error {
	if o.entry.If == "" {
		return nil
	}
	variables, err := s.variables(ctx, authz.OperatorActor(), o.build.ID)
	if err != nil {
		return err
	}
	variables.Values["build.state"] = string(o.build.State)
	variables.Values["pipeline.started_failing"] = o.build.State == flow.BuildFailed && o.last != string(flow.BuildFailed)
	variables.Values["pipeline.started_passing"] = o.build.State == flow.BuildPassed && o.last == string(flow.BuildFailed)
	if o.Step != "" {
		state := flow.StepFinished
		if o.Moment == momentFailing {
			state = flow.StepFailing
		}
		variables.Values["step.id"], variables.Values["step.label"], variables.Values["step.type"] = string(o.step.ID),
			o.step.Label, string(o.step.Kind)
		variables.Values["step.key"], variables.Values["step.state"], variables.Values["step.outcome"] = textOf(o.step.Key),
			string(state), string(o.Outcome)
	}
	holds := false
	err = s.core.Processors.Use(ctx, o.build.OrganizationID, func() (err error) {
		holds, err = steps.NewWork(ctx).NotificationHolds(o.entry, variables)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case domain.CodeOf(err) == domain.Unavailable: // no processor was free
		return err
	case err != nil:
		return &SendError{Reason: "Its condition could not be evaluated: " + err.Error(), Final: true}
	case !holds:
		return &SendError{Reason: "Its condition does not hold: " + o.entry.If, Unwanted: true}
	}
	return nil
}

// outcomeWords say how steps end.
var outcomeWords = map[flow.Outcome]string{
	flow.Passed: "passed", flow.SoftFailed: "failed softly", flow.HardFailed: "failed", flow.Errored: "failed",
	flow.Neutral: "did not run",
}

// words say what became of a build or a step.
func (o *openedNotification) words() string {
	if o.Step != "" {
		name := cmp.Or(o.step.Label, textOf(o.step.Key), "a step")
		if o.Moment == momentFailing {
			return name + " is failing"
		}
		return name + " " + outcomeWords[o.Outcome]
	}
	words := map[flow.BuildState]string{
		flow.BuildScheduled: "was created", flow.BuildRunning: "has started", flow.BuildBlocked: "is blocked",
		flow.BuildFailing: "is failing", flow.BuildPassed: "passed",
		flow.BuildFailed: "failed", flow.BuildCanceled: "was canceled", flow.BuildSkipped: "was skipped",
		flow.BuildNotRun: "had nothing to run",
	}[o.build.State]
	if b := o.build; b.StartedAt != nil && b.FinishedAt != nil && b.FinishedAt.After(*b.StartedAt) {
		words += " (" + sayDuration(b.FinishedAt.Sub(*b.StartedAt)) + ")"
	}
	return words
}

// line says in a line what became of a build or a step.
func (o *openedNotification) line() string {
	return fmt.Sprintf("%s #%d: %s", o.context.PipelineName, o.build.Number, o.words())
}

func (s *Service) notifyByMail(ctx context.Context, n domain.Notice, o *openedNotification) (string, error) {
	if !steps.IsMailAddress(o.entry.Address) {
		return "", &SendError{Reason: "It has no mail address, perhaps since a variable was not set", Final: true}
	}
	return s.mailBuild(ctx, n, o.entry.Address, o.line(), o.build, o.page)
}

// mailBuild mails how a build goes.
func (s *Service) mailBuild(ctx context.Context, n domain.Notice, to, line string, b domain.Build, page string) (
	string, error) {
	if s.mail == nil {
		return "", &SendError{Reason: "This server sends no mail", Final: true}
	}
	if err := s.checkMails(ctx, n); err != nil {
		return "", err
	}
	m := domain.Mail{To: to, Subject: line + " (" + b.Branch + ")", Text: mailText(line, b, page)}
	return "Mailed to " + to, s.deliverMail(ctx, m)
}

// mailText is what a mail says of a build.
func mailText(line string, b domain.Build, page string) string {
	text := fmt.Sprintf("%s\n\n%s\n\nBranch: %s\nCommit: %s\n", line, cmp.Or(firstLine(b.Message), "No message"), b.Branch,
		b.Commit)
	if b.Author.Name != "" {
		text += "Author: " + b.Author.Name + "\n"
	}
	return text + "\n" + page + "\n"
}

func (s *Service) deliverMail(ctx context.Context, m domain.Mail) error {
	err := s.mail(ctx, m)
	if err != nil {
		return &SendError{Reason: err.Error(), Final: domain.CodeOf(err) == domain.Invalid,
			Away: domain.CodeOf(err) != domain.Invalid}
	}
	return nil
}

func (s *Service) notifyByWebhook(ctx context.Context, o *openedNotification) (string, error) {
	event := map[moment]string{momentCreated: domain.EventBuildScheduled, momentStarted: domain.EventBuildRunning,
		momentBlocked: "build.blocked", momentFinished: domain.EventBuildFinished}[o.Moment]
	rendered, err := s.render(ctx, o.Subject)
	if err != nil {
		return "", err
	}
	content := webhookBody{Event: event, Build: rendered.Build, Pipeline: rendered.Pipeline}
	if o.Step != "" {
		content.Event = "step." + string(o.Moment)
		content.Step = &webhookStep{o.step.ID, o.step.Key, o.step.Label, o.Outcome}
	}
	body, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	return s.post(ctx, o.entry.Address, http.Header{"X-Buildkite-Event": {content.Event}}, body)
}

// notifyBySlack writes to a channel through the notification service that is for it.
func (s *Service) notifyBySlack(ctx context.Context, o *openedNotification) (string, error) {
	var secrets domain.ServiceSecrets
	var found *domain.NotificationService
	reason := "No enabled notification service of the kind slack is for the channel " + o.Channel +
		". An administrator can create one"
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		all, err := tx.EnabledServicesOf(o.build.OrganizationID, domain.SlackService)
		if err != nil {
			return err
		}
		for _, service := range all {
			if channelName(service.Settings.Channel) != channelName(o.Channel) {
				continue
			}
			l, err := newListener(tx, service)
			if err != nil {
				return err
			}
			if !l.isFor(&o.build) {
				reason = "The notification service for the channel " + o.Channel + " is for other pipelines. An administrator " +
					"can change what it is about"
				continue
			}
			found = &service
			secrets, err = s.openSecrets(tx, service.ID)
			return err
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if found == nil {
		return "", &SendError{Reason: reason, Final: true}
	}
	text := fmt.Sprintf("<%s|%s #%d> %s", o.page, escapeChat.Replace(o.context.PipelineName), o.build.Number,
		escapeChat.Replace(o.words()))
	if line := firstLine(o.build.Message); line != "" {
		text += ": " + escapeChat.Replace(line)
	}
	if o.entry.Message != "" {
		text = escapeChat.Replace(o.entry.Message) + "\n" + text
	}
	body, err := json.Marshal(chatBody{text, found.Settings.Channel})
	if err != nil {
		return "", err
	}
	return s.post(ctx, secrets.URL, nil, body)
}

// channelName is a channel without its workspace and its mark.
func channelName(channel string) string {
	if at := strings.LastIndexAny(channel, "#"); at >= 0 {
		channel = channel[at+1:]
	}
	return strings.ToLower(strings.TrimSpace(channel))
}

// pagerDutyAddress takes change events.
const pagerDutyAddress = "https://events.pagerduty.com/v2/change/enqueue"

type changeEvent struct {
	RoutingKey string        `json:"routing_key"`
	Payload    changePayload `json:"payload"`
	Links      []changeLink  `json:"links"`
}

type changePayload struct {
	Summary   string            `json:"summary"`
	Timestamp string            `json:"timestamp"`
	Source    string            `json:"source"`
	Details   map[string]string `json:"custom_details"`
}

type changeLink struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

func (s *Service) notifyByPagerDuty(ctx context.Context, o *openedNotification) (string, error) {
	at := o.build.CreatedAt
	if o.build.FinishedAt != nil {
		at = *o.build.FinishedAt
	}
	body, err := json.Marshal(changeEvent{
		RoutingKey: o.entry.Address,
		Payload: changePayload{Summary: o.line(), Timestamp: at.UTC().Format("2006-01-02T15:04:05.000Z"),
			Source: o.context.PipelineSlug, Details: map[string]string{
				"branch": o.build.Branch, "commit": o.build.Commit, "message": firstLine(o.build.Message),
				"state": string(o.build.State)}},
		Links: []changeLink{{o.page, fmt.Sprintf("Build #%d", o.build.Number)}},
	})
	if err != nil {
		return "", err
	}
	return s.post(ctx, pagerDutyAddress, nil, body)
}

type campfireLine struct {
	Content string `json:"content"`
}

func (s *Service) notifyByCampfire(ctx context.Context, o *openedNotification) (string, error) {
	content := fmt.Sprintf(`<a href="%s">%s #%d</a> %s`, html.EscapeString(o.page),
		html.EscapeString(o.context.PipelineName), o.build.Number, html.EscapeString(o.words()))
	if line := firstLine(o.build.Message); line != "" {
		content += ": " + html.EscapeString(line)
	}
	body, err := json.Marshal(campfireLine{content})
	if err != nil {
		return "", err
	}
	return s.post(ctx, o.entry.Address, nil, body)
}

// notifyByStatus publishes a status at the commit. Checks are published so too: they need an app at the host, which
// there is none of.
func (s *Service) notifyByStatus(ctx context.Context, o *openedNotification) (string, error) {
	if !domain.IsFullCommit(o.build.Commit) {
		return "", &SendError{Reason: "The commit of the build is not known", Final: true}
	}
	var pipeline domain.Pipeline
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		pipeline, _, err = tx.PipelineByID(o.build.PipelineID)
		return err
	})
	if err != nil {
		return "", err
	}
	if pipeline.ConnectionID == nil {
		return "", &SendError{Reason: "The repository of the pipeline is at no host that the organization is connected with",
			Final: true}
	}
	status := commitStatus{Connection: *pipeline.ConnectionID, Repository: pipeline.Repository, Commit: o.build.Commit}
	status.Status = o.status()
	answer, err := s.publishTo(ctx, &o.build.ID, status)
	if err == nil && o.entry.Kind == steps.NotifyCheck {
		answer = "Published as a commit status, since checks need an app at the host. " + answer
	}
	return answer, err
}

// status returns how a build or a step fares in the eyes of its commit.
func (o *openedNotification) status() provider.Status {
	context := cmp.Or(o.entry.Context, "buildkite/"+o.context.PipelineSlug)
	if o.Step == "" {
		state, words := stateOf(&o.build, &domain.Publishing{BlockedAsPending: o.entry.BlockedAsPending})
		return provider.Status{State: state, Context: context, Description: cmp.Or(o.entry.Title, describe(&o.build, words))}
	}
	status := stepStatus(o.step, o.Moment, o.Outcome)
	status.Context, status.Description = context, cmp.Or(o.entry.Title, status.Description)
	if o.entry.Context == "" {
		status.Context += "/" + cmp.Or(textOf(o.step.Key), o.step.Label, string(o.step.ID))
	}
	return status
}
