-- Tables: idempotency_keys
-- What came of requests that their callers may send again: the hash of the caller's token and the key, the hash of the request, and
-- the outcome, without secrets.
CREATE TABLE idempotency_keys (
    id {{.Text}} PRIMARY KEY,
    request {{.Text}} NOT NULL,
    outcome {{.Bytes}} NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
