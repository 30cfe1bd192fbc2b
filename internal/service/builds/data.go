package builds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Target is what a job's call is about: a job or a build, by its id.
type Target struct {
	Job   string
	Build string // instead of the job
}

// targetBuild returns the build that a job's call is about, which is of the job's own cluster. The job has not ended.
func (s *Service) targetBuild(tx store.Tx, actor authz.Actor, t Target) (domain.BuildID, error) {
	own, err := core.LiveJobByToken(tx, actor)
	if err != nil {
		return "", err
	}
	if t.Job == string(own.ID) || t.Build == string(own.BuildID) {
		return own.BuildID, nil
	}
	build := core.LookupID[domain.BuildID](t.Build)
	if t.Job != "" {
		if build, _, err = tx.BuildOfJob(core.LookupID[domain.JobID](t.Job)); err != nil {
			return "", err
		}
	}
	b, found, err := tx.Build(build)
	if err == nil && (!found || text(b.ClusterID) != text(own.ClusterID)) {
		err = domain.Missing(cmp.Or(map[bool]string{true: "job"}[t.Job != ""], "build"))
	}
	return build, err
}

// SetMetaData stores values of a build, all or none.
func (s *Service) SetMetaData(ctx context.Context, actor authz.Actor, t Target, values map[string]string) error {
	report, isReport := values[commitKey]
	found, isCommit := domain.ParseCommitReport(report)
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		build, err := s.targetBuild(tx, actor, t)
		if err != nil {
			return err
		}
		if isReport {
			if err := s.resolveCommit(tx, actor, build, found, isCommit, e); err != nil {
				return err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := domain.CheckMetaData(key, values[key]); err != nil {
				return err
			}
		}
		if err := tx.SetMetaData(build, values); err != nil {
			return err
		}
		if err := checkMetaData(tx, build); err != nil {
			return err
		}
		e.Builds[build] = true
		return nil
	})
}

// checkMetaData returns Invalid if a build has more meta-data than it may.
func checkMetaData(tx store.Tx, build domain.BuildID) error {
	count, size, err := tx.MetaDataStats(build)
	if err != nil {
		return err
	}
	return domain.CheckMetaDataSize(count, size)
}

// commitKey is what the first checkout of a build stores under which it says what it has found.
const commitKey = "buildkite:git:commit"

var errOtherCommit = domain.NewError(domain.Forbidden, "Only a job of the build itself can set "+commitKey)

// resolveCommit lets the first checkout of a build say which commit it has found: that takes the place of HEAD or a
// branch, and its subject and its author become the build's, where it has none. Later reports change nothing.
//
// Returns Forbidden for a job of another build.
func (s *Service) resolveCommit(tx store.Tx, actor authz.Actor, build domain.BuildID, found domain.CommitReport,
	isCommit bool, e *core.Effects) error {
	own, err := core.LiveJobByToken(tx, actor)
	if err != nil {
		return err
	}
	if own.BuildID != build {
		return errOtherCommit
	}
	c, err := openBuild(tx, build, "", e)
	if err != nil {
		return err
	}
	if _, isKnown, err := tx.MetaData(build, commitKey); err != nil || isKnown || !isCommit {
		return err
	}
	if !domain.IsFullCommit(c.build.Commit) {
		c.build.Commit, c.build.CommitResolved = found.Commit, true
	}
	c.build.Message = cmp.Or(c.build.Message, found.Subject)
	if c.build.Author == (domain.Author{}) {
		c.build.Author = found.Author
	}
	return c.save()
}

// webhookKey is what the delivery that a build was made for is found under, for as long as deliveries are kept.
const webhookKey = "buildkite:webhook"

// MetaData returns the value that a build has under a key.
func (s *Service) MetaData(ctx context.Context, actor authz.Actor, t Target,
	key string) (value string, found bool, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		build, err := s.targetBuild(tx, actor, t)
		if err != nil || !domain.ValidText(key) {
			return err
		}
		if value, found, err = tx.MetaData(build, key); err != nil || found || key != webhookKey {
			return err
		}
		body, err := tx.DeliveryOfBuild(build)
		if err != nil || body == nil {
			return err
		}
		text, err := core.Unpack(body)
		value, found = string(text), err == nil
		return err
	})
	return value, found, err
}

// MetaDataKeys returns the keys under which a build has values.
func (s *Service) MetaDataKeys(ctx context.Context, actor authz.Actor, t Target) (keys []string, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		build, err := s.targetBuild(tx, actor, t)
		if err != nil {
			return err
		}
		keys, err = tx.MetaDataKeys(build)
		return err
	})
	return keys, err
}

