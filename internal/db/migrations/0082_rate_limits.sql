-- Tables:
-- How many requests the host takes, as it said last, as JSON; null: it did not say.
ALTER TABLE repository_connections ADD COLUMN rate_limit {{.Text}} NOT NULL DEFAULT 'null';
