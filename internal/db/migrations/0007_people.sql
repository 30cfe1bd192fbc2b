-- Tables: invitations invitation_teams invitation_links invitation_mails
-- Since when a user may not use the installation; NULL for those who may.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;
-- Nobody vouches for the e-mail address: the user was made by an invitation whose link did not come by mail.
ALTER TABLE users ADD COLUMN email_unproved BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE organization_members ADD COLUMN sso_mode {{.Text}} NOT NULL DEFAULT 'optional';

-- Who is invited to an organization. It waits for an answer while it is neither accepted nor revoked, until expires_at.
CREATE TABLE invitations (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email           {{.Text}} NOT NULL,
    email_key       {{.Text}} NOT NULL,
    role            {{.Text}} NOT NULL CHECK (role IN ('admin', 'member')),
    sso_mode        {{.Text}} NOT NULL CHECK (sso_mode IN ('required', 'optional')),
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    expires_at      BIGINT NOT NULL,
    accepted_at     BIGINT,
    accepted_by     {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    revoked_at      BIGINT,
    revoked_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (organization_id, id)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX invitations_created ON invitations (organization_id, created_at, id);
CREATE INDEX invitations_email ON invitations (organization_id, email_key, id);
CREATE INDEX invitations_creator ON invitations (created_by, organization_id);

-- The teams that an invitation leads to.
CREATE TABLE invitation_teams (
    id              {{.Text}} PRIMARY KEY,
    invitation_id   {{.Text}} NOT NULL,
    organization_id {{.Text}} NOT NULL,
    team_id         {{.Text}} NOT NULL,
    role            {{.Text}} NOT NULL CHECK (role IN ('maintainer', 'member')),
    UNIQUE (invitation_id, team_id),
    FOREIGN KEY (organization_id, invitation_id) REFERENCES invitations (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX invitation_teams_invitation ON invitation_teams (organization_id, invitation_id);
CREATE INDEX invitation_teams_team ON invitation_teams (organization_id, team_id);

-- The links by which an invitation can be accepted: the one that its maker was shown, and those that were mailed.
CREATE TABLE invitation_links (
    hash          {{.Text}} PRIMARY KEY,
    invitation_id {{.Text}} NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
    mailed        BOOLEAN NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX invitation_links_invitation ON invitation_links (invitation_id);

-- The invitations that are yet to be mailed. What is mailed is made when it is sent: a link's value is never stored.
CREATE TABLE invitation_mails (
    invitation_id {{.Text}} PRIMARY KEY REFERENCES invitations (id) ON DELETE CASCADE,
    attempts      BIGINT NOT NULL,
    next_at       BIGINT, -- NULL: no more attempts are made
    error         {{.Text}} -- of the last attempt
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX invitation_mails_next ON invitation_mails (next_at);
