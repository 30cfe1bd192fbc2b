-- # PortalTokensOf

-- first
SELECT pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.portal_id = $1 AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $2) ORDER BY pt.created_at, pt.id LIMIT 10;

-- first after a position, seen by a portal
SELECT pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.portal_id = $1 AND (pt.created_at, pt.id) > ($2, $3) AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $4) ORDER BY pt.created_at, pt.id LIMIT 10;

-- last before a position
SELECT pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.portal_id = $1 AND (pt.created_at, pt.id) < ($2, $3) AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $4) ORDER BY pt.created_at DESC, pt.id DESC LIMIT 10;

-- page
SELECT pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT pt.id AS id_ FROM portal_tokens pt WHERE pt.portal_id = $1 AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $2)
			ORDER BY pt.created_at, pt.id LIMIT 10 OFFSET $3) page
		CROSS JOIN portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.id = id_ AND pt.portal_id = $1 ORDER BY pt.created_at, pt.id;

-- page from the end
SELECT pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT pt.id AS id_ FROM portal_tokens pt WHERE pt.portal_id = $1 AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $2)
			ORDER BY pt.created_at DESC, pt.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.id = id_ AND pt.portal_id = $1 ORDER BY pt.created_at DESC, pt.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY pt.created_at, pt.id) AS place_, pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by
			WHERE pt.portal_id = parent_ AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $3) ORDER BY pt.created_at, pt.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents
		CROSS JOIN portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by
		WHERE +pt.portal_id = parent_ AND pt.id IN
			(SELECT pt.id FROM portal_tokens pt WHERE pt.portal_id = parent_ AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $3) ORDER BY pt.created_at, pt.id LIMIT 10)
		ORDER BY parent_, pt.created_at, pt.id;

-- last of several parents, SQLite
SELECT parent_, 0, pt.id, pt.portal_id, pt.secret_id, pt.user_id, pt.description, pt.created_at, pt.expires_at, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM portals WHERE id IN ($1, $2)) parents
		CROSS JOIN portal_tokens pt LEFT JOIN users cb ON cb.id = pt.created_by
		WHERE +pt.portal_id = parent_ AND pt.id IN
			(SELECT pt.id FROM portal_tokens pt WHERE pt.portal_id = parent_ AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $3) ORDER BY pt.created_at DESC, pt.id DESC LIMIT 10)
		ORDER BY parent_, pt.created_at DESC, pt.id DESC;

-- count
SELECT pt.portal_id, count(*) FROM portal_tokens pt WHERE pt.portal_id IN ($1, $2) AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $3) GROUP BY pt.portal_id;

-- at a position or behind
SELECT 1 FROM portal_tokens pt WHERE pt.portal_id = $1 AND (pt.created_at, pt.id) >= ($2, $3) AND pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > $4) LIMIT 1;

