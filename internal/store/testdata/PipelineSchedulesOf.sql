-- # PipelineSchedulesOf

-- first
SELECT sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id WHERE sc.pipeline_id = $1 ORDER BY sc.created_at DESC, sc.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id WHERE sc.pipeline_id = $1 AND (sc.created_at, sc.id) < ($2, $3) ORDER BY sc.created_at DESC, sc.id DESC LIMIT 10;

-- last before a position
SELECT sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id WHERE sc.pipeline_id = $1 AND (sc.created_at, sc.id) > ($2, $3) ORDER BY sc.created_at, sc.id LIMIT 10;

-- page
SELECT sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM
		(SELECT sc.id AS id_ FROM pipeline_schedules sc WHERE sc.pipeline_id = $1 AND TRUE
			ORDER BY sc.created_at DESC, sc.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id WHERE sc.id = id_ AND sc.pipeline_id = $1 ORDER BY sc.created_at DESC, sc.id DESC;

-- page from the end
SELECT sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM
		(SELECT sc.id AS id_ FROM pipeline_schedules sc WHERE sc.pipeline_id = $1 AND TRUE
			ORDER BY sc.created_at, sc.id LIMIT 10 OFFSET $2) page
		CROSS JOIN pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id WHERE sc.id = id_ AND sc.pipeline_id = $1 ORDER BY sc.created_at, sc.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY sc.created_at DESC, sc.id DESC) AS place_, sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id
			WHERE sc.pipeline_id = parent_ AND TRUE ORDER BY sc.created_at DESC, sc.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id
		WHERE +sc.pipeline_id = parent_ AND sc.id IN
			(SELECT sc.id FROM pipeline_schedules sc WHERE sc.pipeline_id = parent_ AND TRUE ORDER BY sc.created_at DESC, sc.id DESC LIMIT 10)
		ORDER BY parent_, sc.created_at DESC, sc.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, sc.id, sc.organization_id, sc.pipeline_id, sc.created_at, sc.label, sc.cronline, sc.message, sc.commit_sha, sc.branch, sc.env, sc.enabled, sc.next_build_at, sc.failed_message, sc.failed_at, o.slug, p.slug, p.default_branch, cb.id, cb.email, cb.created_at, cb.name, sw.id, sw.email, sw.created_at, sw.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_schedules sc JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id
		WHERE +sc.pipeline_id = parent_ AND sc.id IN
			(SELECT sc.id FROM pipeline_schedules sc WHERE sc.pipeline_id = parent_ AND TRUE ORDER BY sc.created_at, sc.id LIMIT 10)
		ORDER BY parent_, sc.created_at, sc.id;

-- count
SELECT sc.pipeline_id, count(*) FROM pipeline_schedules sc WHERE sc.pipeline_id IN ($1, $2) GROUP BY sc.pipeline_id;

-- at a position or behind
SELECT 1 FROM pipeline_schedules sc WHERE sc.pipeline_id = $1 AND (sc.created_at, sc.id) <= ($2, $3) LIMIT 1;

