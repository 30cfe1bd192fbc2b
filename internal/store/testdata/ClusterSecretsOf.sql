-- # ClusterSecretsOf

-- first
SELECT cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by WHERE cs.cluster_id = $1 ORDER BY cs.key, cs.id LIMIT 10;

-- first after a position, seen by a portal
SELECT cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by WHERE cs.cluster_id = $1 AND (cs.key, cs.id) > ($2, $3) ORDER BY cs.key, cs.id LIMIT 10;

-- last before a position
SELECT cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by WHERE cs.cluster_id = $1 AND (cs.key, cs.id) < ($2, $3) ORDER BY cs.key DESC, cs.id DESC LIMIT 10;

-- page
SELECT cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT cs.id AS id_ FROM cluster_secrets cs WHERE cs.cluster_id = $1 AND TRUE
			ORDER BY cs.key, cs.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by WHERE cs.id = id_ AND cs.cluster_id = $1 ORDER BY cs.key, cs.id;

-- page from the end
SELECT cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM
		(SELECT cs.id AS id_ FROM cluster_secrets cs WHERE cs.cluster_id = $1 AND TRUE
			ORDER BY cs.key DESC, cs.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by WHERE cs.id = id_ AND cs.cluster_id = $1 ORDER BY cs.key DESC, cs.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY cs.key, cs.id) AS place_, cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by
			WHERE cs.cluster_id = parent_ AND TRUE ORDER BY cs.key, cs.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by
		WHERE +cs.cluster_id = parent_ AND cs.id IN
			(SELECT cs.id FROM cluster_secrets cs WHERE cs.cluster_id = parent_ AND TRUE ORDER BY cs.key, cs.id LIMIT 10)
		ORDER BY parent_, cs.key, cs.id;

-- last of several parents, SQLite
SELECT parent_, 0, cs.id, cs.cluster_id, cs.key, cs.created_at, cs.description, cs.policy, cs.updated_at, cs.last_read_at, (SELECT organization_id FROM clusters WHERE id = cs.cluster_id), cb.id, cb.email, cb.created_at, cb.name, ub.id, ub.email, ub.created_at, ub.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_secrets cs LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by
		WHERE +cs.cluster_id = parent_ AND cs.id IN
			(SELECT cs.id FROM cluster_secrets cs WHERE cs.cluster_id = parent_ AND TRUE ORDER BY cs.key DESC, cs.id DESC LIMIT 10)
		ORDER BY parent_, cs.key DESC, cs.id DESC;

-- count
SELECT cs.cluster_id, count(*) FROM cluster_secrets cs WHERE cs.cluster_id IN ($1, $2) GROUP BY cs.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_secrets cs WHERE cs.cluster_id = $1 AND (cs.key, cs.id) >= ($2, $3) LIMIT 1;

