-- # PipelinesOf by name

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 ORDER BY p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.name_key, p.id) > ($2, $3) ORDER BY p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.name_key, p.id) < ($2, $3) ORDER BY p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND TRUE
			ORDER BY p.name_key, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND TRUE
			ORDER BY p.name_key DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.name_key, p.id) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND TRUE ORDER BY p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY p.name_key, p.id LIMIT 10)
		ORDER BY parent_, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.name_key, p.id) >= ($2, $3) LIMIT 1;

-- # PipelinesOf by name archived

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NOT NULL ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name favorites

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) = $3 ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name live

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.name_key, p.id) > ($2, $3) AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.name_key, p.id) < ($2, $3) AND p.archived_at IS NULL ORDER BY p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.name_key, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.name_key DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.name_key, p.id) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10)
		ORDER BY parent_, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.name_key, p.id) >= ($2, $3) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf by name live names only

-- first
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND (p.name_key, p.id) > ($2, $3) AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND (p.name_key, p.id) < ($2, $3) AND p.archived_at IS NULL ORDER BY p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.name_key, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.name_key DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.name_key, p.id) AS place_, p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p 
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key, p.id LIMIT 10)
		ORDER BY parent_, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.name_key, p.id) >= ($2, $3) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf by name named

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.name_key LIKE $2 ESCAPE '\' AND lower(p.repository) LIKE $3 ESCAPE '\' ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name of a cluster

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.cluster_id = $2 ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name of a team

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $2) ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name of a team's slug

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f JOIN teams te ON te.id = f.team_id WHERE f.pipeline_id = p.id AND te.slug = $2 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4))) ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name of a time

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.created_at >= $2 AND p.created_at < $3 ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name of other filters

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND (p.name_key LIKE $2 ESCAPE '\' OR lower(p.repository) LIKE $3 ESCAPE '\') AND p.cluster_id IS NULL AND p.repository = $4 AND NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $5) ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by name tagged

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND (SELECT count(*) FROM pipeline_tags f WHERE f.pipeline_id = p.id AND f.tag IN ($2, $3)) = $4 ORDER BY p.name_key, p.id LIMIT 10;

-- # PipelinesOf by time

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.created_at, p.id) < ($2, $3) ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.created_at, p.id) > ($2, $3) ORDER BY p.created_at, p.id LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND TRUE
			ORDER BY p.created_at DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at DESC, p.id DESC;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND TRUE
			ORDER BY p.created_at, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at, p.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.created_at DESC, p.id DESC) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND TRUE ORDER BY p.created_at DESC, p.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY p.created_at DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.created_at DESC, p.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY p.created_at, p.id LIMIT 10)
		ORDER BY parent_, p.created_at, p.id;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.created_at, p.id) <= ($2, $3) LIMIT 1;

-- # PipelinesOf by time archived

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NOT NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time favorites

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) = $3 ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time live

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.created_at, p.id) < ($2, $3) AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND (p.created_at, p.id) > ($2, $3) AND p.archived_at IS NULL ORDER BY p.created_at, p.id LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.created_at DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at DESC, p.id DESC;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.created_at, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at, p.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.created_at DESC, p.id DESC) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.created_at DESC, p.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at, p.id LIMIT 10)
		ORDER BY parent_, p.created_at, p.id;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.created_at, p.id) <= ($2, $3) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf by time live names only

-- first
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND (p.created_at, p.id) < ($2, $3) AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p  WHERE p.organization_id = $1 AND (p.created_at, p.id) > ($2, $3) AND p.archived_at IS NULL ORDER BY p.created_at, p.id LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.created_at DESC, p.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at DESC, p.id DESC;

-- page from the end
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
			ORDER BY p.created_at, p.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $1 ORDER BY p.created_at, p.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY p.created_at DESC, p.id DESC) AS place_, p.id, p.organization_id, p.slug, p.name, p.created_at FROM pipelines p 
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, p.created_at DESC, p.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY p.created_at, p.id LIMIT 10)
		ORDER BY parent_, p.created_at, p.id;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (p.created_at, p.id) <= ($2, $3) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf by time named

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.name_key LIKE $2 ESCAPE '\' AND lower(p.repository) LIKE $3 ESCAPE '\' ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time of a cluster

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.cluster_id = $2 ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time of a team

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $2) ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time of a team's slug

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f JOIN teams te ON te.id = f.team_id WHERE f.pipeline_id = p.id AND te.slug = $2 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4))) ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time of a time

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND p.created_at >= $2 AND p.created_at < $3 ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time of other filters

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND (p.name_key LIKE $2 ESCAPE '\' OR lower(p.repository) LIKE $3 ESCAPE '\') AND p.cluster_id IS NULL AND p.repository = $4 AND NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $5) ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf by time tagged

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, '') FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $1 AND p.archived_at IS NULL AND (SELECT count(*) FROM pipeline_tags f WHERE f.pipeline_id = p.id AND f.tag IN ($2, $3)) = $4 ORDER BY p.created_at DESC, p.id DESC LIMIT 10;

