-- # TeamsOfInvitations

-- first
SELECT it.id, it.invitation_id, it.team_id, it.role, te.slug FROM invitation_teams it JOIN teams te ON te.id = it.team_id  WHERE it.invitation_id = $1 ORDER BY te.slug, it.id LIMIT 10;

-- first after a position, seen by a portal
SELECT it.id, it.invitation_id, it.team_id, it.role, te.slug FROM invitation_teams it JOIN teams te ON te.id = it.team_id  WHERE it.invitation_id = $1 AND (te.slug, it.id) > ($2, $3) ORDER BY te.slug, it.id LIMIT 10;

-- last before a position
SELECT it.id, it.invitation_id, it.team_id, it.role, te.slug FROM invitation_teams it JOIN teams te ON te.id = it.team_id  WHERE it.invitation_id = $1 AND (te.slug, it.id) < ($2, $3) ORDER BY te.slug DESC, it.id DESC LIMIT 10;

-- page
SELECT it.id, it.invitation_id, it.team_id, it.role, te.slug FROM
		(SELECT it.id AS id_ FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id = $1 AND TRUE
			ORDER BY te.slug, it.id LIMIT 10 OFFSET $2) page
		CROSS JOIN invitation_teams it JOIN teams te ON te.id = it.team_id  WHERE it.id = id_ AND it.invitation_id = $1 ORDER BY te.slug, it.id;

-- page from the end
SELECT it.id, it.invitation_id, it.team_id, it.role, te.slug FROM
		(SELECT it.id AS id_ FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id = $1 AND TRUE
			ORDER BY te.slug DESC, it.id DESC LIMIT 10 OFFSET $2) page
		CROSS JOIN invitation_teams it JOIN teams te ON te.id = it.team_id  WHERE it.id = id_ AND it.invitation_id = $1 ORDER BY te.slug DESC, it.id DESC;

-- first of several parents, PostgreSQL
SELECT * FROM (SELECT id AS parent_ FROM invitations WHERE id IN ($1, $2)) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY te.slug, it.id) AS place_, it.id, it.invitation_id, it.team_id, it.role, te.slug FROM invitation_teams it JOIN teams te ON te.id = it.team_id 
			WHERE it.invitation_id = parent_ AND TRUE ORDER BY te.slug, it.id LIMIT 10) part ORDER BY parent_, place_;

-- first of several parents, SQLite
SELECT parent_, 0, it.id, it.invitation_id, it.team_id, it.role, te.slug FROM (SELECT id AS parent_ FROM invitations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitation_teams it JOIN teams te ON te.id = it.team_id 
		WHERE +it.invitation_id = parent_ AND it.id IN
			(SELECT it.id FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id = parent_ AND TRUE ORDER BY te.slug, it.id LIMIT 10)
		ORDER BY parent_, te.slug, it.id;

-- last of several parents, SQLite
SELECT parent_, 0, it.id, it.invitation_id, it.team_id, it.role, te.slug FROM (SELECT id AS parent_ FROM invitations WHERE id IN ($1, $2)) parents
		CROSS JOIN invitation_teams it JOIN teams te ON te.id = it.team_id 
		WHERE +it.invitation_id = parent_ AND it.id IN
			(SELECT it.id FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id = parent_ AND TRUE ORDER BY te.slug DESC, it.id DESC LIMIT 10)
		ORDER BY parent_, te.slug DESC, it.id DESC;

-- count
SELECT it.invitation_id, count(*) FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id IN ($1, $2) GROUP BY it.invitation_id;

-- at a position or behind
SELECT 1 FROM invitation_teams it JOIN teams te ON te.id = it.team_id WHERE it.invitation_id = $1 AND (te.slug, it.id) >= ($2, $3) LIMIT 1;

