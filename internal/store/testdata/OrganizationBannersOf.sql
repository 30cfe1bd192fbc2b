-- # OrganizationBannersOf

-- first
SELECT ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM organization_banners ob  WHERE ob.organization_id = $1 ORDER BY ob.created_at, ob.id LIMIT 10;

-- first after a position, seen by a portal
SELECT ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM organization_banners ob  WHERE ob.organization_id = $1 AND (ob.created_at, ob.id) > ($2, $3) ORDER BY ob.created_at, ob.id LIMIT 10;

-- last before a position
SELECT ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM organization_banners ob  WHERE ob.organization_id = $1 AND (ob.created_at, ob.id) < ($2, $3) ORDER BY ob.created_at DESC, ob.id DESC LIMIT 10;

-- page
SELECT ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM
		(SELECT ob.id AS id_ FROM organization_banners ob WHERE ob.organization_id = $1 AND TRUE
			ORDER BY ob.created_at, ob.id LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_banners ob  WHERE ob.id = id_ AND ob.organization_id = $1 ORDER BY ob.created_at, ob.id;

-- page from the end
SELECT ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM
		(SELECT ob.id AS id_ FROM organization_banners ob WHERE ob.organization_id = $1 AND TRUE
			ORDER BY ob.created_at DESC, ob.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN organization_banners ob  WHERE ob.id = id_ AND ob.organization_id = $1 ORDER BY ob.created_at DESC, ob.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ob.created_at, ob.id) AS place_, ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM organization_banners ob 
			WHERE ob.organization_id = parent_ AND TRUE ORDER BY ob.created_at, ob.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_banners ob 
		WHERE +ob.organization_id = parent_ AND ob.id IN
			(SELECT ob.id FROM organization_banners ob WHERE ob.organization_id = parent_ AND TRUE ORDER BY ob.created_at, ob.id LIMIT 10)
		ORDER BY parent_, ob.created_at, ob.id;

-- last of several parents, SQLite
SELECT parent_, 0, ob.id, ob.organization_id, ob.created_at, ob.message, ob.updated_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN organization_banners ob 
		WHERE +ob.organization_id = parent_ AND ob.id IN
			(SELECT ob.id FROM organization_banners ob WHERE ob.organization_id = parent_ AND TRUE ORDER BY ob.created_at DESC, ob.id DESC LIMIT 10)
		ORDER BY parent_, ob.created_at DESC, ob.id DESC;

-- count
SELECT ob.organization_id, count(*) FROM organization_banners ob WHERE ob.organization_id IN ($1, $2) GROUP BY ob.organization_id;

-- at a position or behind
SELECT 1 FROM organization_banners ob WHERE ob.organization_id = $1 AND (ob.created_at, ob.id) >= ($2, $3) LIMIT 1;

