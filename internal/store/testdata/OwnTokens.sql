-- # OwnTokens

-- first
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.user_id = $1 AND t.revoked_at IS NULL ORDER BY t.created_at DESC, t.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.user_id = $1 AND (t.created_at, t.id) < ($2, $3) AND t.revoked_at IS NULL ORDER BY t.created_at DESC, t.id DESC LIMIT 10;

-- last before a position
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.user_id = $1 AND (t.created_at, t.id) > ($2, $3) AND t.revoked_at IS NULL ORDER BY t.created_at, t.id LIMIT 10;

-- page
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM
		(SELECT t.id AS id_ FROM api_tokens t WHERE t.user_id = $1 AND t.revoked_at IS NULL
			ORDER BY t.created_at DESC, t.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND t.user_id = $1 ORDER BY t.created_at DESC, t.id DESC;

-- page from the end
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM
		(SELECT t.id AS id_ FROM api_tokens t WHERE t.user_id = $1 AND t.revoked_at IS NULL
			ORDER BY t.created_at, t.id LIMIT 10 OFFSET $2) page
		CROSS JOIN api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND t.user_id = $1 ORDER BY t.created_at, t.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY t.created_at DESC, t.id DESC) AS place_, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM api_tokens t JOIN users u ON u.id = t.user_id
			WHERE t.user_id = parent_ AND t.revoked_at IS NULL ORDER BY t.created_at DESC, t.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN api_tokens t JOIN users u ON u.id = t.user_id
		WHERE +t.user_id = parent_ AND t.id IN
			(SELECT t.id FROM api_tokens t WHERE t.user_id = parent_ AND t.revoked_at IS NULL ORDER BY t.created_at DESC, t.id DESC LIMIT 10)
		ORDER BY parent_, t.created_at DESC, t.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN api_tokens t JOIN users u ON u.id = t.user_id
		WHERE +t.user_id = parent_ AND t.id IN
			(SELECT t.id FROM api_tokens t WHERE t.user_id = parent_ AND t.revoked_at IS NULL ORDER BY t.created_at, t.id LIMIT 10)
		ORDER BY parent_, t.created_at, t.id;

-- count
SELECT t.user_id, count(*) FROM api_tokens t WHERE t.user_id IN ($1, $2) AND t.revoked_at IS NULL GROUP BY t.user_id;

-- at a position or behind
SELECT 1 FROM api_tokens t WHERE t.user_id = $1 AND (t.created_at, t.id) <= ($2, $3) AND t.revoked_at IS NULL LIMIT 1;