// Annotate makes or changes an annotation of the job that is named, or of its build.
func (s *Service) Annotate(ctx context.Context, actor authz.Actor, jobID string, in domain.AnnotationInput) error {
	find := func(tx store.Tx) (annotationPlace, error) {
		build, err := s.targetBuild(tx, actor, Target{Job: jobID})
		return annotationPlace{build, core.LookupID[domain.JobID](jobID)}, err
	}
	rendered, err := s.renderBody(ctx, find, in)
	if err != nil {
		return err
	}
	var a domain.Annotation
	err = s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		place, err := find(tx)
		if err != nil {
			return err
		}
		a, err = annotate(tx, e, place, in, rendered)
		return err
	})
	if err != nil {
		return err
	}
	return s.renderStored(ctx, &a, rendered.organization)
}

// annotationPlace is where an annotation is made.
type annotationPlace struct {
	build domain.BuildID
	job   domain.JobID // that makes it, or that it is shown with; "": neither
}

// annotate makes or changes an annotation. What its body looks like was rendered before; if it has become another one,
// that is done later.
func annotate(tx store.Tx, e *core.Effects, place annotationPlace, in domain.AnnotationInput, rendered renderedBody) (
	domain.Annotation, error) {
	// One at a time, so that nothing that is appended is lost.
	if _, found, err := tx.LockBuild(place.build); err != nil || !found {
		return domain.Annotation{}, cmp.Or(err, error(core.ErrNoBuild))
	}
	a, found, err := changedAnnotation(tx, place, in)
	if err != nil {
		return a, err
	}
	if err := rendered.setOn(&a); err != nil {
		return a, err
	}
	e.Builds[place.build] = true
	switch {
	case found:
		err = tx.UpdateAnnotation(a)
	case a.Body == "":
		err = domain.InvalidError("Annotation body can't be blank")
	default:
		err = tx.InsertAnnotation(a)
	}
	if err != nil {
		return a, err
	}
	count, size, err := tx.AnnotationStats(place.build)
	if err != nil {
		return a, err
	}
	return a, domain.CheckAnnotationsSize(count, size)
}

// changedAnnotation returns an annotation as a caller wants it, and whether it is there already.
func changedAnnotation(tx store.Tx, place annotationPlace, in domain.AnnotationInput) (
	a domain.Annotation, found bool, err error) {
	now, err := tx.Now()
	if err != nil {
		return a, false, err
	}
	now = now.Truncate(time.Millisecond)
	scope, scopeID, err := annotationScope(in.Scope, place.build, place.job)
	if err != nil {
		return a, false, err
	}
	name := cmp.Or(in.Context, "default")
	if !domain.ValidText(name) {
		return a, false, domain.InvalidError("Annotation context must be valid text")
	}
	a, found, err = tx.AnnotationIn(scopeID, name)
	if err != nil {
		return a, found, err
	}
	if !found {
		a = domain.Annotation{ID: domain.NewIDAt[domain.AnnotationID](now), BuildID: place.build,
			JobID: optionalID[domain.JobID](string(place.job)),
			Scope: scope, ScopeID: scopeID, Context: name, Style: "default", Priority: 3, CreatedAt: now}
	}
	return a, found, a.Apply(in, now)
}

func annotationScope(given domain.AnnotationScope, build domain.BuildID, job domain.JobID) (
	scope domain.AnnotationScope, id string, err error) {
	switch given {
	case "", domain.ScopeOfBuild:
		return domain.ScopeOfBuild, string(build), nil
	case domain.ScopeOfJob:
		return domain.ScopeOfJob, string(job), nil
	}
	return "", "", domain.InvalidError("Annotation scope must be build or job")
}

// RemoveAnnotation removes an annotation of the job that is named, or of its build.
func (s *Service) RemoveAnnotation(ctx context.Context, actor authz.Actor, jobID, name string,
	scope domain.AnnotationScope) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		build, err := s.targetBuild(tx, actor, Target{Job: jobID})
		if err != nil {
			return err
		}
		_, scopeID, err := annotationScope(scope, build, core.LookupID[domain.JobID](jobID))
		if err != nil {
			return err
		}
		a, found, err := tx.AnnotationIn(scopeID, name)
		if err == nil && !found {
			err = errNoAnnotation
		}
		if err != nil {
			return err
		}
		e.Builds[build] = true
		return tx.DeleteAnnotation(a.ID)
	})
}

