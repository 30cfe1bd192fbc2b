package store

import (
	"time"

	"penstock/internal/db"
)

// ClaimIdempotencyKey records that a request is carried out under a key, unless one was and has not expired. A
// transaction that claims the same key meanwhile waits for this one's end.
func (tx Tx) ClaimIdempotencyKey(id, request string, now, expires time.Time) (claimed bool, err error) {
	n, err := tx.Exec(`INSERT INTO idempotency_keys (id, request, outcome, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET request = excluded.request, outcome = excluded.outcome,
		expires_at = excluded.expires_at
		WHERE idempotency_keys.expires_at <= $5`, id, request, []byte{}, db.Micros(expires), db.Micros(now))
	return n > 0, err
}

// SetIdempotentOutcome stores what came of the request whose key the transaction has claimed.
func (tx Tx) SetIdempotentOutcome(id string, outcome []byte) error {
	return tx.Later(`UPDATE idempotency_keys SET outcome = $2 WHERE id = $1`, id, outcome)
}

// IdempotentOutcome returns the request that was carried out under a key, and what came of it.
func (tx Tx) IdempotentOutcome(id string) (request string, outcome []byte, err error) {
	_, err = tx.One(`SELECT request, outcome FROM idempotency_keys WHERE id = $1`,
		func(r *db.Row) { request, outcome = r.Text(), r.Bytes() }, id)
	return request, outcome, err
}

// PruneIdempotencyKeys deletes up to limit keys that have expired, and returns how many.
func (tx Tx) PruneIdempotencyKeys(now time.Time, limit int64) (int64, error) {
	return tx.Exec(
		`DELETE FROM idempotency_keys WHERE id IN (SELECT id FROM idempotency_keys WHERE expires_at <= $1 LIMIT $2)`,
		db.Micros(now), limit)
}
