-- # JobsOfBuilds

-- first
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2) ORDER BY j.position, j.upload_index, j.id LIMIT 10;

-- first after a position, seen by a portal
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) > ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) ORDER BY j.position, j.upload_index, j.id LIMIT 10;

-- last before a position
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) < ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10;

-- page
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT j.id AS id_ FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2)
			ORDER BY j.position, j.upload_index, j.id LIMIT 10 OFFSET $3) page
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.id = id_ AND j.build_id = $1 ORDER BY j.position, j.upload_index, j.id;

-- page from the end
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT j.id AS id_ FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2)
			ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.id = id_ AND j.build_id = $1 ORDER BY j.position DESC, j.upload_index DESC, j.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY j.position, j.upload_index, j.id) AS place_, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
			WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) ORDER BY j.position, j.upload_index, j.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +j.build_id = parent_ AND j.id IN
			(SELECT j.id FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) ORDER BY j.position, j.upload_index, j.id LIMIT 10)
		ORDER BY parent_, j.position, j.upload_index, j.id;

-- last of several parents, SQLite
SELECT parent_, 0, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +j.build_id = parent_ AND j.id IN
			(SELECT j.id FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10)
		ORDER BY parent_, j.position DESC, j.upload_index DESC, j.id DESC;

-- count
SELECT j.build_id, count(*) FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id IN ($1, $2) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) GROUP BY j.build_id;

-- at a position or behind
SELECT 1 FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) >= ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) LIMIT 1;

-- # JobsOfBuilds chosen

-- first
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $3) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5) ORDER BY j.position, j.upload_index, j.id LIMIT 10;

-- first after a position, seen by a portal
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) > ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $6) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $7) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $8) ORDER BY j.position, j.upload_index, j.id LIMIT 10;

-- last before a position
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) < ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $6) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $7) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $8) ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10;

-- page
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT j.id AS id_ FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $3) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5)
			ORDER BY j.position, j.upload_index, j.id LIMIT 10 OFFSET $6) page
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.id = id_ AND j.build_id = $1 ORDER BY j.position, j.upload_index, j.id;

-- page from the end
SELECT j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM
		(SELECT j.id AS id_ FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (jr.broken_reason IS NULL OR jr.broken_reason <> $2) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $3) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5)
			ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10 OFFSET $6) page
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id WHERE j.id = id_ AND j.build_id = $1 ORDER BY j.position DESC, j.upload_index DESC, j.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY j.position, j.upload_index, j.id) AS place_, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
			WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $6) ORDER BY j.position, j.upload_index, j.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +j.build_id = parent_ AND j.id IN
			(SELECT j.id FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $6) ORDER BY j.position, j.upload_index, j.id LIMIT 10)
		ORDER BY parent_, j.position, j.upload_index, j.id;

-- last of several parents, SQLite
SELECT parent_, 0, j.id, j.organization_id, j.pipeline_id, j.build_id, j.step_id, j.cluster_id, j.queue_key, j.kind, j.command, j.agent_rules, j.rules_key, j.position, j.upload_index, j.matrix, j.soft_fail, j.parallel_index, j.retries_count, j.retry_source_id, j.retry_type, j.rule_uses, j.retry_avoids_agent, j.concurrency_group_id, j.concurrency_limit, j.concurrency_method, j.created_at, j.queued_at, jr.label, jr.parallel_total, jr.queue_id, jr.state, jr.outcome, jr.priority, jr.agent_id, jr.token_hash, jr.token_until, jr.exit_status, jr.signal, jr.signal_reason, jr.promised_exit_status, jr.promised_at, jr.promise_counts, jr.soft_failed, jr.broken_reason, jr.detail, jr.reserved_by, jr.reserved_until, jr.timeout, jr.deadline, jr.cancel_grace_until, jr.scheduled_at, jr.runnable_at, jr.assigned_at, jr.accepted_at, jr.started_at, jr.finished_at, jr.canceled_at, jr.expired_at, jr.retried_by_id, jr.unblocked_at, jr.triggered_build_id, jr.upload_env, jr.chunks_failed_count, jr.acquired, o.slug, p.slug, b.number, bs.step_key, gs.step_key, cg.name, CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE je.job_id = j.id AND je.type = 'LIMITED') END, xb.id, xb.email, xb.created_at, xb.name, ub.id, ub.email, ub.created_at, ub.name, tb.id, tb.number, tbp.slug, o.slug FROM (SELECT id AS parent_ FROM builds WHERE id IN ($1, $2)) parents
		CROSS JOIN jobs j JOIN job_runs jr ON jr.job_id = j.id JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id
		WHERE +j.build_id = parent_ AND j.id IN
			(SELECT j.id FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = parent_ AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $6) ORDER BY j.position DESC, j.upload_index DESC, j.id DESC LIMIT 10)
		ORDER BY parent_, j.position DESC, j.upload_index DESC, j.id DESC;

-- count
SELECT j.build_id, count(*) FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id IN ($1, $2) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $3) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $4) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $5) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $6) GROUP BY j.build_id;

-- at a position or behind
SELECT 1 FROM jobs j JOIN job_runs jr ON jr.job_id = j.id WHERE j.build_id = $1 AND (j.position, j.upload_index, j.id) >= ($2, $3, $4) AND (jr.broken_reason IS NULL OR jr.broken_reason <> $5) AND jr.retried_by_id IS NULL AND ((jr.state = 'finished' AND NOT (jr.outcome = 'hard_failed' OR jr.soft_failed) OR jr.state = 'timed_out' AND jr.outcome = 'passed') OR (jr.state = 'finished' AND (jr.outcome = 'hard_failed' OR jr.soft_failed)) OR jr.state = $6) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.id
				WHERE bs.build_id = j.build_id AND ks.step_key = $7) AND j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = bs.group_id
				WHERE bs.build_id = j.build_id AND ks.step_key = $8) LIMIT 1;

