package store

import (
	"errors"
	"time"

	"penstock/internal/db"
)

// OIDCKey is a key that the identity of jobs is signed with.
type OIDCKey struct {
	ID         string
	Generation int64
	PublicKey  string // PKIX in base64
	Sealed     string // the private key, PKCS #8 in base64, encrypted
	CreatedAt  time.Time
	SignsFrom  time.Time
}

var oidcKeys = tableOf("oidc_keys", "ok", func(c *columns, k *OIDCKey) {
	mapText(c, "id", &k.ID)
	mapInt(c, "generation", &k.Generation)
	mapText(c, "public_key", &k.PublicKey)
	mapText(c, "sealed_private_key", &k.Sealed)
	mapTime(c, "created_at", &k.CreatedAt)
	mapTime(c, "signs_from", &k.SignsFrom)
})

// OIDCKeys returns all keys, the oldest first.
func (tx Tx) OIDCKeys() ([]OIDCKey, error) {
	return selectAll(tx, oidcKeys.read, `SELECT `+oidcKeys.columns+` FROM oidc_keys ok ORDER BY ok.generation`)
}

// InsertOIDCKey stores a new key. It reports whether it did: another server may have made the next one.
func (tx Tx) InsertOIDCKey(k OIDCKey) (bool, error) {
	err := oidcKeys.insert(tx.exec, k)
	if errors.Is(err, db.ErrUnique) {
		return false, nil
	}
	return err == nil, err
}

// DeleteOIDCKeysBefore deletes the keys of earlier generations.
func (tx Tx) DeleteOIDCKeysBefore(generation int64) error {
	return tx.exec(`DELETE FROM oidc_keys WHERE generation < $1`, generation)
}