// findStep returns a step of the job's own build, by its id or its key.
func findStep(tx store.Tx, own domain.Job, idOrKey, buildID string) (domain.Step, error) {
	if buildID != "" && buildID != string(own.BuildID) {
		return domain.Step{}, domain.Missing("build")
	}
	step, found, err := tx.Step(core.LookupID[domain.StepID](idOrKey))
	if err == nil && !found {
		step, found, err = tx.StepByKey(own.BuildID, idOrKey)
	}
	if err == nil && (!found || step.BuildID != own.BuildID) {
		err = domain.Missing("step")
	}
	return step, err
}

// ExportStep returns what a step of the job's build has under an attribute, or all of them, as a text.
func (s *Service) ExportStep(ctx context.Context, actor authz.Actor, idOrKey, buildID, attribute, format string) (
	output string, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		own, err := core.LiveJobByToken(tx, actor)
		if err != nil {
			return err
		}
		step, err := findStep(tx, own, idOrKey, buildID)
		if err != nil {
			return err
		}
		jobs, err := tx.JobsOfStep(step.ID)
		if err != nil {
			return err
		}
		output, err = exportStep(step, jobs, attribute, format)
		return err
	})
	return output, err
}

func exportStep(step domain.Step, jobs []domain.Job, attribute, format string) (string, error) {
	all := map[string]any{}
	if err := json.Unmarshal([]byte(step.Source), &all); err != nil {
		all = map[string]any{} // a word such as wait
	}
	var nodes []*flow.Job
	for _, j := range jobs {
		if j.RetriedByID == nil {
			nodes = append(nodes, &flow.Job{State: j.State, Outcome: j.Outcome, Promised: j.PromiseCounts})
		}
	}
	state, outcome := flow.StateOfStep(step.Kind, nodes)
	all["id"], all["key"], all["label"], all["type"] = string(step.ID), text(step.Key), step.Label, string(step.Kind)
	all["state"], all["outcome"], all["notify"] = string(state), string(outcome), json.RawMessage(step.Notify)
	if step.Kind == steps.Command && len(jobs) > 0 {
		all["priority"] = jobs[len(jobs)-1].Priority
	}
	value := any(all)
	if attribute != "" {
		var ok bool
		if value, ok = all[attribute]; !ok && !steps.IsAttribute(step.Kind, attribute) {
			return "", domain.InvalidError(fmt.Sprintf("`%s` is not a valid property on the `%s` step", attribute, step.Kind))
		}
	}
	if text, isText := value.(string); isText && format != "json" {
		return text, nil
	}
	if value == nil && format != "json" {
		return "", nil
	}
	output, err := json.Marshal(value)
	return string(output), err
}

// StepUpdate is a change that a job makes to a step of its build.
type StepUpdate struct {
	ID        string // the same again changes nothing
	Build     string
	Attribute string
	Value     string
	Append    bool
}

// keptUpdates is how many changes of a step are remembered, so that they are not made twice.
const keptUpdates = 50

const maxUpdateID = 100 // bytes

// changeOwnBuild runs fn with the build of the caller's job, and stores what it changes.
func (s *Service) changeOwnBuild(ctx context.Context, actor authz.Actor,
	fn func(c *change, own domain.Job) error) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		own, err := core.LiveJobByToken(tx, actor)
		if err != nil {
			return err
		}
		c, err := openBuild(tx, own.BuildID, "", e)
		if err != nil {
			return err
		}
		if err := fn(c, own); err != nil {
			return err
		}
		return c.save()
	})
}

// UpdateStep changes the label, the notifications, the priority or the parallelism of a step of the job's build.
func (s *Service) UpdateStep(ctx context.Context, actor authz.Actor, idOrKey string, u StepUpdate) error {
	var notifyFault error
	if u.Attribute == "notify" { // before the transaction, since conditions take time
		notifyFault = s.core.Processors.Use(ctx, idOrKey, func() error {
			return steps.NewWork(ctx).CheckNotify([]byte(u.Value))
		})
		if notifyFault != nil && !isFault(notifyFault) {
			return notifyFault
		}
	}
	return s.changeOwnBuild(ctx, actor, func(c *change, own domain.Job) error {
		found, err := findStep(c.tx, own, idOrKey, u.Build)
		if err != nil {
			return err
		}
		if len(u.ID) > maxUpdateID {
			return domain.InvalidError("`idempotency_uuid` is invalid: it must be a UUID")
		}
		step := c.stepRow(found.ID)
		if u.ID != "" && slices.Contains(step.Updates, u.ID) {
			return nil
		}
		if u.ID != "" {
			step.Updates = append(slices.Clone(step.Updates), u.ID)
			step.Updates = step.Updates[max(0, len(step.Updates)-keptUpdates):]
		}
		if notifyFault != nil {
			return domain.InvalidError(notifyFault.Error())
		}
		return c.updateStep(step, u)
	})
}

