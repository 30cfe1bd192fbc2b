-- # MembersOf by name

-- first
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 ORDER BY u.name_key, m.id LIMIT 10;

-- first after a position, seen by a portal
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key, m.id) > ($2, $3) ORDER BY u.name_key, m.id LIMIT 10;

-- last before a position
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key, m.id) < ($2, $3) ORDER BY u.name_key DESC, m.id DESC LIMIT 10;

-- page
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND TRUE
			ORDER BY u.name_key, m.id LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY u.name_key, m.id;

-- page from the end
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND TRUE
			ORDER BY u.name_key DESC, m.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY u.name_key DESC, m.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY u.name_key, m.id) AS place_, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
			WHERE m.organization_id = parent_ AND TRUE ORDER BY u.name_key, m.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND TRUE ORDER BY u.name_key, m.id LIMIT 10)
		ORDER BY parent_, u.name_key, m.id;

-- last of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND TRUE ORDER BY u.name_key DESC, m.id DESC LIMIT 10)
		ORDER BY parent_, u.name_key DESC, m.id DESC;

-- count
SELECT m.organization_id, count(*) FROM organization_members m WHERE m.organization_id IN ($1, $2) GROUP BY m.organization_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key, m.id) >= ($2, $3) LIMIT 1;

-- # MembersOf by name chosen

-- first
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11 ORDER BY u.name_key, m.id LIMIT 10;

-- first after a position, seen by a portal
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key, m.id) > ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 ORDER BY u.name_key, m.id LIMIT 10;

-- last before a position
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key, m.id) < ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 ORDER BY u.name_key DESC, m.id DESC LIMIT 10;

-- page
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11
			ORDER BY u.name_key, m.id LIMIT 10 OFFSET $12) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY u.name_key, m.id;

-- page from the end
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11
			ORDER BY u.name_key DESC, m.id DESC LIMIT 10 OFFSET $12) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY u.name_key DESC, m.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY u.name_key, m.id) AS place_, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
			WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY u.name_key, m.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY u.name_key, m.id LIMIT 10)
		ORDER BY parent_, u.name_key, m.id;

-- last of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY u.name_key DESC, m.id DESC LIMIT 10)
		ORDER BY parent_, u.name_key DESC, m.id DESC;

-- count
SELECT m.organization_id, count(*) FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id IN ($1, $2) AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 GROUP BY m.organization_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key, m.id) >= ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 LIMIT 1;

-- # MembersOf by time

-- first
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 ORDER BY m.created_at DESC, m.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (m.created_at, m.id) < ($2, $3) ORDER BY m.created_at DESC, m.id DESC LIMIT 10;

-- last before a position
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (m.created_at, m.id) > ($2, $3) ORDER BY m.created_at, m.id LIMIT 10;

-- page
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND TRUE
			ORDER BY m.created_at DESC, m.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY m.created_at DESC, m.id DESC;

-- page from the end
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND TRUE
			ORDER BY m.created_at, m.id LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY m.created_at, m.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY m.created_at DESC, m.id DESC) AS place_, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
			WHERE m.organization_id = parent_ AND TRUE ORDER BY m.created_at DESC, m.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND TRUE ORDER BY m.created_at DESC, m.id DESC LIMIT 10)
		ORDER BY parent_, m.created_at DESC, m.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND TRUE ORDER BY m.created_at, m.id LIMIT 10)
		ORDER BY parent_, m.created_at, m.id;

-- count
SELECT m.organization_id, count(*) FROM organization_members m WHERE m.organization_id IN ($1, $2) GROUP BY m.organization_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (m.created_at, m.id) <= ($2, $3) LIMIT 1;

-- # MembersOf by time chosen

-- first
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11 ORDER BY m.created_at DESC, m.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (m.created_at, m.id) < ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 ORDER BY m.created_at DESC, m.id DESC LIMIT 10;

-- last before a position
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.organization_id = $1 AND (m.created_at, m.id) > ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 ORDER BY m.created_at, m.id LIMIT 10;

-- page
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11
			ORDER BY m.created_at DESC, m.id DESC LIMIT 10 OFFSET $12) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY m.created_at DESC, m.id DESC;

-- page from the end
SELECT m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT m.id AS id_ FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (u.name_key LIKE $2 ESCAPE '\' OR u.email_key LIKE $3 ESCAPE '\') AND u.email_key = $4 AND m.role IN ($5) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $6
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $7
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $8 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $9))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $10 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $11
			ORDER BY m.created_at, m.id LIMIT 10 OFFSET $12) page
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by WHERE m.id = id_ AND m.organization_id = $1 ORDER BY m.created_at, m.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY m.created_at DESC, m.id DESC) AS place_, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
			WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY m.created_at DESC, m.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY m.created_at DESC, m.id DESC LIMIT 10)
		ORDER BY parent_, m.created_at DESC, m.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, m.id, m.organization_id, m.user_id, m.created_at, m.role, m.sso_mode, m.last_seen_on, o.slug, u.id, u.email, u.created_at, u.name, u.disabled_at IS NOT NULL, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by
		WHERE +m.organization_id = parent_ AND m.id IN
			(SELECT m.id FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = parent_ AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 ORDER BY m.created_at, m.id LIMIT 10)
		ORDER BY parent_, m.created_at, m.id;

-- count
SELECT m.organization_id, count(*) FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id IN ($1, $2) AND (u.name_key LIKE $3 ESCAPE '\' OR u.email_key LIKE $4 ESCAPE '\') AND u.email_key = $5 AND m.role IN ($6) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $7
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $8
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $9 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $10))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $11 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $12 GROUP BY m.organization_id;

-- at a position or behind
SELECT 1 FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND (m.created_at, m.id) <= ($2, $3) AND (u.name_key LIKE $4 ESCAPE '\' OR u.email_key LIKE $5 ESCAPE '\') AND u.email_key = $6 AND m.role IN ($7) AND EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $8
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id) AND EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND te.slug = $9
			AND (te.privacy = 'visible' OR te.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $10 AND role = 'admin') OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = $11))) AND NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = $12 AND f.user_id = m.user_id) AND COALESCE(m.last_seen_on, '') < $13 LIMIT 1;

