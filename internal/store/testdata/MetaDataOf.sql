-- # MetaDataOf

-- first
SELECT md.build_id, md.key, md.value FROM build_meta_data md  WHERE md.build_id = $1 ORDER BY md.key LIMIT 10;

-- first after a position, seen by a portal
SELECT md.build_id, md.key, md.value FROM build_meta_data md  WHERE md.build_id = $1 AND (md.key) > ($2) ORDER BY md.key LIMIT 10;

-- last before a position
SELECT md.build_id, md.key, md.value FROM build_meta_data md  WHERE md.build_id = $1 AND (md.key) < ($2) ORDER BY md.key DESC LIMIT 10;

-- page
SELECT md.build_id, md.key, md.value FROM
		(SELECT md.key AS id_ FROM build_meta_data md WHERE md.build_id = $1 AND TRUE
			ORDER BY md.key LIMIT 10 OFFSET $2) page
		CROSS JOIN build_meta_data md  WHERE md.key = id_ AND md.build_id = $1 ORDER BY md.key;

-- page from the end
SELECT md.build_id, md.key, md.value FROM
		(SELECT md.key AS id_ FROM build_meta_data md WHERE md.build_id = $1 AND TRUE
			ORDER BY md.key DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN build_meta_data md  WHERE md.key = id_ AND md.build_id = $1 ORDER BY md.key DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY md.key) AS place_, md.build_id, md.key, md.value FROM build_meta_data md 
			WHERE md.build_id = parent_ AND TRUE ORDER BY md.key LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, md.build_id, md.key, md.value FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN build_meta_data md 
		WHERE md.build_id = parent_ AND md.key IN
			(SELECT md.key FROM build_meta_data md WHERE md.build_id = parent_ AND TRUE ORDER BY md.key LIMIT 10)
		ORDER BY parent_, md.key;

-- last of several parents, SQLite
SELECT parent_, 0, md.build_id, md.key, md.value FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN build_meta_data md 
		WHERE md.build_id = parent_ AND md.key IN
			(SELECT md.key FROM build_meta_data md WHERE md.build_id = parent_ AND TRUE ORDER BY md.key DESC LIMIT 10)
		ORDER BY parent_, md.key DESC;

-- count
SELECT md.build_id, count(*) FROM build_meta_data md WHERE md.build_id IN ($1, $2) GROUP BY md.build_id;

-- at a position or behind
SELECT 1 FROM build_meta_data md WHERE md.build_id = $1 AND (md.key) >= ($2) LIMIT 1;

