ALTER TABLE pipelines ADD COLUMN description TEXT;
ALTER TABLE pipelines ADD COLUMN configuration TEXT NOT NULL DEFAULT '';
ALTER TABLE pipelines ADD COLUMN default_branch TEXT;
ALTER TABLE pipelines ADD COLUMN branch_configuration TEXT;
ALTER TABLE pipelines ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private';
ALTER TABLE pipelines ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE pipelines ADD COLUMN emoji TEXT;
ALTER TABLE pipelines ADD COLUMN color TEXT;
ALTER TABLE pipelines ADD COLUMN env TEXT NOT NULL DEFAULT '{}';
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds_filter TEXT;
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds_filter TEXT;
ALTER TABLE pipelines ADD COLUMN default_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN maximum_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN allow_rebuilds BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE pipelines ADD COLUMN archived_by TEXT REFERENCES users (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX pipelines_organization ON pipelines (organization_id, id);
CREATE INDEX pipelines_name ON pipelines (organization_id, name_key, id);
CREATE INDEX pipelines_creator ON pipelines (organization_id, created_by); -- who made one manages it

-- Which pipelines have which tags: those of pipelines.tags, to be found by.
CREATE TABLE pipeline_tags (
    pipeline_id TEXT NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    tag         TEXT NOT NULL,
    PRIMARY KEY (pipeline_id, tag)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Which teams have access to which pipelines.
CREATE TABLE team_pipelines (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id         TEXT NOT NULL,
    pipeline_id     TEXT NOT NULL,
    access_level    TEXT NOT NULL CHECK (access_level IN ('read_only', 'build_and_read', 'manage_build_and_read')),
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (team_id, pipeline_id),
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines (organization_id, id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX team_pipelines_pipeline ON team_pipelines (pipeline_id, team_id);

-- Who changed what. Names are kept as they were; nothing refers to what may be deleted later, not even to the organization, which is
-- never deleted and whose row every change would lock for that. An id begins with occurred_at, so
-- that its order is the order of the events, and every list of them is read from one of these keys. SQLite keeps the rows apart from
-- the key, for otherwise it would read all by the key, and look which of them are of a type.
CREATE TABLE audit_events (
    organization_id TEXT NOT NULL,
    id              TEXT NOT NULL,
    occurred_at     BIGINT NOT NULL,
    type            TEXT NOT NULL,
    actor_type      TEXT NOT NULL,
    actor_id        TEXT NOT NULL,
    actor_name      TEXT NOT NULL,
    subject_type    TEXT NOT NULL,
    subject_id      TEXT NOT NULL,
    subject_name    TEXT NOT NULL,
    context         TEXT NOT NULL,
    data            TEXT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_type ON audit_events (organization_id, type, id);
CREATE INDEX audit_events_actor ON audit_events (organization_id, actor_id, id);
CREATE INDEX audit_events_subject ON audit_events (organization_id, subject_id, id);
