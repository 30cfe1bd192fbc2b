-- # BuildsOfOrganizations

-- first
SELECT b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE b.organization_id = $1 ORDER BY b.created_at DESC, b.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE b.organization_id = $1 AND (b.created_at, b.id) < ($2, $3) ORDER BY b.created_at DESC, b.id DESC LIMIT 10;

-- last before a position
SELECT b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE b.organization_id = $1 AND (b.created_at, b.id) > ($2, $3) ORDER BY b.created_at, b.id LIMIT 10;

-- page
SELECT b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT b.id AS id_ FROM builds b WHERE b.organization_id = $1 AND TRUE
			ORDER BY b.created_at DESC, b.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE b.id = id_ AND b.organization_id = $1 ORDER BY b.created_at DESC, b.id DESC;

-- page from the end
SELECT b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT b.id AS id_ FROM builds b WHERE b.organization_id = $1 AND TRUE
			ORDER BY b.created_at, b.id LIMIT 10 OFFSET $2) page
		CROSS JOIN builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE b.id = id_ AND b.organization_id = $1 ORDER BY b.created_at, b.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY b.created_at DESC, b.id DESC) AS place_, b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
			WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at DESC, b.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +b.organization_id = parent_ AND b.id IN
			(SELECT b.id FROM builds b WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at DESC, b.id DESC LIMIT 10)
		ORDER BY parent_, b.created_at DESC, b.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, b.id, b.organization_id, b.pipeline_id, b.cluster_id, b.number, b.source, b.branch, b.tag, b.env, b.clean_checkout, b.ignore_branches, b.pull_request, b.rebuilt_from_id, b.triggered_from_id, b.trigger_depth, b.origin_branch, b.origin_tag, b.origin_build_id, b.event, b.publishing, b.created_at, b.message, b.author_name, b.author_email, b.commit_sha, b.commit_resolved, b.state, b.blocked_state, b.is_created, b.is_skipped, b.is_canceled, b.cancel_reason, b.scheduled_at, b.started_at, b.failing_at, b.finished_at, b.upload_env, b.notifications, b.uploads, b.jobs_made, b.jobs_count, b.jobs_moving, b.jobs_held, b.jobs_waiting, b.jobs_started, b.jobs_hard_failed, b.jobs_not_run, p.id, p.organization_id, p.slug, p.name, p.repository, p.cluster_id, p.visibility, p.tags, p.description, p.emoji, p.color, p.default_branch, p.branch_configuration, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter, p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.allow_rebuilds, p.provider_settings, p.badge_token, p.created_at, p.archived_at, o.slug, o.slug, cb.id, cb.email, cb.created_at, cb.name, xb.id, xb.email, xb.created_at, xb.name, CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON cj.job_id = bj.id WHERE bj.build_id = b.id) END, rb.id, rb.number, rp.slug, o.slug, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN builds b JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +b.organization_id = parent_ AND b.id IN
			(SELECT b.id FROM builds b WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at, b.id LIMIT 10)
		ORDER BY parent_, b.created_at, b.id;

-- count
SELECT parents_.id,
			(SELECT count(*) FROM (SELECT 1 FROM builds b WHERE b.organization_id = parents_.id AND TRUE LIMIT 10001) counted)
		FROM organizations parents_ WHERE id IN ($1, $2);

-- at a position or behind
SELECT 1 FROM builds b WHERE b.organization_id = $1 AND (b.created_at, b.id) <= ($2, $3) LIMIT 1;

-- # BuildsOfOrganizations keys only

-- first
SELECT b.id, b.organization_id, b.created_at FROM builds b  WHERE b.organization_id = $1 ORDER BY b.created_at DESC, b.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT b.id, b.organization_id, b.created_at FROM builds b  WHERE b.organization_id = $1 AND (b.created_at, b.id) < ($2, $3) ORDER BY b.created_at DESC, b.id DESC LIMIT 10;

-- last before a position
SELECT b.id, b.organization_id, b.created_at FROM builds b  WHERE b.organization_id = $1 AND (b.created_at, b.id) > ($2, $3) ORDER BY b.created_at, b.id LIMIT 10;

-- page
SELECT b.id, b.organization_id, b.created_at FROM
		(SELECT b.id AS id_ FROM builds b WHERE b.organization_id = $1 AND TRUE
			ORDER BY b.created_at DESC, b.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN builds b  WHERE b.id = id_ AND b.organization_id = $1 ORDER BY b.created_at DESC, b.id DESC;

-- page from the end
SELECT b.id, b.organization_id, b.created_at FROM
		(SELECT b.id AS id_ FROM builds b WHERE b.organization_id = $1 AND TRUE
			ORDER BY b.created_at, b.id LIMIT 10 OFFSET $2) page
		CROSS JOIN builds b  WHERE b.id = id_ AND b.organization_id = $1 ORDER BY b.created_at, b.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY b.created_at DESC, b.id DESC) AS place_, b.id, b.organization_id, b.created_at FROM builds b 
			WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at DESC, b.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, b.id, b.organization_id, b.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN builds b 
		WHERE +b.organization_id = parent_ AND b.id IN
			(SELECT b.id FROM builds b WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at DESC, b.id DESC LIMIT 10)
		ORDER BY parent_, b.created_at DESC, b.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, b.id, b.organization_id, b.created_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN builds b 
		WHERE +b.organization_id = parent_ AND b.id IN
			(SELECT b.id FROM builds b WHERE b.organization_id = parent_ AND TRUE ORDER BY b.created_at, b.id LIMIT 10)
		ORDER BY parent_, b.created_at, b.id;

-- count
SELECT parents_.id,
			(SELECT count(*) FROM (SELECT 1 FROM builds b WHERE b.organization_id = parents_.id AND TRUE LIMIT 10001) counted)
		FROM organizations parents_ WHERE id IN ($1, $2);

-- at a position or behind
SELECT 1 FROM builds b WHERE b.organization_id = $1 AND (b.created_at, b.id) <= ($2, $3) LIMIT 1;

