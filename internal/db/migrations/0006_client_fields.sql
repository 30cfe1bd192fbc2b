-- Tables:
-- What clients set of teams, and read again.
ALTER TABLE teams ADD COLUMN members_can_create_suites BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE teams ADD COLUMN members_can_create_registries BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE teams ADD COLUMN members_can_destroy_registries BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE teams ADD COLUMN members_can_destroy_packages BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE pipelines ADD COLUMN steps {{.Text}} NOT NULL DEFAULT ''; -- a JSON list; empty: it is made of the configuration whenever it is read
ALTER TABLE pipelines ADD COLUMN provider_settings {{.Text}} NOT NULL DEFAULT '{}';
ALTER TABLE pipelines ADD COLUMN clone_mirror_url {{.Text}};

-- Who knows a badge's token sees the badge, who knows a webhook's can deliver to it. Pipelines of before get theirs here, and on
-- PostgreSQL those that a server of the previous release still makes.
{{if .SQLite}}
ALTER TABLE pipelines ADD COLUMN badge_token {{.Text}} NOT NULL DEFAULT '';
ALTER TABLE pipelines ADD COLUMN webhook_token {{.Text}} NOT NULL DEFAULT '';
UPDATE pipelines SET badge_token = lower(hex(randomblob(32))), webhook_token = lower(hex(randomblob(32)));
{{else}}
ALTER TABLE pipelines ADD COLUMN badge_token {{.Text}} NOT NULL DEFAULT replace(gen_random_uuid()::varchar || gen_random_uuid()::varchar, '-', '');
ALTER TABLE pipelines ADD COLUMN webhook_token {{.Text}} NOT NULL DEFAULT replace(gen_random_uuid()::varchar || gen_random_uuid()::varchar, '-', '');
{{end}}
CREATE UNIQUE INDEX pipelines_badge_token ON pipelines (badge_token) WHERE badge_token <> '';
CREATE UNIQUE INDEX pipelines_webhook_token ON pipelines (webhook_token) WHERE webhook_token <> '';

-- A macOS version that was left to the server is chosen once, and kept.
UPDATE cluster_queues SET macos_version = 'SEQUOIA' WHERE macos_version IS NULL AND instance_shape LIKE 'MACOS%';
