-- Tables: unclustered_tokens organization_banners
-- Agent tokens of an organization that are of no cluster: agents register with them into its default cluster.
CREATE TABLE unclustered_tokens (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    hash            {{.Text}} NOT NULL UNIQUE,
    description     {{.Text}},
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    revoked_at      BIGINT,
    revoked_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    revoked_reason  {{.Text}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX unclustered_tokens_organization ON unclustered_tokens (organization_id, created_at, id);
CREATE INDEX unclustered_tokens_created_by ON unclustered_tokens (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX unclustered_tokens_revoked_by ON unclustered_tokens (revoked_by) WHERE revoked_by IS NOT NULL;

-- The unclustered token with which an agent registered.
ALTER TABLE agents ADD COLUMN unclustered_token_id {{.Text}} REFERENCES unclustered_tokens (id) ON DELETE SET NULL;
CREATE INDEX agents_unclustered_token ON agents (unclustered_token_id) WHERE unclustered_token_id IS NOT NULL;

-- What an organization says on top of its pages.
CREATE TABLE organization_banners (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL UNIQUE REFERENCES organizations (id) ON DELETE CASCADE,
    message         {{.Text}} NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
