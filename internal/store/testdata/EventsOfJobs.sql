-- # EventsOfJobs

-- first
SELECT je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM job_events je JOIN job_runs ej ON ej.job_id = je.job_id WHERE je.job_id = $1 ORDER BY je.at, je.id LIMIT 10;

-- first after a position, seen by a portal
SELECT je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM job_events je JOIN job_runs ej ON ej.job_id = je.job_id WHERE je.job_id = $1 AND (je.at, je.id) > ($2, $3) ORDER BY je.at, je.id LIMIT 10;

-- last before a position
SELECT je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM job_events je JOIN job_runs ej ON ej.job_id = je.job_id WHERE je.job_id = $1 AND (je.at, je.id) < ($2, $3) ORDER BY je.at DESC, je.id DESC LIMIT 10;

-- page
SELECT je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM
		(SELECT je.id AS id_ FROM job_events je WHERE je.job_id = $1 AND TRUE
			ORDER BY je.at, je.id LIMIT 10 OFFSET $2) page
		CROSS JOIN job_events je JOIN job_runs ej ON ej.job_id = je.job_id WHERE je.id = id_ AND je.job_id = $1 ORDER BY je.at, je.id;

-- page from the end
SELECT je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM
		(SELECT je.id AS id_ FROM job_events je WHERE je.job_id = $1 AND TRUE
			ORDER BY je.at DESC, je.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN job_events je JOIN job_runs ej ON ej.job_id = je.job_id WHERE je.id = id_ AND je.job_id = $1 ORDER BY je.at DESC, je.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM jobs WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY je.at, je.id) AS place_, je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM job_events je JOIN job_runs ej ON ej.job_id = je.job_id
			WHERE je.job_id = parent_ AND TRUE ORDER BY je.at, je.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM (SELECT id AS parent_ FROM jobs WHERE id IN ($1, $2)) parents
		CROSS JOIN job_events je JOIN job_runs ej ON ej.job_id = je.job_id
		WHERE +je.job_id = parent_ AND je.id IN
			(SELECT je.id FROM job_events je WHERE je.job_id = parent_ AND TRUE ORDER BY je.at, je.id LIMIT 10)
		ORDER BY parent_, je.at, je.id;

-- last of several parents, SQLite
SELECT parent_, 0, je.id, je.job_id, je.type, je.at, je.agent_id, je.user_id, je.detail, ej.exit_status, ej.signal, ej.signal_reason, ej.retried_by_id, ej.detail FROM (SELECT id AS parent_ FROM jobs WHERE id IN ($1, $2)) parents
		CROSS JOIN job_events je JOIN job_runs ej ON ej.job_id = je.job_id
		WHERE +je.job_id = parent_ AND je.id IN
			(SELECT je.id FROM job_events je WHERE je.job_id = parent_ AND TRUE ORDER BY je.at DESC, je.id DESC LIMIT 10)
		ORDER BY parent_, je.at DESC, je.id DESC;

-- count
SELECT je.job_id, count(*) FROM job_events je WHERE je.job_id IN ($1, $2) GROUP BY je.job_id;

-- at a position or behind
SELECT 1 FROM job_events je WHERE je.job_id = $1 AND (je.at, je.id) >= ($2, $3) LIMIT 1;

