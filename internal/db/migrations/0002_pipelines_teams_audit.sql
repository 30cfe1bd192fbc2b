-- Tables: pipeline_tags team_pipelines audit_events
ALTER TABLE pipelines ADD COLUMN description {{.Text}};
ALTER TABLE pipelines ADD COLUMN configuration {{.Text}} NOT NULL DEFAULT '';
ALTER TABLE pipelines ADD COLUMN default_branch {{.Text}};
ALTER TABLE pipelines ADD COLUMN branch_configuration {{.Text}};
ALTER TABLE pipelines ADD COLUMN visibility {{.Text}} NOT NULL DEFAULT 'private';
ALTER TABLE pipelines ADD COLUMN tags {{.Text}} NOT NULL DEFAULT '[]';
ALTER TABLE pipelines ADD COLUMN emoji {{.Text}};
ALTER TABLE pipelines ADD COLUMN color {{.Text}};
ALTER TABLE pipelines ADD COLUMN env {{.Text}} NOT NULL DEFAULT '{}';
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds_filter {{.Text}};
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds_filter {{.Text}};
ALTER TABLE pipelines ADD COLUMN default_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN maximum_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN allow_rebuilds BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE pipelines ADD COLUMN archived_by {{.Text}} REFERENCES users (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX pipelines_organization ON pipelines (organization_id, id);
CREATE INDEX pipelines_name ON pipelines (organization_id, name_key, id);
CREATE INDEX pipelines_creator ON pipelines (organization_id, created_by); -- who made one manages it

-- Which pipelines have which tags: those of pipelines.tags, to be found by.
CREATE TABLE pipeline_tags (
    pipeline_id {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    tag         {{.Text}} NOT NULL,
    PRIMARY KEY (pipeline_id, tag)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Which teams have access to which pipelines.
CREATE TABLE team_pipelines (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL,
    team_id         {{.Text}} NOT NULL,
    pipeline_id     {{.Text}} NOT NULL,
    access_level    {{.Text}} NOT NULL CHECK (access_level IN ('read_only', 'build_and_read', 'manage_build_and_read')),
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
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
    organization_id {{.Text}} NOT NULL,
    id              {{.Text}} NOT NULL,
    occurred_at     BIGINT NOT NULL,
    type            {{.Text}} NOT NULL,
    actor_type      {{.Text}} NOT NULL,
    actor_id        {{.Text}} NOT NULL,
    actor_name      {{.Text}} NOT NULL,
    subject_type    {{.Text}} NOT NULL,
    subject_id      {{.Text}} NOT NULL,
    subject_name    {{.Text}} NOT NULL,
    context         {{.Text}} NOT NULL,
    data            {{.Text}} NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_type ON audit_events (organization_id, type, id);
CREATE INDEX audit_events_actor ON audit_events (organization_id, actor_id, id);
CREATE INDEX audit_events_subject ON audit_events (organization_id, subject_id, id);
