package service

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Refusals before anything is looked at.
var (
	ErrUnauthenticated = domain.NewError(domain.Unauthenticated, "Authentication required")
	errAddress         = domain.NewError(domain.Forbidden, "Your IP address is not allowed")
)

// enter establishes who the actor is in the organization with that slug, and that their token has the
// scope for the action.
func (s *Service) enter(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, found, err := tx.Identity(actor.Credential, lookupSlug(organization))
	if err != nil {
		return id, err
	}
	return id, s.admit(actor, &id, found, action)
}

// enterAlone is enter for requests that are about no organization.
func (s *Service) enterAlone(tx store.Tx, actor authz.Actor, action authz.Action) (authz.Identity, error) {
	if actor.Credential.Kind == authz.PortalToken && action != authz.UseGraphQL {
		return authz.Identity{}, ErrUnauthenticated // outside its organization a portal is nobody
	}
	id, found, err := tx.Identity(actor.Credential, "")
	if err != nil {
		return id, err
	}
	if err := s.authenticate(actor, &id, found); err != nil {
		return id, err
	}
	if err := identified(actor, &id); err != nil {
		return id, err
	}
	return id, authz.CheckScope(actor, &id, action)
}

// inOrganization is enter for what depends on the identity alone: the actor may do the action.
func (s *Service) inOrganization(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, err := s.enter(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	return id, authz.Check(&id, action, authz.Facts{})
}

// lockOrganization is inOrganization for changes: others cannot change the organization, or who its members are, until the
// transaction ends.
func (s *Service) lockOrganization(tx store.Tx, actor authz.Actor, organization string, action authz.Action) (authz.Identity, error) {
	id, err := s.inOrganization(tx, actor, organization, action)
	if err != nil {
		return id, err
	}
	if err := tx.LockOrganization(id.Organization.ID); err != nil {
		return id, err
	}
	return s.inOrganization(tx, actor, organization, action) // as it is now
}

// inCluster is enter for requests about a cluster or what belongs to it: the cluster exists, and the
// actor may do the action in it.
func (s *Service) inCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (store.InCluster, error) {
	in, found, err := tx.InCluster(actor.Credential, lookupSlug(ref.Organization), lookupID[domain.ClusterID](ref.ID))
	if err != nil {
		return in, err
	}
	return in, s.admitToCluster(actor, &in, found, action)
}

// permitInCluster is inCluster in a transaction of its own, for what must be known before a change begins.
func (s *Service) permitInCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, action authz.Action) (in store.InCluster, err error) {
	err = s.store.ReadOne(ctx, func(tx store.Tx) error {
		in, err = s.inCluster(tx, actor, ref, action)
		return err
	})
	return in, err
}

