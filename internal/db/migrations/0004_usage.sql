-- Tables: activity_days usage_users usage_counts usage_locks usage_state
-- On which (UTC) days a user used an organization. Kept when the user or the member goes: it is paid for.
CREATE TABLE activity_days (
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    day             {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    PRIMARY KEY (organization_id, day, user_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Who was active in a period, in an organization or in one that is billed with it. A period is a calendar month or a billing
-- period, by its first day. It follows from activity_days, and is kept so that usage_counts can be counted up. It refers to no
-- table: an organization can have millions of rows, which are written at once when its children change.
CREATE TABLE usage_users (
    organization_id {{.Text}} NOT NULL,
    period          {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    PRIMARY KEY (organization_id, period, user_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- How many rows usage_users has for a period.
CREATE TABLE usage_counts (
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    period          {{.Text}} NOT NULL,
    users           BIGINT NOT NULL,
    PRIMARY KEY (organization_id, period)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Whoever counts an organization's activity, or changes what it counts in, locks its row.
CREATE TABLE usage_locks (
    organization_id {{.Text}} PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- One row: since when days of activity are kept, empty for always. Whoever changes how organizations are billed locks it.
CREATE TABLE usage_state (
    id         BIGINT PRIMARY KEY CHECK (id = 1),
    kept_since {{.Text}} NOT NULL
);

CREATE INDEX organizations_billing_parent ON organizations (billing_parent_id);
