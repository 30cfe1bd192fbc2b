-- Tables: notices notice_targets
-- What goes out: statuses of commits, webhooks, mails. A row is written in the transaction that causes it, and sent later.
CREATE TABLE notices (
    id              {{.Text}} PRIMARY KEY, -- orders the notices of a lane
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    kind            {{.Text}} NOT NULL,
    target          {{.Text}} NOT NULL, -- whom it goes to
    lane            {{.Text}} NOT NULL, -- those in one lane of a target are sent one after the other
    newest_only     BOOLEAN NOT NULL, -- a later one of the lane replaces it
    build_id        {{.Text}},
    summary         {{.Text}} NOT NULL, -- what it says, as people are shown it
    body            {{.Text}} NOT NULL, -- JSON
    created_at      BIGINT NOT NULL,
    state           {{.Text}} NOT NULL, -- new: nobody has looked at it yet; waiting, sent, failed, replaced
    due_at          BIGINT, -- when it is to be sent, while it waits; NULL: another one of its lane is before it
    tries           BIGINT NOT NULL,
    tried_at        BIGINT,
    answer          {{.Text}} NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX notices_new ON notices (target, id) WHERE state = 'new';
CREATE INDEX notices_due ON notices (target, due_at) WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX notices_lane ON notices (target, lane, id) WHERE state = 'waiting';
CREATE INDEX notices_organization ON notices (organization_id, id);
CREATE INDEX notices_over ON notices (created_at) WHERE state IN ('sent', 'failed', 'replaced');

-- Who has something to get. One server at a time sends to a target.
CREATE TABLE notice_targets (
    id          {{.Text}} PRIMARY KEY,
    due_at      BIGINT, -- when something is to be sent; NULL: nothing waits
    held_until  BIGINT NOT NULL, -- while it does not answer
    failures    BIGINT NOT NULL, -- in a row
    lease       {{.Text}} NOT NULL, -- who sends to it
    lease_until BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX notice_targets_due ON notice_targets (due_at) WHERE due_at IS NOT NULL;