func (s *Service) admitToCluster(actor authz.Actor, in *store.InCluster, found bool, action authz.Action) error {
	if err := s.admit(actor, &in.Identity, found, action); err != nil {
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

func (s *Service) admit(actor authz.Actor, id *authz.Identity, found bool, action authz.Action) error {
	if err := s.authenticate(actor, id, found); err != nil {
		return err
	}
	if id.Organization.ID == "" || id.Role == "" || !id.Granted || s.unused(actor, id.Token, id.Organization.Settings) {
		id.Organization = domain.Organization{} // a stranger's request does not count as one of its
		if err := identified(actor, id); err != nil {
			return err
		}
		return domain.Missing("organization")
	}
	if err := s.requireRecorded(id); err != nil {
		return err
	}
	if !addressAllowed(actor, id.Organization.Settings) {
		return errAddress
	}
	if err := identified(actor, id); err != nil {
		return err
	}
	return authz.CheckScope(actor, id, action)
}

// unused reports whether the actor's token was not used for as long as an organization lets its tokens be idle.
func (s *Service) unused(actor authz.Actor, t domain.APIToken, settings domain.OrganizationSettings) bool {
	return actor.Credential.Kind == authz.APIToken && t.UnusedFor(settings.RevokeInactiveTokensAfterDays, s.now())
}

// addressAllowed reports whether an organization may be used from where the actor is.
func addressAllowed(actor authz.Actor, settings domain.OrganizationSettings) bool {
	return actor.Surface == authz.Web || domain.AddressAllowed(settings.AllowedAPIIPAddresses, actor.Address)
}

func (s *Service) authenticate(actor authz.Actor, id *authz.Identity, found bool) error {
	now := s.now()
	if actor.Credential.Hash == "" || !found || !id.Token.Live(now) {
		return ErrUnauthenticated
	}
	if !domain.AddressAllowed(id.Token.AllowedIPAddresses, actor.Address) {
		return errAddress
	}
	if actor.Credential.Kind == authz.APIToken {
		s.noteUse(id.Token, actor.Address, now)
	}
	return nil
}

func identified(actor authz.Actor, id *authz.Identity) error {
	if actor.Identified == nil {
		return nil
	}
	return actor.Identified(id)
}

// lookupSlug returns slug if it can be one, so that nothing else reaches the database.
func lookupSlug(slug string) string {
	if !domain.ValidSlug(slug) {
		return ""
	}
	return slug
}

// lookupID returns the canonical form of an id, or "", which no thing has.
func lookupID[T ~string](id string) T {
	parsed, _ := domain.ParseID[T](id)
	return parsed
}

// tokenUse is a use of a token that is yet to be stored.
type tokenUse struct {
	address netip.Addr
	at      time.Time
	first   time.Time // since uses were stored
}

// useResolution is how exactly the last use of a token is recorded.
const useResolution = time.Minute

// noteUse remembers that a token is being used, unless that was stored within the last minute.
func (s *Service) noteUse(t domain.APIToken, address netip.Addr, now time.Time) {
	if t.LastUsedAt != nil && now.Sub(*t.LastUsedAt) < useResolution {
		return
	}
	s.usedMutex.Lock()
	defer s.usedMutex.Unlock()
	first := now
	if pending, ok := s.used[t.ID]; ok {
		first = pending.first
	}
	s.used[t.ID] = tokenUse{address, now, first}
}

// usesAtOnce is how many uses are stored in one transaction, so that other writes need not wait for all.
const usesAtOnce = 500

// StoreTokenUses stores when the tokens were last used. What cannot be stored is kept for the next time. Operators only.
func (s *Service) StoreTokenUses(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	s.usedMutex.Lock()
	used := s.used
	s.used = map[domain.APITokenID]tokenUse{}
	s.usedMutex.Unlock()
	// In one order, so that two nodes that store uses of the same tokens do not wait for each other for ever.
	for part := range slices.Chunk(slices.Sorted(maps.Keys(used)), usesAtOnce) {
		err := s.store.Write(ctx, func(tx store.Tx) error {
			for _, id := range part {
				if err := s.revokeUnusedGrants(tx, id, used[id].first); err != nil {
					return err
				}
				if err := tx.TouchToken(id, used[id].address.String(), used[id].at); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.keepUses(used)
			return err
		}
		for _, id := range part {
			delete(used, id)
		}
	}
	return nil
}

// keepUses puts back uses that could not be stored, below those that were noted since.
func (s *Service) keepUses(used map[domain.APITokenID]tokenUse) {
	s.usedMutex.Lock()
	defer s.usedMutex.Unlock()
	for id, use := range used {
		if later, ok := s.used[id]; ok {
			use.address, use.at = later.address, later.at
		}
		s.used[id] = use
	}
}

// CheckGraphQL returns Unauthenticated, or Forbidden if actor's token does not have the scope for GraphQL.
func (s *Service) CheckGraphQL(ctx context.Context, actor authz.Actor) error {
	return s.store.ReadOne(ctx, func(tx store.Tx) error {
		_, err := s.enterAlone(tx, actor, authz.UseGraphQL)
		return err
	})
}

// User returns the user that the actor acts as.
func (s *Service) User(ctx context.Context, actor authz.Actor) (user domain.User, err error) {
	err = s.store.ReadOne(ctx, func(tx store.Tx) error {
		id, err := s.enterAlone(tx, actor, authz.ReadUser)
		user = id.User
		return err
	})
	return user, err
}

// AccessToken returns the actor's own token and its user.
func (s *Service) AccessToken(ctx context.Context, actor authz.Actor) (token domain.APIToken, user domain.User, err error) {
	err = s.store.ReadOne(ctx, func(tx store.Tx) error {
		id, err := s.enterAlone(tx, actor, authz.ReadAccessToken)
		token, user = id.Token, id.User
		return err
	})
	return token, user, err
}

// RevokeAccessToken revokes the actor's own token.
func (s *Service) RevokeAccessToken(ctx context.Context, actor authz.Actor, expected Precondition[authz.Identity]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		id, err := s.enterAlone(tx, actor, authz.RevokeAccessToken)
		if err != nil {
			return err
		}
		if err := expected.check(id); err != nil {
			return err
		}
		live, err := tx.RevokeToken(id.Token.ID, s.clock())
		if err == nil && !live {
			err = ErrUnauthenticated // it was revoked at this very moment
		}
		if err != nil {
			return err
		}
		return s.recordRevocation(tx, by(actor, &id), id.Token, id.User.ID)
	})
}

// Organizations returns a page of the organizations that the actor's token reaches from where they are, or that a signed-in user
// belongs to, by name.
func (s *Service) Organizations(ctx context.Context, actor authz.Actor, page domain.Page) (domain.Paged[domain.Organization], error) {
	return view(ctx, s, func(tx store.Tx) (domain.Paged[domain.Organization], error) {
		id, err := s.enterAlone(tx, actor, authz.ReadOrganization)
		if err != nil {
			return domain.Paged[domain.Organization]{}, err
		}
		if actor.Credential.Kind == authz.Session {
			return tx.OrganizationsOfUser(id.User.ID, page)
		}
		barred, err := s.barredOrganizations(tx, actor, &id)
		if err != nil {
			return domain.Paged[domain.Organization]{}, err
		}
		return tx.OrganizationsOf(id.Token.ID, barred, page)
	})
}

// barredOrganizations returns the organizations that the caller was let into, but may not use: not from where they are, or not
// with a token that was not used for so long.
func (s *Service) barredOrganizations(tx store.Tx, actor authz.Actor, caller *authz.Identity) (barred []domain.OrganizationID, err error) {
	choosy, err := store.Choosy(tx, actor.Credential, caller)
	for _, reached := range choosy {
		settings := reached.Organization.Settings
		if s.unused(actor, caller.Token, settings) || !addressAllowed(actor, settings) {
			barred = append(barred, reached.Organization.ID)
		}
	}
	return barred, err
}

// Organization returns the organization with that slug.
func (s *Service) Organization(ctx context.Context, actor authz.Actor, slug string) (organization domain.OrganizationView, err error) {
	err = s.store.ReadOne(ctx, func(tx store.Tx) error {
		id, err := s.enter(tx, actor, slug, authz.ReadOrganization)
		organization = organizationView(&id)
		return err
	})
	return organization, err
}
