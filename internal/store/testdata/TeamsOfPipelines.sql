-- # TeamsOfPipelines by name

-- first
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 ORDER BY te.name_key, tp.id LIMIT 10;

-- first after a position, seen by a portal
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id = (SELECT organization_id FROM portals WHERE id = $1) OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (te.name_key, tp.id) > ($4, $5) ORDER BY te.name_key, tp.id LIMIT 10;

-- last before a position
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (te.name_key, tp.id) < ($4, $5) ORDER BY te.name_key DESC, tp.id DESC LIMIT 10;

-- page
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tp.id AS id_ FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY te.name_key, tp.id LIMIT 10 OFFSET $4) page
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE tp.id = id_ AND tp.pipeline_id = $1 ORDER BY te.name_key, tp.id;

-- page from the end
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tp.id AS id_ FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY te.name_key DESC, tp.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE tp.id = id_ AND tp.pipeline_id = $1 ORDER BY te.name_key DESC, tp.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY te.name_key, tp.id) AS place_, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
			WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key, tp.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
		WHERE +tp.pipeline_id = parent_ AND tp.id IN
			(SELECT tp.id FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key, tp.id LIMIT 10)
		ORDER BY parent_, te.name_key, tp.id;

-- last of several parents, SQLite
SELECT parent_, 0, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
		WHERE +tp.pipeline_id = parent_ AND tp.id IN
			(SELECT tp.id FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key DESC, tp.id DESC LIMIT 10)
		ORDER BY parent_, te.name_key DESC, tp.id DESC;

-- count
SELECT tp.pipeline_id, count(*) FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id IN ($3, $4) GROUP BY tp.pipeline_id;

-- at a position or behind
SELECT 1 FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (te.name_key, tp.id) >= ($4, $5) LIMIT 1;

-- # TeamsOfPipelines by time

-- first
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 ORDER BY tp.created_at DESC, tp.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id = (SELECT organization_id FROM portals WHERE id = $1) OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (tp.created_at, tp.id) < ($4, $5) ORDER BY tp.created_at DESC, tp.id DESC LIMIT 10;

-- last before a position
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (tp.created_at, tp.id) > ($4, $5) ORDER BY tp.created_at, tp.id LIMIT 10;

-- page
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tp.id AS id_ FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY tp.created_at DESC, tp.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE tp.id = id_ AND tp.pipeline_id = $1 ORDER BY tp.created_at DESC, tp.id DESC;

-- page from the end
SELECT tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tp.id AS id_ FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY tp.created_at, tp.id LIMIT 10 OFFSET $4) page
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by WHERE tp.id = id_ AND tp.pipeline_id = $1 ORDER BY tp.created_at, tp.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY tp.created_at DESC, tp.id DESC) AS place_, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
			WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tp.created_at DESC, tp.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
		WHERE +tp.pipeline_id = parent_ AND tp.id IN
			(SELECT tp.id FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tp.created_at DESC, tp.id DESC LIMIT 10)
		ORDER BY parent_, tp.created_at DESC, tp.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.created_at, tp.access_level, te.name, o.slug, p.slug, p.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM pipelines WHERE id IN ($1, $2)) parents
		CROSS JOIN team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by
		WHERE +tp.pipeline_id = parent_ AND tp.id IN
			(SELECT tp.id FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE tp.pipeline_id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tp.created_at, tp.id LIMIT 10)
		ORDER BY parent_, tp.created_at, tp.id;

-- count
SELECT tp.pipeline_id, count(*) FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id IN ($3, $4) GROUP BY tp.pipeline_id;

-- at a position or behind
SELECT 1 FROM team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND tp.pipeline_id = $3 AND (tp.created_at, tp.id) <= ($4, $5) LIMIT 1;

