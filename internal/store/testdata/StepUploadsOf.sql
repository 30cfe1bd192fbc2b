-- # StepUploadsOf

-- first
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 ORDER BY su.created_at DESC, su.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 AND (su.created_at, su.id) < ($2, $3) ORDER BY su.created_at DESC, su.id DESC LIMIT 10;

-- last before a position
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 AND (su.created_at, su.id) > ($2, $3) ORDER BY su.created_at, su.id LIMIT 10;

-- page
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM
		(SELECT su.id AS id_ FROM step_uploads su WHERE su.build_id = $1 AND TRUE
			ORDER BY su.created_at DESC, su.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN step_uploads su  WHERE su.id = id_ AND su.build_id = $1 ORDER BY su.created_at DESC, su.id DESC;

-- page from the end
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM
		(SELECT su.id AS id_ FROM step_uploads su WHERE su.build_id = $1 AND TRUE
			ORDER BY su.created_at, su.id LIMIT 10 OFFSET $2) page
		CROSS JOIN step_uploads su  WHERE su.id = id_ AND su.build_id = $1 ORDER BY su.created_at, su.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY su.created_at DESC, su.id DESC) AS place_, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su 
			WHERE su.build_id = parent_ AND TRUE ORDER BY su.created_at DESC, su.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN step_uploads su 
		WHERE +su.build_id = parent_ AND su.id IN
			(SELECT su.id FROM step_uploads su WHERE su.build_id = parent_ AND TRUE ORDER BY su.created_at DESC, su.id DESC LIMIT 10)
		ORDER BY parent_, su.created_at DESC, su.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN step_uploads su 
		WHERE +su.build_id = parent_ AND su.id IN
			(SELECT su.id FROM step_uploads su WHERE su.build_id = parent_ AND TRUE ORDER BY su.created_at, su.id LIMIT 10)
		ORDER BY parent_, su.created_at, su.id;

-- count
SELECT su.build_id, count(*) FROM step_uploads su WHERE su.build_id IN ($1, $2) GROUP BY su.build_id;

-- at a position or behind
SELECT 1 FROM step_uploads su WHERE su.build_id = $1 AND (su.created_at, su.id) <= ($2, $3) LIMIT 1;

-- # StepUploadsOf of one

-- first
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 AND su.job_id = $2 ORDER BY su.created_at DESC, su.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 AND (su.created_at, su.id) < ($2, $3) AND su.job_id = $4 ORDER BY su.created_at DESC, su.id DESC LIMIT 10;

-- last before a position
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su  WHERE su.build_id = $1 AND (su.created_at, su.id) > ($2, $3) AND su.job_id = $4 ORDER BY su.created_at, su.id LIMIT 10;

-- page
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM
		(SELECT su.id AS id_ FROM step_uploads su WHERE su.build_id = $1 AND su.job_id = $2
			ORDER BY su.created_at DESC, su.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN step_uploads su  WHERE su.id = id_ AND su.build_id = $1 ORDER BY su.created_at DESC, su.id DESC;

-- page from the end
SELECT su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM
		(SELECT su.id AS id_ FROM step_uploads su WHERE su.build_id = $1 AND su.job_id = $2
			ORDER BY su.created_at, su.id LIMIT 10 OFFSET $3) page
		CROSS JOIN step_uploads su  WHERE su.id = id_ AND su.build_id = $1 ORDER BY su.created_at, su.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY su.created_at DESC, su.id DESC) AS place_, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM step_uploads su 
			WHERE su.build_id = parent_ AND su.job_id = $3 ORDER BY su.created_at DESC, su.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN step_uploads su 
		WHERE +su.build_id = parent_ AND su.id IN
			(SELECT su.id FROM step_uploads su WHERE su.build_id = parent_ AND su.job_id = $3 ORDER BY su.created_at DESC, su.id DESC LIMIT 10)
		ORDER BY parent_, su.created_at DESC, su.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, su.id, su.build_id, su.job_id, su.created_at, su.is_applied, su.replaces, su.message, octet_length(su.document) FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN step_uploads su 
		WHERE +su.build_id = parent_ AND su.id IN
			(SELECT su.id FROM step_uploads su WHERE su.build_id = parent_ AND su.job_id = $3 ORDER BY su.created_at, su.id LIMIT 10)
		ORDER BY parent_, su.created_at, su.id;

-- count
SELECT su.build_id, count(*) FROM step_uploads su WHERE su.build_id IN ($1, $2) AND su.job_id = $3 GROUP BY su.build_id;

-- at a position or behind
SELECT 1 FROM step_uploads su WHERE su.build_id = $1 AND (su.created_at, su.id) <= ($2, $3) AND su.job_id = $4 LIMIT 1;

