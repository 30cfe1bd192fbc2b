-- Tables: pipeline_schedules scheduled_builds
-- When builds of a pipeline are to be created.
CREATE TABLE pipeline_schedules (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    pipeline_id     {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    label           {{.Text}} NOT NULL,
    cronline        {{.Text}} NOT NULL,
    message         {{.Text}},
    commit_sha      {{.Text}} NOT NULL,
    branch          {{.Text}}, -- NULL: the pipeline's default branch
    env             {{.Text}} NOT NULL, -- a JSON object
    enabled         BOOLEAN NOT NULL,
    next_build_at   BIGINT, -- NULL: none
    failed_message  {{.Text}}, -- why no build was created the last time
    failed_at       BIGINT,
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    owner_id        {{.Text}} REFERENCES users (id) ON DELETE SET NULL -- in whose name builds are created: who created or changed it last
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipeline_schedules_pipeline ON pipeline_schedules (pipeline_id, created_at, id);
CREATE INDEX pipeline_schedules_organization ON pipeline_schedules (organization_id);
CREATE INDEX pipeline_schedules_due ON pipeline_schedules (next_build_at) WHERE next_build_at IS NOT NULL;
CREATE INDEX pipeline_schedules_created_by ON pipeline_schedules (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX pipeline_schedules_owner ON pipeline_schedules (owner_id) WHERE owner_id IS NOT NULL;

-- Which builds a schedule has created.
CREATE TABLE scheduled_builds (
    build_id    {{.Text}} PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    schedule_id {{.Text}} NOT NULL REFERENCES pipeline_schedules (id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX scheduled_builds_schedule ON scheduled_builds (schedule_id, build_id);
