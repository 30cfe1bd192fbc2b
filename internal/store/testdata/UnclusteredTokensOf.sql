-- # UnclusteredTokensOf

-- first
SELECT ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by WHERE ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ut.organization_id = $2 ORDER BY ut.created_at, ut.id LIMIT 10;

-- first after a position, seen by a portal
SELECT ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by WHERE ut.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND ut.organization_id = $2 AND (ut.created_at, ut.id) > ($3, $4) ORDER BY ut.created_at, ut.id LIMIT 10;

-- last before a position
SELECT ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by WHERE ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ut.organization_id = $2 AND (ut.created_at, ut.id) < ($3, $4) ORDER BY ut.created_at DESC, ut.id DESC LIMIT 10;

-- page
SELECT ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM
		(SELECT ut.id AS id_ FROM unclustered_tokens ut WHERE ut.organization_id = $1 AND ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY ut.created_at, ut.id LIMIT 10 OFFSET $3) page
		CROSS JOIN unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by WHERE ut.id = id_ AND ut.organization_id = $1 ORDER BY ut.created_at, ut.id;

-- page from the end
SELECT ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM
		(SELECT ut.id AS id_ FROM unclustered_tokens ut WHERE ut.organization_id = $1 AND ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY ut.created_at DESC, ut.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by WHERE ut.id = id_ AND ut.organization_id = $1 ORDER BY ut.created_at DESC, ut.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ut.created_at, ut.id) AS place_, ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by
			WHERE ut.organization_id = parent_ AND ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ut.created_at, ut.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by
		WHERE +ut.organization_id = parent_ AND ut.id IN
			(SELECT ut.id FROM unclustered_tokens ut WHERE ut.organization_id = parent_ AND ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ut.created_at, ut.id LIMIT 10)
		ORDER BY parent_, ut.created_at, ut.id;

-- last of several parents, SQLite
SELECT parent_, 0, ut.id, ut.organization_id, ut.description, ut.created_at, ut.revoked_at, ut.revoked_reason, o.slug, cb.id, cb.email, cb.created_at, cb.name, rb.id, rb.email, rb.created_at, rb.name FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN unclustered_tokens ut JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by
		WHERE +ut.organization_id = parent_ AND ut.id IN
			(SELECT ut.id FROM unclustered_tokens ut WHERE ut.organization_id = parent_ AND ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY ut.created_at DESC, ut.id DESC LIMIT 10)
		ORDER BY parent_, ut.created_at DESC, ut.id DESC;

-- count
SELECT ut.organization_id, count(*) FROM unclustered_tokens ut WHERE ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ut.organization_id IN ($2, $3) GROUP BY ut.organization_id;

-- at a position or behind
SELECT 1 FROM unclustered_tokens ut WHERE ut.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND ut.organization_id = $2 AND (ut.created_at, ut.id) >= ($3, $4) LIMIT 1;

