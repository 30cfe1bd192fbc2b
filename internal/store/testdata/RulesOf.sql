-- # RulesOf

-- first
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) < ($2, $3) ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10;

-- last before a position
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) > ($2, $3) ORDER BY ru.created_at, ru.id LIMIT 10;

-- page
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ru.id AS id_ FROM rules ru WHERE ru.organization_id = $1 AND TRUE
			ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.id = id_ AND ru.organization_id = $1 ORDER BY ru.created_at DESC, ru.id DESC;

-- page from the end
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ru.id AS id_ FROM rules ru WHERE ru.organization_id = $1 AND TRUE
			ORDER BY ru.created_at, ru.id LIMIT 10 OFFSET $2) page
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.id = id_ AND ru.organization_id = $1 ORDER BY ru.created_at, ru.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ru.created_at DESC, ru.id DESC) AS place_, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
			WHERE ru.organization_id = parent_ AND TRUE ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
		WHERE +ru.organization_id = parent_ AND ru.id IN
			(SELECT ru.id FROM rules ru WHERE ru.organization_id = parent_ AND TRUE ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10)
		ORDER BY parent_, ru.created_at DESC, ru.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
		WHERE +ru.organization_id = parent_ AND ru.id IN
			(SELECT ru.id FROM rules ru WHERE ru.organization_id = parent_ AND TRUE ORDER BY ru.created_at, ru.id LIMIT 10)
		ORDER BY parent_, ru.created_at, ru.id;

-- count
SELECT ru.organization_id, count(*) FROM rules ru WHERE ru.organization_id IN ($1, $2) GROUP BY ru.organization_id;

-- at a position or behind
SELECT 1 FROM rules ru WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) <= ($2, $3) LIMIT 1;

-- # RulesOf chosen

-- first
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 AND ru.type IN ($2) AND ru.source_id = $3 AND ru.target_id = $4 ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) < ($2, $3) AND ru.type IN ($4) AND ru.source_id = $5 AND ru.target_id = $6 ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10;

-- last before a position
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) > ($2, $3) AND ru.type IN ($4) AND ru.source_id = $5 AND ru.target_id = $6 ORDER BY ru.created_at, ru.id LIMIT 10;

-- page
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ru.id AS id_ FROM rules ru WHERE ru.organization_id = $1 AND ru.type IN ($2) AND ru.source_id = $3 AND ru.target_id = $4
			ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10 OFFSET $5) page
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.id = id_ AND ru.organization_id = $1 ORDER BY ru.created_at DESC, ru.id DESC;

-- page from the end
SELECT ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ru.id AS id_ FROM rules ru WHERE ru.organization_id = $1 AND ru.type IN ($2) AND ru.source_id = $3 AND ru.target_id = $4
			ORDER BY ru.created_at, ru.id LIMIT 10 OFFSET $5) page
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by WHERE ru.id = id_ AND ru.organization_id = $1 ORDER BY ru.created_at, ru.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ru.created_at DESC, ru.id DESC) AS place_, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
			WHERE ru.organization_id = parent_ AND ru.type IN ($3) AND ru.source_id = $4 AND ru.target_id = $5 ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
		WHERE +ru.organization_id = parent_ AND ru.id IN
			(SELECT ru.id FROM rules ru WHERE ru.organization_id = parent_ AND ru.type IN ($3) AND ru.source_id = $4 AND ru.target_id = $5 ORDER BY ru.created_at DESC, ru.id DESC LIMIT 10)
		ORDER BY parent_, ru.created_at DESC, ru.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, ru.id, ru.organization_id, ru.type, ru.created_at, ru.description, ru.source_id, ru.target_id, ru.conditions, ru.updated_at, o.slug, rs.slug, rs.name, rt.slug, rt.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN rules ru JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by
		WHERE +ru.organization_id = parent_ AND ru.id IN
			(SELECT ru.id FROM rules ru WHERE ru.organization_id = parent_ AND ru.type IN ($3) AND ru.source_id = $4 AND ru.target_id = $5 ORDER BY ru.created_at, ru.id LIMIT 10)
		ORDER BY parent_, ru.created_at, ru.id;

-- count
SELECT ru.organization_id, count(*) FROM rules ru WHERE ru.organization_id IN ($1, $2) AND ru.type IN ($3) AND ru.source_id = $4 AND ru.target_id = $5 GROUP BY ru.organization_id;

-- at a position or behind
SELECT 1 FROM rules ru WHERE ru.organization_id = $1 AND (ru.created_at, ru.id) <= ($2, $3) AND ru.type IN ($4) AND ru.source_id = $5 AND ru.target_id = $6 LIMIT 1;

