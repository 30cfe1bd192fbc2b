-- # NoticesOf

-- first
SELECT nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM notices nc  WHERE nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND nc.organization_id = $2 ORDER BY nc.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM notices nc  WHERE nc.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND nc.organization_id = $2 AND (nc.id) < ($3) ORDER BY nc.id DESC LIMIT 10;

-- last before a position
SELECT nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM notices nc  WHERE nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND nc.organization_id = $2 AND (nc.id) > ($3) ORDER BY nc.id LIMIT 10;

-- page
SELECT nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM
		(SELECT nc.id AS id_ FROM notices nc WHERE nc.organization_id = $1 AND nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY nc.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN notices nc  WHERE nc.id = id_ AND nc.organization_id = $1 ORDER BY nc.id DESC;

-- page from the end
SELECT nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM
		(SELECT nc.id AS id_ FROM notices nc WHERE nc.organization_id = $1 AND nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY nc.id LIMIT 10 OFFSET $3) page
		CROSS JOIN notices nc  WHERE nc.id = id_ AND nc.organization_id = $1 ORDER BY nc.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY nc.id DESC) AS place_, nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM notices nc 
			WHERE nc.organization_id = parent_ AND nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY nc.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN notices nc 
		WHERE +nc.organization_id = parent_ AND nc.id IN
			(SELECT nc.id FROM notices nc WHERE nc.organization_id = parent_ AND nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY nc.id DESC LIMIT 10)
		ORDER BY parent_, nc.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, nc.id, nc.organization_id, nc.kind, nc.target, nc.lane, nc.newest_only, nc.build_id, nc.summary, nc.body, nc.created_at, nc.state, nc.due_at, nc.tries, nc.tried_at, nc.answer, (SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id), COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0) FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN notices nc 
		WHERE +nc.organization_id = parent_ AND nc.id IN
			(SELECT nc.id FROM notices nc WHERE nc.organization_id = parent_ AND nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY nc.id LIMIT 10)
		ORDER BY parent_, nc.id;

-- count
SELECT nc.organization_id, count(*) FROM notices nc WHERE nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND nc.organization_id IN ($2, $3) GROUP BY nc.organization_id;

-- at a position or behind
SELECT 1 FROM notices nc WHERE nc.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND nc.organization_id = $2 AND (nc.id) <= ($3) LIMIT 1;

