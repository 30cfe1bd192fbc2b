package core

import (
	"penstock/internal/domain"
	"penstock/internal/store"
)

// RecordTokenCreation stores that an API access token was made, in each organization that it was granted.
func (c *Core) RecordTokenCreation(tx store.Tx, by Author, token domain.APIToken, user domain.UserID) error {
	return c.recordInGrants(tx, by, domain.APIAccessTokenCreated, token, nil, FactsOfAPIToken(token, user))
}

// RecordTokenRevocation stores that an API access token was revoked, in each organization that it was granted.
func (c *Core) RecordTokenRevocation(tx store.Tx, by Author, token domain.APIToken, user domain.UserID) error {
	return c.recordInGrants(tx, by, domain.APIAccessTokenDeleted, token, FactsOfAPIToken(token, user), nil)
}

func (c *Core) recordInGrants(tx store.Tx, by Author, event domain.AuditEventType, token domain.APIToken, before,
	after any) error {
	organizations, err := tx.GrantsOf(token.ID)
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		by.Organization = organization
		if err := c.Record(tx, by, event, APITokenSubject(token), before, after); err != nil {
			return err
		}
	}
	return nil
}
