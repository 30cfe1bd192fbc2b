-- # AuditEventsOf

-- first
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 ORDER BY e.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND e.organization_id = $2 AND (e.id) < ($3) ORDER BY e.id DESC LIMIT 10;

-- last before a position
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 AND (e.id) > ($3) ORDER BY e.id LIMIT 10;

-- page
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM
		(SELECT e.id AS id_ FROM audit_events e WHERE e.organization_id = $1 AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY e.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN audit_events e  WHERE e.id = id_ AND e.organization_id = $1 ORDER BY e.id DESC;

-- page from the end
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM
		(SELECT e.id AS id_ FROM audit_events e WHERE e.organization_id = $1 AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY e.id LIMIT 10 OFFSET $3) page
		CROSS JOIN audit_events e  WHERE e.id = id_ AND e.organization_id = $1 ORDER BY e.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY e.id DESC) AS place_, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e 
			WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY e.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN audit_events e 
		WHERE e.organization_id = parent_ AND e.id IN
			(SELECT e.id FROM audit_events e WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY e.id DESC LIMIT 10)
		ORDER BY parent_, e.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN audit_events e 
		WHERE e.organization_id = parent_ AND e.id IN
			(SELECT e.id FROM audit_events e WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY e.id LIMIT 10)
		ORDER BY parent_, e.id;

-- count
SELECT e.organization_id, count(*) FROM audit_events e WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id IN ($2, $3) GROUP BY e.organization_id;

-- at a position or behind
SELECT 1 FROM audit_events e WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 AND (e.id) <= ($3) LIMIT 1;

-- # AuditEventsOf chosen

-- first
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 AND e.type IN ($3, $4) AND e.actor_type IN ($5) AND e.actor_id IN ($6) AND e.subject_type IN ($7) AND e.subject_id IN ($8) AND e.id >= $9 AND e.id < $10 ORDER BY e.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND e.organization_id = $2 AND (e.id) < ($3) AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 ORDER BY e.id DESC LIMIT 10;

-- last before a position
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e  WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 AND (e.id) > ($3) AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 ORDER BY e.id LIMIT 10;

-- page
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM
		(SELECT e.id AS id_ FROM audit_events e WHERE e.organization_id = $1 AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND e.type IN ($3, $4) AND e.actor_type IN ($5) AND e.actor_id IN ($6) AND e.subject_type IN ($7) AND e.subject_id IN ($8) AND e.id >= $9 AND e.id < $10
			ORDER BY e.id DESC LIMIT 10 OFFSET $11) page
		CROSS JOIN audit_events e  WHERE e.id = id_ AND e.organization_id = $1 ORDER BY e.id DESC;

-- page from the end
SELECT e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM
		(SELECT e.id AS id_ FROM audit_events e WHERE e.organization_id = $1 AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND e.type IN ($3, $4) AND e.actor_type IN ($5) AND e.actor_id IN ($6) AND e.subject_type IN ($7) AND e.subject_id IN ($8) AND e.id >= $9 AND e.id < $10
			ORDER BY e.id LIMIT 10 OFFSET $11) page
		CROSS JOIN audit_events e  WHERE e.id = id_ AND e.organization_id = $1 ORDER BY e.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY e.id DESC) AS place_, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM audit_events e 
			WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 ORDER BY e.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN audit_events e 
		WHERE e.organization_id = parent_ AND e.id IN
			(SELECT e.id FROM audit_events e WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 ORDER BY e.id DESC LIMIT 10)
		ORDER BY parent_, e.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, e.id, e.organization_id, e.occurred_at, e.type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id, e.subject_name, e.context, e.data FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN audit_events e 
		WHERE e.organization_id = parent_ AND e.id IN
			(SELECT e.id FROM audit_events e WHERE e.organization_id = parent_ AND e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 ORDER BY e.id LIMIT 10)
		ORDER BY parent_, e.id;

-- count
SELECT e.organization_id, count(*) FROM audit_events e WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id IN ($2, $3) AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 GROUP BY e.organization_id;

-- at a position or behind
SELECT 1 FROM audit_events e WHERE e.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND e.organization_id = $2 AND (e.id) <= ($3) AND e.type IN ($4, $5) AND e.actor_type IN ($6) AND e.actor_id IN ($7) AND e.subject_type IN ($8) AND e.subject_id IN ($9) AND e.id >= $10 AND e.id < $11 LIMIT 1;

