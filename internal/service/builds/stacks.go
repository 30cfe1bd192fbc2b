package builds

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// StackView is a stack with the key of its queue.
type StackView struct {
	domain.Stack
	QueueKey string
	Now      time.Time // by which its state is decided
}

// stackHeard is how often it is stored that a stack was heard.
const stackHeard = time.Minute

// RegisterStack makes a stack of the cluster whose agent token the actor has, or changes the one that has its key. New
// says which.
//
// Returns Invalid for a queue that there is not, and for a key that another cluster's stack has.
func (s *Service) RegisterStack(ctx context.Context, actor authz.Actor, in domain.StackInput) (
	view StackView, isNew bool, err error) {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return view, false, err
	}
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		token, err := s.core.RegistrationToken(tx, actor)
		if err != nil {
			return err
		}
		if err := in.Check(); err != nil {
			return err
		}
		queue, err := s.queueOfStack(tx, token, in.QueueKey)
		if err != nil {
			return err
		}
		if queue.Hosted {
			return domain.InvalidError("Queue \"" + queue.Key + "\" is for hosted agents")
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		now = now.Truncate(time.Millisecond)
		stack, found, err := tx.Stack(token.OrganizationID, in.Key)
		if err != nil {
			return err
		}
		if isNew = !found; isNew {
			stack = domain.Stack{ID: domain.NewID[domain.StackID](), OrganizationID: token.OrganizationID, Key: in.Key,
				CreatedAt: now}
		} else if stack.ClusterID != token.Token.ClusterID {
			return domain.InvalidError("`key` is the key of a stack of another cluster of the organization: choose another one")
		}
		stack.ClusterID, stack.QueueID, stack.Type, stack.Metadata, stack.ConnectedAt = token.Token.ClusterID, queue.ID,
			in.Type, in.Metadata, now
		if stack, err = tx.SaveStack(stack); err != nil {
			return err
		}
		if stack.ClusterID != token.Token.ClusterID {
			return errors.New("a stack was registered in two clusters at once")
		}
		view = StackView{stack, queue.Key, now}
		return nil
	})
	return view, isNew, err
}

// queueOfStack returns the queue of the token's cluster that a stack names.
func (s *Service) queueOfStack(tx store.Tx, token store.RegistrationToken,
	key string) (queue store.AgentQueue, err error) {
	if slices.Contains(domain.DefaultQueueKeys, key) {
		found := false
		if token.DefaultQueueID != nil {
			queue, found, err = tx.QueueByID(*token.DefaultQueueID)
		}
		if err == nil && !found {
			err = domain.InvalidError("The cluster \"" + token.ClusterName + "\" has no default queue: name a queue with " +
				"`queue_key`")
		}
		return queue, err
	}
	if !domain.ValidText(key) {
		key = ""
	}
	queue, found, err := tx.AgentQueue(token.Token.ClusterID, key)
	if err == nil && !found {
		err = domain.InvalidError("Queue \"" + key + "\" does not exist in the cluster \"" + token.ClusterName + "\"")
	}
	return queue, err
}

var errNoStack = domain.NewError(domain.NotFound, "No stack found: register it first")

// inStack returns the stack with the key and the token that the actor has, which are of one cluster.
func (s *Service) inStack(tx store.Tx, actor authz.Actor,
	key string) (stack domain.Stack, token store.RegistrationToken, err error) {
	if token, err = s.core.RegistrationToken(tx, actor); err != nil {
		return stack, token, err
	}
	stack, found, err := tx.Stack(token.OrganizationID, key)
	if err == nil && (!found || stack.ClusterID != token.Token.ClusterID) {
		err = errNoStack
	}
	return stack, token, err
}

