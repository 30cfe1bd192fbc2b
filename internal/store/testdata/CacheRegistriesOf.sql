-- # CacheRegistriesOf

-- first
SELECT r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM cache_registries r  WHERE r.cluster_id = $1 ORDER BY r.slug, r.id LIMIT 10;

-- first after a position, seen by a portal
SELECT r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM cache_registries r  WHERE r.cluster_id = $1 AND (r.slug, r.id) > ($2, $3) ORDER BY r.slug, r.id LIMIT 10;

-- last before a position
SELECT r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM cache_registries r  WHERE r.cluster_id = $1 AND (r.slug, r.id) < ($2, $3) ORDER BY r.slug DESC, r.id DESC LIMIT 10;

-- page
SELECT r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM
		(SELECT r.id AS id_ FROM cache_registries r WHERE r.cluster_id = $1 AND TRUE
			ORDER BY r.slug, r.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cache_registries r  WHERE r.id = id_ AND r.cluster_id = $1 ORDER BY r.slug, r.id;

-- page from the end
SELECT r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM
		(SELECT r.id AS id_ FROM cache_registries r WHERE r.cluster_id = $1 AND TRUE
			ORDER BY r.slug DESC, r.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cache_registries r  WHERE r.id = id_ AND r.cluster_id = $1 ORDER BY r.slug DESC, r.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY r.slug, r.id) AS place_, r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM cache_registries r 
			WHERE r.cluster_id = parent_ AND TRUE ORDER BY r.slug, r.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cache_registries r 
		WHERE +r.cluster_id = parent_ AND r.id IN
			(SELECT r.id FROM cache_registries r WHERE r.cluster_id = parent_ AND TRUE ORDER BY r.slug, r.id LIMIT 10)
		ORDER BY parent_, r.slug, r.id;

-- last of several parents, SQLite
SELECT parent_, 0, r.id, r.cluster_id, r.created_at, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.entry_set_id, r.updated_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cache_registries r 
		WHERE +r.cluster_id = parent_ AND r.id IN
			(SELECT r.id FROM cache_registries r WHERE r.cluster_id = parent_ AND TRUE ORDER BY r.slug DESC, r.id DESC LIMIT 10)
		ORDER BY parent_, r.slug DESC, r.id DESC;

-- count
SELECT r.cluster_id, count(*) FROM cache_registries r WHERE r.cluster_id IN ($1, $2) GROUP BY r.cluster_id;

-- at a position or behind
SELECT 1 FROM cache_registries r WHERE r.cluster_id = $1 AND (r.slug, r.id) >= ($2, $3) LIMIT 1;

