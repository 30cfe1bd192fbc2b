-- # SessionsOf

-- first
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM user_sessions s  WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.created_at DESC, s.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM user_sessions s  WHERE s.user_id = $1 AND (s.created_at, s.id) < ($2, $3) AND s.expires_at > $4 ORDER BY s.created_at DESC, s.id DESC LIMIT 10;

-- last before a position
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM user_sessions s  WHERE s.user_id = $1 AND (s.created_at, s.id) > ($2, $3) AND s.expires_at > $4 ORDER BY s.created_at, s.id LIMIT 10;

-- page
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM
		(SELECT s.id AS id_ FROM user_sessions s WHERE s.user_id = $1 AND s.expires_at > $2
			ORDER BY s.created_at DESC, s.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN user_sessions s  WHERE s.id = id_ AND s.user_id = $1 ORDER BY s.created_at DESC, s.id DESC;

-- page from the end
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM
		(SELECT s.id AS id_ FROM user_sessions s WHERE s.user_id = $1 AND s.expires_at > $2
			ORDER BY s.created_at, s.id LIMIT 10 OFFSET $3) page
		CROSS JOIN user_sessions s  WHERE s.id = id_ AND s.user_id = $1 ORDER BY s.created_at, s.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY s.created_at DESC, s.id DESC) AS place_, s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM user_sessions s 
			WHERE s.user_id = parent_ AND s.expires_at > $3 ORDER BY s.created_at DESC, s.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN user_sessions s 
		WHERE +s.user_id = parent_ AND s.id IN
			(SELECT s.id FROM user_sessions s WHERE s.user_id = parent_ AND s.expires_at > $3 ORDER BY s.created_at DESC, s.id DESC LIMIT 10)
		ORDER BY parent_, s.created_at DESC, s.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, s.id, s.address, s.user_agent, s.created_at, s.expires_at, s.last_seen_at, s.last_seen_address, s.last_seen_user_agent FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN user_sessions s 
		WHERE +s.user_id = parent_ AND s.id IN
			(SELECT s.id FROM user_sessions s WHERE s.user_id = parent_ AND s.expires_at > $3 ORDER BY s.created_at, s.id LIMIT 10)
		ORDER BY parent_, s.created_at, s.id;

-- count
SELECT s.user_id, count(*) FROM user_sessions s WHERE s.user_id IN ($1, $2) AND s.expires_at > $3 GROUP BY s.user_id;

-- at a position or behind
SELECT 1 FROM user_sessions s WHERE s.user_id = $1 AND (s.created_at, s.id) <= ($2, $3) AND s.expires_at > $4 LIMIT 1;

