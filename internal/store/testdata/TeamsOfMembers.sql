-- # TeamsOfMembers by name

-- first
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 ORDER BY te.name_key, tm.id LIMIT 10;

-- first after a position, seen by a portal
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id = (SELECT organization_id FROM portals WHERE id = $1) OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (te.name_key, tm.id) > ($4, $5) ORDER BY te.name_key, tm.id LIMIT 10;

-- last before a position
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (te.name_key, tm.id) < ($4, $5) ORDER BY te.name_key DESC, tm.id DESC LIMIT 10;

-- page
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tm.id AS id_ FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY te.name_key, tm.id LIMIT 10 OFFSET $4) page
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE tm.id = id_ AND m.id = $1 ORDER BY te.name_key, tm.id;

-- page from the end
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tm.id AS id_ FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY te.name_key DESC, tm.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE tm.id = id_ AND m.id = $1 ORDER BY te.name_key DESC, tm.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY te.name_key, tm.id) AS place_, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
			WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key, tm.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
		WHERE +m.id = parent_ AND tm.id IN
			(SELECT tm.id FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key, tm.id LIMIT 10)
		ORDER BY parent_, te.name_key, tm.id;

-- last of several parents, SQLite
SELECT parent_, 0, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
		WHERE +m.id = parent_ AND tm.id IN
			(SELECT tm.id FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY te.name_key DESC, tm.id DESC LIMIT 10)
		ORDER BY parent_, te.name_key DESC, tm.id DESC;

-- count
SELECT m.id, count(*) FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id IN ($3, $4) GROUP BY m.id;

-- at a position or behind
SELECT 1 FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (te.name_key, tm.id) >= ($4, $5) LIMIT 1;

-- # TeamsOfMembers by time

-- first
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 ORDER BY tm.created_at DESC, tm.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id = (SELECT organization_id FROM portals WHERE id = $1) OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (tm.created_at, tm.id) < ($4, $5) ORDER BY tm.created_at DESC, tm.id DESC LIMIT 10;

-- last before a position
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (tm.created_at, tm.id) > ($4, $5) ORDER BY tm.created_at, tm.id LIMIT 10;

-- page
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tm.id AS id_ FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY tm.created_at DESC, tm.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE tm.id = id_ AND m.id = $1 ORDER BY tm.created_at DESC, tm.id DESC;

-- page from the end
SELECT tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT tm.id AS id_ FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = $1 AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $3))
			ORDER BY tm.created_at, tm.id LIMIT 10 OFFSET $4) page
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by WHERE tm.id = id_ AND m.id = $1 ORDER BY tm.created_at, tm.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY tm.created_at DESC, tm.id DESC) AS place_, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
			WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tm.created_at DESC, tm.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
		WHERE +m.id = parent_ AND tm.id IN
			(SELECT tm.id FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tm.created_at DESC, tm.id DESC LIMIT 10)
		ORDER BY parent_, tm.created_at DESC, tm.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.created_at, tm.role, te.name, o.slug, u.id, u.email, u.created_at, u.name, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organization_members WHERE id IN ($1, $2)) parents
		CROSS JOIN team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by
		WHERE +m.id = parent_ AND tm.id IN
			(SELECT tm.id FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE m.id = parent_ AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $4)) ORDER BY tm.created_at, tm.id LIMIT 10)
		ORDER BY parent_, tm.created_at, tm.id;

-- count
SELECT m.id, count(*) FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id IN ($3, $4) GROUP BY m.id;

-- at a position or behind
SELECT 1 FROM team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id WHERE (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $2)) AND m.id = $3 AND (tm.created_at, tm.id) <= ($4, $5) LIMIT 1;

