// Package store holds all SQL, one file an aggregate, as methods on a transaction. Only the service
// imports it. Violated constraints and an absent or overloaded database come out as domain errors.
//
// Each table's columns are named once (columns.go), and each list is written once (list.go). Statements know tables by
// these aliases:
//
//	agents                   a    with what was heard of them ah, stopped by the user sb
//	annotations              an
//	api_tokens               t    also a session or a portal's token, where a credential of any kind is read
//	api_token_organizations  g
//	artifacts                ar
//	audit_events             e
//	builds                   b    canceled by the user xb, rebuilt from rb, triggered by or triggering tb
//	build_meta_data          md
//	build_steps              bs   in the group gs
//	cache_days               cy
//	cache_decisions          cd
//	cache_entries            ce
//	cache_entry_prefixes     cp
//	cache_entry_sets         es
//	cache_registries         r
//	cache_uploads            cu
//	cluster_agent_tokens     at
//	cluster_maintainers      mt   with the user mu or the team mte
//	cluster_queues           q    paused by the user pb
//	connection_secrets       cx
//	cluster_secrets          cs   updated by the user ub
//	clusters                 c
//	concurrency_groups       cg
//	deliveries               dl
//	invitations              i    accepted by the user acb, revoked by rb
//	invitation_links         il
//	invitation_mails         im
//	invitation_teams         it
//	jobs                     j    canceled by the user xb, unblocked by ub
//	job_events               je
//	nodes                    n
//	notices                  nc
//	notice_targets           nt
//	oidc_keys                ok
//	organization_banners     ob
//	organization_members     m
//	organizations            o
//	pipelines                p    archived by the user ab
//	pipeline_schedules       sc   in the name of the user sw
//	pipeline_templates       pl   updated by the user ub
//	pipeline_triggers        tg   updated by the user ub
//	portals                  po   cp for that of a credential
//	portal_secrets           ps
//	portal_tokens            pt
//	postponed_items          pi
//	queue_samples            qs
//	rules                    ru   from the pipeline rs to the pipeline rt
//	scheduled_builds         sb
//	pipeline_webhooks        pw
//	portals                  po   cp for that of a credential
//	portal_secrets           ps
//	portal_tokens            pt
//	pull_requests            pr
//	queue_samples            qs
//	repository_connections   rc
//	signing_keys             sk
//	stacks                   st
//	step_dependencies        sd
//	step_uploads             su
//	teams                    te
//	team_members             tm
//	team_pipelines           tp
//	unclustered_tokens       ut   revoked by the user rb
//	trigger_secrets          ts
//	user_sessions            s
//	users                    u    cb for who created a row
package store

import (
	"context"
	"errors"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// Store is an open, migrated database.
type Store struct {
	db       *db.DB
	outcomes outcomes
	fences   fences
}

// New returns the store in d.
func New(d *db.DB) *Store { return &Store{db: d} }

// Tx is a transaction.
type Tx struct {
	*db.Tx
	locks  *lockOrder // nil in one that only reads
	fences *fences    // nil in one that writes
}

// Limit is what a transaction may read at most.
type Limit = db.Limit

// Read runs fn on one state of the database.
func (s *Store) Read(ctx context.Context, fn func(Tx) error) error {
	return s.conclude(ctx, s.db.Read(ctx, func(tx *db.Tx) error { return fn(Tx{Tx: tx, fences: &s.fences}) }))
}

// ReadStatement is Read for an fn that runs exactly one statement; see db.DB.ReadStatement.
func (s *Store) ReadStatement(ctx context.Context, fn func(Tx) error) error {
	return s.conclude(ctx, s.db.ReadStatement(ctx, func(tx *db.Tx) error { return fn(Tx{Tx: tx}) }))
}

// Write runs fn in a transaction and returns once it is durable; see db.DB.Write for what fn may do.
func (s *Store) Write(ctx context.Context, fn func(Tx) error) error {
	return s.conclude(ctx, s.db.Write(ctx, func(tx *db.Tx) error { return fn(Tx{Tx: tx, locks: new(lockOrder)}) }))
}

// conclude counts how a transaction ended, unless its caller has gone, and returns its error as others know it.
func (s *Store) conclude(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		s.outcomes.count(err, time.Now())
	}
	return translate(err)
}

// Readers returns how many transactions can read at once.
func (s *Store) Readers() int { return s.db.Readers() }

// Ready returns why requests cannot be served: what db.DB.Ready says, or that of late the database answered hardly any.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.db.Ready(ctx); err != nil {
		return err
	}
	return s.outcomes.check(time.Now())
}

const (
	retryAfter        = time.Second
	damagedRetryAfter = time.Minute
)

func translate(err error) error {
	switch {
	case err == nil || domain.CodeOf(err) != 0:
		return err
	case errors.Is(err, db.ErrOverloaded):
		return domain.UnavailableError("The service is overloaded. Please retry.", retryAfter, err)
	case errors.Is(err, db.ErrDamaged):
		return domain.UnavailableError("The database is damaged. Nothing was changed. An operator has to repair it.",
			damagedRetryAfter, err)
	case errors.Is(err, db.ErrUnknownOutcome):
		return domain.NewError(domain.UnknownOutcome, "The database broke off: the change may have been made, or not. Look "+
			"before you make it again.").Because(err)
	case errors.Is(err, db.ErrUnavailable):
		return domain.UnavailableError("The service is temporarily unavailable. Please retry.", retryAfter, err)
	}
	return err
}

// taken replaces a violated unique constraint by an Invalid error.
func taken(err error, field, reason string) error {
	if !errors.Is(err, db.ErrUnique) {
		return err
	}
	return domain.Faults{{Field: field, Reason: reason}}.Err()
}

// dangling replaces a violated foreign key by an Invalid error.
func dangling(err error, field, reason string) error {
	if !errors.Is(err, db.ErrForeignKey) {
		return err
	}
	return domain.Faults{{Field: field, Reason: reason}}.Err()
}

// one runs a statement that yields at most one row.
func one[T any](tx Tx, scan func(*db.Row) T, sql string, args ...any) (value T, found bool, err error) {
	found, err = tx.One(sql, func(r *db.Row) { value = scan(r) }, args...)
	return value, found, err
}

// all runs a statement and returns its rows.
func all[T any](tx Tx, scan func(*db.Row) T, sql string, args ...any) ([]T, error) {
	var values []T
	err := tx.Query(sql, func(r *db.Row) error {
		values = append(values, scan(r))
		return nil
	}, args...)
	return values, err
}

// Remember returns what find found for the key in this state of the database, or what it finds now. Nobody may change
// that: it is shared. It must follow from the key and from what is read, and from nothing else, such as the time.
func Remember[T any](tx Tx, key any, find func() (T, error)) (T, error) {
	if known, ok := tx.Recall(key); ok {
		return known.(T), nil
	}
	value, err := find()
	if err == nil {
		tx.Remember(key, value)
	}
	return value, err
}

// run runs a statement and calls each for every row.
func (tx Tx) run(statement clause, each func(*db.Row) error) error {
	var a arguments
	return tx.Query(a.write(statement), each, a.values...)
}

// exec runs a statement whose number of changed rows does not matter.
func (tx Tx) exec(sql string, args ...any) error {
	_, err := tx.Exec(sql, args...)
	return err
}

// has reports whether a statement yields a row.
func (tx Tx) has(sql string, args ...any) (bool, error) {
	return tx.One(sql, func(*db.Row) {}, args...)
}

// scanID reads an id.
func scanID[T ~string](r *db.Row) T { return T(r.Text()) }
