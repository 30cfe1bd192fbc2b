-- Tables: nodes
-- The servers that store heartbeats, until they are stopped. Since is when the present period began in which a server could store them
-- without a break: nobody is lost before that is long enough.
CREATE TABLE nodes (
    id      {{.Text}} PRIMARY KEY,
    since   BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
-- Which server heard an agent last. NULL: one of a release that did not say.
ALTER TABLE agent_heartbeats ADD COLUMN node_id {{.Text}};