// readStack is inStack in a transaction that only reads. It stores that the stack was heard if that has not been stored
// for a while.
func (s *Service) readStack(ctx context.Context, actor authz.Actor, key string, fn func(tx store.Tx, stack domain.Stack,
	token store.RegistrationToken) error) error {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return err
	}
	var heard domain.Stack
	var at time.Time
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		stack, token, err := s.inStack(tx, actor, key)
		if err != nil {
			return err
		}
		if at, err = tx.Now(); err != nil {
			return err
		}
		heard = stack
		return fn(tx, stack, token)
	})
	if err != nil || heard.DisconnectedAt != nil || at.Sub(heard.ConnectedAt) < stackHeard {
		return err
	}
	return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.TouchStack(heard.ID, at) })
}

// writeStack is inStack in a transaction that writes.
func (s *Service) writeStack(ctx context.Context, actor authz.Actor, key string,
	fn func(tx store.Tx, e *core.Effects, stack domain.Stack, token store.RegistrationToken, now time.Time) error) error {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return err
	}
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		stack, token, err := s.inStack(tx, actor, key)
		if err != nil {
			return err
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		return fn(tx, e, stack, token, now.Truncate(time.Millisecond))
	})
}

// DeregisterStack records that a stack ends. What it has reserved stays reserved: agents that it has started may be on
// their way.
func (s *Service) DeregisterStack(ctx context.Context, actor authz.Actor, key string) error {
	return s.writeStack(ctx, actor, key, func(tx store.Tx, _ *core.Effects, stack domain.Stack, _ store.RegistrationToken,
		now time.Time) error {
		if stack.DisconnectedAt != nil {
			return nil
		}
		return tx.DisconnectStack(stack.ID, now)
	})
}

// WaitingJob is a job that waits for an agent, as a stack sees it.
type WaitingJob = store.WaitingJob

// StackJobs are jobs of a queue that wait for an agent.
type StackJobs struct {
	Queue   domain.QueueID
	Paused  bool
	Jobs    []store.WaitingJob
	HasMore bool
}

// ScheduledJobsOfStack returns up to limit jobs of a queue that wait for an agent and that no stack has reserved, the
// oldest first, behind a job.
func (s *Service) ScheduledJobsOfStack(ctx context.Context, actor authz.Actor, key, queueKey string, limit int,
	after store.WaitingJob) (found StackJobs, err error) {
	if limit < 1 || limit > domain.MaxStackJobs {
		return found, domain.InvalidError("`limit` must be from 1 to " + strconv.Itoa(domain.MaxStackJobs))
	}
	err = s.readStack(ctx, actor, key, func(tx store.Tx, _ domain.Stack, token store.RegistrationToken) error {
		queue, err := s.queueOfStack(tx, token, queueKey)
		if err != nil {
			return err
		}
		found = StackJobs{Queue: queue.ID}
		if found.Paused, err = tx.IsQueuePaused(queue.ID); err != nil {
			return err
		}
		if found.Jobs, err = tx.WaitingJobs(queue.ID, after.ScheduledAt, after.ID, limit+1); err != nil {
			return err
		}
		if found.HasMore = len(found.Jobs) > limit; found.HasMore {
			found.Jobs = found.Jobs[:limit]
		}
		return nil
	})
	return found, err
}

