package starts

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// PipelineSchedules returns a page of a pipeline's schedules, the newest first.
func (s *Service) PipelineSchedules(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, page domain.Page) (
	domain.Paged[domain.PipelineScheduleView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.PipelineScheduleView],
		error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.ReadPipeline)
		if err != nil {
			return domain.Paged[domain.PipelineScheduleView]{}, err
		}
		return readPage(tx, &in.Identity, store.PipelineSchedulesOf(), in.Pipeline.ID, page)
	})
}

// PipelineSchedule returns a schedule.
func (s *Service) PipelineSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineScheduleRef) (
	domain.PipelineScheduleView, error) {
	return core.View(ctx, s.core, actor, ref.Pipeline.Organization, s.findSchedule(actor, ref, authz.ReadPipeline))
}

func (s *Service) findSchedule(actor authz.Actor, ref domain.PipelineScheduleRef, action authz.Action) func(store.Tx) (
	domain.PipelineScheduleView, error) {
	return func(tx store.Tx) (domain.PipelineScheduleView, error) {
		pipeline, err := s.pipelineOf(tx, ref)
		if err != nil {
			return domain.PipelineScheduleView{}, err
		}
		in, err := s.core.InPipeline(tx, actor, pipeline, action)
		if err != nil {
			return domain.PipelineScheduleView{}, namedAlone(ref, err)
		}
		return scheduleIn(tx, in, ref.ID)
	}
}

// pipelineOf returns the pipeline that the schedule is looked for in: its own, if none is named.
func (s *Service) pipelineOf(tx store.Tx, ref domain.PipelineScheduleRef) (pipeline domain.PipelineRef, err error) {
	if pipeline = ref.Pipeline; pipeline.Slug != "" || pipeline.ID != "" {
		return pipeline, nil
	}
	if pipeline.ID, err = tx.PipelineOfSchedule(core.LookupID[domain.PipelineScheduleID](ref.ID)); pipeline.ID == "" {
		pipeline.ID = "none"
	}
	return pipeline, err
}

// namedAlone says that there is no schedule, to who named no pipeline.
func namedAlone(ref domain.PipelineScheduleRef, err error) error {
	if ref.Pipeline.Slug == "" && ref.Pipeline.ID == "" && domain.CodeOf(err) == domain.NotFound {
		return domain.Missing("pipeline schedule")
	}
	return err
}

func scheduleIn(tx store.Tx, in store.InPipeline, id string) (domain.PipelineScheduleView, error) {
	schedule, found, err := tx.PipelineSchedule(in.Pipeline.ID, core.LookupID[domain.PipelineScheduleID](id))
	if err == nil && !found {
		err = domain.Missing("pipeline schedule")
	}
	return schedule, err
}

// CreatePipelineSchedule makes a schedule. Its builds are created in the name of who makes it.
//
// Returns Invalid with one FieldError a bad field.
func (s *Service) CreatePipelineSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	input core.Input[domain.PipelineScheduleInput]) (domain.PipelineScheduleView, error) {
	see := func(tx store.Tx) (store.InPipeline, error) {
		return s.core.InPipeline(tx, actor, ref, authz.WritePipeline)
	}
	if _, err := core.View(ctx, s.core, actor, ref.Organization, see); err != nil {
		return domain.PipelineScheduleView{}, err
	}
	now, err := s.now(ctx)
	if err != nil {
		return domain.PipelineScheduleView{}, err
	}
	var found domain.Faults
	given, err := input.Read(&found)
	if err != nil {
		return domain.PipelineScheduleView{}, err
	}
	schedule := domain.NewPipelineSchedule(given, now, &found) // reads the line, for which no transaction waits
	permit := func(tx store.Tx) (store.InPipeline, error) {
		return s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
	}
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InPipeline) (domain.PipelineScheduleView, error) {
			if err := slices.Clone(found).Err(); err != nil {
				return domain.PipelineScheduleView{}, err
			}
			if count, err := tx.PipelineSchedulesCount(in.Pipeline.ID); err != nil || count >= domain.MaxSchedules {
				if err == nil {
					err = domain.NewError(domain.Invalid, domain.TooManySchedules)
				}
				return domain.PipelineScheduleView{}, err
			}
			made := schedule
			made.OrganizationID, made.PipelineID = in.Organization.ID, in.Pipeline.ID
			if err := tx.InsertPipelineSchedule(made, in.CreatorID()); err != nil {
				return domain.PipelineScheduleView{}, err
			}
			if err := s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineScheduleCreated,
				core.PipelineScheduleSubject(made), nil, core.FactsOfPipelineSchedule(made)); err != nil {
				return domain.PipelineScheduleView{}, err
			}
			return scheduleIn(tx, in, string(made.ID))
		})
}

