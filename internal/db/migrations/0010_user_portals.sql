-- Tables: portal_token_codes
-- Members may run the portal as themselves.
ALTER TABLE portals ADD COLUMN user_invokable BOOLEAN NOT NULL DEFAULT FALSE;

-- Whose rights the token has; NULL for the portal's own.
ALTER TABLE portal_tokens ADD COLUMN user_id {{.Text}} REFERENCES users (id) ON DELETE CASCADE;
CREATE INDEX portal_tokens_user ON portal_tokens (user_id);

-- Codes that a user has authorized, until a token of that user is made with one.
CREATE TABLE portal_token_codes (
    code       {{.Text}} PRIMARY KEY,
    portal_id  {{.Text}} NOT NULL REFERENCES portals (id) ON DELETE CASCADE,
    user_id    {{.Text}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX portal_token_codes_portal ON portal_token_codes (portal_id);
CREATE INDEX portal_token_codes_user ON portal_token_codes (user_id);
CREATE INDEX portal_token_codes_expiry ON portal_token_codes (expires_at);
