package store

import (
	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

// reach writes the tables of the organizations o that a credential was let into, and the column of the role.
func reach(a *arguments, c authz.Credential, caller *authz.Identity) (role, tables string) {
	if c.Kind == authz.PortalToken {
		return `'admin'`, `portals pt JOIN organizations o ON o.id = pt.organization_id AND pt.id = ` + a.add(caller.Portal.ID)
	}
	tables = `organization_members m JOIN organizations o ON o.id = m.organization_id AND m.user_id = ` + a.add(caller.User.ID)
	if c.Kind == authz.APIToken {
		tables += ` JOIN api_token_organizations g ON g.organization_id = m.organization_id AND g.token_id = ` + a.add(caller.Token.ID)
	}
	return `m.role`, tables
}

// Reach returns those of the organizations with these values in a column that a credential was let into.
func Reach[T ~string](tx Tx, c authz.Credential, caller *authz.Identity, column string, values []T) (reached []domain.Reached, err error) {
	err = inParts(values, func(some []T) error {
		found, err := reachWhere(tx, c, caller, func(a *arguments) string { return in(a, column, some) })
		reached = append(reached, found...)
		return err
	})
	return reached, err
}

// Choosy returns those of the organizations that a credential was let into which ask more than that of who uses them.
func Choosy(tx Tx, c authz.Credential, caller *authz.Identity) ([]domain.Reached, error) {
	return reachWhere(tx, c, caller, func(*arguments) string {
		return `(o.allowed_api_ip_addresses <> '' OR o.revoke_inactive_tokens_after_days > 0)`
	})
}

func reachWhere(tx Tx, c authz.Credential, caller *authz.Identity, holds condition) ([]domain.Reached, error) {
	var a arguments
	role, tables := reach(&a, c, caller)
	return all(tx, scanReached, `SELECT `+role+`, `+organizationColumns+` FROM `+tables+` WHERE `+holds(&a), a.values...)
}

func scanReached(r *db.Row) domain.Reached {
	return domain.Reached{Role: domain.Role(r.Text()), Organization: scanOrganization(r)}
}

// ReachedOf lists the organizations that a caller was let into, by name, but for barred ones. The parent is the caller: its
// user's id, or its portal's.
func ReachedOf(c authz.Credential, caller *authz.Identity, barred []domain.OrganizationID) List[domain.Reached] {
	l := List[domain.Reached]{Rows: Rows[domain.Reached]{id: `o.id`}, parent: `m.user_id`, keys: []Key{text(`o.name_key`), text(`o.id`)}}
	l.Rows.tables = `organization_members m JOIN organizations o ON o.id = m.organization_id`
	role := `m.role`
	switch c.Kind {
	case authz.PortalToken:
		role, l.parent, l.Rows.tables = `'admin'`, `pt.id`, `portals pt JOIN organizations o ON o.id = pt.organization_id`
	case authz.APIToken:
		l.Rows.tables += ` JOIN api_token_organizations g ON g.organization_id = m.organization_id`
		l.add(func(a *arguments) string { return `g.token_id = ` + a.add(caller.Token.ID) })
	}
	l.Rows.columns = plain(role + `, ` + organizationColumns)
	l.Rows.scan = scanReached
	l.add(func(a *arguments) string { return `NOT ` + in(a, `o.id`, barred) })
	return l
}