const maxLabel = 1_000 // bytes

func (c *change) updateStep(step *domain.Step, u StepUpdate) error {
	switch u.Attribute {
	case "label":
		label := u.Value
		if u.Append {
			label = step.Label + u.Value
		}
		if len(label) > maxLabel || !domain.ValidText(label) {
			return domain.InvalidError("`label` is invalid: it is longer than " + strconv.Itoa(maxLabel) +
				" bytes, or not valid text")
		}
		step.Label = label
		for _, node := range c.JobsOf(string(step.ID)) {
			c.jobs[node.ID].now.SetLabel(label)
		}
		return c.err
	case "notify":
		return c.updateNotify(step, u)
	case "priority":
		priority, err := strconv.ParseInt(strings.TrimSpace(u.Value), 10, 32)
		if err != nil || u.Append {
			return domain.InvalidError("`priority` is invalid: it must be a whole number")
		}
		for _, node := range c.JobsOf(string(step.ID)) {
			c.jobs[node.ID].now.Priority = priority
		}
		return c.err
	case "parallelism":
		return c.growStep(step, u)
	}
	if member, ok := strings.CutPrefix(u.Attribute, "notify.github_check."); ok {
		return updateChecks(step, member, u)
	}
	return domain.InvalidError("`" + u.Attribute + "` is invalid: only label, notify, priority and parallelism can be " +
		"changed")
}

func (c *change) updateNotify(step *domain.Step, u StepUpdate) error {
	notify := []json.RawMessage{}
	if u.Append {
		_ = json.Unmarshal([]byte(step.Notify), &notify) // it is a list
	}
	var more []json.RawMessage
	if err := json.Unmarshal([]byte(u.Value), &more); err != nil {
		more = []json.RawMessage{json.RawMessage(u.Value)}
	}
	merged, err := json.Marshal(append(notify, more...))
	step.Notify = string(merged)
	if len(notify)+len(more) > steps.MaxNotifications {
		return domain.InvalidError(fmt.Sprintf("`notify` is invalid: it has more than %d entries", steps.MaxNotifications))
	}
	c.notifyOfSteps()
	return err
}

// checkMembers are what jobs can change of the checks that a step publishes.
var checkMembers = []string{"name", "output.title", "output.summary", "output.text", "output.annotations"}

// updateChecks changes a member of the checks that a step publishes.
func updateChecks(step *domain.Step, member string, u StepUpdate) error {
	if !slices.Contains(checkMembers, member) {
		return domain.InvalidError("`" + u.Attribute + "` is invalid: it must be one of notify.github_check." +
			strings.Join(checkMembers,
				", notify.github_check."))
	}
	var entries []json.RawMessage
	_ = json.Unmarshal([]byte(step.Notify), &entries) // it is a list
	changed := false
	for i, raw := range entries {
		var entry map[string]any
		if json.Unmarshal(raw, &entry) != nil {
			entry = map[string]any{strings.Trim(string(raw), `"`): nil}
		}
		if _, ok := entry["github_check"]; !ok {
			continue
		}
		check, _ := entry["github_check"].(map[string]any)
		if check == nil {
			check = map[string]any{}
		}
		if err := setCheckMember(check, member, u); err != nil {
			return err
		}
		entry["github_check"] = check
		merged, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		entries[i], changed = merged, true
	}
	if !changed {
		return domain.InvalidError("`" + u.Attribute + "` is invalid: the step has no github_check in `notify`")
	}
	merged, err := json.Marshal(entries)
	if len(merged) > maxNotify {
		return domain.InvalidError("`" + u.Attribute + "` is invalid: the notifications of the step would have more " +
			"than 64 KiB")
	}
	step.Notify = string(merged)
	return err
}

const maxNotify = 64 << 10 // bytes

func setCheckMember(check map[string]any, member string, u StepUpdate) error {
	in, name := check, member
	if below, ok := strings.CutPrefix(member, "output."); ok {
		output, _ := check["output"].(map[string]any)
		if output == nil {
			output = map[string]any{}
		}
		check["output"] = output
		in, name = output, below
	}
	if name == "annotations" {
		var more []any
		if err := json.Unmarshal([]byte(u.Value), &more); err != nil {
			return domain.InvalidError("`" + u.Attribute + "` is invalid: it must be a list, in JSON")
		}
		if before, _ := in[name].([]any); u.Append {
			more = append(before, more...)
		}
		in[name] = more
		return nil
	}
	text := u.Value
	if before, _ := in[name].(string); u.Append {
		text = before + text
	}
	in[name] = text
	return nil
}

