package store

import (
	"slices"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

// inParts calls each with the ids, so many at a time as one statement takes.
func inParts[ID ~string](ids []ID, each func([]ID) error) error {
	for some := range slices.Chunk(ids, maxIn) {
		if err := each(some); err != nil {
			return err
		}
	}
	return nil
}

// those returns which of the ids a statement yields.
func those[ID ~string](tx Tx, ids []ID, statement func(*arguments, []ID) string) (map[ID]bool, error) {
	found := map[ID]bool{}
	err := inParts(ids, func(some []ID) error {
		var a arguments
		sql := statement(&a, some)
		return tx.Query(sql, func(r *db.Row) error {
			found[ID(r.Text())] = true
			return nil
		}, a.values...)
	})
	return found, err
}

// ManagedPipelines returns which of the pipelines a user manages.
func (tx Tx) ManagedPipelines(user domain.UserID, ids []domain.PipelineID) (map[domain.PipelineID]bool, error) {
	return those(tx, ids, func(a *arguments, some []domain.PipelineID) string {
		return `SELECT p.id FROM pipelines p WHERE ` + in(a, `p.id`, some) + ` AND ` + managesPipeline(a.add(user))
	})
}

// ManagesAnyPipeline returns in which of the organizations there is a pipeline that a user manages.
func (tx Tx) ManagesAnyPipeline(user domain.UserID, ids []domain.OrganizationID) (map[domain.OrganizationID]bool, error) {
	return those(tx, ids, func(a *arguments, some []domain.OrganizationID) string {
		by := a.add(user)
		return `SELECT o.id FROM organizations o WHERE ` + in(a, `o.id`, some) + ` AND (EXISTS (SELECT 1 FROM team_members tm
			JOIN team_pipelines tp ON tp.team_id = tm.team_id AND tp.access_level = '` + string(domain.PipelineManageBuildAndRead) + `'
			WHERE tm.organization_id = o.id AND tm.user_id = ` + by + `)
			OR EXISTS (SELECT 1 FROM pipelines p WHERE p.organization_id = o.id AND p.created_by = ` + by + `))`
	})
}

// FavoritePipelines returns which of the pipelines a user marked as favourites.
func (tx Tx) FavoritePipelines(user domain.UserID, ids []domain.PipelineID) (map[domain.PipelineID]bool, error) {
	return those(tx, ids, func(a *arguments, some []domain.PipelineID) string {
		return `SELECT pipeline_id FROM pipeline_favorites WHERE user_id = ` + a.add(user) + ` AND ` + in(a, `pipeline_id`, some)
	})
}

// SetFavorite marks a pipeline as a member's favourite, or takes the mark away.
func (tx Tx) SetFavorite(p domain.Pipeline, user domain.UserID, favorite bool) error {
	if favorite {
		return tx.exec(`INSERT INTO pipeline_favorites (pipeline_id, organization_id, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			p.ID, p.OrganizationID, user)
	}
	return tx.exec(`DELETE FROM pipeline_favorites WHERE pipeline_id = $1 AND user_id = $2`, p.ID, user)
}

// TeamRoles returns what a user is in those of the teams that they belong to.
func (tx Tx) TeamRoles(user domain.UserID, ids []domain.TeamID) (map[domain.TeamID]domain.TeamRole, error) {
	roles := map[domain.TeamID]domain.TeamRole{}
	err := inParts(ids, func(some []domain.TeamID) error {
		var a arguments
		sql := `SELECT team_id, role FROM team_members WHERE user_id = ` + a.add(user) + ` AND ` + in(&a, `team_id`, some)
		return tx.Query(sql, func(r *db.Row) error {
			roles[domain.TeamID(r.Text())] = domain.TeamRole(r.Text())
			return nil
		}, a.values...)
	})
	return roles, err
}

// UsersWithPassword returns which of the users can sign in with a password.
func (tx Tx) UsersWithPassword(ids []domain.UserID) (map[domain.UserID]bool, error) {
	return those(tx, ids, func(a *arguments, some []domain.UserID) string {
		return `SELECT id FROM users WHERE password_hash IS NOT NULL AND ` + in(a, `id`, some)
	})
}

// KnownUsers returns those of the users who are members of an organization that a caller was let into, but for barred ones.
func (tx Tx) KnownUsers(c authz.Credential, caller *authz.Identity, barred []domain.OrganizationID, ids []domain.UserID) (users []*domain.User, err error) {
	err = inParts(ids, func(some []domain.UserID) error {
		var a arguments
		_, tables := reach(&a, c, caller)
		sql := `SELECT ` + userColumns + ` FROM users u WHERE ` + in(&a, `u.id`, some) + `
			AND EXISTS (SELECT 1 FROM ` + tables + ` JOIN organization_members om ON om.organization_id = o.id
				WHERE om.user_id = u.id AND NOT ` + in(&a, `o.id`, barred) + `)`
		found, err := all(tx, pointer(scanUser), sql, a.values...)
		users = append(users, found...)
		return err
	})
	return users, err
}

// KnownTokens returns those of the API access tokens that are a caller's own, or reach an organization that they administer, but
// for barred ones.
func (tx Tx) KnownTokens(c authz.Credential, caller *authz.Identity, barred []domain.OrganizationID, ids []domain.APITokenID) (tokens []*domain.APIToken, err error) {
	err = inParts(ids, func(some []domain.APITokenID) error {
		var a arguments
		role, tables := reach(&a, c, caller)
		sql := `SELECT ` + tokenColumns + ` FROM api_tokens t WHERE ` + in(&a, `t.id`, some) + `
			AND (t.user_id = ` + a.add(caller.User.ID) + ` OR EXISTS (SELECT 1 FROM ` + tables + `
				JOIN api_token_organizations tg ON tg.organization_id = o.id
				WHERE tg.token_id = t.id AND ` + role + ` = 'admin' AND NOT ` + in(&a, `o.id`, barred) + `))`
		found, err := all(tx, pointer(scanToken), sql, a.values...)
		tokens = append(tokens, found...)
		return err
	})
	return tokens, err
}

// PipelineIDBySlug returns the id of an organization's pipeline.
func (tx Tx) PipelineIDBySlug(organization domain.OrganizationID, slug string) (domain.PipelineID, bool, error) {
	return one(tx, scanID[domain.PipelineID], `SELECT id FROM pipelines WHERE organization_id = $1 AND slug = $2`, organization, slug)
}

// MemberIDs returns the memberships of some users in some organizations.
func (tx Tx) MemberIDs(organizations []domain.OrganizationID, users []domain.UserID) (map[domain.MembershipKey]domain.MemberID, error) {
	ids := map[domain.MembershipKey]domain.MemberID{}
	err := inParts(organizations, func(someOrganizations []domain.OrganizationID) error {
		return inParts(users, func(someUsers []domain.UserID) error {
			var a arguments
			sql := `SELECT organization_id, user_id, id FROM organization_members
				WHERE ` + in(&a, `organization_id`, someOrganizations) + ` AND ` + in(&a, `user_id`, someUsers)
			return tx.Query(sql, func(r *db.Row) error {
				ids[domain.MembershipKey{Organization: domain.OrganizationID(r.Text()), User: domain.UserID(r.Text())}] = domain.MemberID(r.Text())
				return nil
			}, a.values...)
		})
	})
	return ids, err
}

// MemberWithEmail returns who of the members of some organizations has an e-mail address.
func (tx Tx) MemberWithEmail(organizations []domain.OrganizationID, email string) (id domain.UserID, found bool, err error) {
	err = inParts(organizations, func(some []domain.OrganizationID) (err error) {
		if found {
			return nil
		}
		var a arguments
		sql := `SELECT u.id FROM users u WHERE ` + equal(&a, `u.email_key`, domain.EmailKey(email)) + `
			AND EXISTS (SELECT 1 FROM organization_members m WHERE m.user_id = u.id AND ` + in(&a, `m.organization_id`, some) + `)`
		id, found, err = one(tx, scanID[domain.UserID], sql, a.values...)
		return err
	})
	return id, found, err
}