// stackJobIDs reads the ids of jobs that a stack names. Those that are no ids are left out.
func stackJobIDs(given []string) ([]domain.JobID, error) {
	if len(given) == 0 || len(given) > domain.MaxStackJobs {
		return nil, domain.InvalidError("`job_uuids` must name 1 to " + strconv.Itoa(domain.MaxStackJobs) + " jobs")
	}
	var ids []domain.JobID
	for _, text := range given {
		if id, ok := domain.ParseID[domain.JobID](text); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// ReserveJobs reserves jobs of the cluster for a stack until a time is over, and returns which of them. Those that it
// has reserved before are reserved for longer.
func (s *Service) ReserveJobs(ctx context.Context, actor authz.Actor, key string, given []string,
	period time.Duration) (reserved map[string]bool, err error) {
	ids, err := stackJobIDs(given)
	if err != nil {
		return nil, err
	}
	if period < time.Second || period > domain.MaxReservation {
		return nil, domain.InvalidError("`reservation_expiry_seconds` must be from 1 to " +
			strconv.Itoa(int(domain.MaxReservation/time.Second)))
	}
	err = s.writeStack(ctx, actor, key, func(tx store.Tx, e *core.Effects, stack domain.Stack,
		token store.RegistrationToken,
		now time.Time) error {
		reserved = map[string]bool{}
		found, err := tx.LockReservableJobs(token.Token.ClusterID, stack.ID, ids)
		if err != nil {
			return err
		}
		var jobs []domain.JobID
		var events []domain.JobEvent
		for _, j := range found {
			reserved[string(j.ID)] = true
			jobs = append(jobs, j.ID)
			if !j.Reserved {
				events = append(events, newEvent(&domain.Job{ID: j.ID}, flow.EventReserved, now, ""))
				e.Builds[j.BuildID] = true
			}
		}
		e.Fleets[stack.OrganizationID] = e.Fleets[stack.OrganizationID] || len(events) > 0
		if err := tx.ReserveJobs(stack.ID, jobs, now.Add(period)); err != nil {
			return err
		}
		return tx.InsertJobEvents(events)
	})
	return reserved, err
}

// StackJob is what a stack needs to start an agent for a job.
type StackJob struct {
	ID      domain.JobID
	Command string
	Env     map[string]string
}

// JobOfStack returns a command job of the stack's cluster that has not ended.
func (s *Service) JobOfStack(ctx context.Context, actor authz.Actor, key, id string) (found StackJob, err error) {
	err = s.readStack(ctx, actor, key, func(tx store.Tx, stack domain.Stack, _ store.RegistrationToken) error {
		j, err := jobOfStack(tx, stack, id)
		if err != nil {
			return err
		}
		found = StackJob{ID: j.ID, Command: j.Command}
		found.Env, err = s.envOfJob(tx, j.ID)
		return err
	})
	return found, err
}

func jobOfStack(tx store.Tx, stack domain.Stack, id string) (domain.Job, error) {
	j, found, err := tx.Job(core.LookupID[domain.JobID](id))
	if err == nil && (!found || j.Kind != steps.Command || j.ClusterID == nil || *j.ClusterID != stack.ClusterID ||
		j.State.HasEnded()) {
		err = core.ErrNoJob
	}
	return j, err
}

// JobStatesOfStack returns the states of those of the jobs that are of the stack's cluster.
func (s *Service) JobStatesOfStack(ctx context.Context, actor authz.Actor, key string, given []string) (
	states map[domain.JobID]flow.JobState, err error) {
	ids, err := stackJobIDs(given)
	if err != nil {
		return nil, err
	}
	err = s.readStack(ctx, actor, key, func(tx store.Tx, stack domain.Stack, _ store.RegistrationToken) (err error) {
		states, err = tx.JobStatesInCluster(stack.ClusterID, ids)
		return err
	})
	return states, err
}

// FinishStackJob ends a job for which the stack could start no agent.
//
// Returns Invalid for a job that waits for no agent, or that another stack has reserved.
func (s *Service) FinishStackJob(ctx context.Context, actor authz.Actor, key, id string, status int64,
	detail string) error {
	switch err := domain.CheckStackDetail(detail); {
	case err != nil:
		return err
	case status == 0:
		return domain.InvalidError("`exit_status` must not be 0: a job that was not started has not passed")
	}
	return s.writeStack(ctx, actor, key, func(tx store.Tx, e *core.Effects, stack domain.Stack, _ store.RegistrationToken,
		_ time.Time) error {
		found, err := jobOfStack(tx, stack, id)
		if err != nil {
			return err
		}
		c, err := openBuild(tx, found.BuildID, "", e)
		if err != nil {
			return err
		}
		j, err := c.job(found.ID)
		if err != nil {
			return err
		}
		switch {
		case j.now.State == flow.Reserved && j.now.ReservedBy != nil && *j.now.ReservedBy != stack.ID:
			return domain.InvalidError("Job " + string(found.ID) + " is reserved by another stack")
		case j.now.State != flow.Reserved && j.now.State != flow.Scheduled:
			return domain.InvalidError("Job " + string(found.ID) + " can't be finished by a stack, as its state is " +
				string(j.now.State))
		}
		j.now.Detail = optional(detail)
		c.end(j, ended{status: status, reason: "stack_error"})
		return c.save()
	})
}

// NotificationError is what is wrong with some of the notifications of a request, by their places in it.
type NotificationError struct {
	Error   string
	Indexes []int
}

// NotifyOfJobs stores what a stack says of jobs that it is about to start. Those that are wrong are left out and
// returned.
func (s *Service) NotifyOfJobs(ctx context.Context, actor authz.Actor, key string, given []domain.StackNotification) (
	faults []NotificationError, err error) {
	if len(given) > domain.MaxStackJobs {
		return nil, domain.InvalidError("`notifications` may have at most " + strconv.Itoa(domain.MaxStackJobs) + " items")
	}
	err = s.writeStack(ctx, actor, key, func(tx store.Tx, e *core.Effects, stack domain.Stack, _ store.RegistrationToken,
		now time.Time) error {
		faults = nil
		refuse := func(i int, fault string) {
			at := slices.IndexFunc(faults, func(f NotificationError) bool { return f.Error == fault })
			if at < 0 {
				at, faults = len(faults), append(faults, NotificationError{Error: fault})
			}
			faults[at].Indexes = append(faults[at].Indexes, i)
		}
		ids := make([]domain.JobID, len(given))
		for i, n := range given {
			ids[i] = core.LookupID[domain.JobID](n.Job)
		}
		states, err := tx.JobStatesInCluster(stack.ClusterID, ids)
		if err != nil {
			return err
		}
		counts, err := tx.CountNotifications(ids)
		if err != nil {
			return err
		}
		var events []domain.JobEvent
		for i, n := range given {
			_, known := states[ids[i]]
			fault := n.Check()
			switch {
			case !known:
				refuse(i, "job not found")
			case fault != "":
				refuse(i, fault)
			case counts[ids[i]] >= domain.MaxNotifications:
				refuse(i, "a job may have at most "+strconv.Itoa(domain.MaxNotifications)+" notifications")
			default:
				counts[ids[i]]++
				event := newEvent(&domain.Job{ID: ids[i]}, flow.EventStackNotification, now, "")
				if n.At != nil && n.At.Before(now) && now.Sub(*n.At) < 24*time.Hour {
					event.At = n.At.Truncate(time.Millisecond)
				}
				event.Detail = &n.Detail
				events = append(events, event)
			}
		}
		return tx.InsertJobEvents(events)
	})
	return faults, err
}

const (
	maxStacksShown        = 100
	maxNotificationsShown = 10
)

// StacksOfQueue returns the stacks that start agents for a queue, by key: at most 100.
func (s *Service) StacksOfQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) ([]StackView, error) {
	return inQueue(ctx, s, actor, ref, id, func(tx store.Tx, queue domain.QueueID, now time.Time) ([]StackView, error) {
		stacks, err := tx.StacksOfQueue(queue, maxStacksShown)
		views := make([]StackView, len(stacks))
		for i, stack := range stacks {
			views[i] = StackView{Stack: stack, Now: now}
		}
		return views, err
	})
}

// StackNotifications returns what stacks said last of a job, the newest first: at most 10.
func (s *Service) StackNotifications(ctx context.Context, actor authz.Actor, ref domain.JobRef) (
	[]domain.JobEvent, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) ([]domain.JobEvent, error) {
		in, err := s.core.InJob(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return nil, err
		}
		return tx.StackNotifications(in.JobID, maxNotificationsShown)
	})
}
