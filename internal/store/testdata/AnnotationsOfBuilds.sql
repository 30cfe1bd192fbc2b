-- # AnnotationsOfBuilds

-- first
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 ORDER BY an.created_at, an.id LIMIT 10;

-- first after a position, seen by a portal
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.created_at, an.id) > ($2, $3) ORDER BY an.created_at, an.id LIMIT 10;

-- last before a position
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.created_at, an.id) < ($2, $3) ORDER BY an.created_at DESC, an.id DESC LIMIT 10;

-- page
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND TRUE
			ORDER BY an.created_at, an.id LIMIT 10 OFFSET $2) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.created_at, an.id;

-- page from the end
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND TRUE
			ORDER BY an.created_at DESC, an.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.created_at DESC, an.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY an.created_at, an.id) AS place_, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id
			WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at, an.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at, an.id LIMIT 10)
		ORDER BY parent_, an.created_at, an.id;

-- last of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at DESC, an.id DESC LIMIT 10)
		ORDER BY parent_, an.created_at DESC, an.id DESC;

-- count
SELECT an.build_id, count(*) FROM annotations an WHERE an.build_id IN ($1, $2) GROUP BY an.build_id;

-- at a position or behind
SELECT 1 FROM annotations an WHERE an.build_id = $1 AND (an.created_at, an.id) >= ($2, $3) LIMIT 1;

-- # AnnotationsOfBuilds chosen

-- first
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND an.scope IN ($2) AND an.style IN ($3) ORDER BY an.priority DESC, an.created_at DESC, an.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.priority, an.created_at, an.id) < ($2, $3, $4) AND an.scope IN ($5) AND an.style IN ($6) ORDER BY an.priority DESC, an.created_at DESC, an.id DESC LIMIT 10;

-- last before a position
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.priority, an.created_at, an.id) > ($2, $3, $4) AND an.scope IN ($5) AND an.style IN ($6) ORDER BY an.priority, an.created_at, an.id LIMIT 10;

-- page
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND an.scope IN ($2) AND an.style IN ($3)
			ORDER BY an.priority DESC, an.created_at DESC, an.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.priority DESC, an.created_at DESC, an.id DESC;

-- page from the end
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND an.scope IN ($2) AND an.style IN ($3)
			ORDER BY an.priority, an.created_at, an.id LIMIT 10 OFFSET $4) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.priority, an.created_at, an.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY an.priority DESC, an.created_at DESC, an.id DESC) AS place_, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM annotations an JOIN builds b ON b.id = an.build_id
			WHERE an.build_id = parent_ AND an.scope IN ($3) AND an.style IN ($4) ORDER BY an.priority DESC, an.created_at DESC, an.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND an.scope IN ($3) AND an.style IN ($4) ORDER BY an.priority DESC, an.created_at DESC, an.id DESC LIMIT 10)
		ORDER BY parent_, an.priority DESC, an.created_at DESC, an.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND an.scope IN ($3) AND an.style IN ($4) ORDER BY an.priority, an.created_at, an.id LIMIT 10)
		ORDER BY parent_, an.priority, an.created_at, an.id;

-- count
SELECT an.build_id, count(*) FROM annotations an WHERE an.build_id IN ($1, $2) AND an.scope IN ($3) AND an.style IN ($4) GROUP BY an.build_id;

-- at a position or behind
SELECT 1 FROM annotations an WHERE an.build_id = $1 AND (an.priority, an.created_at, an.id) <= ($2, $3, $4) AND an.scope IN ($5) AND an.style IN ($6) LIMIT 1;

-- # AnnotationsOfBuilds recent

-- first
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 ORDER BY an.created_at DESC, an.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.created_at, an.id) < ($2, $3) ORDER BY an.created_at DESC, an.id DESC LIMIT 10;

-- last before a position
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id WHERE an.build_id = $1 AND (an.created_at, an.id) > ($2, $3) ORDER BY an.created_at, an.id LIMIT 10;

-- page
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND TRUE
			ORDER BY an.created_at DESC, an.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.created_at DESC, an.id DESC;

-- page from the end
SELECT an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM
		(SELECT an.id AS id_ FROM annotations an WHERE an.build_id = $1 AND TRUE
			ORDER BY an.created_at, an.id LIMIT 10 OFFSET $2) page
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id WHERE an.id = id_ AND an.build_id = $1 ORDER BY an.created_at, an.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY an.created_at DESC, an.id DESC) AS place_, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM annotations an JOIN builds b ON b.id = an.build_id
			WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at DESC, an.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at DESC, an.id DESC LIMIT 10)
		ORDER BY parent_, an.created_at DESC, an.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, an.id, an.build_id, an.job_id, an.scope, an.scope_id, an.context, an.created_at, an.style, an.priority, an.updated_at, an.body, an.body_html, an.rendered_at FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN annotations an JOIN builds b ON b.id = an.build_id
		WHERE +an.build_id = parent_ AND an.id IN
			(SELECT an.id FROM annotations an WHERE an.build_id = parent_ AND TRUE ORDER BY an.created_at, an.id LIMIT 10)
		ORDER BY parent_, an.created_at, an.id;

-- count
SELECT an.build_id, count(*) FROM annotations an WHERE an.build_id IN ($1, $2) GROUP BY an.build_id;

-- at a position or behind
SELECT 1 FROM annotations an WHERE an.build_id = $1 AND (an.created_at, an.id) <= ($2, $3) LIMIT 1;

