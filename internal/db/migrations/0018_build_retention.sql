-- Tables:
-- For how many days finished builds are kept. NULL is for ever.
ALTER TABLE organizations ADD COLUMN build_retention_days BIGINT;
CREATE INDEX builds_finished ON builds (organization_id, finished_at) WHERE finished_at IS NOT NULL;
