// Package apply is the part of the service that makes what a bootstrap file declares exist. It imports
// internal/service/core, internal/bootstrap, and what the core imports.
package apply

import (
	"cmp"
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

// Result says what came of those items of a bootstrap file that were never applied before.
type Result struct {
	Applied  int               // made
	Existing int               // there already, and left as they are
	Skipped  []bootstrap.Fault // not made, because what they belong to was deleted or renamed after it was declared
}

// maxAttempts is enough to wait about a minute for another node that applies a large file: a transaction
// gives up on a lock after ten seconds.
const maxAttempts = 6

// File makes what a bootstrap file declares exist, all of it or nothing. Each item is applied once, ever:
// it is made, or it is there already and left as it is. Whatever becomes of it later, the same item is not looked at
// again. An item whose owner was deleted since the file declared it is skipped, until its owner is there again or the
// file names another. Several nodes may apply a file at the same time. Operators only.
//
// The error is a *bootstrap.Error if the file is at fault: an item breaks the rules that callers of the API are held
// to, or one that is yet to be applied refers to something that neither the file nor the database has, or declares an
// id that is in use.
func File(ctx context.Context, c *core.Core, actor authz.Actor, file *bootstrap.File) (Result, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return Result{}, err
	}
	hashes, err := hashPasswords(ctx, c, file)
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := core.Change(ctx, c, actor, core.NoOrganization, func(tx store.Tx) (Result, error) {
			b := bootstrapping{core: c, tx: tx, file: file, hashes: hashes, now: c.Clock(), declared: map[bootstrapItem]string{}}
			err := b.run()
			return b.result, err
		})
		if err == nil || attempt == maxAttempts || !overtaken(err) {
			return result, err
		}
	}
}

// overtaken reports whether an attempt failed because someone else changed what it had looked at, or kept it
// waiting for too long. The next attempt sees what they stored, and locks what they made.
func overtaken(err error) bool {
	code := domain.CodeOf(err)
	return code == domain.Invalid || code == domain.Unavailable || errors.Is(err, db.ErrForeignKey) ||
		errors.Is(err, store.ErrLockOrder)
}

// hashPasswords returns the hashes of the passwords of users yet to be applied, by their email addresses. It
// takes long, and would hold up every other write inside the transaction.
func hashPasswords(ctx context.Context, c *core.Core, file *bootstrap.File) (map[string]string, error) {
	users, err := core.View(ctx, c, authz.OperatorActor(), core.NoOrganization, func(tx store.Tx) (users []*bootstrap.User,
		err error) {
		for _, u := range file.Users {
			applied, err := tx.BootstrapItemApplied(userItem, domain.EmailKey(u.Email))
			if err != nil {
				return nil, err
			}
			if !applied {
				users = append(users, u)
			}
		}
		return users, nil
	})
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, u := range users {
		if u.Password == "" {
			continue
		}
		hashes[u.Email], err = domain.HashPassword(u.Password)
		if err != nil && domain.CodeOf(err) != domain.Invalid { // which the rules find too
			return nil, err
		}
	}
	return hashes, nil
}

// bootstrapping is one attempt to apply a file, in one transaction. It goes on after faults, so that all are found.
type bootstrapping struct {
	core   *core.Core
	tx     store.Tx
	file   *bootstrap.File
	hashes map[string]string // of the users' passwords, by email address
	now    time.Time

	declared      map[bootstrapItem]string // the paths of all items so far
	organizations []newOrganization
	registries    []string // the paths of those that were made with their clusters
	result        Result

	broken domain.Faults // rules that the item at hand breaks
	// what the item at hand lacks, although the file declares it: it was deleted, or not made for a fault
	missing []bootstrap.Fault
	lacking []bootstrap.Fault // faults only if there are no others, which may be the reason
	faults  []bootstrap.Fault
}

// bootstrapItem is what an item is recognised by.
type bootstrapItem struct{ kind, key string }

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

// bootstrapKeyLimit is in bytes. The key of a good item is shorter, and PostgreSQL refuses to index much more.
const bootstrapKeyLimit = 2500

// newBootstrapItem returns the item with those names. No two items have the same key.
func newBootstrapItem(kind string, names ...string) bootstrapItem {
	if len(names) == 1 {
		return bootstrapItem{kind, names[0]}
	}
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = keyEscapes.Replace(name)
	}
	return bootstrapItem{kind, strings.Join(escaped, "/")}
}

var keyEscapes = strings.NewReplacer("%", "%25", "/", "%2F")

// errRefused is the error of an item that cannot be applied. The reason is recorded already.
var errRefused = errors.New("the item cannot be applied")

// run applies what the file declares: what is referred to first.
func (b *bootstrapping) run() error {
	err := runSteps(
		b.lockOwners,
		func() error { return each(b.file.Users, b.applyUser) },
		func() error { return each(b.file.Organizations, b.applyOrganization) },
		func() error { return each(b.organizations, b.setBillingParent) },
		func() error { return each(b.file.Organizations, b.applyBelongings) },
		func() error { return each(b.organizations, b.setDefaultCluster) },
		func() error { return each(b.file.Tokens, b.applyToken) },
		b.lockUsage,
		func() error { return each(b.file.Activity, b.applyActivity) },
	)
	if err != nil {
		return err
	}
	faults := b.faults
	if len(faults) == 0 {
		faults = b.lacking
	}
	if len(faults) > 0 {
		return &bootstrap.Error{File: b.file.Name, Faults: faults}
	}
	return nil
}

// runSteps takes steps until one fails.
func runSteps(steps ...func() error) error {
	return each(steps, func(step func() error) error { return step() })
}

