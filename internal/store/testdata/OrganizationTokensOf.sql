-- # OrganizationTokensOf

-- first
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at, t.id LIMIT 10;

-- first after a position, seen by a portal
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND g.organization_id = $2 AND (t.created_at, t.id) > ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at, t.id LIMIT 10;

-- last before a position
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND (t.created_at, t.id) < ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at DESC, t.id DESC LIMIT 10;

-- page
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM
		(SELECT t.id AS id_ FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = $1 AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000)
			ORDER BY t.created_at, t.id LIMIT 10 OFFSET $5) page
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND g.organization_id = $1 ORDER BY t.created_at, t.id;

-- page from the end
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM
		(SELECT t.id AS id_ FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = $1 AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000)
			ORDER BY t.created_at DESC, t.id DESC LIMIT 10 OFFSET $5) page
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND g.organization_id = $1 ORDER BY t.created_at DESC, t.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY t.created_at, t.id) AS place_, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
			WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at, t.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
		WHERE +g.organization_id = parent_ AND t.id IN
			(SELECT t.id FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at, t.id LIMIT 10)
		ORDER BY parent_, t.created_at, t.id;

-- last of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
		WHERE +g.organization_id = parent_ AND t.id IN
			(SELECT t.id FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) ORDER BY t.created_at DESC, t.id DESC LIMIT 10)
		ORDER BY parent_, t.created_at DESC, t.id DESC;

-- count
SELECT g.organization_id, count(*) FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id IN ($2, $3) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) GROUP BY g.organization_id;

-- at a position or behind
SELECT 1 FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND (t.created_at, t.id) >= ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) LIMIT 1;

-- # OrganizationTokensOf the newest

-- first
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $5 AND (lower(t.description) LIKE $6 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $7 ESCAPE '\')) ORDER BY t.created_at DESC, t.id DESC LIMIT 10;

-- first after a position, seen by a portal
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id = (SELECT organization_id FROM portals WHERE id = $1) AND g.organization_id = $2 AND (t.created_at, t.id) < ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $7 AND (lower(t.description) LIKE $8 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $9 ESCAPE '\')) ORDER BY t.created_at DESC, t.id DESC LIMIT 10;

-- last before a position
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND (t.created_at, t.id) > ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $7 AND (lower(t.description) LIKE $8 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $9 ESCAPE '\')) ORDER BY t.created_at, t.id LIMIT 10;

-- page
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM
		(SELECT t.id AS id_ FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = $1 AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $5 AND (lower(t.description) LIKE $6 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $7 ESCAPE '\'))
			ORDER BY t.created_at DESC, t.id DESC LIMIT 10 OFFSET $8) page
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND g.organization_id = $1 ORDER BY t.created_at DESC, t.id DESC;

-- page from the end
SELECT t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM
		(SELECT t.id AS id_ FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = $1 AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $2 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $4 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $5 AND (lower(t.description) LIKE $6 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $7 ESCAPE '\'))
			ORDER BY t.created_at, t.id LIMIT 10 OFFSET $8) page
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id WHERE t.id = id_ AND g.organization_id = $1 ORDER BY t.created_at, t.id;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY t.created_at DESC, t.id DESC) AS place_, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
			WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $6 AND (lower(t.description) LIKE $7 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $8 ESCAPE '\')) ORDER BY t.created_at DESC, t.id DESC LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
		WHERE +g.organization_id = parent_ AND t.id IN
			(SELECT t.id FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $6 AND (lower(t.description) LIKE $7 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $8 ESCAPE '\')) ORDER BY t.created_at DESC, t.id DESC LIMIT 10)
		ORDER BY parent_, t.created_at DESC, t.id DESC;

-- last of several parents, SQLite
SELECT parent_, 0, t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.email, u.created_at, u.name, t.last_used_address FROM (SELECT id AS parent_ FROM organizations WHERE id IN ($1, $2)) parents
		CROSS JOIN api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id JOIN users u ON u.id = t.user_id
		WHERE +g.organization_id = parent_ AND t.id IN
			(SELECT t.id FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id = parent_ AND g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $3 AND role = 'admin') AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $6 AND (lower(t.description) LIKE $7 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $8 ESCAPE '\')) ORDER BY t.created_at, t.id LIMIT 10)
		ORDER BY parent_, t.created_at, t.id;

-- count
SELECT g.organization_id, count(*) FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id IN ($2, $3) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $5 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $6 AND (lower(t.description) LIKE $7 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $8 ESCAPE '\')) GROUP BY g.organization_id;

-- at a position or behind
SELECT 1 FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id WHERE g.organization_id IN (SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'admin') AND g.organization_id = $2 AND (t.created_at, t.id) <= ($3, $4) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $5) AND NOT (o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= $6 - o.revoke_inactive_tokens_after_days * 86400000000) AND t.user_id = $7 AND (lower(t.description) LIKE $8 ESCAPE '\' OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND f.name_key LIKE $9 ESCAPE '\')) LIMIT 1;

