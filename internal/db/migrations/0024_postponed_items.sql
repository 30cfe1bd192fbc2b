-- Tables: postponed_items
-- What a loop could not do, and when it tries again. The loops leave these items out until then. An item that failed too many times is set
-- aside: it is due when an operator releases it.
CREATE TABLE postponed_items (
    kind         {{.Text}} NOT NULL,
    item_id      {{.Text}} NOT NULL,
    attempts     BIGINT NOT NULL,
    due_at       BIGINT NOT NULL,
    failed_at    BIGINT NOT NULL, -- for the first time
    last_error   {{.Text}} NOT NULL,
    set_aside_at BIGINT,
    PRIMARY KEY (kind, item_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};
