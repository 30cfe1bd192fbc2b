-- Tables: saved_views
-- Choices of builds that members have named, each for themselves.
CREATE TABLE saved_views (
    organization_id {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    name            {{.Text}} NOT NULL,
    query           {{.Text}} NOT NULL, -- of the address that shows it
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (organization_id, user_id, name),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
