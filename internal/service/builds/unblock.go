package builds

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
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
// Returns Forbidden if the step names teams, and the actor is in none of them, or names none and the actor may not build the pipeline.
func (s *Service) UnblockJob(ctx context.Context, actor authz.Actor, ref domain.JobRef, input UnblockInput) (domain.Job, error) {
	return s.changeOneJob(ctx, actor, ref, authz.UnblockJob, func(c *change, in InJob, j *jobChange) (*jobChange, error) {
		definition := c.stepRow(j.now.StepID).Definition
		if j.now.Kind == steps.Block || j.now.Kind == steps.Input {
			if err := checkUnblocker(c.tx, in, definition.AllowedTeams); err != nil {
				return nil, err
			}
		}
		switch {
		case j.now.Kind != steps.Block && j.now.Kind != steps.Input:
			return nil, errNotUnblockable
		case c.build.Fate.Canceled || j.now.State == builds.Canceled:
			return nil, errCanceledUnblock
		case j.now.State == builds.Unblocked:
			return nil, errUnblockedBefore
		case j.now.State != builds.Blocked:
			return nil, invalid("Job can't be unblocked because it waits for other steps")
		}
		values, err := readFields(definition.Fields, input.Fields)
		if err != nil {
			return nil, err
		}
		for key, value := range values {
			if err := c.tx.SetMetaData(c.build.ID, key, value); err != nil {
				return nil, err
			}
		}
		if err := checkMetaData(c.tx, c.build.ID); err != nil {
			return nil, err
		}
		if input.Unblocker != nil {
			named := lookupID[domain.UserID](*input.Unblocker)
			member, err := c.tx.IsMember(c.build.OrganizationID, named)
			if err != nil {
				return nil, err
			}
			if !member {
				return nil, domain.Faults{{Field: "unblocker", Reason: "Unblocker must be a member of the organization"}}.Err()
			}
			c.userID = named
		}
		c.move(j, builds.Unblocked, builds.Passed, "")
		c.propagate()
		return j, c.err
	})
}

// checkUnblocker returns Forbidden unless the caller may unblock a step that names those teams.
func checkUnblocker(tx store.Tx, in InJob, allowed []string) error {
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
func readFields(fields []steps.Field, given map[string]string) (map[string]string, error) {
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
		case f.Format != "" && !matchesFormat(f.Format, value):
			faults.Add("fields", label+" must match "+f.Format)
		default:
			if err := domain.CheckMetaData(f.Key, value); err != nil {
				faults.Add("fields", err.Error())
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

func matchesFormat(format, value string) bool {
	pattern, err := regexp.Compile(`^(?:` + format + `)$`)
	return err == nil && pattern.MatchString(value)
}
