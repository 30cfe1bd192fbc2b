-- # InvitationsOf

-- first
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 ORDER BY i.created_at DESC, i.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND i.organization_id = $2 AND (i.created_at, i.id) < ($3, $4) ORDER BY i.created_at DESC, i.id DESC LIMIT 10;

-- last before a position
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 AND (i.created_at, i.id) > ($3, $4) ORDER BY i.created_at, i.id LIMIT 10;

-- page
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM
		(SELECT i.id AS id_ FROM invitations i WHERE i.organization_id = $1 AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY i.created_at DESC, i.id DESC LIMIT 10 OFFSET $3) page
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.id = id_ AND i.organization_id = $1 ORDER BY i.created_at DESC, i.id DESC;

-- page from the end
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM
		(SELECT i.id AS id_ FROM invitations i WHERE i.organization_id = $1 AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin')
			ORDER BY i.created_at, i.id LIMIT 10 OFFSET $3) page
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.id = id_ AND i.organization_id = $1 ORDER BY i.created_at, i.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY i.created_at DESC, i.id DESC) AS place_, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
			WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY i.created_at DESC, i.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
		WHERE +i.organization_id = parent_ AND i.id IN
			(SELECT i.id FROM invitations i WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY i.created_at DESC, i.id DESC LIMIT 10)
		ORDER BY parent_, i.created_at DESC, i.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
		WHERE +i.organization_id = parent_ AND i.id IN
			(SELECT i.id FROM invitations i WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') ORDER BY i.created_at, i.id LIMIT 10)
		ORDER BY parent_, i.created_at, i.id;

-- count
SELECT i.organization_id, count(*) FROM invitations i WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id IN ($2, $3) GROUP BY i.organization_id;

-- at a position or behind
SELECT 1 FROM invitations i WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 AND (i.created_at, i.id) <= ($3, $4) LIMIT 1;

-- # InvitationsOf pending by name

-- first
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $3)) ORDER BY i.email_key, i.id LIMIT 10;

-- first after a position, seen by a portal
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND i.organization_id = $2 AND (i.email_key, i.id) > ($3, $4) AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $5)) ORDER BY i.email_key, i.id LIMIT 10;

-- last before a position
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 AND (i.email_key, i.id) < ($3, $4) AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $5)) ORDER BY i.email_key DESC, i.id DESC LIMIT 10;

-- page
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM
		(SELECT i.id AS id_ FROM invitations i WHERE i.organization_id = $1 AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $3))
			ORDER BY i.email_key, i.id LIMIT 10 OFFSET $4) page
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.id = id_ AND i.organization_id = $1 ORDER BY i.email_key, i.id;

-- page from the end
SELECT i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM
		(SELECT i.id AS id_ FROM invitations i WHERE i.organization_id = $1 AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $3))
			ORDER BY i.email_key DESC, i.id DESC LIMIT 10 OFFSET $4) page
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id WHERE i.id = id_ AND i.organization_id = $1 ORDER BY i.email_key DESC, i.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY i.email_key, i.id) AS place_, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
			WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $4)) ORDER BY i.email_key, i.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
		WHERE +i.organization_id = parent_ AND i.id IN
			(SELECT i.id FROM invitations i WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $4)) ORDER BY i.email_key, i.id LIMIT 10)
		ORDER BY parent_, i.email_key, i.id;

-- last of several parents, SQLite
SELECT parent_, 0, i.id, i.organization_id, i.email, i.role, i.sso_mode, i.created_at, i.expires_at, i.accepted_at, i.revoked_at, o.slug, cb.id, cb.email, cb.created_at, cb.name, acb.id, acb.email, acb.created_at, acb.name, rb.id, rb.email, rb.created_at, rb.name, im.error, im.next_at FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitations i JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id
		WHERE +i.organization_id = parent_ AND i.id IN
			(SELECT i.id FROM invitations i WHERE i.organization_id = parent_ AND i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $4)) ORDER BY i.email_key DESC, i.id DESC LIMIT 10)
		ORDER BY parent_, i.email_key DESC, i.id DESC;

-- count
SELECT i.organization_id, count(*) FROM invitations i WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id IN ($2, $3) AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $4)) GROUP BY i.organization_id;

-- at a position or behind
SELECT 1 FROM invitations i WHERE i.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND i.organization_id = $2 AND (i.email_key, i.id) >= ($3, $4) AND (FALSE OR (i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $5)) LIMIT 1;

