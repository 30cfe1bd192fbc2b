-- # PipelineTemplatesOf by name

-- first
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 ORDER BY pl.name_key, pl.id LIMIT 10;

-- first after a position, seen by a portal
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id = (SELECT organization_id FROM portals WHERE id = $1)) AND pl.organization_id = $2 AND (pl.name_key, pl.id) > ($3, $4) ORDER BY pl.name_key, pl.id LIMIT 10;

-- last before a position
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 AND (pl.name_key, pl.id) < ($3, $4) ORDER BY pl.name_key DESC, pl.id DESC LIMIT 10;

-- page
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT pl.id AS id_ FROM pipeline_templates pl WHERE pl.organization_id = $1 AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin'))
			ORDER BY pl.name_key, pl.id LIMIT 10 OFFSET $3) page
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE pl.id = id_ AND pl.organization_id = $1 ORDER BY pl.name_key, pl.id;

-- page from the end
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT pl.id AS id_ FROM pipeline_templates pl WHERE pl.organization_id = $1 AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin'))
			ORDER BY pl.name_key DESC, pl.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE pl.id = id_ AND pl.organization_id = $1 ORDER BY pl.name_key DESC, pl.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY pl.name_key, pl.id) AS place_, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
			WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.name_key, pl.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
		WHERE +pl.organization_id = parent_ AND pl.id IN
			(SELECT pl.id FROM pipeline_templates pl WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.name_key, pl.id LIMIT 10)
		ORDER BY parent_, pl.name_key, pl.id;

-- last of several parents, SQLite
SELECT parent_, 0, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
		WHERE +pl.organization_id = parent_ AND pl.id IN
			(SELECT pl.id FROM pipeline_templates pl WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.name_key DESC, pl.id DESC LIMIT 10)
		ORDER BY parent_, pl.name_key DESC, pl.id DESC;

-- count
SELECT pl.organization_id, count(*) FROM pipeline_templates pl WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id IN ($2, $3) GROUP BY pl.organization_id;

-- at a position or behind
SELECT 1 FROM pipeline_templates pl WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 AND (pl.name_key, pl.id) >= ($3, $4) LIMIT 1;

-- # PipelineTemplatesOf by time

-- first
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 ORDER BY pl.created_at DESC, pl.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id = (SELECT organization_id FROM portals WHERE id = $1)) AND pl.organization_id = $2 AND (pl.created_at, pl.id) < ($3, $4) ORDER BY pl.created_at DESC, pl.id DESC LIMIT 10;

-- last before a position
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 AND (pl.created_at, pl.id) > ($3, $4) ORDER BY pl.created_at, pl.id LIMIT 10;

-- page
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT pl.id AS id_ FROM pipeline_templates pl WHERE pl.organization_id = $1 AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin'))
			ORDER BY pl.created_at DESC, pl.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE pl.id = id_ AND pl.organization_id = $1 ORDER BY pl.created_at DESC, pl.id DESC;

-- page from the end
SELECT pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT pl.id AS id_ FROM pipeline_templates pl WHERE pl.organization_id = $1 AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin'))
			ORDER BY pl.created_at, pl.id LIMIT 10 OFFSET $3) page
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by WHERE pl.id = id_ AND pl.organization_id = $1 ORDER BY pl.created_at, pl.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY pl.created_at DESC, pl.id DESC) AS place_, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
			WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.created_at DESC, pl.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
		WHERE +pl.organization_id = parent_ AND pl.id IN
			(SELECT pl.id FROM pipeline_templates pl WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.created_at DESC, pl.id DESC LIMIT 10)
		ORDER BY parent_, pl.created_at DESC, pl.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, pl.id, pl.organization_id, pl.created_at, pl.name, pl.description, pl.configuration, pl.steps, pl.available, pl.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN pipeline_templates pl JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by
		WHERE +pl.organization_id = parent_ AND pl.id IN
			(SELECT pl.id FROM pipeline_templates pl WHERE pl.organization_id = parent_ AND (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')) ORDER BY pl.created_at, pl.id LIMIT 10)
		ORDER BY parent_, pl.created_at, pl.id;

-- count
SELECT pl.organization_id, count(*) FROM pipeline_templates pl WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id IN ($2, $3) GROUP BY pl.organization_id;

-- at a position or behind
SELECT 1 FROM pipeline_templates pl WHERE (pl.available OR pl.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')) AND pl.organization_id = $2 AND (pl.created_at, pl.id) <= ($3, $4) LIMIT 1;

