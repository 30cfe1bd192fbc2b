-- Tables: cluster_secrets
-- Values that jobs of a cluster can ask for. They are encrypted with a key that is not in the database.
CREATE TABLE cluster_secrets (
    id           {{.Text}} PRIMARY KEY,
    cluster_id   {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    key          {{.Text}} NOT NULL,
    description  {{.Text}},
    policy       {{.Text}}, -- YAML; NULL: every job of the cluster may read it
    sealed_value {{.Text}} NOT NULL, -- begins with the id of the key that it is encrypted with
    created_at   BIGINT NOT NULL,
    created_by   {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at   BIGINT NOT NULL,
    updated_by   {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    last_read_at BIGINT
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX cluster_secrets_key ON cluster_secrets (cluster_id, key);
CREATE INDEX cluster_secrets_created_by ON cluster_secrets (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX cluster_secrets_updated_by ON cluster_secrets (updated_by) WHERE updated_by IS NOT NULL;
