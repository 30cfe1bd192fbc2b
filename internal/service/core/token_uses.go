package core

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// tokenUse is a use of a token, or of a session, that is yet to be stored.
type tokenUse struct {
	address   netip.Addr
	at        time.Time
	first     time.Time // since uses were stored
	session   bool
	userAgent string // of a session
}

// tokenUseResolution is how exactly the last use of a token is recorded.
const tokenUseResolution = time.Minute

// recordTokenUse remembers that a token or session is being used, unless that was stored within the last minute.
func (c *Core) recordTokenUse(t domain.APIToken, use tokenUse) {
	if t.LastUsedAt != nil && use.at.Sub(*t.LastUsedAt) < tokenUseResolution {
		return
	}
	c.tokenUsesMutex.Lock()
	defer c.tokenUsesMutex.Unlock()
	use.first = use.at
	if pending, ok := c.tokenUses[t.ID]; ok {
		use.first = pending.first
	}
	c.tokenUses[t.ID] = use
}

// tokenUsesAtOnce is how many uses are stored in one transaction, so that other writes need not wait for all.
const tokenUsesAtOnce = 500

// StoreTokenUses stores when tokens and sessions were last used. What cannot be stored waits for the next time. Each
// use of a token is given to before, in the transaction that stores it, with the time of the first one since uses were
// stored.
func (c *Core) StoreTokenUses(ctx context.Context, before func(tx store.Tx, id domain.APITokenID,
	first time.Time) error) error {
	c.tokenUsesMutex.Lock()
	uses := c.tokenUses
	c.tokenUses = map[domain.APITokenID]tokenUse{}
	c.tokenUsesMutex.Unlock()
	// In one order, so that two nodes that store uses of the same tokens do not wait for each other forever.
	storeSome := func(some []domain.APITokenID) error {
		return c.Store.Write(ctx, func(tx store.Tx) error {
			for _, id := range some {
				if err := uses[id].store(tx, id, before); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(uses)), tokenUsesAtOnce) {
		err := storeSome(part)
		if err != nil && !IsUnavailable(err) {
			err = c.storeEach(ctx, part, storeSome)
		}
		if err != nil {
			c.restoreTokenUses(uses)
			return err
		}
		for _, id := range part {
			delete(uses, id)
		}
	}
	return nil
}

// storeEach stores each use alone, since some could not be stored together. One that cannot be stored is dropped: the
// token's next use is recorded again.
func (c *Core) storeEach(ctx context.Context, ids []domain.APITokenID,
	storeSome func([]domain.APITokenID) error) error {
	for i, id := range ids {
		err := storeSome(ids[i : i+1])
		if IsUnavailable(err) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			c.Drop(ctx, "store_token_uses", string(id), err)
		}
	}
	return nil
}

func (u tokenUse) store(tx store.Tx, id domain.APITokenID, before func(store.Tx, domain.APITokenID,
	time.Time) error) error {
	if u.session {
		return tx.TouchSession(domain.SessionID(id), u.address.String(), u.userAgent, u.at)
	}
	if err := before(tx, id, u.first); err != nil {
		return err
	}
	return tx.TouchToken(id, u.address.String(), u.at)
}

// restoreTokenUses puts back uses that could not be stored, below those that were recorded since.
func (c *Core) restoreTokenUses(uses map[domain.APITokenID]tokenUse) {
	c.tokenUsesMutex.Lock()
	defer c.tokenUsesMutex.Unlock()
	for id, use := range uses {
		if later, ok := c.tokenUses[id]; ok {
			later.first = use.first
			use = later
		}
		c.tokenUses[id] = use
	}
}
