-- Tables:
-- How many builds a build has triggered, those that these triggered among them. Only that of the first one is counted.
ALTER TABLE builds ADD COLUMN builds_triggered BIGINT NOT NULL DEFAULT 0;
