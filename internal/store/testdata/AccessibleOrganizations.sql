-- # AccessibleOrganizations of a portal

-- first
SELECT 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM portals cp JOIN organizations o ON o.id = cp.organization_id  WHERE cp.id = $1 ORDER BY o.name_key, o.id LIMIT 10;

-- first after a position, seen by a portal
SELECT 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM portals cp JOIN organizations o ON o.id = cp.organization_id  WHERE cp.id = $1 AND (o.name_key, o.id) > ($2, $3) ORDER BY o.name_key, o.id LIMIT 10;

-- last before a position
SELECT 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM portals cp JOIN organizations o ON o.id = cp.organization_id  WHERE cp.id = $1 AND (o.name_key, o.id) < ($2, $3) ORDER BY o.name_key DESC, o.id DESC LIMIT 10;

-- page
SELECT 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id = $1 AND TRUE
			ORDER BY o.name_key, o.id LIMIT 10 OFFSET $2) page
		CROSS JOIN portals cp JOIN organizations o ON o.id = cp.organization_id  WHERE o.id = id_ AND cp.id = $1 ORDER BY o.name_key, o.id;

-- page from the end
SELECT 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id = $1 AND TRUE
			ORDER BY o.name_key DESC, o.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN portals cp JOIN organizations o ON o.id = cp.organization_id  WHERE o.id = id_ AND cp.id = $1 ORDER BY o.name_key DESC, o.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY o.name_key, o.id) AS place_, 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM portals cp JOIN organizations o ON o.id = cp.organization_id 
			WHERE cp.id = parent_ AND TRUE ORDER BY o.name_key, o.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN portals cp JOIN organizations o ON o.id = cp.organization_id 
		WHERE +cp.id = parent_ AND o.id IN
			(SELECT o.id FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id = parent_ AND TRUE ORDER BY o.name_key, o.id LIMIT 10)
		ORDER BY parent_, o.name_key, o.id;

-- last of several parents, SQLite
SELECT parent_, 0, 'admin', o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN portals cp JOIN organizations o ON o.id = cp.organization_id 
		WHERE +cp.id = parent_ AND o.id IN
			(SELECT o.id FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id = parent_ AND TRUE ORDER BY o.name_key DESC, o.id DESC LIMIT 10)
		ORDER BY parent_, o.name_key DESC, o.id DESC;

-- count
SELECT cp.id, count(*) FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id IN ($1, $2) GROUP BY cp.id;

-- at a position or behind
SELECT 1 FROM portals cp JOIN organizations o ON o.id = cp.organization_id WHERE cp.id = $1 AND (o.name_key, o.id) >= ($2, $3) LIMIT 1;

-- # AccessibleOrganizations of a session

-- first
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id  WHERE m.user_id = $1 AND NOT o.id IN ($2) ORDER BY o.name_key, o.id LIMIT 10;

-- first after a position, seen by a portal
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id  WHERE m.user_id = $1 AND (o.name_key, o.id) > ($2, $3) AND NOT o.id IN ($4) ORDER BY o.name_key, o.id LIMIT 10;

-- last before a position
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id  WHERE m.user_id = $1 AND (o.name_key, o.id) < ($2, $3) AND NOT o.id IN ($4) ORDER BY o.name_key DESC, o.id DESC LIMIT 10;

-- page
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 AND NOT o.id IN ($2)
			ORDER BY o.name_key, o.id LIMIT 10 OFFSET $3) page
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id  WHERE o.id = id_ AND m.user_id = $1 ORDER BY o.name_key, o.id;

-- page from the end
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 AND NOT o.id IN ($2)
			ORDER BY o.name_key DESC, o.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id  WHERE o.id = id_ AND m.user_id = $1 ORDER BY o.name_key DESC, o.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY o.name_key, o.id) AS place_, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id 
			WHERE m.user_id = parent_ AND NOT o.id IN ($3) ORDER BY o.name_key, o.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id 
		WHERE +m.user_id = parent_ AND o.id IN
			(SELECT o.id FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = parent_ AND NOT o.id IN ($3) ORDER BY o.name_key, o.id LIMIT 10)
		ORDER BY parent_, o.name_key, o.id;

-- last of several parents, SQLite
SELECT parent_, 0, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id 
		WHERE +m.user_id = parent_ AND o.id IN
			(SELECT o.id FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = parent_ AND NOT o.id IN ($3) ORDER BY o.name_key DESC, o.id DESC LIMIT 10)
		ORDER BY parent_, o.name_key DESC, o.id DESC;

-- count
SELECT m.user_id, count(*) FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id IN ($1, $2) AND NOT o.id IN ($3) GROUP BY m.user_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 AND (o.name_key, o.id) >= ($2, $3) AND NOT o.id IN ($4) LIMIT 1;

-- # AccessibleOrganizations of a token

-- first
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id  WHERE m.user_id = $1 AND g.token_id = $2 ORDER BY o.name_key, o.id LIMIT 10;

-- first after a position, seen by a portal
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id  WHERE m.user_id = $1 AND (o.name_key, o.id) > ($2, $3) AND g.token_id = $4 ORDER BY o.name_key, o.id LIMIT 10;

-- last before a position
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id  WHERE m.user_id = $1 AND (o.name_key, o.id) < ($2, $3) AND g.token_id = $4 ORDER BY o.name_key DESC, o.id DESC LIMIT 10;

-- page
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id = $1 AND g.token_id = $2
			ORDER BY o.name_key, o.id LIMIT 10 OFFSET $3) page
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id  WHERE o.id = id_ AND m.user_id = $1 ORDER BY o.name_key, o.id;

-- page from the end
SELECT m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM
		(SELECT o.id AS id_ FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id = $1 AND g.token_id = $2
			ORDER BY o.name_key DESC, o.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id  WHERE o.id = id_ AND m.user_id = $1 ORDER BY o.name_key DESC, o.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY o.name_key, o.id) AS place_, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id 
			WHERE m.user_id = parent_ AND g.token_id = $3 ORDER BY o.name_key, o.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id 
		WHERE +m.user_id = parent_ AND o.id IN
			(SELECT o.id FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id = parent_ AND g.token_id = $3 ORDER BY o.name_key, o.id LIMIT 10)
		ORDER BY parent_, o.name_key, o.id;

-- last of several parents, SQLite
SELECT parent_, 0, m.role, o.id, o.slug, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id, o.name, o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id, o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days, o.restrict_user_api_token_creation, o.default_branch, o.default_timeout_in_minutes, o.maximum_timeout_in_minutes, o.scheduled_job_expiry_in_minutes, o.build_retention_days, o.public_pipelines_enabled_at, o.public_pipelines_enabled_by FROM (SELECT id AS parent_ FROM  WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id 
		WHERE +m.user_id = parent_ AND o.id IN
			(SELECT o.id FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id = parent_ AND g.token_id = $3 ORDER BY o.name_key DESC, o.id DESC LIMIT 10)
		ORDER BY parent_, o.name_key DESC, o.id DESC;

-- count
SELECT m.user_id, count(*) FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id IN ($1, $2) AND g.token_id = $3 GROUP BY m.user_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN organizations o ON o.id = m.organization_id JOIN api_token_organizations g ON g.organization_id = m.organization_id WHERE m.user_id = $1 AND (o.name_key, o.id) >= ($2, $3) AND g.token_id = $4 LIMIT 1;