// UpdatePipelineSchedule applies input to a schedule and returns its new state. Its builds are created in the name of
// who changed it from now on.
func (s *Service) UpdatePipelineSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineScheduleRef,
	input core.Input[domain.PipelineScheduleInput], expected *core.Precondition[domain.PipelineScheduleView]) (
	view domain.PipelineScheduleView, err error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Pipeline.Organization,
		s.findSchedule(actor, ref, authz.WritePipeline))
	for range updateAttempts {
		if view, err = s.updateSeenSchedule(ctx, actor, ref, input, expected); !errors.Is(err, errScheduleChanged) {
			return view, err
		}
	}
	return domain.PipelineScheduleView{}, domain.UnavailableError("Others keep changing this schedule. Please retry.",
		time.Second, err)
}

// errScheduleChanged means that a schedule is not as it was when the changes were made to it.
var errScheduleChanged = errors.New("the schedule has been changed meanwhile")

// updateAttempts is how often a change of a schedule is tried again when others change it meanwhile.
const updateAttempts = 5

// updateSeenSchedule makes the changes to a schedule as it is before the transaction, since lines take time to read,
// and stores them if it still is.
func (s *Service) updateSeenSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineScheduleRef,
	input core.Input[domain.PipelineScheduleInput], expected *core.Precondition[domain.PipelineScheduleView]) (
	domain.PipelineScheduleView, error) {
	find := s.findSchedule(actor, ref, authz.WritePipeline)
	seen, err := core.View(ctx, s.core, actor, ref.Pipeline.Organization, find)
	if err != nil {
		return domain.PipelineScheduleView{}, err
	}
	now, err := s.now(ctx)
	if err != nil {
		return domain.PipelineScheduleView{}, err
	}
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return domain.PipelineScheduleView{}, err
	}
	changed := seen.PipelineSchedule
	changed.Apply(given, now, &faults)
	return s.changeSchedule(ctx, actor, ref, expected, func(tx store.Tx, in store.InPipeline,
		schedule domain.PipelineScheduleView) error {
		if err := slices.Clone(faults).Err(); err != nil {
			return err
		}
		if !reflect.DeepEqual(schedule.WithoutCounts().PipelineSchedule, seen.WithoutCounts().PipelineSchedule) {
			return errScheduleChanged
		}
		next := changed
		if next.Cronline == seen.Cronline && next.Enabled == seen.Enabled {
			// a build may have been created meanwhile
			next.NextBuildAt, next.FailedMessage, next.FailedAt = schedule.NextBuildAt, schedule.FailedMessage, schedule.FailedAt
		}
		if err := tx.UpdatePipelineSchedule(next, in.CreatorID()); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineScheduleUpdated,
			core.PipelineScheduleSubject(next),
			core.FactsOfPipelineSchedule(schedule.PipelineSchedule), core.FactsOfPipelineSchedule(next))
	})
}

// changeSchedule runs change on a schedule that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineScheduleRef,
	expected *core.Precondition[domain.PipelineScheduleView],
	change func(store.Tx, store.InPipeline, domain.PipelineScheduleView) error) (domain.PipelineScheduleView, error) {
	return core.Change(ctx, s.core, actor, ref.Pipeline.Organization, func(tx store.Tx) (domain.PipelineScheduleView,
		error) {
		pipeline, err := s.pipelineOf(tx, ref)
		if err != nil {
			return domain.PipelineScheduleView{}, err
		}
		in, err := s.core.LockPipeline(tx, actor, pipeline, authz.WritePipeline)
		if err != nil {
			return domain.PipelineScheduleView{}, namedAlone(ref, err)
		}
		schedule, err := scheduleIn(tx, in, ref.ID)
		if err != nil {
			return schedule, err
		}
		if err := expected.Check(schedule); err != nil {
			return schedule, err
		}
		if err := change(tx, in, schedule); err != nil {
			return schedule, err
		}
		now, found, err := tx.PipelineSchedule(in.Pipeline.ID, schedule.ID)
		if !found {
			return schedule, err // it was deleted
		}
		return now, err
	})
}

// DeletePipelineSchedule deletes a schedule and returns what it was. Its builds stay.
func (s *Service) DeletePipelineSchedule(ctx context.Context, actor authz.Actor, ref domain.PipelineScheduleRef,
	expected *core.Precondition[domain.PipelineScheduleView]) (domain.PipelineScheduleView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Pipeline.Organization,
		s.findSchedule(actor, ref, authz.WritePipeline))
	return s.changeSchedule(ctx, actor, ref, expected, func(tx store.Tx, in store.InPipeline,
		schedule domain.PipelineScheduleView) error {
		if err := tx.DeletePipelineSchedule(schedule.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineScheduleDeleted,
			core.PipelineScheduleSubject(schedule.PipelineSchedule),
			core.FactsOfPipelineSchedule(schedule.PipelineSchedule), nil)
	})
}

