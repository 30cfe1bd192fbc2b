-- Tables: pipeline_templates
-- Definitions that pipelines follow.
CREATE TABLE pipeline_templates (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name            {{.Text}} NOT NULL,
    name_key        {{.Text}} NOT NULL,
    description     {{.Text}},
    configuration   {{.Text}} NOT NULL,
    steps           {{.Text}} NOT NULL, -- what is shown of the configuration, a JSON list
    available       BOOLEAN NOT NULL, -- to all members
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at      BIGINT NOT NULL,
    updated_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipeline_templates_name ON pipeline_templates (organization_id, name_key, id);
CREATE INDEX pipeline_templates_created ON pipeline_templates (organization_id, created_at, id);
CREATE INDEX pipeline_templates_created_by ON pipeline_templates (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX pipeline_templates_updated_by ON pipeline_templates (updated_by) WHERE updated_by IS NOT NULL;

-- The template that a pipeline follows: its configuration and steps are copies of the template's.
ALTER TABLE pipelines ADD COLUMN template_id {{.Text}} REFERENCES pipeline_templates (id);
CREATE INDEX pipelines_template ON pipelines (template_id) WHERE template_id IS NOT NULL;
