package core

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Refusals before anything is looked at.
var (
	ErrUnauthenticated   = domain.NewError(domain.Unauthenticated, "Authentication required")
	ErrAddressNotAllowed = domain.NewError(domain.Forbidden, "Your IP address is not allowed")
)

// Enter establishes who the actor is in the organization with that slug, and that their token has the scope for the action.
func (c *Core) Enter(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, found, err := tx.Identity(actor.Credential, LookupSlug(organization))
	if err != nil {
		return id, err
	}
	return id, c.CheckIdentity(actor, &id, found, action)
}

// EnterAlone is Enter for requests that are about no organization.
func (c *Core) EnterAlone(tx store.Tx, actor authz.Actor, action authz.Action) (authz.Identity, error) {
	if actor.Credential.Kind == authz.PortalToken && action != authz.UseGraphQL {
		return authz.Identity{}, ErrUnauthenticated // outside its organization a portal is nobody
	}
	id, found, err := tx.Identity(actor.Credential, "")
	if err != nil {
		return id, err
	}
	if err := c.Authenticate(actor, &id, found); err != nil {
		return id, err
	}
	return id, authz.CheckScope(actor, &id, action)
}

// InOrganization is Enter for what depends on the identity alone: the actor may do the action.
func (c *Core) InOrganization(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, err := c.Enter(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	return id, authz.Check(&id, action, authz.Facts{})
}

// EnterCounted is InOrganization for a list of the organization's things, which needs to know how long it is.
func (c *Core) EnterCounted(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (store.CountedIdentity, error) {
	id, found, err := tx.CountedIdentity(actor.Credential, LookupSlug(organization))
	if err != nil {
		return id, err
	}
	if err := c.CheckIdentity(actor, &id.Identity, found, action); err != nil {
		return id, err
	}
	return id, authz.Check(&id.Identity, action, authz.Facts{})
}

// PermitInOrganization is InOrganization in a transaction of its own, for what must be known before a change begins.
func (c *Core) PermitInOrganization(ctx context.Context, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	return View(ctx, c, actor, organization, func(tx store.Tx) (authz.Identity, error) {
		return c.InOrganization(tx, actor, organization, action)
	})
}

// LockOrganization is InOrganization for changes: others cannot change the organization, or who its members are, until the
// transaction ends.
func (c *Core) LockOrganization(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, err := c.InOrganization(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	if err := tx.LockOrganization(id.Organization.ID); err != nil {
		return id, err
	}
	return c.InOrganization(tx, actor, organization, action) // as it is now
}

// InCluster is Enter for requests about a cluster or what belongs to it: the cluster exists, and the actor may do the action in it.
func (c *Core) InCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (store.InCluster, error) {
	in, found, err := tx.InCluster(actor.Credential, LookupSlug(ref.Organization), LookupID[domain.ClusterID](ref.ID))
	if err != nil {
		return in, err
	}
	return in, c.checkInCluster(actor, &in, found, action)
}

func (c *Core) checkInCluster(actor authz.Actor, in *store.InCluster, found bool, action authz.Action) error {
	if err := c.CheckIdentity(actor, &in.Identity, found, action); err != nil {
		return err
	}
	if in.Cluster.ID == "" {
		return domain.Missing("cluster")
	}
	in.Cluster.Maintained = in.Facts.Maintainer
	in.Cluster.Managed = authz.Check(&in.Identity, authz.SeeClusterManagement, in.Facts) == nil
	in.Cluster.Writable = authz.Check(&in.Identity, authz.UpdateCluster, in.Facts) == nil
	return authz.Check(&in.Identity, action, in.Facts)
}

// PermitInCluster is InCluster in a transaction of its own, for what must be known before a change begins. Most clusters have no
// maintainers: then it is a single statement, which needs no transaction around it.
func (c *Core) PermitInCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (in store.InCluster, err error) {
	if _, err := c.Admit(ctx, actor, ref.Organization); err != nil {
		return in, err
	}
	var found bool
	err = c.Store.ReadStatement(ctx, func(tx store.Tx) error {
		in, found, err = tx.InClusterRow(actor.Credential, LookupSlug(ref.Organization), LookupID[domain.ClusterID](ref.ID))
		return err
	})
	if err != nil {
		return in, err
	}
	if !in.Cluster.HadMaintainers {
		return in, c.checkInCluster(actor, &in, found, action)
	}
	return View(ctx, c, actor, ref.Organization, func(tx store.Tx) (store.InCluster, error) {
		return c.InCluster(tx, actor, ref, action)
	})
}

// LockCluster is InCluster for changes: others cannot change the cluster until the transaction ends. Permission is decided twice:
// before the lock, so that nobody waits or makes others wait for what is not theirs, and after it, on what is true now. The second
// result is the cluster as it is now.
func (c *Core) LockCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (store.InCluster, domain.Cluster, error) {
	in, err := c.InCluster(tx, actor, ref, action)
	if err != nil {
		return in, domain.Cluster{}, err
	}
	cluster, found, err := tx.LockCluster(in.Cluster.ID)
	if err == nil && !found {
		err = domain.Missing("cluster")
	}
	if err != nil {
		return in, cluster, err
	}
	in, err = c.InCluster(tx, actor, ref, action)
	return in, cluster, err
}

// InPipeline is Enter for requests about a pipeline: it exists, and the actor may do the action.
func (c *Core) InPipeline(tx store.Tx, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (store.InPipeline, error) {
	in, found, err := tx.InPipeline(actor.Credential, LookupSlug(ref.Organization), LookupSlug(ref.Slug), ref.ID)
	if err != nil {
		return in, err
	}
	if err := c.CheckIdentity(actor, &in.Identity, found, action); err != nil {
		return in, err
	}
	if in.Pipeline.ID == "" {
		return in, domain.Missing("pipeline")
	}
	return in, authz.Check(&in.Identity, action, in.Facts)
}

// PermitInPipeline is InPipeline in a transaction of its own, for what must be known before a change begins.
func (c *Core) PermitInPipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (store.InPipeline, error) {
	return View(ctx, c, actor, ref.Organization, func(tx store.Tx) (store.InPipeline, error) {
		return c.InPipeline(tx, actor, ref, action)
	})
}

// LockPipeline is InPipeline for changes: others cannot change the pipeline until the transaction ends.
func (c *Core) LockPipeline(tx store.Tx, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (store.InPipeline, error) {
	in, err := c.InPipeline(tx, actor, ref, action)
	if err != nil {
		return in, err
	}
	if err := tx.LockPipeline(in.Pipeline.ID); err != nil {
		return in, err
	}
	return c.InPipeline(tx, actor, ref, action) // as it is now
}

// CheckIdentity returns why an identity that was read, or not found, may not enter its organization for an action: it is not
// proved, belongs to another organization, comes from the wrong place, or lacks the scope.
func (c *Core) CheckIdentity(actor authz.Actor, id *authz.Identity, found bool, action authz.Action) error {
	if err := c.Authenticate(actor, id, found); err != nil {
		return err
	}
	if !c.Belongs(actor, id) {
		id.Organization = domain.Organization{}
		return domain.Missing("organization")
	}
	if !addressAllowed(actor, id.Organization.Settings) {
		return ErrAddressNotAllowed
	}
	if !c.activity.isRecordedLately(id, c.Now()) {
		return errNotAdmitted
	}
	return authz.CheckScope(actor, id, action)
}

// Belongs reports whether the identity is a member of its organization, and its credential good for it.
func (c *Core) Belongs(actor authz.Actor, id *authz.Identity) bool {
	return id.Organization.ID != "" && id.Role != "" && id.Granted && !c.UnusedTooLong(actor, id.Token, id.Organization.Settings)
}

// UnusedTooLong reports whether the actor's token was not used for as long as an organization lets its tokens be idle.
func (c *Core) UnusedTooLong(actor authz.Actor, t domain.APIToken, settings domain.OrganizationSettings) bool {
	return actor.Credential.Kind == authz.APIToken && t.UnusedFor(settings.RevokeInactiveTokensAfterDays, c.Now())
}

// addressAllowed reports whether an organization may be used from where the actor is.
func addressAllowed(actor authz.Actor, settings domain.OrganizationSettings) bool {
	return actor.Surface == authz.Web || domain.AddressAllowed(settings.AllowedAPIIPAddresses, actor.Address)
}

// Authenticate returns Unauthenticated unless the identity was found and its credential is live, and ErrAddressNotAllowed if the
// credential may not be used from where the actor is.
func (c *Core) Authenticate(actor authz.Actor, id *authz.Identity, found bool) error {
	now := c.Now()
	if actor.Credential.Hash == "" || !found || !id.Token.Live(now) {
		return ErrUnauthenticated
	}
	if !domain.AddressAllowed(id.Token.AllowedIPAddresses, actor.Address) {
		return ErrAddressNotAllowed
	}
	if actor.Credential.Kind == authz.APIToken {
		c.noteTokenUse(id.Token, actor.Address, now)
	}
	return nil
}

// SuspendedOrganizations returns the organizations that the caller has access to, but may not use: not from where they are, or not
// with a token that was not used for so long.
func (c *Core) SuspendedOrganizations(tx store.Tx, actor authz.Actor, caller *authz.Identity) (suspended []domain.OrganizationID, err error) {
	restricted, err := tx.OrganizationsWithRestrictions(actor.Credential, caller)
	for _, membership := range restricted {
		settings := membership.Settings
		if c.UnusedTooLong(actor, caller.Token, settings) || !addressAllowed(actor, settings) {
			suspended = append(suspended, membership.ID)
		}
	}
	return suspended, err
}

// LookupSlug returns slug if it can be one, otherwise "", which no thing has.
func LookupSlug(slug string) string {
	if !domain.ValidSlug(slug) {
		return ""
	}
	return slug
}

// LookupID returns the canonical form of an id, or "", which no thing has.
func LookupID[T ~string](id string) T {
	parsed, _ := domain.ParseID[T](id)
	return parsed
}
