-- # NotificationServicesOf

-- first
SELECT ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by WHERE ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ns.organization_id = $2 ORDER BY ns.id LIMIT 10;

-- first after a position, seen by a portal
SELECT ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by WHERE ns.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND ns.organization_id = $2 AND (ns.id) > ($3) ORDER BY ns.id LIMIT 10;

-- last before a position
SELECT ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by WHERE ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ns.organization_id = $2 AND (ns.id) < ($3) ORDER BY ns.id DESC LIMIT 10;

-- page
SELECT ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ns.id AS id_ FROM notification_services ns WHERE ns.organization_id = $1 AND ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY ns.id LIMIT 10 OFFSET $3) page
		CROSS JOIN notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by WHERE ns.id = id_ AND ns.organization_id = $1 ORDER BY ns.id;

-- page from the end
SELECT ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM
		(SELECT ns.id AS id_ FROM notification_services ns WHERE ns.organization_id = $1 AND ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY ns.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by WHERE ns.id = id_ AND ns.organization_id = $1 ORDER BY ns.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ns.id) AS place_, ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by
			WHERE ns.organization_id = parent_ AND ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ns.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by
		WHERE +ns.organization_id = parent_ AND ns.id IN
			(SELECT ns.id FROM notification_services ns WHERE ns.organization_id = parent_ AND ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ns.id LIMIT 10)
		ORDER BY parent_, ns.id;

-- last of several parents, SQLite
SELECT parent_, 0, ns.id, ns.organization_id, ns.provider, ns.created_at, ns.description, ns.enabled, ns.scope, ns.scope_ids, ns.branches, ns.build_states, ns.settings, ns.updated_at, o.slug, cb.id, cb.email, cb.created_at, cb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN notification_services ns JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by
		WHERE +ns.organization_id = parent_ AND ns.id IN
			(SELECT ns.id FROM notification_services ns WHERE ns.organization_id = parent_ AND ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ns.id DESC LIMIT 10)
		ORDER BY parent_, ns.id DESC;

-- count
SELECT ns.organization_id, count(*) FROM notification_services ns WHERE ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ns.organization_id IN ($2, $3) GROUP BY ns.organization_id;

-- at a position or behind
SELECT 1 FROM notification_services ns WHERE ns.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ns.organization_id = $2 AND (ns.id) >= ($3) LIMIT 1;

