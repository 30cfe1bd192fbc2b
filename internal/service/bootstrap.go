package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// BootstrapResult says what came of those items of a bootstrap file that were never applied before.
type BootstrapResult struct {
	Applied  int               // made
	Existing int               // there already, and left as they are
	Skipped  []bootstrap.Fault // not made, because what they belong to was deleted or renamed after it was declared
}

// The kinds of items, as the database remembers them.
const (
	userItem          = "user"
	organizationItem  = "organization"
	memberItem        = "member"
	teamItem          = "team"
	teamMemberItem    = "team_member"
	clusterItem       = "cluster"
	maintainerItem    = "maintainer"
	queueItem         = "queue"
	cacheRegistryItem = "cache_registry"
	pipelineItem      = "pipeline"
	tokenItem         = "token"
	activityItem      = "activity"
)

// bootstrapAttempts is enough to wait about a minute for another node that applies a large file: a transaction
// gives up on a lock after ten seconds.
const bootstrapAttempts = 6

// ApplyBootstrap makes what a bootstrap file declares exist, all of it or nothing. Each item is applied once, ever:
// it is made, or it is there already and left as it is. Whatever becomes of it later, the same item is not looked at
// again. An item whose owner was deleted since the file declared it is skipped, until its owner is there again or the
// file names another. Several nodes may apply a file at the same time. Operators only.
//
// The error is a *bootstrap.Error if the file is at fault: an item that is yet to be applied refers to something
// that neither the file nor the database has or declares an id that is in use, or a token is for an organization
// that its user is not a member of.
func (s *Service) ApplyBootstrap(ctx context.Context, actor authz.Actor, file *bootstrap.File) (BootstrapResult, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return BootstrapResult{}, err
	}
	hashes, err := s.bootstrapPasswords(ctx, file)
	if err != nil {
		return BootstrapResult{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := core.Change(ctx, s.core, actor, "", func(tx store.Tx) (BootstrapResult, error) {
			b := bootstrapping{service: s, tx: tx, file: file, hashes: hashes, now: s.core.Clock(), known: map[bootstrap.Reference]string{}}
			err := b.run()
			return b.result, err
		})
		if err == nil || attempt == bootstrapAttempts || !overtaken(err) {
			return result, err
		}
	}
}

// overtaken reports whether an attempt failed because someone else changed what it had looked at, or kept it
// waiting for too long. The next attempt sees what they stored, and locks what they made.
func overtaken(err error) bool {
	code := domain.CodeOf(err)
	return code == domain.Invalid || code == domain.Unavailable || errors.Is(err, db.ErrForeignKey) || errors.Is(err, store.ErrLockOrder)
}

// bootstrapPasswords returns the hashes of the passwords of users yet to be applied, by the users' keys. It
// takes long, and would hold up every other write inside the transaction.
func (s *Service) bootstrapPasswords(ctx context.Context, file *bootstrap.File) (map[string]string, error) {
	applied, err := core.View(ctx, s.core, authz.OperatorActor(), "", func(tx store.Tx) (map[string]bool, error) {
		applied := map[string]bool{}
		for _, u := range file.Users {
			var err error
			if applied[userKey(u)], err = tx.BootstrapItemApplied(userItem, userKey(u)); err != nil {
				return nil, err
			}
		}
		return applied, nil
	})
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, u := range file.Users {
		if applied[userKey(u)] {
			continue
		}
		if hashes[userKey(u)], err = hashPassword(u.Password); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// bootstrapping is one attempt to apply a file, in one transaction.
type bootstrapping struct {
	service *Service
	tx      store.Tx
	file    *bootstrap.File
	hashes  map[string]string // of the users' passwords, by userKey
	now     time.Time

	known  map[bootstrap.Reference]string // the ids of what was referred to, by references without their places
	newly  []newlyDeclared
	result BootstrapResult
	faults []bootstrap.Fault
	// incomplete has the faults of items that lack something which the file declares. It may be for other faults that it was
	// not made.
	incomplete []bootstrap.Fault
}

// run applies what the file declares: what is referred to first, so that a later step finds it. It goes on after
// faults, so that all are found: what is not made for one of them is as good as deleted to others.
func (b *bootstrapping) run() error {
	for _, step := range []func() error{
		b.lockOwners,
		b.users,
		b.organizations,
		b.billingParents,
		b.inEachOrganization(b.members),
		b.inEachOrganization(b.teams),
		b.inEachOrganization(b.teamMembers),
		b.inEachCluster(b.cluster),
		b.inEachCluster(b.maintainers),
		b.inEachCluster(b.queues),
		b.inEachCluster(b.cacheRegistries),
		b.defaultClusters,
		b.inEachOrganization(b.pipelines),
		b.tokens,
		b.lockUsage,
		b.activity,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	faults := b.faults
	if len(faults) == 0 {
		faults = b.incomplete
	}
	if len(faults) > 0 {
		return &bootstrap.Error{File: b.file.Name, Faults: faults}
	}
	return nil
}

func (b *bootstrapping) inEachOrganization(step func(*bootstrap.Organization) error) func() error {
	return func() error { return each(b.file.Organizations, step) }
}

func (b *bootstrapping) inEachCluster(step func(declaredCluster) error) func() error {
	return b.inEachOrganization(func(o *bootstrap.Organization) error {
		return each(o.Clusters, func(c *bootstrap.Cluster) error { return step(declaredCluster{c, o}) })
	})
}

// declaredCluster is a cluster with the organization that it is declared in.
type declaredCluster struct {
	*bootstrap.Cluster
	of *bootstrap.Organization
}

// each calls fn with every item until it fails.
func each[T any](items []T, fn func(*T) error) error {
	for i := range items {
		if err := fn(&items[i]); err != nil {
			return err
		}
	}
	return nil
}

// item applies one declared item unless that was done before. The function given to it reports whether it made
// something, rather than found it there.
func (b *bootstrapping) item(kind, key string, at bootstrap.Place, apply func() (made bool, err error)) error {
	first, err := b.tx.ClaimBootstrapItem(kind, key, b.now)
	if err != nil || !first {
		return err
	}
	made, err := apply()
	switch {
	case err != nil:
		if err := b.note(at, err); err != nil {
			return err
		}
		return b.tx.UnclaimBootstrapItem(kind, key)
	case made:
		b.result.Applied++
	default:
		b.result.Existing++
	}
	return nil
}

// record stores the event of an item that was made in an organization.
func (b *bootstrapping) record(organization domain.OrganizationID, event domain.AuditEventType, subject domain.AuditSubject, facts any) error {
	return b.service.core.Record(b.tx, core.OperatorIn(organization), event, subject, nil, facts)
}

// note keeps a refusal for later, and returns any other error with the place.
func (b *bootstrapping) note(at bootstrap.Place, err error) error {
	found, ok := errors.AsType[refusals](err)
	if err != nil && !ok {
		return fmt.Errorf("%s:%d: %s: %w", b.file.Name, at.Line, at.Path, err)
	}
	for _, r := range found.gravest() {
		switch r.means {
		case atFault:
			b.faults = append(b.faults, r.fault)
		case skipped:
			b.result.Skipped = append(b.result.Skipped, r.fault)
		case incomplete:
			b.incomplete = append(b.incomplete, r.fault)
		}
	}
	return nil
}

func userKey(u bootstrap.User) string { return domain.EmailKey(u.Email) }

// itemKey joins the names that an item is recognised by, so that no two items have the same key.
func itemKey(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = keyEscapes.Replace(name)
	}
	return strings.Join(escaped, "/")
}

var keyEscapes = strings.NewReplacer("%", "%25", "/", "%2F")