-- # PipelinesOf favorites first

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) > ($5, $6, $7) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) < ($5, $6, $7) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND TRUE
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND TRUE
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND TRUE ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND TRUE ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) >= ($3, $4, $5) LIMIT 1;

-- # PipelinesOf favorites first archived

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NOT NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first favorites

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) = $5 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first live

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) > ($5, $6, $7) AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) < ($5, $6, $7) AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND p.archived_at IS NULL
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND p.archived_at IS NULL
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) AS place_, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) >= ($3, $4, $5) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf favorites first live names only

-- first
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p  WHERE p.organization_id = $3 AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- first after a position, seen by a portal
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p  WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) > ($5, $6, $7) AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- last before a position
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p  WHERE p.organization_id = $3 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $4 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) < ($5, $6, $7) AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10;

-- page
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND p.archived_at IS NULL
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- page from the end
SELECT p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM
		(SELECT p.id AS id_ FROM pipelines p WHERE p.organization_id = $3 AND p.archived_at IS NULL
			ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN pipelines p  WHERE p.id = id_ AND p.organization_id = $3 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) AS place_, p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p 
			WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id;

-- last of several parents, SQLite
SELECT parent_, 0, p.id, p.organization_id, p.slug, p.name, p.created_at, EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN pipelines p 
		WHERE +p.organization_id = parent_ AND p.id IN
			(SELECT p.id FROM pipelines p WHERE p.organization_id = parent_ AND p.archived_at IS NULL ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC LIMIT 10)
		ORDER BY parent_, CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END DESC, p.name_key DESC, p.id DESC;

-- count
SELECT p.organization_id, count(*) FROM pipelines p WHERE p.organization_id IN ($1, $2) AND p.archived_at IS NULL GROUP BY p.organization_id;

-- at a position or behind
SELECT 1 FROM pipelines p WHERE p.organization_id = $1 AND (CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id) >= ($3, $4, $5) AND p.archived_at IS NULL LIMIT 1;

-- # PipelinesOf favorites first named

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND p.name_key LIKE $4 ESCAPE '\' AND lower(p.repository) LIKE $5 ESCAPE '\' ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first of a cluster

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND p.cluster_id = $4 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first of a team

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $4) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first of a team's slug

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND EXISTS (SELECT 1 FROM team_pipelines f JOIN teams te ON te.id = f.team_id WHERE f.pipeline_id = p.id AND te.slug = $4 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $5 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $6))) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first of a time

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND p.created_at >= $4 AND p.created_at < $5 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first of other filters

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND (p.name_key LIKE $4 ESCAPE '\' OR lower(p.repository) LIKE $5 ESCAPE '\') AND p.cluster_id IS NULL AND p.repository = $6 AND NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = $7) ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

-- # PipelinesOf favorites first tagged

-- first
SELECT p.id, p.organization_id, p.created_at, p.badge_token, p.webhook_token, p.slug, p.name, p.repository, p.cluster_id, p.configuration, p.steps, p.visibility, p.tags, p.description, p.emoji, p.color, p.env, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.default_command_step_timeout, p.maximum_command_step_timeout, p.scheduled_job_expiry_in_minutes, p.provider_settings, p.clone_mirror_url, p.template_id, p.next_build_number, p.archived_at, p.connection_id, cb.id, cb.email, cb.created_at, cb.name, ab.id, ab.email, ab.created_at, ab.name, o.slug, COALESCE(rc.kind, ''), COALESCE(rc.url, ''), EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $1 AND f.pipeline_id = p.id) FROM pipelines p JOIN organizations o ON o.id = p.organization_id LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id WHERE p.organization_id = $3 AND p.archived_at IS NULL AND (SELECT count(*) FROM pipeline_tags f WHERE f.pipeline_id = p.id AND f.tag IN ($4, $5)) = $6 ORDER BY CASE WHEN EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = $2 AND f.pipeline_id = p.id) THEN 0 ELSE 1 END, p.name_key, p.id LIMIT 10;

