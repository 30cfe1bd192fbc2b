package notices

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// serviceEvent is the body of a notice for a notification service.
type serviceEvent struct {
	Service domain.NotificationServiceID `json:"service"`
	Event   string                       `json:"event"`
	Told    string                       `json:"told,omitzero"` // what people are notified of; "": nothing
	Subject domain.EventSubject          `json:"subject"`
}

// publishToServices writes notices of a change for notification services.
func (s *Service) publishToServices(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	listeners := s.listenersOf(c.Now)
	if len(listeners) == 0 {
		return false, nil
	}
	events, err := eventsOf(tx, c, listeners)
	if err != nil {
		return false, err
	}
	for _, e := range events {
		for _, l := range listeners {
			if !l.wants(e.Event, e.Told) && (e.Told != domain.ToldFixed || !l.wants("", domain.ToldPassed)) {
				continue
			}
			if err := writeEvent(tx, l.NotificationService, e, &c.Now.ID, c.At); err != nil {
				return false, err
			}
			noticed = true
		}
	}
	return noticed, nil
}

// eventsOf returns what happened to a build and its jobs, in the order in which it did.
func eventsOf(tx store.Tx, c core.BuildChange, listeners []listener) (events []serviceEvent, err error) {
	b := c.Now
	subject := domain.EventSubject{Build: b.ID, State: b.State, StartedAt: b.StartedAt, FinishedAt: b.FinishedAt}
	add := func(event, told string) {
		events = append(events, serviceEvent{Event: event, Told: told, Subject: subject})
	}
	if c.IsNew && b.State != flow.BuildSkipped {
		add(domain.EventBuildScheduled, "")
	}
	for _, j := range c.Jobs {
		if event, told := jobEvent(j); event != "" {
			e := serviceEvent{Event: event, Told: told, Subject: subject}
			e.Subject.Job, e.Subject.JobState = j.Now.ID, j.Now.State
			events = append(events, e)
		}
	}
	if !c.IsNew && c.Before.State == b.State {
		return events, nil
	}
	switch b.State {
	case flow.BuildRunning:
		add(domain.EventBuildRunning, "")
	case flow.BuildFailing:
		add(domain.EventBuildFailing, domain.ToldFailing)
	case flow.BuildSkipped:
		add(domain.EventBuildSkipped, "")
	case flow.BuildPassed:
		told, err := passedOrFixed(tx, b, listeners)
		if err != nil {
			return nil, err
		}
		add(domain.EventBuildFinished, told)
	case flow.BuildFailed:
		add(domain.EventBuildFinished, domain.ToldFailed)
	case flow.BuildBlocked:
		event := domain.EventBuildFinished
		if b.BlockedState == string(flow.BuildRunning) {
			event = "" // for webhooks it still runs
		}
		add(event, domain.ToldBlocked)
	case flow.BuildCanceled:
		add(domain.EventBuildFinished, domain.ToldCanceled)
	case flow.BuildNotRun:
		add(domain.EventBuildFinished, "")
	}
	return events, nil
}

// passedOrFixed returns what people are notified of when a build has passed.
func passedOrFixed(tx store.Tx, b *domain.Build, listeners []listener) (told string, err error) {
	if !slices.ContainsFunc(listeners, func(l listener) bool {
		return l.wants("", domain.ToldFixed) || l.wants("", domain.ToldPassed)
	}) {
		return domain.ToldPassed, nil
	}
	last, err := tx.LastFinishedBefore(b.PipelineID, b.Branch, b.Number)
	if err == nil && last == string(flow.BuildFailed) {
		return domain.ToldFixed, nil
	}
	return domain.ToldPassed, err
}

// jobEvent returns what happened to a job; "" if nothing that others are notified of.
func jobEvent(j core.JobChange) (event, told string) {
	if !j.IsNew && j.Before.State == j.Now.State {
		if j.Before.PromisedExitStatus == nil && j.Now.PromisedExitStatus != nil {
			return domain.EventJobPromised, ""
		}
		return "", ""
	}
	switch {
	case j.Now.Kind == steps.Command && j.Now.State == flow.Scheduled:
		return domain.EventJobScheduled, ""
	case j.Now.Kind == steps.Command && j.Now.State == flow.Running:
		return domain.EventJobStarted, ""
	case (j.Now.Kind == steps.Block || j.Now.Kind == steps.Input) && j.Now.State == flow.Unblocked:
		return domain.EventJobActivated, domain.ToldActivated
	case (j.Now.Kind == steps.Command || j.Now.Kind == steps.Trigger) && j.Now.State.HasEnded():
		return domain.EventJobFinished, ""
	}
	return "", ""
}

// noticeKinds are the kinds of notices that the providers of notification services get.
var noticeKinds = map[domain.ServiceProvider]domain.NoticeKind{
	domain.WebhookService: domain.NoticeWebhook, domain.SlackService: domain.NoticeChat,
	domain.EmailService: domain.NoticeMail,
}

// writeEvent writes a notice for a notification service. Those of one service are sent one after the other.
func writeEvent(tx store.Tx, service domain.NotificationService, e serviceEvent, build *domain.BuildID,
	at time.Time) error {
	e.Service = service.ID
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	name := service.Description
	if name == "" {
		name = service.Provider.Name()
	}
	return tx.InsertNotice(domain.Notice{
		ID: domain.NewIDAt[domain.NoticeID](at), OrganizationID: service.OrganizationID, Kind: noticeKinds[service.Provider],
		Target:  serviceTarget(service.ID),
		BuildID: build, Summary: name + ": " + cmp.Or(e.Event, e.Told), Body: string(body), CreatedAt: at,
		State: domain.NoticeNew,
	})
}