// now returns the time by which schedules are due: the database's, which all nodes share.
func (s *Service) now(ctx context.Context) (now time.Time, err error) {
	if s.clock != nil {
		return s.clock(), nil
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err = tx.Now()
		return err
	})
	return now, err
}

// schedulesAtOnce is how many schedules are looked at together.
const schedulesAtOnce = 100

// CreateScheduledBuilds creates the builds that are due, one for each schedule however many times were missed. One that
// fails does not stop the others: what went wrong is said of it.
func (s *Service) CreateScheduledBuilds(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	find := func(tx store.Tx, clock time.Time) ([]store.DueSchedule, error) {
		return tx.DueSchedules(clock, now, schedulesAtOnce)
	}
	create := func(ctx context.Context, due store.DueSchedule) error { return s.createDue(ctx, due, now) }
	return core.RunPages(ctx, s.core, schedulesAtOnce, find, core.Items[store.DueSchedule]{
		Kind: store.CreateScheduledBuilds, ID: func(due store.DueSchedule) string { return string(due.ID) },
		Do: core.OneByOne(create)})
}

// createDue creates the build of a schedule that was due when it was found, unless another node has done so.
func (s *Service) createDue(ctx context.Context, due store.DueSchedule, now time.Time) error {
	var schedule domain.PipelineScheduleView
	var found bool
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		schedule, found, err = tx.PipelineSchedule(due.Pipeline, due.ID)
		return err
	})
	if err != nil || !found || schedule.NextBuildAt == nil || schedule.NextBuildAt.After(now) {
		return err
	}
	return s.createScheduled(ctx, schedule.PipelineSchedule, now)
}

// createScheduled creates the build of a schedule that is due, or stores why there is none.
func (s *Service) createScheduled(ctx context.Context, schedule domain.PipelineSchedule, now time.Time) error {
	var next *time.Time
	if times, err := domain.NextCronTimes(schedule.Cronline, now, 1); err == nil {
		next = &times[0]
	}
	var publish func()
	err := s.core.MakeBuild(ctx, func(tx store.Tx) (core.WantedBuild, bool, error) {
		return wantedBySchedule(tx, schedule)
	}, func(create core.PlannedBuild) error {
		return s.core.Store.Write(ctx, func(tx store.Tx) (err error) {
			publish, err = s.makeScheduled(tx, schedule, next, now, create)
			return err
		})
	})
	switch code := domain.CodeOf(err); {
	case err == nil:
		if publish != nil {
			publish()
		}
		return nil
	case code == 0 || code == domain.Unavailable || code == domain.UnknownOutcome:
		return err
	}
	message := err.Error()
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		_, err := tx.AdvanceSchedule(schedule, next, &message, now)
		return err
	})
}

// makeScheduled creates the build of a schedule, unless another node has done so.
func (s *Service) makeScheduled(tx store.Tx, schedule domain.PipelineSchedule, next *time.Time, now time.Time,
	create core.PlannedBuild) (publish func(), err error) {
	if err := tx.LockPipeline(schedule.PipelineID); err != nil {
		return nil, err
	}
	wanted, found, err := wantedBySchedule(tx, schedule)
	if err != nil || !found {
		return nil, err
	}
	if mine, err := tx.AdvanceSchedule(schedule, next, nil, now); err != nil || !mine {
		return nil, err
	}
	may, err := tx.MayBuild(wanted.Creator, schedule.PipelineID)
	if err != nil {
		return nil, err
	}
	if !may {
		return nil, domain.NewError(domain.Invalid, "The person who created or last changed this schedule may not build "+
			"the pipeline any more. Save the schedule to create its builds in your name.")
	}
	b, publish, err := create(tx, wanted)
	if err != nil {
		return nil, err
	}
	return publish, tx.InsertScheduledBuild(b.ID, schedule.ID)
}

// wantedBySchedule returns the build that a schedule wants, if there still is one.
func wantedBySchedule(tx store.Tx, schedule domain.PipelineSchedule) (wanted core.WantedBuild, found bool, err error) {
	view, found, err := tx.PipelineSchedule(schedule.PipelineID, schedule.ID)
	if err != nil || !found {
		return wanted, false, err
	}
	if wanted.Pipeline, _, err = tx.PipelineByID(schedule.PipelineID); err != nil {
		return wanted, false, err
	}
	wanted.BuildInput, wanted.Source = view.BuildInput(wanted.Pipeline), domain.SourceSchedule
	if view.Owner != nil {
		wanted.Creator = view.Owner.ID
	}
	return wanted, true, nil
}
