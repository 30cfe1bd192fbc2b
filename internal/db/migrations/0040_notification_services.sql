-- Tables: notification_services
-- Whom organizations tell how their builds go.
CREATE TABLE notification_services (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    provider        {{.Text}} NOT NULL,
    description     {{.Text}} NOT NULL,
    enabled         BOOLEAN NOT NULL,
    scope           {{.Text}} NOT NULL,
    scope_ids       {{.Text}} NOT NULL, -- a JSON list of the UUIDs of pipelines, teams or clusters
    branches        {{.Text}} NOT NULL, -- patterns; empty: all
    build_states    {{.Text}} NOT NULL, -- a JSON list
    settings        {{.Text}} NOT NULL, -- JSON, without secrets
    sealed_value    {{.Text}} NOT NULL, -- the secrets among the settings, encrypted: begins with the id of the key
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX notification_services_organization ON notification_services (organization_id, id);
CREATE INDEX notification_services_created_by ON notification_services (created_by) WHERE created_by IS NOT NULL;
