-- # ClustersOf by name

-- first
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 ORDER BY c.name_key, c.id LIMIT 10;

-- first after a position, seen by a portal
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.name_key, c.id) > ($4, $5) ORDER BY c.name_key, c.id LIMIT 10;

-- last before a position
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.name_key, c.id) < ($4, $5) ORDER BY c.name_key DESC, c.id DESC LIMIT 10;

-- page
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND TRUE
			ORDER BY c.name_key, c.id LIMIT 10 OFFSET $4) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.name_key, c.id;

-- page from the end
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND TRUE
			ORDER BY c.name_key DESC, c.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.name_key DESC, c.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY c.name_key, c.id) AS place_, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
			WHERE c.organization_id = parent_ AND TRUE ORDER BY c.name_key, c.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND TRUE ORDER BY c.name_key, c.id LIMIT 10)
		ORDER BY parent_, c.name_key, c.id;

-- last of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND TRUE ORDER BY c.name_key DESC, c.id DESC LIMIT 10)
		ORDER BY parent_, c.name_key DESC, c.id DESC;

-- count
SELECT c.organization_id, count(*) FROM clusters c WHERE c.organization_id IN ($1, $2) GROUP BY c.organization_id;

-- at a position or behind
SELECT 1 FROM clusters c WHERE c.organization_id = $1 AND (c.name_key, c.id) >= ($2, $3) LIMIT 1;

-- # ClustersOf by name searched

-- first
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\' ORDER BY c.name_key, c.id LIMIT 10;

-- first after a position, seen by a portal
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.name_key, c.id) > ($4, $5) AND c.name_key LIKE $6 ESCAPE '\' ORDER BY c.name_key, c.id LIMIT 10;

-- last before a position
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.name_key, c.id) < ($4, $5) AND c.name_key LIKE $6 ESCAPE '\' ORDER BY c.name_key DESC, c.id DESC LIMIT 10;

-- page
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\'
			ORDER BY c.name_key, c.id LIMIT 10 OFFSET $5) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.name_key, c.id;

-- page from the end
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\'
			ORDER BY c.name_key DESC, c.id DESC LIMIT 10 OFFSET $5) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.name_key DESC, c.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY c.name_key, c.id) AS place_, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
			WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.name_key, c.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.name_key, c.id LIMIT 10)
		ORDER BY parent_, c.name_key, c.id;

-- last of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.name_key DESC, c.id DESC LIMIT 10)
		ORDER BY parent_, c.name_key DESC, c.id DESC;

-- count
SELECT c.organization_id, count(*) FROM clusters c WHERE c.organization_id IN ($1, $2) AND c.name_key LIKE $3 ESCAPE '\' GROUP BY c.organization_id;

-- at a position or behind
SELECT 1 FROM clusters c WHERE c.organization_id = $1 AND (c.name_key, c.id) >= ($2, $3) AND c.name_key LIKE $4 ESCAPE '\' LIMIT 1;

-- # ClustersOf by time

-- first
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 ORDER BY c.created_at DESC, c.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.created_at, c.id) < ($4, $5) ORDER BY c.created_at DESC, c.id DESC LIMIT 10;

-- last before a position
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.created_at, c.id) > ($4, $5) ORDER BY c.created_at, c.id LIMIT 10;

-- page
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND TRUE
			ORDER BY c.created_at DESC, c.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.created_at DESC, c.id DESC;

-- page from the end
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND TRUE
			ORDER BY c.created_at, c.id LIMIT 10 OFFSET $4) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.created_at, c.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY c.created_at DESC, c.id DESC) AS place_, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
			WHERE c.organization_id = parent_ AND TRUE ORDER BY c.created_at DESC, c.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND TRUE ORDER BY c.created_at DESC, c.id DESC LIMIT 10)
		ORDER BY parent_, c.created_at DESC, c.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND TRUE ORDER BY c.created_at, c.id LIMIT 10)
		ORDER BY parent_, c.created_at, c.id;

-- count
SELECT c.organization_id, count(*) FROM clusters c WHERE c.organization_id IN ($1, $2) GROUP BY c.organization_id;

-- at a position or behind
SELECT 1 FROM clusters c WHERE c.organization_id = $1 AND (c.created_at, c.id) <= ($2, $3) LIMIT 1;

-- # ClustersOf by time searched

-- first
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\' ORDER BY c.created_at DESC, c.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.created_at, c.id) < ($4, $5) AND c.name_key LIKE $6 ESCAPE '\' ORDER BY c.created_at DESC, c.id DESC LIMIT 10;

-- last before a position
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.organization_id = $3 AND (c.created_at, c.id) > ($4, $5) AND c.name_key LIKE $6 ESCAPE '\' ORDER BY c.created_at, c.id LIMIT 10;

-- page
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\'
			ORDER BY c.created_at DESC, c.id DESC LIMIT 10 OFFSET $5) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.created_at DESC, c.id DESC;

-- page from the end
SELECT c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM
		(SELECT c.id AS id_ FROM clusters c WHERE c.organization_id = $3 AND c.name_key LIKE $4 ESCAPE '\'
			ORDER BY c.created_at, c.id LIMIT 10 OFFSET $5) page
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by WHERE c.id = id_ AND c.organization_id = $3 ORDER BY c.created_at, c.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY c.created_at DESC, c.id DESC) AS place_, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
			WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.created_at DESC, c.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.created_at DESC, c.id DESC LIMIT 10)
		ORDER BY parent_, c.created_at DESC, c.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, c.id, c.organization_id, c.created_at, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id, c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.maintained, cb.id, cb.email, cb.created_at, cb.name, o.slug, CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = $1)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = $2
		WHERE k.cluster_id = c.id)
		ELSE FALSE END FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($3, $4)) parents
		CROSS JOIN clusters c JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by
		WHERE +c.organization_id = parent_ AND c.id IN
			(SELECT c.id FROM clusters c WHERE c.organization_id = parent_ AND c.name_key LIKE $5 ESCAPE '\' ORDER BY c.created_at, c.id LIMIT 10)
		ORDER BY parent_, c.created_at, c.id;

-- count
SELECT c.organization_id, count(*) FROM clusters c WHERE c.organization_id IN ($1, $2) AND c.name_key LIKE $3 ESCAPE '\' GROUP BY c.organization_id;

-- at a position or behind
SELECT 1 FROM clusters c WHERE c.organization_id = $1 AND (c.created_at, c.id) <= ($2, $3) AND c.name_key LIKE $4 ESCAPE '\' LIMIT 1;

