package store

import (
	"strings"
	"sync"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// findOrganization has the condition for the organization o that $2 names: by its slug, or as the id of a thing of the
// kind.
var findOrganization = map[domain.ThingKind]string{
	"":                           `o.slug = $2`,
	domain.OrganizationThing:     `o.id = $2`,
	domain.MemberThing:           `o.id = (SELECT organization_id FROM organization_members WHERE id = $2)`,
	domain.InvitationThing:       `o.id = (SELECT organization_id FROM invitations WHERE id = $2)`,
	domain.TeamThing:             `o.id = (SELECT organization_id FROM teams WHERE id = $2)`,
	domain.TeamMemberThing:       `o.id = (SELECT organization_id FROM team_members WHERE id = $2)`,
	domain.TeamPipelineThing:     `o.id = (SELECT organization_id FROM team_pipelines WHERE id = $2)`,
	domain.PipelineThing:         `o.id = (SELECT organization_id FROM pipelines WHERE id = $2)`,
	domain.ClusterThing:          `o.id = (SELECT organization_id FROM clusters WHERE id = $2)`,
	domain.ScheduleThing:         `o.id = (SELECT organization_id FROM pipeline_schedules WHERE id = $2)`,
	domain.TemplateThing:         `o.id = (SELECT organization_id FROM pipeline_templates WHERE id = $2)`,
	domain.RuleThing:             `o.id = (SELECT organization_id FROM rules WHERE id = $2)`,
	domain.UnclusteredTokenThing: `o.id = (SELECT organization_id FROM unclustered_tokens WHERE id = $2)`,
	domain.QueueThing:            organizationOfClusterOf(`cluster_queues`),
	domain.AgentTokenThing:       organizationOfClusterOf(`cluster_agent_tokens`),
	domain.CacheRegistryThing:    organizationOfClusterOf(`cache_registries`),
	domain.BuildThing:            `o.id = (SELECT organization_id FROM builds WHERE id = $2)`,
	domain.JobThing:              `o.id = (SELECT organization_id FROM jobs WHERE id = $2)`,
	domain.AgentThing:            `o.id = (SELECT organization_id FROM agents WHERE id = $2)`,
	domain.ArtifactThing:         `o.id = (SELECT organization_id FROM artifacts WHERE id = $2)`,
	domain.AnnotationThing: `o.id = (SELECT ob.organization_id FROM annotations oa
		JOIN builds ob ON ob.id = oa.build_id WHERE oa.id = $2)`,
}

func organizationOfClusterOf(table string) string {
	return `o.id = (SELECT oc.organization_id FROM ` + table +
		` ot JOIN clusters oc ON oc.id = ot.cluster_id WHERE ot.id = $2)`
}

// anyOrganization stands for a condition of findOrganization.
const anyOrganization = `{organization}`

// credentialSQL reads the identity that a credential of a kind proves: the credential t with the hash $1, and what it
// is to the organization o, which is one of findOrganization.
type credentialSQL struct {
	tables string
	read   func(*columns, *authz.Identity)
}

const organizationOfUser = `
	JOIN users u ON u.id = t.user_id
	LEFT JOIN organizations o ON ` + anyOrganization + `
	LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = t.user_id`

var credentials = [...]credentialSQL{
	authz.APIToken: {
		tables: `api_tokens t` + organizationOfUser + `
	LEFT JOIN api_token_organizations g ON g.token_id = t.id AND g.organization_id = o.id`,
		read: func(c *columns, id *authz.Identity) {
			apiTokens.visit(c, &id.Token)
			users.visit(c, &id.User)
			mapBool(c, "u.disabled_at IS NOT NULL", &id.Disabled)
			organizations.visit(c, &id.Organization)
			mapText(c, "m.role", &id.Role)
			mapBool(c, "g.token_id IS NOT NULL", &id.Granted)
		},
	},
	authz.Session: {
		tables: `user_sessions t` + organizationOfUser,
		read: func(c *columns, id *authz.Identity) {
			mapText(c, "t.id", &id.Token.ID)
			mapTime(c, "t.created_at", &id.Token.CreatedAt)
			mapNullTime(c, "t.expires_at", &id.Token.ExpiresAt)
			mapNullTime(c, "COALESCE(t.last_seen_at, t.created_at)", &id.Token.LastUsedAt)
			users.visit(c, &id.User)
			mapBool(c, "u.disabled_at IS NOT NULL", &id.Disabled)
			organizations.visit(c, &id.Organization)
			mapText(c, "m.role", &id.Role)
			mapBool(c, "m.role IS NOT NULL", &id.Granted)
		},
	},
	authz.PortalToken: {
		// A token without a user is the portal's own. One with a user is good while members may run the portal.
		tables: `portal_tokens t
	JOIN portals cp ON cp.id = t.portal_id AND (t.user_id IS NULL OR cp.user_invokable)
	LEFT JOIN users u ON u.id = t.user_id
	LEFT JOIN users pc ON pc.id = cp.created_by
	LEFT JOIN organizations o ON ` + anyOrganization + `
	LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = t.user_id`,
		read: func(c *columns, id *authz.Identity) {
			mapText(c, "t.id", &id.Token.ID)
			mapTime(c, "t.created_at", &id.Token.CreatedAt)
			mapNullTime(c, "t.expires_at", &id.Token.ExpiresAt)
			mapText(c, "cp.allowed_ip_addresses", &id.Token.AllowedIPAddresses)
			mapText(c, "cp.id", &id.Portal.ID)
			mapText(c, "cp.name", &id.Portal.Name)
			mapOptionalUser(c, "pc", &id.Portal.Creator)
			users.visit(c, &id.User)
			mapBool(c, "u.disabled_at IS NOT NULL", &id.Disabled)
			organizations.visit(c, &id.Organization)
			mapText(c, "CASE WHEN o.id = cp.organization_id THEN CASE WHEN t.user_id IS NULL THEN 'admin' ELSE m.role END END",
				&id.Role)
			mapBool(c, "o.id = cp.organization_id", &id.Granted)
		},
	},
}

// request reads the identity that a credential proves together with what a request is about, so that a request costs
// one statement. Its statements are written when they are first used: there are more kinds of them than a server uses.
type request[V any] struct {
	identity func(*V) *authz.Identity
	perKind  [len(credentials)]struct { // of credentials
		sql  func() map[domain.ThingKind]string // by how the organization is named
		read func(*columns, *V)
	}
	// Where the identity is known already, only the rest is read. It is "" if there is no rest.
	rest     func() string
	readRest func(*columns, *V)
}

// callingUser stands for the id of the credential's user, who may be nobody.
const callingUser = `{user}`

// requestFor returns what reads a V, in which is the identity: the columns that are read besides, and the tables that
// they need.
func requestFor[V any](identity func(*V) *authz.Identity, read func(*columns, *V), tables string) *request[V] {
	r := &request[V]{identity: identity, readRest: read}
	for kind, credential := range credentials {
		of := &r.perKind[kind]
		of.read = func(c *columns, v *V) {
			credential.read(c, identity(v))
			read(c, v)
		}
		of.sql = sync.OnceValue(func() map[domain.ThingKind]string {
			text := `SELECT ` + selecting(of.read).columns + ` FROM ` + credential.tables + ` ` + tables + ` WHERE t.hash = $1`
			statements := make(map[domain.ThingKind]string, len(findOrganization))
			for named, condition := range findOrganization {
				statements[named] = strings.NewReplacer(anyOrganization, condition, callingUser, `t.user_id`).Replace(text)
			}
			return statements
		})
	}
	r.rest = sync.OnceValue(func() string {
		columns := selecting(read).columns
		if columns == "" {
			return ""
		}
		return strings.NewReplacer(anyOrganization, findOrganization[domain.OrganizationThing], callingUser, `$1`).Replace(
			`SELECT ` + columns + ` FROM organizations o ` + tables + ` WHERE o.id = $2`)
	})
	return r
}

// identityKey is what the identity of a credential in an organization is remembered by.
type identityKey struct {
	credential   authz.Credential
	organization domain.OrganizationRef
}

func (r *request[V]) run(tx Tx, c authz.Credential, organization domain.OrganizationRef, args ...any) (
	v V, found bool, err error) {
	key := identityKey{c, organization}
	if known, ok := tx.Recall(key); ok {
		id := known.(authz.Identity)
		if rest := r.rest(); rest != "" && id.Organization.ID != "" {
			v, _, err = selectOne(tx, r.readRest, rest, append([]any{id.User.ID, id.Organization.ID}, args...)...)
		}
		*r.identity(&v) = id
		return v, true, err
	}
	name := organization.Slug
	if organization.Of.Kind != "" {
		name = organization.Of.ID
	}
	if int(c.Kind) >= len(r.perKind) { // agents and jobs are no people
		return v, false, nil
	}
	kind := &r.perKind[c.Kind]
	v, found, err = selectOne(tx, kind.read, kind.sql()[organization.Of.Kind], append([]any{c.Hash, name}, args...)...)
	if found && err == nil {
		tx.Remember(key, *r.identity(&v))
	}
	return v, found, err
}

var selectIdentity = requestFor(func(id *authz.Identity) *authz.Identity { return id },
	func(*columns, *authz.Identity) {}, ``)

// Identity returns the identity that a credential proves, in an organization.
func (tx Tx) Identity(c authz.Credential, organization domain.OrganizationRef) (authz.Identity, bool, error) {
	return selectIdentity.run(tx, c, organization)
}
