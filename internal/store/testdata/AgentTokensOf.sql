-- # AgentTokensOf

-- first
SELECT at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by WHERE at.cluster_id = $1 ORDER BY at.created_at, at.id LIMIT 10;

-- first after a position, seen by a portal
SELECT at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by WHERE at.cluster_id = $1 AND (at.created_at, at.id) > ($2, $3) ORDER BY at.created_at, at.id LIMIT 10;

-- last before a position
SELECT at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by WHERE at.cluster_id = $1 AND (at.created_at, at.id) < ($2, $3) ORDER BY at.created_at DESC, at.id DESC LIMIT 10;

-- page
SELECT at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT at.id AS id_ FROM cluster_agent_tokens at WHERE at.cluster_id = $1 AND TRUE
			ORDER BY at.created_at, at.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by WHERE at.id = id_ AND at.cluster_id = $1 ORDER BY at.created_at, at.id;

-- page from the end
SELECT at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT at.id AS id_ FROM cluster_agent_tokens at WHERE at.cluster_id = $1 AND TRUE
			ORDER BY at.created_at DESC, at.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by WHERE at.id = id_ AND at.cluster_id = $1 ORDER BY at.created_at DESC, at.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY at.created_at, at.id) AS place_, at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by
			WHERE at.cluster_id = parent_ AND TRUE ORDER BY at.created_at, at.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by
		WHERE +at.cluster_id = parent_ AND at.id IN
			(SELECT at.id FROM cluster_agent_tokens at WHERE at.cluster_id = parent_ AND TRUE ORDER BY at.created_at, at.id LIMIT 10)
		ORDER BY parent_, at.created_at, at.id;

-- last of several parents, SQLite
SELECT parent_, 0, at.id, at.cluster_id, at.expires_at, at.created_at, at.description, at.allowed_ip_addresses, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_agent_tokens at LEFT JOIN users cb ON cb.id = at.created_by
		WHERE +at.cluster_id = parent_ AND at.id IN
			(SELECT at.id FROM cluster_agent_tokens at WHERE at.cluster_id = parent_ AND TRUE ORDER BY at.created_at DESC, at.id DESC LIMIT 10)
		ORDER BY parent_, at.created_at DESC, at.id DESC;

-- count
SELECT at.cluster_id, count(*) FROM cluster_agent_tokens at WHERE at.cluster_id IN ($1, $2) GROUP BY at.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_agent_tokens at WHERE at.cluster_id = $1 AND (at.created_at, at.id) >= ($2, $3) LIMIT 1;

