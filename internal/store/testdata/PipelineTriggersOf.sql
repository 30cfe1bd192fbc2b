-- # PipelineTriggersOf

-- first
SELECT tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by WHERE tg.pipeline_id = $1 ORDER BY tg.created_at DESC, tg.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by WHERE tg.pipeline_id = $1 AND (tg.created_at, tg.id) < ($2, $3) ORDER BY tg.created_at DESC, tg.id DESC LIMIT 10;

-- last before a position
SELECT tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by WHERE tg.pipeline_id = $1 AND (tg.created_at, tg.id) > ($2, $3) ORDER BY tg.created_at, tg.id LIMIT 10;

-- page
SELECT tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT tg.id AS id_ FROM pipeline_triggers tg WHERE tg.pipeline_id = $1 AND TRUE
			ORDER BY tg.created_at DESC, tg.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by WHERE tg.id = id_ AND tg.pipeline_id = $1 ORDER BY tg.created_at DESC, tg.id DESC;

-- page from the end
SELECT tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT tg.id AS id_ FROM pipeline_triggers tg WHERE tg.pipeline_id = $1 AND TRUE
			ORDER BY tg.created_at, tg.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by WHERE tg.id = id_ AND tg.pipeline_id = $1 ORDER BY tg.created_at, tg.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY tg.created_at DESC, tg.id DESC) AS place_, tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by
			WHERE tg.pipeline_id = parent_ AND TRUE ORDER BY tg.created_at DESC, tg.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by
		WHERE +tg.pipeline_id = parent_ AND tg.id IN
			(SELECT tg.id FROM pipeline_triggers tg WHERE tg.pipeline_id = parent_ AND TRUE ORDER BY tg.created_at DESC, tg.id DESC LIMIT 10)
		ORDER BY parent_, tg.created_at DESC, tg.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, tg.id, tg.organization_id, tg.pipeline_id, tg.type, tg.token_hint, tg.created_at, tg.label, tg.enabled, tg.message, tg.commit_sha, tg.branch, tg.env, tg.secret_hint, tg.updated_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_triggers tg JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by
		WHERE +tg.pipeline_id = parent_ AND tg.id IN
			(SELECT tg.id FROM pipeline_triggers tg WHERE tg.pipeline_id = parent_ AND TRUE ORDER BY tg.created_at, tg.id LIMIT 10)
		ORDER BY parent_, tg.created_at, tg.id;

-- count
SELECT tg.pipeline_id, count(*) FROM pipeline_triggers tg WHERE tg.pipeline_id IN ($1, $2) GROUP BY tg.pipeline_id;

-- at a position or behind
SELECT 1 FROM pipeline_triggers tg WHERE tg.pipeline_id = $1 AND (tg.created_at, tg.id) <= ($2, $3) LIMIT 1;

