package store

import "time"

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

// InsertOIDCKey stores a new key. It returns db.ErrUnique if another server has made the next one.
func (tx Tx) InsertOIDCKey(k OIDCKey) error { return oidcKeys.insert(tx.exec, k) }

// DeleteOIDCKeysBefore deletes the keys of earlier generations.
func (tx Tx) DeleteOIDCKeysBefore(generation int64) error {
	return tx.exec(`DELETE FROM oidc_keys WHERE generation < $1`, generation)
}
