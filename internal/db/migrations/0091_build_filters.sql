-- Tables:
-- An organization's builds by what people filter them by, so that an answer takes as long with a million builds.
CREATE INDEX builds_organization_state ON builds (organization_id, state, created_at, id);
CREATE INDEX builds_organization_branch ON builds (organization_id, branch, created_at, id);
CREATE INDEX builds_organization_creator ON builds (organization_id, creator_id, created_at, id);
CREATE INDEX build_meta_data_pair ON build_meta_data (substr(key || ':' || value, 1, 200), build_id);