// each calls fn with every item until it fails otherwise than with errRefused.
func each[T any](items []T, fn func(T) error) error {
	for _, item := range items {
		if err := fn(item); err != nil && !errors.Is(err, errRefused) {
			return err
		}
	}
	return nil
}

// item applies one declared item unless that was done before, or it breaks rules. The function given to it reports
// whether it made something, rather than found it there.
func (b *bootstrapping) item(path string, item bootstrapItem, apply func() (made bool, err error)) error {
	if !b.declare(path, item) {
		return nil
	}
	first, err := b.tx.ClaimBootstrapItem(item.kind, item.key, b.now)
	if err != nil || !first {
		return err
	}
	made, err := apply()
	switch {
	case errors.Is(err, errRefused):
		b.result.Skipped = append(b.result.Skipped, b.missing...)
		b.missing = nil
		return b.tx.UnclaimBootstrapItem(item.kind, item.key)
	case err != nil:
		at := b.file.Fault(path, "")
		return fmt.Errorf("%s:%d: %s: %w", b.file.Name, at.Line, at.Path, err)
	case made:
		b.result.Applied++
	default:
		b.result.Existing++
	}
	return nil
}

// bootstrapKeys are the keys of the fields for which the file has other names.
var bootstrapKeys = map[string]string{"plan": "subscription.plan", "billing_anchor": "subscription.anchor"}

// declare records that the file declares an item, and reports whether it may.
func (b *bootstrapping) declare(path string, item bootstrapItem) bool {
	before := len(b.faults)
	for _, f := range b.broken {
		b.fault(strings.TrimSuffix(path+"."+cmp.Or(bootstrapKeys[f.Field], f.Field), "."), f.Reason)
	}
	b.broken = nil
	earlier, exists := b.declared[item]
	switch {
	case !exists:
		b.declared[item] = path
	case item.kind != activityItem:
		b.fault(path, fmt.Sprintf("is already declared on line %d", b.file.Fault(earlier, "").Line))
	}
	if len(item.key) > bootstrapKeyLimit {
		b.fault(path, "has names that are too long")
	}
	return len(b.faults) == before
}

// fault records that what stands at path is wrong.
func (b *bootstrapping) fault(path, reason string) {
	b.faults = append(b.faults, b.file.Fault(path, reason))
}

// expect records that what the file names at path was not found.
func (b *bootstrapping) expect(found bool, err error, path, kind string, names ...string) error {
	if err != nil || found {
		return err
	}
	reason := fmt.Sprintf("there is no %s %q", kind, names[0])
	if len(names) > 1 {
		reason = fmt.Sprintf("organization %q has no %s %q", names[0], kind, names[1])
	}
	if _, declared := b.declared[newBootstrapItem(kind, names...)]; declared {
		b.missing = append(b.missing, b.file.Fault(path, reason))
	} else {
		b.fault(path, reason)
	}
	return errRefused
}

// together returns the first error other than errRefused, or else that if it is among errs.
func together(errs ...error) (refused error) {
	for _, err := range errs {
		if err != nil && !errors.Is(err, errRefused) {
			return err
		}
		refused = cmp.Or(refused, err)
	}
	return refused
}

// need makes it a fault that something is missing which the file declares: without it the item would be another.
func (b *bootstrapping) need(err error) error {
	b.lacking, b.missing = append(b.lacking, b.missing...), nil
	return err
}

// chooseID sets id to the one that an item declares, if it declares one.
func chooseID[T ~string](id *T, declared string, faults *domain.Faults) {
	if declared == "" {
		return
	}
	var ok bool
	if *id, ok = domain.ParseID[T](declared); !ok {
		faults.Add("id", "ID must be a UUID")
	}
}

// insert stores the item at path unless its id is in use.
func (b *bootstrapping) insert(path string, id any, insert func() error) error {
	taken, err := b.tx.IDTaken(id)
	if err != nil {
		return err
	}
	if taken {
		b.fault(path+".id", "is already used")
		return errRefused
	}
	return insert()
}

// record stores the event of an item that was made in an organization.
func (b *bootstrapping) record(organization domain.OrganizationID, event domain.AuditEventType,
	subject domain.AuditSubject, facts any) error {
	return b.core.Record(b.tx, core.OperatorIn(organization), event, subject, nil, facts)
}

// The functions below return what the file names at path.

func (b *bootstrapping) user(path, email string) (domain.User, error) {
	user, found, err := b.tx.UserByEmail(email)
	return user, b.expect(found, err, path, userItem, domain.EmailKey(email))
}

func (b *bootstrapping) organization(path, slug string) (domain.OrganizationID, error) {
	o, found, err := b.tx.OrganizationBySlug(slug)
	return o.ID, b.expect(found, err, path, organizationItem, slug)
}

func (b *bootstrapping) member(path, organization, email string) (domain.UserID, error) {
	user, found, err := b.tx.MemberByEmail(organization, email)
	return user.ID, b.expect(found, err, path, memberItem, organization, domain.EmailKey(email))
}

func (b *bootstrapping) team(path, organization, slug string) (domain.TeamID, error) {
	id, found, err := b.tx.TeamIDBySlug(organization, slug)
	return id, b.expect(found, err, path, teamItem, organization, slug)
}

// cluster prevents others from changing it.
func (b *bootstrapping) cluster(path, organization, name string) (cluster domain.Cluster, err error) {
	id, found, err := b.tx.ClusterIDByName(organization, name)
	if err == nil && found {
		cluster, found, err = b.tx.LockCluster(id)
	}
	return cluster, b.expect(found, err, path, clusterItem, organization, name)
}
