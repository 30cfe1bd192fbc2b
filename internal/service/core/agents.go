package core

import (
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
)

var (
	errNoDefaultCluster = domain.InvalidError("The organization has no default cluster: set one, or use an agent token " +
		"of a cluster")
	errAddress = domain.NewError(domain.Forbidden, "Your IP address is not allowed to use this agent token")
)

// RegistrationToken returns the agent token that the actor has.
func (c *Core) RegistrationToken(tx store.Tx, actor authz.Actor) (store.RegistrationToken, error) {
	token, found, err := tx.RegistrationToken(actor.Credential.Hash)
	if err != nil {
		return token, err
	}
	expired, err := hasPassed(tx, token.Token.ExpiresAt)
	switch {
	case err != nil:
		return token, err
	case !found || expired:
		return token, ErrUnauthenticatedProgram
	case !allows(token.Token.AllowedIPAddresses, actor):
		c.recordBlocked(blockedUse{token: token.Token.ID, organization: token.OrganizationID, cluster: token.Token.ClusterID,
			address: actor.Address.String()})
		return token, errAddress
	case token.Token.ClusterID == "":
		return token, errNoDefaultCluster
	}
	return token, nil
}

func allows(list *string, actor authz.Actor) bool {
	return list == nil || domain.AddressAllowed(*list, actor.Address)
}

// AgentSession returns the agent whose session's token the actor has. A pause that has ended is left out.
func (c *Core) AgentSession(tx store.Tx, actor authz.Actor) (store.AgentSession, error) {
	session, found, err := tx.AgentSession(actor.Credential.Hash)
	if err != nil {
		return session, err
	}
	return c.checkSession(tx, session, found, actor)
}

func (c *Core) checkSession(tx store.Tx, session store.AgentSession, found bool, actor authz.Actor) (
	store.AgentSession, error) {
	now, err := ClockFor(tx, &session)
	if err != nil {
		return session, err
	}
	err = CheckSession(&session, found, actor, now)
	if errors.Is(err, errAddress) {
		c.recordBlocked(blockedUse{agent: session.Agent, organization: session.Organization, cluster: session.Cluster,
			address: actor.Address.String()})
	}
	return session, err
}

// ClockFor returns the database's clock if it matters to a session: its token expires, its agent was lost, or is paused
// for some time.
func ClockFor(tx store.Tx, session *store.AgentSession) (now time.Time, err error) {
	if session.TokenExpiresAt != nil || session.LostAt != nil || session.PausedAt != nil && session.PausedTimeout != nil {
		now, err = tx.Now()
	}
	return now, err
}

// CheckSession returns why a session is not good for the caller, and leaves out a pause that has ended.
func CheckSession(session *store.AgentSession, found bool, actor authz.Actor, now time.Time) error {
	paused := domain.Agent{PausedAt: session.PausedAt, PausedTimeout: session.PausedTimeout}
	if !paused.IsPaused(now) {
		session.PausedAt = nil
	}
	switch {
	case !found || !session.HasToken || session.TokenExpiresAt != nil && !now.Before(*session.TokenExpiresAt):
		return ErrUnauthenticatedProgram
	case session.State == flow.AgentLost && session.LostAt != nil && now.Sub(*session.LostAt) > domain.LostAgentReturns:
		return ErrUnauthenticatedProgram
	case !allows(session.AllowedAddresses, actor):
		return errAddress
	}
	return nil
}
