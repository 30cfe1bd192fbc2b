-- Tables:
-- When and from where a signed-in browser was last seen. NULL is not since it signed in.
ALTER TABLE user_sessions ADD COLUMN last_seen_at BIGINT;
ALTER TABLE user_sessions ADD COLUMN last_seen_address {{.Text}};
ALTER TABLE user_sessions ADD COLUMN last_seen_user_agent {{.Text}};
