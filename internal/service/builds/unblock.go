package builds

import (
	"context"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// UnblockInput is what a person fills in where a build waits for them.
type UnblockInput struct {
	Fields    map[string]string
	Unblocker *string // the id of the user who is to be named; nil: who asks
}

// UnblockJob lets a build go on that waits for a person. What they fill in becomes meta-data of the build.
//
// Returns Forbidden if the step names teams, and the actor is in none of them, or names none and the actor may not
// build the pipeline.
func (s *Service) UnblockJob(ctx context.Context, actor authz.Actor, ref domain.JobRef, input UnblockInput) (
	domain.Job, error) {
	filled, err := s.fillIn(ctx, actor, ref, input.Fields)
	if err != nil {
		return domain.Job{}, err
	}
	return s.changeOneJob(ctx, actor, ref, authz.UnblockJob, func(c *change, in core.InJob, j *jobChange) (*jobChange,
		error) {
		if j.now.Kind == steps.Block || j.now.Kind == steps.Input {
			if err := checkUnblocker(c.tx, in, c.stepRow(j.now.StepID).Definition.AllowedTeams); err != nil {
				return nil, err
			}
		}
		switch {
		case j.now.Kind != steps.Block && j.now.Kind != steps.Input:
			return nil, errNotUnblockable
		case c.build.Fate.Canceled || j.now.State == flow.Canceled:
			return nil, errCanceledUnblock
		case j.now.State == flow.Unblocked:
			return nil, errUnblockedBefore
		case j.now.State != flow.Blocked:
			return nil, domain.InvalidError("Job can't be unblocked because it waits for other steps")
		case filled.refusal != nil:
			return nil, filled.refusal
		}
		if err := c.tx.SetMetaData(c.build.ID, filled.values); err != nil {
			return nil, err
		}
		if err := checkMetaData(c.tx, c.build.ID); err != nil {
			return nil, err
		}
		if err := c.nameUnblocker(input.Unblocker); err != nil {
			return nil, err
		}
		c.move(j, flow.Unblocked, flow.Passed, "")
		c.propagate()
		return j, c.err
	})
}

// nameUnblocker lets another user be named as the one who unblocks, if one is given.
func (c *change) nameUnblocker(id *string) error {
	if id == nil {
		return nil
	}
	named := core.LookupID[domain.UserID](*id)
	member, err := c.tx.IsMember(c.build.OrganizationID, named)
	if err != nil {
		return err
	}
	if !member {
		return domain.Faults{{Field: "unblocker", Reason: "Unblocker must be a member of the organization"}}.Err()
	}
	c.userID = named
	return nil
}

// filledIn is what a person filled in: what is stored of it, or what is wrong with it.
type filledIn struct {
	values  map[string]string
	refusal error
}

// fillIn reads what a person filled in where a build waits for them. It is done before the transaction that unblocks
// the job, since formats may take long to match; a step's fields never change.
func (s *Service) fillIn(ctx context.Context, actor authz.Actor, ref domain.JobRef,
	given map[string]string) (filled filledIn, err error) {
	fields, err := core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) ([]steps.Field, error) {
		in, err := s.core.InJob(tx, actor, ref, authz.UnblockJob)
		if err != nil {
			return nil, err
		}
		j, _, err := tx.Job(in.JobID)
		if err != nil {
			return nil, err
		}
		step, _, err := tx.Step(j.StepID)
		return step.Definition.Fields, err
	})
	if err != nil {
		return filled, err
	}
	err = s.core.Processors.Use(ctx, ref.Organization, func() (err error) {
		filled.values, err = readFields(steps.NewWork(ctx), fields, given)
		return err
	})
	if domain.CodeOf(err) == domain.Invalid {
		filled.refusal, err = err, nil
	}
	return filled, err
}

// checkUnblocker returns Forbidden unless the caller may unblock a step that names those teams.
func checkUnblocker(tx store.Tx, in core.InJob, allowed []string) error {
	if len(allowed) == 0 || in.Admin() {
		return authz.Check(&in.Identity, authz.WriteBuild, in.Facts)
	}
	teams, err := tx.TeamsOfUser(in.Organization.ID, in.User.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(teams, func(team string) bool { return slices.Contains(allowed, team) }) {
		return authz.ErrForbidden
	}
	return nil
}

// readFields checks what a person filled in, and returns what is stored.
func readFields(work *steps.Work, fields []steps.Field, given map[string]string) (map[string]string, error) {
	var faults domain.Faults
	values := map[string]string{}
	for _, f := range fields {
		value, ok := given[f.Key]
		if !ok && len(f.Default) > 0 {
			value = strings.Join(f.Default, "\n")
		}
		label := f.Text + f.Select
		switch {
		case value == "" && f.Required:
			faults.Add("fields", label+" can't be blank")
		case value == "":
		case f.Select != "" && !isChoice(f, value):
			faults.Add("fields", label+" must be one of the options")
		default:
			reason, err := checkField(work, f, value)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				faults.Add("fields", reason)
			}
			values[f.Key] = value
		}
	}
	for key := range given {
		if !slices.ContainsFunc(fields, func(f steps.Field) bool { return f.Key == key }) {
			faults.Add("fields", "The step has no field "+key)
		}
	}
	return values, faults.Err()
}

// checkField returns why a value of a field cannot be stored, or "".
func checkField(work *steps.Work, f steps.Field, value string) (reason string, err error) {
	if err := domain.CheckMetaData(f.Key, value); err != nil {
		return err.Error(), nil //nolint:nilerr // the reason is for who filled in the field
	}
	if f.Format == "" {
		return "", nil
	}
	label := f.Text + f.Select
	switch matches, err := work.MatchFormat(f.Format, value); {
	case isFault(err):
		return label + " takes too long to compare with its format: it must be shorter", nil
	case work.Err() != nil:
		return "", err
	case err != nil:
		return label + " can't be compared with its format: " + err.Error(), nil //nolint:nilerr // as above
	case !matches:
		return label + " must match " + f.Format, nil
	}
	return "", nil
}

func isChoice(f steps.Field, value string) bool {
	chosen := []string{value}
	if f.Multiple {
		chosen = strings.Split(value, "\n")
	}
	for _, one := range chosen {
		if !slices.ContainsFunc(f.Options, func(o steps.Option) bool { return o.Value == one }) {
			return false
		}
	}
	return true
}
