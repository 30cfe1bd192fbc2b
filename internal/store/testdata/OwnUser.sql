-- # OwnUser

-- first
SELECT u.id, u.email, u.created_at, u.name FROM users u  WHERE u.id = $1 ORDER BY u.id LIMIT 10;

-- first after a position, seen by a portal
SELECT u.id, u.email, u.created_at, u.name FROM users u  WHERE u.id = $1 AND (u.id) > ($2) ORDER BY u.id LIMIT 10;

-- last before a position
SELECT u.id, u.email, u.created_at, u.name FROM users u  WHERE u.id = $1 AND (u.id) < ($2) ORDER BY u.id DESC LIMIT 10;

-- page
SELECT u.id, u.email, u.created_at, u.name FROM
		(SELECT u.id AS id_ FROM users u WHERE u.id = $1 AND TRUE
			ORDER BY u.id LIMIT 10 OFFSET $2) page
		CROSS JOIN users u  WHERE u.id = id_ AND u.id = $1 ORDER BY u.id;

-- page from the end
SELECT u.id, u.email, u.created_at, u.name FROM
		(SELECT u.id AS id_ FROM users u WHERE u.id = $1 AND TRUE
			ORDER BY u.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN users u  WHERE u.id = id_ AND u.id = $1 ORDER BY u.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY u.id) AS place_, u.id, u.email, u.created_at, u.name FROM users u 
			WHERE u.id = parent_ AND TRUE ORDER BY u.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, u.id, u.email, u.created_at, u.name FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN users u 
		WHERE +u.id = parent_ AND u.id IN
			(SELECT u.id FROM users u WHERE u.id = parent_ AND TRUE ORDER BY u.id LIMIT 10)
		ORDER BY parent_, u.id;

-- last of several parents, SQLite
SELECT parent_, 0, u.id, u.email, u.created_at, u.name FROM (SELECT id AS parent_ FROM users WHERE id IN ($1, $2)) parents
		CROSS JOIN users u 
		WHERE +u.id = parent_ AND u.id IN
			(SELECT u.id FROM users u WHERE u.id = parent_ AND TRUE ORDER BY u.id DESC LIMIT 10)
		ORDER BY parent_, u.id DESC;

-- count
SELECT u.id, count(*) FROM users u WHERE u.id IN ($1, $2) GROUP BY u.id;

-- at a position or behind
SELECT 1 FROM users u WHERE u.id = $1 AND (u.id) >= ($2) LIMIT 1;

