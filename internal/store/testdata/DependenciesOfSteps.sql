-- # DependenciesOfSteps

-- first
SELECT sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id WHERE sd.step_id = $1 ORDER BY sd.id LIMIT 10;

-- first after a position, seen by a portal
SELECT sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id WHERE sd.step_id = $1 AND (sd.id) > ($2) ORDER BY sd.id LIMIT 10;

-- last before a position
SELECT sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id WHERE sd.step_id = $1 AND (sd.id) < ($2) ORDER BY sd.id DESC LIMIT 10;

-- page
SELECT sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM
		(SELECT sd.id AS id_ FROM step_dependencies sd WHERE sd.step_id = $1 AND TRUE
			ORDER BY sd.id LIMIT 10 OFFSET $2) page
		CROSS JOIN step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id WHERE sd.id = id_ AND sd.step_id = $1 ORDER BY sd.id;

-- page from the end
SELECT sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM
		(SELECT sd.id AS id_ FROM step_dependencies sd WHERE sd.step_id = $1 AND TRUE
			ORDER BY sd.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id WHERE sd.id = id_ AND sd.step_id = $1 ORDER BY sd.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM build_steps WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY sd.id) AS place_, sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id
			WHERE sd.step_id = parent_ AND TRUE ORDER BY sd.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM (SELECT id AS parent_ FROM build_steps WHERE id IN ($1, $2)) parents
		CROSS JOIN step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id
		WHERE +sd.step_id = parent_ AND sd.id IN
			(SELECT sd.id FROM step_dependencies sd WHERE sd.step_id = parent_ AND TRUE ORDER BY sd.id LIMIT 10)
		ORDER BY parent_, sd.id;

-- last of several parents, SQLite
SELECT parent_, 0, sd.id, COALESCE(ks.step_key, sd.on_key), sd.allow_failure FROM (SELECT id AS parent_ FROM build_steps WHERE id IN ($1, $2)) parents
		CROSS JOIN step_dependencies sd LEFT JOIN build_steps ks ON ks.id = sd.on_step_id
		WHERE +sd.step_id = parent_ AND sd.id IN
			(SELECT sd.id FROM step_dependencies sd WHERE sd.step_id = parent_ AND TRUE ORDER BY sd.id DESC LIMIT 10)
		ORDER BY parent_, sd.id DESC;

-- count
SELECT sd.step_id, count(*) FROM step_dependencies sd WHERE sd.step_id IN ($1, $2) GROUP BY sd.step_id;

-- at a position or behind
SELECT 1 FROM step_dependencies sd WHERE sd.step_id = $1 AND (sd.id) >= ($2) LIMIT 1;

