// Package read is the part of the service that reads for GraphQL and for pages: snapshots of the database in which is
// only what the caller may see, with lists of any shape. It imports internal/service/core, and what that imports.
package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Snapshot is one state of the database, seen with an actor's eyes: what they may not see is not there. Its methods
// take many things at once and cost one statement. It is good only inside the function that received it.
type Snapshot struct {
	core     *core.Core
	ctx      context.Context // of the request, for transactions of their own
	tx       store.Tx
	actor    authz.Actor
	caller   authz.Identity                          // in no organization
	accessed map[domain.OrganizationID]*Organization // that were looked for; nil: the caller may not use it
	managing map[domain.OrganizationID]bool          // whether the caller manages a pipeline there, where that was asked
	// suspended are the organizations that the caller has access to and may not use; nil: not known yet.
	suspended *[]domain.OrganizationID
	expected  []func() error // what is read together with whatever is asked for next
	envs      int            // of how many jobs the environment was read
	figures   int            // of how many pipelines the figures were read
}

// Organization is an organization that the caller may use, with what they are there.
type Organization struct {
	domain.Organization
	identity authz.Identity
	counts   *domain.OrganizationCounts // nil: not known yet
}

// Administered reports whether the caller may see and change the organization's settings.
func (o *Organization) Administered() bool {
	return o.may(authz.SeeOrganizationSettings, authz.Facts{})
}

func (o *Organization) may(action authz.Action, on authz.Facts) bool {
	return authz.Check(&o.identity, action, on) == nil
}

// Reader reads for the surfaces that show many things at once: GraphQL and pages.
type Reader struct {
	core   *core.Core
	places chan struct{} // one for each Snapshot
}

// New returns a Reader. Its snapshots take at most half of the connections: what one needs besides its own, to record
// activity and to count usage, is always to be had.
func New(c *core.Core) *Reader {
	return &Reader{core: c, places: make(chan struct{}, max(1, c.Store.Readers()/2))}
}

// Places returns how many snapshots there can be at once.
func (r *Reader) Places() int { return cap(r.places) }

// Limit is what a snapshot may read at most. To look at all of a list, in order to count or to search it, is worth five
// statements.
type Limit struct {
	Statements int
	Bytes      int64
}

// Snapshot runs fn with what actor may see.
//
// Returns Unauthenticated, and Forbidden if actor's token does not have the scope for GraphQL.
func (r *Reader) Snapshot(ctx context.Context, actor authz.Actor, fn func(*Snapshot) error) error {
	return r.snapshot(ctx, actor, nil, fn)
}

// LimitedSnapshot is Snapshot for what callers compose: what they ask for over the limit fails as TooLarge.
func (r *Reader) LimitedSnapshot(ctx context.Context, actor authz.Actor, limit Limit, fn func(*Snapshot) error) error {
	return r.snapshot(ctx, actor, &store.Limit{
		Statements: limit.Statements,
		Bytes:      limit.Bytes,
		OverStatements: domain.NewError(domain.TooLarge,
			fmt.Sprintf("Query needs more than %d reads of the database, which is the limit. "+
				"A count and a search are worth five. Ask for less at once", limit.Statements)),
		OverBytes: domain.NewError(domain.TooLarge, fmt.Sprintf("Query reads more than %d MiB, which is the limit. Ask for "+
			"less at once", limit.Bytes>>20)),
	}, fn)
}

func (r *Reader) snapshot(ctx context.Context, actor authz.Actor, limit *store.Limit, fn func(*Snapshot) error) error {
	leave, err := core.AcquireTurn(ctx, r.places)
	if err != nil {
		return err
	}
	defer leave()
	return r.core.Store.Read(ctx, func(tx store.Tx) error {
		if limit != nil {
			tx.SetLimit(*limit)
		}
		caller, err := r.core.EnterAlone(tx, actor, authz.UseGraphQL)
		if err != nil {
			return err
		}
		return fn(&Snapshot{core: r.core, ctx: ctx, tx: tx, actor: actor, caller: caller,
			accessed: map[domain.OrganizationID]*Organization{}, managing: map[domain.OrganizationID]bool{}})
	})
}

// User returns who asks; nil for a portal that no user runs as themself.
func (r *Snapshot) User() *domain.User { return r.caller.Person() }

func (r *Snapshot) viewer() store.Viewer { return store.ViewerOf(&r.caller) }

// admit records that the caller has access to an organization, if they may use it from where they are. That they use it
// is stored first.
func (r *Snapshot) admit(m *domain.Membership) (*Organization, error) {
	o := &Organization{Organization: m.Organization, identity: r.caller}
	o.identity.Organization, o.identity.Role, o.identity.Granted = m.Organization, m.Role, true
	if r.core.Belongs(r.actor, &o.identity) {
		if err := core.NotifyEntry(r.ctx, m.ID); err != nil {
			return nil, err
		}
		if err := r.core.RecordActivity(r.ctx, &o.identity); err != nil {
			return nil, err
		}
	}
	if err := r.core.CheckIdentity(r.actor, &o.identity, true, authz.UseGraphQL); err != nil {
		o = nil
	}
	r.accessed[m.ID] = o
	return o, nil
}

