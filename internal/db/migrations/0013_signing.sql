-- Tables: signing_keys blob_deletions
-- What addresses are signed with that need no other credential. A new one is made every day, and an old one is of no use for long.
CREATE TABLE signing_keys (
    id         {{.Text}} PRIMARY KEY,
    secret     {{.Text}} NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Objects beside the database that nothing in it needs any more, until they are deleted.
CREATE TABLE blob_deletions (
    key    {{.Text}} PRIMARY KEY,
    due_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX blob_deletions_due ON blob_deletions (due_at);
