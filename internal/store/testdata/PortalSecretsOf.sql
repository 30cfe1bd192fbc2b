-- # PortalSecretsOf

-- first
SELECT ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.portal_id = $1 ORDER BY ps.created_at, ps.id LIMIT 10;

-- first after a position, seen by a portal
SELECT ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.portal_id = $1 AND (ps.created_at, ps.id) > ($2, $3) ORDER BY ps.created_at, ps.id LIMIT 10;

-- last before a position
SELECT ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.portal_id = $1 AND (ps.created_at, ps.id) < ($2, $3) ORDER BY ps.created_at DESC, ps.id DESC LIMIT 10;

-- page
SELECT ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ps.id AS id_ FROM portal_secrets ps WHERE ps.portal_id = $1 AND TRUE
			ORDER BY ps.created_at, ps.id LIMIT 10 OFFSET $2) page
		CROSS JOIN portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.id = id_ AND ps.portal_id = $1 ORDER BY ps.created_at, ps.id;

-- page from the end
SELECT ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ps.id AS id_ FROM portal_secrets ps WHERE ps.portal_id = $1 AND TRUE
			ORDER BY ps.created_at DESC, ps.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.id = id_ AND ps.portal_id = $1 ORDER BY ps.created_at DESC, ps.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ps.created_at, ps.id) AS place_, ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by
			WHERE ps.portal_id = parent_ AND TRUE ORDER BY ps.created_at, ps.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents
		CROSS JOIN portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by
		WHERE +ps.portal_id = parent_ AND ps.id IN
			(SELECT ps.id FROM portal_secrets ps WHERE ps.portal_id = parent_ AND TRUE ORDER BY ps.created_at, ps.id LIMIT 10)
		ORDER BY parent_, ps.created_at, ps.id;

-- last of several parents, SQLite
SELECT parent_, 0, ps.id, ps.portal_id, ps.description, ps.created_at, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents
		CROSS JOIN portal_secrets ps LEFT JOIN users cb ON cb.id = ps.created_by
		WHERE +ps.portal_id = parent_ AND ps.id IN
			(SELECT ps.id FROM portal_secrets ps WHERE ps.portal_id = parent_ AND TRUE ORDER BY ps.created_at DESC, ps.id DESC LIMIT 10)
		ORDER BY parent_, ps.created_at DESC, ps.id DESC;

-- count
SELECT ps.portal_id, count(*) FROM portal_secrets ps WHERE ps.portal_id IN ($1, $2) GROUP BY ps.portal_id;

-- at a position or behind
SELECT 1 FROM portal_secrets ps WHERE ps.portal_id = $1 AND (ps.created_at, ps.id) >= ($2, $3) LIMIT 1;

