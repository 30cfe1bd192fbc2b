package core

import (
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
)

// ErrUnauthenticatedProgram is ErrUnauthenticated as agents and their jobs see it.
var ErrUnauthenticatedProgram = domain.NewError(domain.Unauthenticated, "Authentication required. Please supply a "+
	"valid agent token.")

// RequireCredential returns Unauthenticated unless the actor is an agent or a job with a token of the kind.
func RequireCredential(actor authz.Actor, kind authz.CredentialKind) error {
	if actor.Surface != authz.AgentAPI || actor.Credential.Kind != kind || actor.Credential.Hash == "" {
		return ErrUnauthenticatedProgram
	}
	return nil
}

// JobByToken returns the caller's job: one that is with its agent, or has ended only just.
func JobByToken(tx store.Tx, actor authz.Actor) (domain.Job, error) {
	if err := RequireCredential(actor, authz.JobToken); err != nil {
		return domain.Job{}, err
	}
	j, found, err := tx.JobByToken(actor.Credential.Hash)
	if err == nil {
		err = CheckJobToken(tx, found, j.State, j.TokenUntil)
	}
	if err != nil {
		return domain.Job{}, err
	}
	return j, nil
}

// CheckJobToken returns Unauthenticated unless a job's token is good. The clock is read only if the token has an end.
func CheckJobToken(tx store.Tx, found bool, state flow.JobState, until *time.Time) (err error) {
	var now time.Time
	if until != nil {
		if now, err = tx.Now(); err != nil {
			return err
		}
	}
	if !found || !IsTokenValid(state, until, now) {
		return ErrUnauthenticatedProgram
	}
	return nil
}

// IsTokenValid says whether the token of a job is good: while the job is with its agent, and shortly after.
func IsTokenValid(state flow.JobState, until *time.Time, now time.Time) bool {
	return (until == nil || now.Before(*until)) && state != flow.Scheduled
}

// RequireTokenJob is RequireJob for what depends on little of the job, or reads it again for update.
func RequireTokenJob(tx store.Tx, actor authz.Actor, id string) (store.TokenJob, error) {
	if err := RequireCredential(actor, authz.JobToken); err != nil {
		return store.TokenJob{}, err
	}
	j, found, err := tx.TokenJob(actor.Credential.Hash)
	if err == nil {
		err = CheckJobToken(tx, found, j.State, j.TokenUntil)
	}
	switch {
	case err != nil:
		return store.TokenJob{}, err
	case string(j.ID) != id:
		return store.TokenJob{}, ErrOtherJob
	}
	return j, nil
}

// LiveJobByToken is JobByToken for what only a job may do that has not ended.
func LiveJobByToken(tx store.Tx, actor authz.Actor) (domain.Job, error) {
	j, err := JobByToken(tx, actor)
	if err == nil && j.State.HasEnded() {
		return domain.Job{}, ErrUnauthenticatedProgram
	}
	return j, err
}

// RequireLiveJob is RequireJob for what only a job may do that has not ended.
func RequireLiveJob(tx store.Tx, actor authz.Actor, id string) (domain.Job, error) {
	j, err := RequireJob(tx, actor, id)
	if err == nil && j.State.HasEnded() {
		return domain.Job{}, ErrUnauthenticatedProgram
	}
	return j, err
}

// RequireJob is JobByToken for calls that name the job, which must be the token's own.
func RequireJob(tx store.Tx, actor authz.Actor, id string) (domain.Job, error) {
	j, err := JobByToken(tx, actor)
	if err == nil && string(j.ID) != id {
		return domain.Job{}, ErrOtherJob
	}
	return j, err
}

// ErrOtherJob refuses a call about another job than the token is for.
var ErrOtherJob = domain.NewError(domain.Forbidden, "This token is for another job")
