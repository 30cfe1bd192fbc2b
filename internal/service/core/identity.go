package core

import (
	"cmp"
	"context"
	"errors"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Refusals before anything is looked at.
var (
	ErrUnauthenticated   = domain.NewError(domain.Unauthenticated, "Authentication required")
	ErrAddressNotAllowed = domain.NewError(domain.Forbidden, "Your IP address is not allowed")
)

// Enter establishes who the actor is in an organization, and that their token has the scope for the action.
func (c *Core) Enter(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef, action authz.Action) (
	authz.Identity, error) {
	id, found, err := tx.Identity(actor.Credential, LookupOrganization(organization))
	if err != nil {
		return id, err
	}
	return id, c.checkIdentityIn(actor, organization, &id, found, action)
}

// EnterAlone is Enter for requests that are about no organization.
func (c *Core) EnterAlone(tx store.Tx, actor authz.Actor, action authz.Action) (authz.Identity, error) {
	if actor.Credential.Kind == authz.PortalToken && action != authz.UseGraphQL {
		return authz.Identity{}, ErrUnauthenticated // outside its organization a portal is nobody
	}
	id, found, err := tx.Identity(actor.Credential, NoOrganization)
	if err != nil {
		return id, err
	}
	if err := c.Authenticate(actor, &id, found); err != nil {
		return id, err
	}
	return id, authz.CheckScope(actor, &id, action)
}

// InOrganization is Enter for what depends on the identity alone: the actor may do the action.
func (c *Core) InOrganization(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action) (authz.Identity, error) {
	id, err := c.Enter(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	return id, authz.Check(&id, action, authz.Facts{})
}

// EnterCounted is InOrganization for a list of the organization's things, which needs to know how long it is.
func (c *Core) EnterCounted(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef, action authz.Action) (
	store.CountedIdentity, error) {
	id, found, err := tx.CountedIdentity(actor.Credential, LookupOrganization(organization))
	if err != nil {
		return id, err
	}
	if err := c.checkIdentityIn(actor, organization, &id.Identity, found, action); err != nil {
		return id, err
	}
	return id, authz.Check(&id.Identity, action, authz.Facts{})
}

// PermitInOrganization is InOrganization by itself, for what must be known before a change begins.
func (c *Core) PermitInOrganization(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action) (authz.Identity, error) {
	return ViewStatement(ctx, c, actor, organization, func(tx store.Tx) (authz.Identity, error) {
		return c.InOrganization(tx, actor, organization, action)
	})
}

// LockOrganization is InOrganization for changes: others cannot change the organization, or who its members are, until
// the transaction ends.
func (c *Core) LockOrganization(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action) (authz.Identity, error) {
	id, err := c.InOrganization(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	if err := tx.LockOrganization(id.Organization.ID); err != nil {
		return id, err
	}
	return c.InOrganization(tx, actor, organization, action) // as it is now
}

// InCluster is Enter for requests about a cluster or what belongs to it: the cluster exists, and the actor may do the
// action in it.
func (c *Core) InCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (
	store.InCluster, error) {
	in, found, err := tx.InCluster(actor.Credential, lookupCluster(ref))
	if err != nil {
		return in, err
	}
	return in, c.checkInCluster(actor, ref, &in, found, action)
}

func (c *Core) checkInCluster(actor authz.Actor, ref domain.ClusterRef, in *store.InCluster, found bool,
	action authz.Action) error {
	if err := c.checkIdentityIn(actor, ref.Organization, &in.Identity, found, action); err != nil {
		return err
	}
	if in.Cluster.ID == "" || hidesThing(in, ref.Of) {
		return MissingThing(ref.Of, domain.ClusterThing)
	}
	in.Cluster.Maintained = in.Facts.Maintainer
	in.Cluster.Managed = authz.Check(&in.Identity, authz.SeeClusterManagement, in.Facts) == nil
	in.Cluster.Writable = authz.Check(&in.Identity, authz.UpdateCluster, in.Facts) == nil
	return authz.Check(&in.Identity, action, in.Facts)
}

func lookupCluster(ref domain.ClusterRef) domain.ClusterRef {
	ref.Organization, ref.ID = LookupOrganization(ref.Organization), LookupID[string](ref.ID)
	return ref
}

// hidesThing reports whether the caller does not see a thing that was named by its id alone, although they see its
// cluster.
func hidesThing(in *store.InCluster, thing domain.ThingRef) bool {
	switch thing.Kind {
	case domain.AgentTokenThing:
		return authz.Check(&in.Identity, authz.ReadAgentToken, in.Facts) != nil
	case domain.CacheRegistryThing:
		return authz.Check(&in.Identity, authz.ReadCacheRegistry, in.Facts) != nil
	}
	return false
}

// PermitInCluster is InCluster in a transaction of its own, for what must be known before a change begins. Most
// clusters have no maintainers: then it is a single statement, which needs no transaction around it.
func (c *Core) PermitInCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (
	in store.InCluster, err error) {
	if _, err := c.Admit(ctx, actor, ref.Organization); err != nil {
		return in, err
	}
	var found bool
	err = c.Store.ReadStatement(ctx, func(tx store.Tx) error {
		in, found, err = tx.InClusterRow(actor.Credential, lookupCluster(ref))
		return err
	})
	if err != nil {
		return in, err
	}
	if !in.Cluster.HadMaintainers {
		return in, c.checkInCluster(actor, ref, &in, found, action)
	}
	return View(ctx, c, actor, ref.Organization, func(tx store.Tx) (store.InCluster, error) {
		return c.InCluster(tx, actor, ref, action)
	})
}

// LockCluster is InCluster for changes: others cannot change the cluster until the transaction ends. Permission is
// decided twice: before the lock, so that nobody waits or makes others wait for what is not theirs, and after it, on
// what is true now. The second result is the cluster as it is now.
func (c *Core) LockCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (
	store.InCluster, domain.Cluster, error) {
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
func (c *Core) InPipeline(tx store.Tx, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (
	store.InPipeline, error) {
	in, found, err := tx.InPipeline(actor.Credential, LookupOrganization(ref.Organization), LookupSlug(ref.Slug), ref.ID)
	if err != nil {
		return in, err
	}
	if err := c.checkIdentityIn(actor, ref.Organization, &in.Identity, found, action); err != nil {
		return in, err
	}
	if in.Pipeline.ID == "" {
		return in, domain.Missing("pipeline")
	}
	in.Pipeline.Writable = MayWritePipeline(actor, &in.Identity, in.Facts)
	return in, authz.Check(&in.Identity, action, in.Facts)
}

// MayWritePipeline reports whether the actor may change a pipeline.
func MayWritePipeline(actor authz.Actor, id *authz.Identity, facts authz.Facts) bool {
	return authz.CheckScope(actor, id, authz.WritePipeline) == nil && authz.Check(id, authz.WritePipeline, facts) == nil
}

// PermitInPipeline is InPipeline in a transaction of its own, for what must be known before a change begins.
func (c *Core) PermitInPipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (
	store.InPipeline, error) {
	return View(ctx, c, actor, ref.Organization, func(tx store.Tx) (store.InPipeline, error) {
		return c.InPipeline(tx, actor, ref, action)
	})
}

// LockPipeline is InPipeline for changes: others cannot change the pipeline until the transaction ends.
func (c *Core) LockPipeline(tx store.Tx, actor authz.Actor, ref domain.PipelineRef, action authz.Action) (
	store.InPipeline, error) {
	in, err := c.InPipeline(tx, actor, ref, action)
	if err != nil {
		return in, err
	}
	if err := tx.LockPipeline(in.Pipeline.ID); err != nil {
		return in, err
	}
	ref.ID = in.Pipeline.ID                     // another pipeline may have its slug by now
	return c.InPipeline(tx, actor, ref, action) // as it is now
}

// InTeam is Enter for requests about a team or what belongs to it: the team exists, and the actor may see it. A team
// that they may not see does not exist for them.
func (c *Core) InTeam(tx store.Tx, actor authz.Actor, ref domain.TeamRef, action authz.Action) (store.InTeam, error) {
	ref.Organization, ref.ID = LookupOrganization(ref.Organization), LookupID[string](ref.ID)
	in, found, err := tx.InTeam(actor.Credential, ref)
	if err != nil {
		return in, err
	}
	if err := c.checkIdentityIn(actor, ref.Organization, &in.Identity, found, action); err != nil {
		return in, err
	}
	if in.Team.ID == "" || authz.Check(&in.Identity, authz.ReadTeam, in.Facts) != nil {
		return in, MissingThing(ref.Of, domain.TeamThing)
	}
	return in, nil
}

// MissingThing returns that the thing is not found, or, if none was named by its id alone, one of the other kind.
func MissingThing(thing domain.ThingRef, otherwise domain.ThingKind) error {
	return domain.Missing(string(cmp.Or(thing.Kind, otherwise)))
}

// checkIdentityIn is CheckIdentity for an organization that is named so. If it is named by a thing's id, those who may
// not use the organization get the answer that there is no such thing.
func (c *Core) checkIdentityIn(actor authz.Actor, organization domain.OrganizationRef, id *authz.Identity, found bool,
	action authz.Action) error {
	err := c.CheckIdentity(actor, id, found, action)
	if organization.Of.Kind != "" && (errors.Is(err, ErrAddressNotAllowed) || domain.CodeOf(err) == domain.NotFound) {
		return MissingThing(organization.Of, domain.OrganizationThing)
	}
	return err
}

// CheckIdentity returns why an identity that was read, or not found, may not enter its organization for an action: it
// is not proved, belongs to another organization, comes from the wrong place, or lacks the scope.
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
	return id.Organization.ID != "" && id.Role != "" && id.Granted && !c.UnusedTooLong(actor, id.Token,
		id.Organization.Settings)
}

// UnusedTooLong reports whether the actor's token was not used for as long as an organization lets its tokens be idle.
func (c *Core) UnusedTooLong(actor authz.Actor, t domain.APIToken, settings domain.OrganizationSettings) bool {
	return actor.Credential.Kind == authz.APIToken && t.UnusedFor(settings.RevokeInactiveTokensAfterDays, c.Now())
}

// addressAllowed reports whether an organization may be used from where the actor is.
func addressAllowed(actor authz.Actor, settings domain.OrganizationSettings) bool {
	return actor.Surface == authz.Web || domain.AddressAllowed(settings.AllowedAPIIPAddresses, actor.Address)
}

// Authenticate returns Unauthenticated unless the identity was found, its user is not disabled and its credential is
// live, and ErrAddressNotAllowed if the credential may not be used from where the actor is.
func (c *Core) Authenticate(actor authz.Actor, id *authz.Identity, found bool) error {
	now := c.Now()
	if actor.Credential.Hash == "" || !found || id.Disabled || !id.Token.Live(now) {
		return ErrUnauthenticated
	}
	if !domain.AddressAllowed(id.Token.AllowedIPAddresses, actor.Address) {
		return ErrAddressNotAllowed
	}
	if kind := actor.Credential.Kind; kind == authz.APIToken || kind == authz.Session {
		c.recordTokenUse(id.Token, tokenUse{address: actor.Address, at: now, session: kind == authz.Session,
			userAgent: domain.CutUserAgent(actor.UserAgent)})
	}
	return nil
}

// SuspendedOrganizations returns the organizations that the caller has access to, but may not use: not from where they
// are, or not with a token that was not used for so long.
func (c *Core) SuspendedOrganizations(tx store.Tx, actor authz.Actor, caller *authz.Identity) (
	suspended []domain.OrganizationID, err error) {
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

// LookupOrganization returns the reference without a slug that cannot be one.
func LookupOrganization(ref domain.OrganizationRef) domain.OrganizationRef {
	ref.Slug = LookupSlug(ref.Slug)
	return ref
}

// LookupID returns the canonical form of an id, or "", which no thing has.
func LookupID[T ~string](id string) T {
	parsed, _ := domain.ParseID[T](id)
	return parsed
}