// notifyOfSteps records that steps of the build have notifications.
func (c *change) notifyOfSteps() {
	var now domain.Notifications
	if c.build.Notifications != nil {
		now = *c.build.Notifications
	}
	now.Steps = true
	c.build.Notifications = &now
}

// growStep adds parallel jobs to a step.
func (c *change) growStep(step *domain.Step, u StepUpdate) error {
	wanted, err := strconv.Atoi(strings.TrimSpace(u.Value))
	nodes := c.JobsOf(string(step.ID))
	switch {
	case err != nil || u.Append || wanted < 1:
		return domain.InvalidError("`parallelism` is invalid: it must be a whole number of at least 1")
	case step.Kind != steps.Command || step.Definition.Parallelism == 0 || len(nodes) == 0:
		return domain.InvalidError("`parallelism` is invalid: the step has none")
	case wanted < len(nodes):
		return domain.InvalidError("`parallelism` is invalid: it can only grow")
	case step.Counters.OpenJobs == 0:
		return domain.InvalidError("`parallelism` is invalid: the step has finished")
	case wanted > steps.MaxJobs || c.build.JobsMade+int64(wanted-len(nodes)) > domain.MaxJobsOfBuild:
		return domain.InvalidError("`parallelism` is invalid: the build would have too many jobs")
	}
	var added []*flow.Job
	model := c.jobs[nodes[0].ID].now
	for _, node := range nodes {
		j := &c.jobs[node.ID].now
		j.ParallelTotal = int64(wanted)
		j.SetLabel(step.Label)
		model.UploadIndex = max(model.UploadIndex, j.UploadIndex) // new ones stand behind all others
	}
	for i := len(nodes); i < wanted; i++ {
		j := domain.Job{
			ID: domain.NewIDAt[domain.JobID](c.now), OrganizationID: model.OrganizationID, PipelineID: model.PipelineID,
			BuildID: model.BuildID, StepID: model.StepID,
			ClusterID: model.ClusterID, QueueID: model.QueueID, QueueKey: model.QueueKey, Kind: model.Kind,
			Command:    model.Command,
			AgentRules: model.AgentRules, RulesKey: model.RulesKey, Position: model.Position, UploadIndex: model.UploadIndex,
			SoftFail:      model.SoftFail,
			ParallelIndex: int64(i), ParallelTotal: int64(wanted), ConcurrencyGroupID: model.ConcurrencyGroupID,
			ConcurrencyLimit:  model.ConcurrencyLimit,
			ConcurrencyMethod: model.ConcurrencyMethod, CreatedAt: c.now, QueuedAt: model.QueuedAt,
			ScheduledAt: model.ScheduledAt, Timeout: model.Timeout,
			Priority: model.Priority, State: flow.Pending,
		}
		j.SetLabel(step.Label)
		added = append(added, &c.addJob(j, true).node)
		c.build.JobsMade++
	}
	c.jobsOf[string(step.ID)] = append(slices.Clone(nodes), added...)
	c.machine.AddJobs(c.Step(string(step.ID)), added)
	c.propagate()
	return c.err
}

// maxGrace is how long a job that is canceled by force may take at most.
const maxGrace = 24 * 60 * 60 // seconds

// CancelStep cancels the jobs of a step of the job's build. By force, their tokens end after a grace.
func (s *Service) CancelStep(ctx context.Context, actor authz.Actor, idOrKey, buildID string, force bool, grace int64) (
	step domain.Step, err error) {
	err = s.changeOwnBuild(ctx, actor, func(c *change, own domain.Job) error {
		if step, err = findStep(c.tx, own, idOrKey, buildID); err != nil {
			return err
		}
		if grace < 0 || grace > maxGrace {
			return domain.InvalidError("`force_grace_period` is invalid: it must be a number of seconds, at most a day")
		}
		for _, node := range c.JobsOf(string(step.ID)) {
			j := c.jobs[node.ID]
			c.cancel(j)
			if force && j.node.State == flow.Canceling {
				until := c.now.Add(time.Duration(grace) * time.Second)
				j.now.CancelGraceUntil = &until
			}
		}
		c.propagate()
		return c.err
	})
	return step, err
}

// CancelOwnBuild lets a job cancel its build.
func (s *Service) CancelOwnBuild(ctx context.Context, actor authz.Actor, buildID string) error {
	return s.changeOwnBuild(ctx, actor, func(c *change, own domain.Job) error {
		if string(own.BuildID) != buildID {
			return domain.Missing("build")
		}
		if c.build.Fate.Canceled {
			return nil
		}
		return c.cancelAll("A job of the build canceled it")
	})
}
