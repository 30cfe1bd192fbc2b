package notices

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// moment is when the notifications of a build or a step are sent.
type moment string

const (
	momentCreated  moment = "created"
	momentStarted  moment = "started"
	momentBlocked  moment = "blocked"
	momentFailing  moment = "failing"
	momentFinished moment = "finished"
	momentSkipped  moment = "skipped"
)

// buildMoments and stepMoments are what each kind of notification of a build, and of a step, is sent for.
var (
	buildMoments = map[steps.NotificationKind][]moment{
		steps.NotifyEmail:        {momentFailing, momentFinished},
		steps.NotifyWebhook:      {momentCreated, momentStarted, momentBlocked, momentFinished},
		steps.NotifySlack:        {momentFailing, momentFinished},
		steps.NotifyCommitStatus: {momentFailing, momentFinished},
		steps.NotifyCheck:        {momentFailing, momentFinished},
		steps.NotifyPagerDuty:    {momentFinished},
		steps.NotifyCampfire:     {momentCreated, momentStarted, momentBlocked, momentFinished, momentSkipped},
	}
	stepMoments = map[steps.NotificationKind][]moment{
		steps.NotifyWebhook:      {momentFinished},
		steps.NotifySlack:        {momentFailing, momentFinished},
		steps.NotifyCommitStatus: {momentFailing, momentFinished},
		steps.NotifyCheck:        {momentFailing, momentFinished},
		steps.NotifyPagerDuty:    {momentFinished},
		steps.NotifyCampfire:     {momentFailing, momentFinished},
	}
)

// notification is the body of a notice that the configuration of a build asks for. It says which entry, since entries
// have secrets.
type notification struct {
	Subject domain.EventSubject `json:"subject"`
	Moment  moment              `json:"moment"`
	Entry   int                 `json:"entry"`
	Channel string              `json:"channel,omitzero"`
	Step    domain.StepID       `json:"step,omitzero"` // "": it is about the build
	Outcome flow.Outcome        `json:"outcome,omitzero"`
}

// notify writes what the configuration of a build asks for. Conditions are looked at when it is sent.
func (s *Service) notify(tx store.Tx, c core.BuildChange) (noticed bool, err error) {
	wanted := c.Now.Notifications
	if wanted == nil {
		return false, nil
	}
	subject := domain.EventSubject{Build: c.Now.ID, State: c.Now.State, StartedAt: c.Now.StartedAt,
		FinishedAt: c.Now.FinishedAt}
	for _, m := range momentsOf(c) {
		for i, entry := range wanted.Build {
			if !slices.Contains(buildMoments[entry.Kind], m) {
				continue
			}
			noticed = true
			if err := writeNotification(tx, c, entry, notification{Subject: subject, Moment: m, Entry: i}); err != nil {
				return false, err
			}
		}
	}
	if !wanted.Steps {
		return noticed, nil
	}
	changed, err := changedSteps(tx, c, true)
	for _, step := range changed {
		for i, entry := range steps.Notifications(step.Notify) {
			if !slices.Contains(stepMoments[entry.Kind], step.moment) {
				continue
			}
			noticed = true
			if err := writeNotification(tx, c, entry, notification{Subject: subject, Moment: step.moment, Entry: i,
				Step: step.ID, Outcome: step.outcome}); err != nil {
				return false, err
			}
		}
	}
	return noticed, err
}

// momentsOf returns what has become of a build.
func momentsOf(c core.BuildChange) (all []moment) {
	if c.IsNew && c.Now.State != flow.BuildSkipped {
		all = append(all, momentCreated)
	}
	if !c.IsNew && c.Before.State == c.Now.State {
		return all
	}
	switch c.Now.State {
	case flow.BuildRunning:
		if c.Before.StartedAt == nil {
			all = append(all, momentStarted)
		}
	case flow.BuildBlocked:
		all = append(all, momentBlocked)
	case flow.BuildFailing:
		all = append(all, momentFailing)
	case flow.BuildSkipped:
		all = append(all, momentSkipped)
	case flow.BuildPassed, flow.BuildFailed, flow.BuildCanceled, flow.BuildNotRun:
		all = append(all, momentFinished)
	}
	return all
}

// changedStep is a step that has begun, has begun to fail, or has finished.
type changedStep struct {
	domain.Step
	moment  moment
	outcome flow.Outcome
}

// stepStates are the states of steps that others are notified of.
var stepStates = map[flow.StepState]moment{flow.StepRunning: momentStarted, flow.StepFailing: momentFailing,
	flow.StepFinished: momentFinished}

