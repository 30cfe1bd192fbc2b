-- Tables:
-- What administrators choose for API access tokens and for new pipelines. NULL is for none.
ALTER TABLE organizations ADD COLUMN restrict_user_api_token_creation BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE organizations ADD COLUMN default_branch {{.Text}};
ALTER TABLE organizations ADD COLUMN default_timeout_in_minutes BIGINT;
ALTER TABLE organizations ADD COLUMN maximum_timeout_in_minutes BIGINT;
ALTER TABLE organizations ADD COLUMN scheduled_job_expiry_in_minutes BIGINT;
-- Since when members may make public pipelines, and who let them.
ALTER TABLE organizations ADD COLUMN public_pipelines_enabled_at BIGINT;
ALTER TABLE organizations ADD COLUMN public_pipelines_enabled_by {{.Text}} REFERENCES users (id) ON DELETE SET NULL;
UPDATE organizations SET public_pipelines_enabled_at = created_at; -- until now every member could make them
CREATE INDEX organizations_public_pipelines_enabled_by ON organizations (public_pipelines_enabled_by) WHERE public_pipelines_enabled_by IS NOT NULL;
