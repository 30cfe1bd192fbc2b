-- # ConnectedAgents

-- first
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping') ORDER BY a.created_at DESC, a.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND (a.created_at, a.id) < ($2, $3) AND a.state IN ('connected', 'stopping') ORDER BY a.created_at DESC, a.id DESC LIMIT 10;

-- last before a position
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND (a.created_at, a.id) > ($2, $3) AND a.state IN ('connected', 'stopping') ORDER BY a.created_at, a.id LIMIT 10;

-- page
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM
		(SELECT a.id AS id_ FROM agents a WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping')
			ORDER BY a.created_at DESC, a.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.id = id_ AND a.organization_id = $1 ORDER BY a.created_at DESC, a.id DESC;

-- page from the end
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM
		(SELECT a.id AS id_ FROM agents a WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping')
			ORDER BY a.created_at, a.id LIMIT 10 OFFSET $2) page
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.id = id_ AND a.organization_id = $1 ORDER BY a.created_at, a.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY a.created_at DESC, a.id DESC) AS place_, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
			WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') ORDER BY a.created_at DESC, a.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
		WHERE +a.organization_id = parent_ AND a.id IN
			(SELECT a.id FROM agents a WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') ORDER BY a.created_at DESC, a.id DESC LIMIT 10)
		ORDER BY parent_, a.created_at DESC, a.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
		WHERE +a.organization_id = parent_ AND a.id IN
			(SELECT a.id FROM agents a WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') ORDER BY a.created_at, a.id LIMIT 10)
		ORDER BY parent_, a.created_at, a.id;

-- count
SELECT a.organization_id, count(*) FROM agents a WHERE a.organization_id IN ($1, $2) AND a.state IN ('connected', 'stopping') GROUP BY a.organization_id;

-- at a position or behind
SELECT 1 FROM agents a WHERE a.organization_id = $1 AND (a.created_at, a.id) <= ($2, $3) AND a.state IN ('connected', 'stopping') LIMIT 1;

-- # ConnectedAgents chosen

-- first
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $2 ESCAPE '\' AND a.queue_id IN ($3) AND a.cluster_id = $4 AND FALSE AND (replace(a.meta_data, $5, '') <> a.meta_data OR replace(a.meta_data, $6, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $7)) ORDER BY a.created_at DESC, a.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND (a.created_at, a.id) < ($2, $3) AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $4 ESCAPE '\' AND a.queue_id IN ($5) AND a.cluster_id = $6 AND FALSE AND (replace(a.meta_data, $7, '') <> a.meta_data OR replace(a.meta_data, $8, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $9)) ORDER BY a.created_at DESC, a.id DESC LIMIT 10;

-- last before a position
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.organization_id = $1 AND (a.created_at, a.id) > ($2, $3) AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $4 ESCAPE '\' AND a.queue_id IN ($5) AND a.cluster_id = $6 AND FALSE AND (replace(a.meta_data, $7, '') <> a.meta_data OR replace(a.meta_data, $8, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $9)) ORDER BY a.created_at, a.id LIMIT 10;

-- page
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM
		(SELECT a.id AS id_ FROM agents a WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $2 ESCAPE '\' AND a.queue_id IN ($3) AND a.cluster_id = $4 AND FALSE AND (replace(a.meta_data, $5, '') <> a.meta_data OR replace(a.meta_data, $6, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $7))
			ORDER BY a.created_at DESC, a.id DESC LIMIT 10 OFFSET $8) page
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.id = id_ AND a.organization_id = $1 ORDER BY a.created_at DESC, a.id DESC;

-- page from the end
SELECT a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM
		(SELECT a.id AS id_ FROM agents a WHERE a.organization_id = $1 AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $2 ESCAPE '\' AND a.queue_id IN ($3) AND a.cluster_id = $4 AND FALSE AND (replace(a.meta_data, $5, '') <> a.meta_data OR replace(a.meta_data, $6, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $7))
			ORDER BY a.created_at, a.id LIMIT 10 OFFSET $8) page
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id WHERE a.id = id_ AND a.organization_id = $1 ORDER BY a.created_at, a.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY a.created_at DESC, a.id DESC) AS place_, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
			WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $3 ESCAPE '\' AND a.queue_id IN ($4) AND a.cluster_id = $5 AND FALSE AND (replace(a.meta_data, $6, '') <> a.meta_data OR replace(a.meta_data, $7, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $8)) ORDER BY a.created_at DESC, a.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
		WHERE +a.organization_id = parent_ AND a.id IN
			(SELECT a.id FROM agents a WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $3 ESCAPE '\' AND a.queue_id IN ($4) AND a.cluster_id = $5 AND FALSE AND (replace(a.meta_data, $6, '') <> a.meta_data OR replace(a.meta_data, $7, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $8)) ORDER BY a.created_at DESC, a.id DESC LIMIT 10)
		ORDER BY parent_, a.created_at DESC, a.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, a.id, a.organization_id, a.cluster_id, a.queue_id, a.token_id, a.unclustered_token_id, a.name, a.hostname, a.os, a.arch, a.version, a.build, a.pid, a.machine_id, a.user_agent, a.ip_address, a.priority, a.meta_data, a.features, a.script_eval_enabled, a.created_at, a.ignore_in_dispatches, a.session_hash, a.state, a.connected_at, a.disconnected_at, a.lost_at, a.stopped_at, a.force_stop, a.paused_at, a.paused_note, a.paused_timeout, a.last_job_finished_at, a.last_passed_at, a.offered_job_id, a.offers, a.job_id, a.missed_offer, o.slug, q.key, cb.id, cb.email, cb.created_at, cb.name, sb.id, sb.email, sb.created_at, sb.name, pb.id, pb.email, pb.created_at, pb.name, ah.seen_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN agents a JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id
		WHERE +a.organization_id = parent_ AND a.id IN
			(SELECT a.id FROM agents a WHERE a.organization_id = parent_ AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $3 ESCAPE '\' AND a.queue_id IN ($4) AND a.cluster_id = $5 AND FALSE AND (replace(a.meta_data, $6, '') <> a.meta_data OR replace(a.meta_data, $7, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $8)) ORDER BY a.created_at, a.id LIMIT 10)
		ORDER BY parent_, a.created_at, a.id;

-- count
SELECT a.organization_id, count(*) FROM agents a WHERE a.organization_id IN ($1, $2) AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $3 ESCAPE '\' AND a.queue_id IN ($4) AND a.cluster_id = $5 AND FALSE AND (replace(a.meta_data, $6, '') <> a.meta_data OR replace(a.meta_data, $7, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $8)) GROUP BY a.organization_id;

-- at a position or behind
SELECT 1 FROM agents a WHERE a.organization_id = $1 AND (a.created_at, a.id) <= ($2, $3) AND a.state IN ('connected', 'stopping') AND lower(a.name) LIKE $4 ESCAPE '\' AND a.queue_id IN ($5) AND a.cluster_id = $6 AND FALSE AND (replace(a.meta_data, $7, '') <> a.meta_data OR replace(a.meta_data, $8, '') <> a.meta_data) AND a.job_id IS NOT NULL AND NOT (a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > $9)) LIMIT 1;

