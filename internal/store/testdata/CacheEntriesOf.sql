-- # CacheEntriesOf

-- first
SELECT ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id WHERE ce.set_id = $1 ORDER BY ce.created_at DESC, ce.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id WHERE ce.set_id = $1 AND (ce.created_at, ce.id) < ($2, $3) ORDER BY ce.created_at DESC, ce.id DESC LIMIT 10;

-- last before a position
SELECT ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id WHERE ce.set_id = $1 AND (ce.created_at, ce.id) > ($2, $3) ORDER BY ce.created_at, ce.id LIMIT 10;

-- page
SELECT ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM
		(SELECT ce.id AS id_ FROM cache_entries ce WHERE ce.set_id = $1 AND TRUE
			ORDER BY ce.created_at DESC, ce.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id WHERE ce.id = id_ AND ce.set_id = $1 ORDER BY ce.created_at DESC, ce.id DESC;

-- page from the end
SELECT ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM
		(SELECT ce.id AS id_ FROM cache_entries ce WHERE ce.set_id = $1 AND TRUE
			ORDER BY ce.created_at, ce.id LIMIT 10 OFFSET $2) page
		CROSS JOIN cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id WHERE ce.id = id_ AND ce.set_id = $1 ORDER BY ce.created_at, ce.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM cache_entry_sets WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ce.created_at DESC, ce.id DESC) AS place_, ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id
			WHERE ce.set_id = parent_ AND TRUE ORDER BY ce.created_at DESC, ce.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM (SELECT id AS parent_ FROM cache_entry_sets WHERE id IN ($1, $2)) parents
		CROSS JOIN cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id
		WHERE +ce.set_id = parent_ AND ce.id IN
			(SELECT ce.id FROM cache_entries ce WHERE ce.set_id = parent_ AND TRUE ORDER BY ce.created_at DESC, ce.id DESC LIMIT 10)
		ORDER BY parent_, ce.created_at DESC, ce.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, ce.id, ce.set_id, ce.scope_pipeline, ce.scope_branch, ce.scope_build, ce.target_paths, ce.cache_key, ce.blobs, ce.platform, ce.job_id, ce.created_at, ce.used_at, ce.restores, ce.expires_at, p.slug, COALESCE(b.number, 0) FROM (SELECT id AS parent_ FROM cache_entry_sets WHERE id IN ($1, $2)) parents
		CROSS JOIN cache_entries ce LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id
		WHERE +ce.set_id = parent_ AND ce.id IN
			(SELECT ce.id FROM cache_entries ce WHERE ce.set_id = parent_ AND TRUE ORDER BY ce.created_at, ce.id LIMIT 10)
		ORDER BY parent_, ce.created_at, ce.id;

-- count
SELECT ce.set_id, count(*) FROM cache_entries ce WHERE ce.set_id IN ($1, $2) GROUP BY ce.set_id;

-- at a position or behind
SELECT 1 FROM cache_entries ce WHERE ce.set_id = $1 AND (ce.created_at, ce.id) <= ($2, $3) LIMIT 1;