// OrganizationBySlug returns an organization; nil if the caller may use none of that slug.
func (r *Snapshot) OrganizationBySlug(slug string) (*Organization, error) {
	if slug = core.LookupSlug(slug); slug == "" {
		return nil, nil
	}
	for _, o := range r.accessed {
		if o != nil && o.Slug == slug {
			return o, nil
		}
	}
	found, err := r.tx.AccessibleOrganization(r.actor.Credential, &r.caller, slug)
	if err != nil || found == nil {
		return nil, err
	}
	return r.admit(found)
}

// Organizations returns the organizations with these ids, nil for those that the caller may not use.
func (r *Snapshot) Organizations(ids []domain.OrganizationID) ([]*Organization, error) {
	var unknown []domain.OrganizationID
	for _, id := range ids {
		if _, known := r.accessed[id]; !known && id != "" {
			r.accessed[id] = nil // unless it is found
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		found, err := r.tx.OrganizationsByID(r.actor.Credential, &r.caller, unknown)
		if err != nil {
			return nil, err
		}
		for _, membership := range found {
			if _, err := r.admit(membership); err != nil {
				return nil, err
			}
		}
	}
	organizations := make([]*Organization, len(ids))
	for i, id := range ids {
		organizations[i] = r.accessed[id]
	}
	return organizations, nil
}

// AccessibleOrganizations returns the organizations that the caller may use, by name.
func (r *Snapshot) AccessibleOrganizations(part ConnectionPart) (*Connection[*domain.Membership], error) {
	suspended, err := r.suspendedOrganizations()
	if err != nil {
		return nil, err
	}
	list := store.AccessibleOrganizations(r.actor.Credential, &r.caller, suspended)
	return connectOne(r, list, cmp.Or(string(r.caller.Portal.ID), string(r.caller.User.ID)), part)
}

// suspendedOrganizations is the core's, which is asked once.
func (r *Snapshot) suspendedOrganizations() ([]domain.OrganizationID, error) {
	if r.suspended != nil {
		return *r.suspended, nil
	}
	suspended, err := r.core.SuspendedOrganizations(r.tx, r.actor, &r.caller)
	if err != nil {
		return nil, err
	}
	r.suspended = &suspended
	return suspended, nil
}

// Admitted returns the organizations that a part of AccessibleOrganizations names.
func (r *Snapshot) Admitted(memberships []*domain.Membership) ([]*Organization, error) {
	organizations := make([]*Organization, len(memberships))
	for i, m := range memberships {
		known, ok := r.accessed[m.ID]
		if !ok {
			var err error
			if known, err = r.admit(m); err != nil {
				return nil, err
			}
		}
		organizations[i] = known
	}
	return organizations, nil
}

// OrganizationCounts returns how many clusters and pipelines each organization has.
func (r *Snapshot) OrganizationCounts(organizations []*Organization) ([]domain.OrganizationCounts, error) {
	var unknown []domain.OrganizationID
	for _, o := range organizations {
		if o.counts == nil {
			unknown = append(unknown, o.ID)
		}
	}
	found, err := r.tx.OrganizationCounts(unknown...)
	if err != nil {
		return nil, err
	}
	counts := make([]domain.OrganizationCounts, len(organizations))
	for i, o := range organizations {
		if o.counts == nil {
			c := found[o.ID]
			o.counts = &c
		}
		counts[i] = *o.counts
	}
	return counts, nil
}

// usagePrice is how many statements it is worth to count an organization's users.
const usagePrice = 5

// ActiveUsers returns how many users each organization is billed for, as Usage does.
func (r *Snapshot) ActiveUsers(organizations []*Organization) ([]int64, []error) {
	users, errs := make([]int64, len(organizations)), make([]error, len(organizations))
	for i, o := range organizations {
		if errs[i] = authz.Check(&o.identity, authz.ReadUsage, authz.Facts{}); errs[i] != nil {
			continue
		}
		if errs[i] = r.tx.Charge(usagePrice); errs[i] != nil {
			continue
		}
		usage, err := r.core.CountUsage(r.ctx, o.ID)
		users[i], errs[i] = usage.ActiveUsers, err
	}
	return users, errs
}

// findVisible returns the things with these ids, in their order, nil for those that the caller does not see, or that
// are not in an organization that they may use.
func findVisible[T any, ID ~string](r *Snapshot, rows store.Rows[*T], ids []ID) ([]*T, error) {
	found, err := rows.Find(r.tx, r.viewer(), textsOf(distinct(ids)))
	if err != nil {
		return nil, err
	}
	owners := make([]domain.OrganizationID, len(found))
	for i, f := range found {
		owners[i] = f.Organization
	}
	organizations, err := r.Organizations(owners)
	if err != nil {
		return nil, err
	}
	perID := make(map[ID]*T, len(found))
	for i, f := range found {
		if organizations[i] != nil {
			perID[ID(f.ID)] = f.Thing
		}
	}
	return inOrder(ids, perID), nil
}

func textsOf[ID ~string](ids []ID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return texts
}

// distinct returns the ids, each once and without "".
func distinct[ID ~string](ids []ID) []ID {
	sorted := slices.Sorted(slices.Values(ids))
	sorted = slices.Compact(sorted)
	if len(sorted) > 0 && sorted[0] == "" {
		sorted = sorted[1:]
	}
	return sorted
}

func inOrder[T any, ID ~string](ids []ID, perID map[ID]*T) []*T {
	things := make([]*T, len(ids))
	for i, id := range ids {
		things[i] = perID[id]
	}
	return things
}
