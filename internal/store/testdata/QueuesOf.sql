-- # QueuesOf by name

-- first
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 ORDER BY q.key, q.id LIMIT 10;

-- first after a position, seen by a portal
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 AND (q.key, q.id) > ($2, $3) ORDER BY q.key, q.id LIMIT 10;

-- last before a position
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 AND (q.key, q.id) < ($2, $3) ORDER BY q.key DESC, q.id DESC LIMIT 10;

-- page
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.key, q.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.key, q.id;

-- page from the end
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.key DESC, q.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.key DESC, q.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY q.key, q.id) AS place_, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
			WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key, q.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key, q.id LIMIT 10)
		ORDER BY parent_, q.key, q.id;

-- last of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key DESC, q.id DESC LIMIT 10)
		ORDER BY parent_, q.key DESC, q.id DESC;

-- count
SELECT q.cluster_id, count(*) FROM cluster_queues q WHERE q.cluster_id IN ($1, $2) GROUP BY q.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_queues q WHERE q.cluster_id = $1 AND (q.key, q.id) >= ($2, $3) LIMIT 1;

-- # QueuesOf by name keys only

-- first
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 ORDER BY q.key, q.id LIMIT 10;

-- first after a position, seen by a portal
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 AND (q.key, q.id) > ($2, $3) ORDER BY q.key, q.id LIMIT 10;

-- last before a position
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 AND (q.key, q.id) < ($2, $3) ORDER BY q.key DESC, q.id DESC LIMIT 10;

-- page
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.key, q.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q  WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.key, q.id;

-- page from the end
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.key DESC, q.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q  WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.key DESC, q.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY q.key, q.id) AS place_, q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q 
			WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key, q.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.description, q.created_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q 
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key, q.id LIMIT 10)
		ORDER BY parent_, q.key, q.id;

-- last of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.description, q.created_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q 
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.key DESC, q.id DESC LIMIT 10)
		ORDER BY parent_, q.key DESC, q.id DESC;

-- count
SELECT q.cluster_id, count(*) FROM cluster_queues q WHERE q.cluster_id IN ($1, $2) GROUP BY q.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_queues q WHERE q.cluster_id = $1 AND (q.key, q.id) >= ($2, $3) LIMIT 1;

-- # QueuesOf by time

-- first
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 ORDER BY q.created_at DESC, q.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 AND (q.created_at, q.id) < ($2, $3) ORDER BY q.created_at DESC, q.id DESC LIMIT 10;

-- last before a position
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.cluster_id = $1 AND (q.created_at, q.id) > ($2, $3) ORDER BY q.created_at, q.id LIMIT 10;

-- page
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.created_at DESC, q.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.created_at DESC, q.id DESC;

-- page from the end
SELECT q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.created_at, q.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.created_at, q.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY q.created_at DESC, q.id DESC) AS place_, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
			WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at DESC, q.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at DESC, q.id DESC LIMIT 10)
		ORDER BY parent_, q.created_at DESC, q.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.created_at, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, cb.id, cb.email, cb.created_at, cb.name, pb.id, pb.email, pb.created_at, pb.name FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at, q.id LIMIT 10)
		ORDER BY parent_, q.created_at, q.id;

-- count
SELECT q.cluster_id, count(*) FROM cluster_queues q WHERE q.cluster_id IN ($1, $2) GROUP BY q.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_queues q WHERE q.cluster_id = $1 AND (q.created_at, q.id) <= ($2, $3) LIMIT 1;

-- # QueuesOf by time keys only

-- first
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 ORDER BY q.created_at DESC, q.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 AND (q.created_at, q.id) < ($2, $3) ORDER BY q.created_at DESC, q.id DESC LIMIT 10;

-- last before a position
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q  WHERE q.cluster_id = $1 AND (q.created_at, q.id) > ($2, $3) ORDER BY q.created_at, q.id LIMIT 10;

-- page
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.created_at DESC, q.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q  WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.created_at DESC, q.id DESC;

-- page from the end
SELECT q.id, q.cluster_id, q.key, q.description, q.created_at FROM
		(SELECT q.id AS id_ FROM cluster_queues q WHERE q.cluster_id = $1 AND TRUE
			ORDER BY q.created_at, q.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cluster_queues q  WHERE q.id = id_ AND q.cluster_id = $1 ORDER BY q.created_at, q.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY q.created_at DESC, q.id DESC) AS place_, q.id, q.cluster_id, q.key, q.description, q.created_at FROM cluster_queues q 
			WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at DESC, q.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.description, q.created_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q 
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at DESC, q.id DESC LIMIT 10)
		ORDER BY parent_, q.created_at DESC, q.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, q.id, q.cluster_id, q.key, q.description, q.created_at FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_queues q 
		WHERE +q.cluster_id = parent_ AND q.id IN
			(SELECT q.id FROM cluster_queues q WHERE q.cluster_id = parent_ AND TRUE ORDER BY q.created_at, q.id LIMIT 10)
		ORDER BY parent_, q.created_at, q.id;

-- count
SELECT q.cluster_id, count(*) FROM cluster_queues q WHERE q.cluster_id IN ($1, $2) GROUP BY q.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_queues q WHERE q.cluster_id = $1 AND (q.created_at, q.id) <= ($2, $3) LIMIT 1;

