package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/seal"
	"penstock/internal/store"
)

// ErrNoKey means that nothing can be encrypted here.
var ErrNoKey = domain.NewError(domain.Invalid, "This installation has no encryption key, so it can't keep secrets. "+
	"An operator gives every server the same one with --encryption-key-file.")

// CanSeal reports whether the installation has a key to encrypt with.
func (c *Core) CanSeal() bool { return c.keyring != nil }

// Seal encrypts a text, which can be opened only as what it is about.
//
// Returns Invalid if the installation has no key.
func (c *Core) Seal(text domain.Secret, about string) (string, error) {
	if c.keyring == nil {
		return "", ErrNoKey
	}
	return c.keyring.Seal(text.Reveal(), about), nil
}

// Open returns a text that was encrypted. If it cannot be, that is an error that callers are not shown.
func (c *Core) Open(sealed, about string) (domain.Secret, error) {
	text, err := c.keyring.Open(sealed, about)
	if err != nil {
		return "", fmt.Errorf("%s cannot be decrypted: %w", about, err)
	}
	return domain.Secret(text), nil
}

// SealingKeys returns the ids of the keys that anything is encrypted with.
func (c *Core) SealingKeys(ctx context.Context, actor authz.Actor) (ids []string, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	err = c.Store.Read(ctx, func(tx store.Tx) error {
		ids, err = tx.SealingKeys(seal.IDLength)
		return err
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Resealed is the result of encrypting everything again.
type Resealed struct {
	Texts   int // that are encrypted with the new key now
	Deleted int // that no key could open
}

// resealBatch is how many texts are encrypted again in one transaction.
const resealBatch = 100

// Reseal encrypts everything again with the ring's first key. What none of its keys opens is deleted if that is asked
// for; otherwise it is an error, and what comes after it is left as it is. Servers may run meanwhile that know both
// keys.
func (c *Core) Reseal(ctx context.Context, actor authz.Actor, deleteUnreadable bool) (done Resealed, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return done, err
	}
	if c.keyring == nil {
		return done, ErrNoKey
	}
	for more := true; more; {
		var batch Resealed
		err := c.Store.Write(ctx, func(tx store.Tx) (err error) {
			batch, err = c.resealSome(tx, deleteUnreadable)
			return err
		})
		if err != nil {
			return done, err
		}
		done.Texts, done.Deleted = done.Texts+batch.Texts, done.Deleted+batch.Deleted
		more = batch.Texts+batch.Deleted > 0
	}
	return done, nil
}

func (c *Core) resealSome(tx store.Tx, deleteUnreadable bool) (done Resealed, err error) {
	texts, err := tx.TextsSealedOtherwise(c.keyring.ID(), resealBatch)
	if err != nil {
		return done, err
	}
	for _, text := range texts {
		opened, err := c.Open(text.Text, text.About)
		switch {
		case err == nil:
			done.Texts++
			err = tx.Reseal(text, c.keyring.Seal(opened.Reveal(), text.About))
		case deleteUnreadable && (errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrDamaged)):
			done.Deleted++
			err = tx.DeleteSealed(text)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