// changedSteps returns the steps, and the groups, that a change made begin, fail or finish: those with notifications,
// or with keys.
func changedSteps(tx store.Tx, c core.BuildChange, withNotify bool) (changed []changedStep, err error) {
	seen := map[domain.StepID]bool{}
	for _, j := range c.Jobs {
		for id := j.Now.StepID; id != "" && !seen[id]; {
			seen[id] = true
			step, found, err := tx.Step(id)
			if err != nil {
				return nil, err
			}
			if !found { // it is new, and nothing has become of it
				break
			}
			id = ""
			if step.GroupID != nil {
				id = *step.GroupID
			}
			if withNotify && (step.Notify == "" || step.Notify == "[]") || !withNotify && step.Key == nil {
				continue
			}
			stored, err := jobsBelow(tx, step)
			if err != nil {
				return nil, err
			}
			before, _ := flow.StateOfStep(step.Kind, nodesOf(stored, nil))
			now, outcome := flow.StateOfStep(step.Kind, nodesOf(stored, c.Jobs))
			if m, ok := stepStates[now]; ok && now != before {
				changed = append(changed, changedStep{step, m, outcome})
			}
		}
	}
	return changed, nil
}

// jobsBelow returns the jobs of a step, or of the steps of a group, as they are stored.
func jobsBelow(tx store.Tx, step domain.Step) (all []domain.Job, err error) {
	below := []domain.StepID{step.ID}
	if step.Kind == steps.Group {
		if below, err = tx.StepsOfGroup(step.BuildID, step.ID); err != nil {
			return nil, err
		}
	}
	for _, id := range below {
		jobs, err := tx.JobsOfStep(id)
		if err != nil {
			return nil, err
		}
		all = append(all, jobs...)
	}
	return all, nil
}

// nodesOf returns the newest attempts at jobs, as they are with some changes.
func nodesOf(stored []domain.Job, changes []core.JobChange) (nodes []*flow.Job) {
	in := map[domain.StepID]bool{}
	byID := map[domain.JobID]*domain.Job{}
	for i := range stored {
		in[stored[i].StepID], byID[stored[i].ID] = true, &stored[i]
	}
	for _, change := range changes {
		if in[change.Now.StepID] {
			byID[change.Now.ID] = change.Now
		}
	}
	for _, j := range byID {
		if j.RetriedByID == nil {
			nodes = append(nodes, &flow.Job{State: j.State, Outcome: j.Outcome, Promised: j.PromiseCounts})
		}
	}
	return nodes
}

// writeNotification writes the notices for an entry: one, or one for each channel.
func writeNotification(tx store.Tx, c core.BuildChange, entry steps.Notification, n notification) error {
	kind := domain.NoticeNotify
	if entry.Kind == steps.NotifyEmail {
		kind = domain.NoticeNotifyMail
	}
	channels := entry.Channels
	if entry.Kind != steps.NotifySlack {
		channels = []string{""}
	}
	for _, n.Channel = range channels {
		body, err := json.Marshal(n)
		if err != nil {
			return err
		}
		about := "build "
		if n.Step != "" {
			about = "step "
		}
		hidden := sha256.Sum256([]byte(entry.Address + "\x00" + n.Channel))
		err = tx.InsertNotice(domain.Notice{
			ID: newNoticeID(c.At), OrganizationID: c.Now.OrganizationID, Kind: kind,
			Target:  fmt.Sprintf("notify %s %s %s", c.Now.OrganizationID, entry.Kind, hex.EncodeToString(hidden[:8])),
			BuildID: &c.Now.ID, Summary: nameNotification(entry, n.Channel) + ": " + about + string(n.Moment),
			Body: string(body), CreatedAt: c.At, State: domain.NoticeNew,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newNoticeID(at time.Time) domain.NoticeID { return domain.NewIDAt[domain.NoticeID](at) }

// nameNotification says whom an entry notifies, without secrets.
func nameNotification(entry steps.Notification, channel string) string {
	switch entry.Kind {
	case steps.NotifyEmail:
		return "Email to " + entry.Address
	case steps.NotifySlack:
		return "Slack " + channel
	case steps.NotifyWebhook, steps.NotifyCampfire:
		address, err := url.Parse(entry.Address)
		if err != nil {
			address = &url.URL{}
		}
		return map[steps.NotificationKind]string{steps.NotifyWebhook: "Webhook to ",
			steps.NotifyCampfire: "Campfire at "}[entry.Kind] + address.Host
	case steps.NotifyPagerDuty:
		return "PagerDuty"
	default:
		return strings.TrimSpace("Commit status " + entry.Context)
	}
}
