-- # InvokablePortalsOf

-- first
SELECT po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM portals po LEFT JOIN users cb ON cb.id = po.created_by WHERE po.organization_id = $1 AND po.user_invokable ORDER BY po.name_key, po.id LIMIT 10;

-- first after a position, seen by a portal
SELECT po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM portals po LEFT JOIN users cb ON cb.id = po.created_by WHERE po.organization_id = $1 AND (po.name_key, po.id) > ($2, $3) AND po.user_invokable ORDER BY po.name_key, po.id LIMIT 10;

-- last before a position
SELECT po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM portals po LEFT JOIN users cb ON cb.id = po.created_by WHERE po.organization_id = $1 AND (po.name_key, po.id) < ($2, $3) AND po.user_invokable ORDER BY po.name_key DESC, po.id DESC LIMIT 10;

-- page
SELECT po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT po.id AS id_ FROM portals po WHERE po.organization_id = $1 AND po.user_invokable
			ORDER BY po.name_key, po.id LIMIT 10 OFFSET $2) page
		CROSS JOIN portals po LEFT JOIN users cb ON cb.id = po.created_by WHERE po.id = id_ AND po.organization_id = $1 ORDER BY po.name_key, po.id;

-- page from the end
SELECT po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT po.id AS id_ FROM portals po WHERE po.organization_id = $1 AND po.user_invokable
			ORDER BY po.name_key DESC, po.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN portals po LEFT JOIN users cb ON cb.id = po.created_by WHERE po.id = id_ AND po.organization_id = $1 ORDER BY po.name_key DESC, po.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY po.name_key, po.id) AS place_, po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM portals po LEFT JOIN users cb ON cb.id = po.created_by
			WHERE po.organization_id = parent_ AND po.user_invokable ORDER BY po.name_key, po.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN portals po LEFT JOIN users cb ON cb.id = po.created_by
		WHERE +po.organization_id = parent_ AND po.id IN
			(SELECT po.id FROM portals po WHERE po.organization_id = parent_ AND po.user_invokable ORDER BY po.name_key, po.id LIMIT 10)
		ORDER BY parent_, po.name_key, po.id;

-- last of several parents, SQLite
SELECT parent_, 0, po.id, po.organization_id, po.created_at, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.user_invokable, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN portals po LEFT JOIN users cb ON cb.id = po.created_by
		WHERE +po.organization_id = parent_ AND po.id IN
			(SELECT po.id FROM portals po WHERE po.organization_id = parent_ AND po.user_invokable ORDER BY po.name_key DESC, po.id DESC LIMIT 10)
		ORDER BY parent_, po.name_key DESC, po.id DESC;

-- count
SELECT po.organization_id, count(*) FROM portals po WHERE po.organization_id IN ($1, $2) AND po.user_invokable GROUP BY po.organization_id;

-- at a position or behind
SELECT 1 FROM portals po WHERE po.organization_id = $1 AND (po.name_key, po.id) >= ($2, $3) AND po.user_invokable LIMIT 1;

