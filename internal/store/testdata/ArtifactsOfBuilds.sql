-- # ArtifactsOfBuilds

-- first
SELECT ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id WHERE ar.build_id = $1 ORDER BY ar.path_key, ar.id LIMIT 10;

-- first after a position, seen by a portal
SELECT ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id WHERE ar.build_id = $1 AND (ar.path_key, ar.id) > ($2, $3) ORDER BY ar.path_key, ar.id LIMIT 10;

-- last before a position
SELECT ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id WHERE ar.build_id = $1 AND (ar.path_key, ar.id) < ($2, $3) ORDER BY ar.path_key DESC, ar.id DESC LIMIT 10;

-- page
SELECT ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM
		(SELECT ar.id AS id_ FROM artifacts ar WHERE ar.build_id = $1 AND TRUE
			ORDER BY ar.path_key, ar.id LIMIT 10 OFFSET $2) page
		CROSS JOIN artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id WHERE ar.id = id_ AND ar.build_id = $1 ORDER BY ar.path_key, ar.id;

-- page from the end
SELECT ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM
		(SELECT ar.id AS id_ FROM artifacts ar WHERE ar.build_id = $1 AND TRUE
			ORDER BY ar.path_key DESC, ar.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id WHERE ar.id = id_ AND ar.build_id = $1 ORDER BY ar.path_key DESC, ar.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY ar.path_key, ar.id) AS place_, ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id
			WHERE ar.build_id = parent_ AND TRUE ORDER BY ar.path_key, ar.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id
		WHERE +ar.build_id = parent_ AND ar.id IN
			(SELECT ar.id FROM artifacts ar WHERE ar.build_id = parent_ AND TRUE ORDER BY ar.path_key, ar.id LIMIT 10)
		ORDER BY parent_, ar.path_key, ar.id;

-- last of several parents, SQLite
SELECT parent_, 0, ar.id, ar.organization_id, ar.build_id, ar.job_id, ar.upload_id, ar.path, ar.absolute_path, ar.glob_path, ar.file_size, ar.sha1sum, ar.sha256sum, ar.content_type, ar.upload_destination, ar.url, ar.created_at, ar.multipart_id, ar.is_stored, ar.state, ar.finished_at, ar.expires_at, o.slug, p.slug, b.number FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN artifacts ar JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id
		WHERE +ar.build_id = parent_ AND ar.id IN
			(SELECT ar.id FROM artifacts ar WHERE ar.build_id = parent_ AND TRUE ORDER BY ar.path_key DESC, ar.id DESC LIMIT 10)
		ORDER BY parent_, ar.path_key DESC, ar.id DESC;

-- count
SELECT ar.build_id, count(*) FROM artifacts ar WHERE ar.build_id IN ($1, $2) GROUP BY ar.build_id;

-- at a position or behind
SELECT 1 FROM artifacts ar WHERE ar.build_id = $1 AND (ar.path_key, ar.id) >= ($2, $3) LIMIT 1;

