-- # MaintainersOf

-- first
SELECT mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id WHERE (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $2)) AND mt.cluster_id = $3 ORDER BY mt.id LIMIT 10;

-- first after a position, seen by a portal
SELECT mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id WHERE (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id = (SELECT organization_id FROM portals WHERE id = $1)
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $2)) AND mt.cluster_id = $3 AND (mt.id) > ($4) ORDER BY mt.id LIMIT 10;

-- last before a position
SELECT mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id WHERE (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $2)) AND mt.cluster_id = $3 AND (mt.id) < ($4) ORDER BY mt.id DESC LIMIT 10;

-- page
SELECT mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM
		(SELECT mt.id AS id_ FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE mt.cluster_id = $1 AND (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $3))
			ORDER BY mt.id LIMIT 10 OFFSET $4) page
		CROSS JOIN cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id WHERE mt.id = id_ AND mt.cluster_id = $1 ORDER BY mt.id;

-- page from the end
SELECT mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM
		(SELECT mt.id AS id_ FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE mt.cluster_id = $1 AND (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $3))
			ORDER BY mt.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id WHERE mt.id = id_ AND mt.cluster_id = $1 ORDER BY mt.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY mt.id) AS place_, mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id
			WHERE mt.cluster_id = parent_ AND (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $4)) ORDER BY mt.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id
		WHERE +mt.cluster_id = parent_ AND mt.id IN
			(SELECT mt.id FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE mt.cluster_id = parent_ AND (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $4)) ORDER BY mt.id LIMIT 10)
		ORDER BY parent_, mt.id;

-- last of several parents, SQLite
SELECT parent_, 0, mt.id, mt.cluster_id, mu.id, mu.email, mu.created_at, mu.name, mte.id, mte.name, mte.slug FROM (SELECT id AS parent_ FROM clusters WHERE id IN ($1, $2)) parents
		CROSS JOIN cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id LEFT JOIN users mu ON mu.id = mt.user_id
		WHERE +mt.cluster_id = parent_ AND mt.id IN
			(SELECT mt.id FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE mt.cluster_id = parent_ AND (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $4)) ORDER BY mt.id DESC LIMIT 10)
		ORDER BY parent_, mt.id DESC;

-- count
SELECT mt.cluster_id, count(*) FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $2)) AND mt.cluster_id IN ($3, $4) GROUP BY mt.cluster_id;

-- at a position or behind
SELECT 1 FROM cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id WHERE (mt.team_id IS NULL OR mte.privacy = 'visible' OR mt.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin')
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = $2)) AND mt.cluster_id = $3 AND (mt.id) >= ($4) LIMIT 1;

