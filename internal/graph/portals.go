package graph

import (
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// bindPortals binds what administrators see of portals. Values of tokens and secrets are not among it.
func bindPortals(b *gql.Builder) {
	type portal = *domain.PortalView
	gql.DeclareObject[portal](b, "Portal")
	bindIDs(b, "Portal", func(p portal) domain.PortalID { return p.ID })
	bindText(b, "Portal.slug", func(p portal) string { return p.Slug })
	bindText(b, "Portal.name", func(p portal) string { return p.Name })
	bindNullableText(b, "Portal.description", func(p portal) *string { return p.Description })
	bindText(b, "Portal.query", func(p portal) string { return p.Query })
	bindNullableText(b, "Portal.allowedIpAddresses", func(p portal) *string { return p.AllowedIPAddresses })
	bindBool(b, "Portal.userInvokable", func(p portal) bool { return p.UserInvokable })
	bindTime(b, "Portal.createdAt", func(p portal) time.Time { return p.CreatedAt })
	bindPart(b, "Portal.createdBy", func(p portal) *domain.User { return p.CreatedBy })
	bindReference(b, "Portal.organization", func(p portal) domain.OrganizationID {
		return p.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindConnectionField(b, "Portal.tokens", func(r *read.Snapshot, portals []portal, args gql.Args) (
		[]*read.Connection[*domain.PortalTokenView], error) {
		return r.PortalTokensOf(portals, connectionPart(args))
	})
	bindConnectionField(b, "Portal.secrets", func(r *read.Snapshot, portals []portal, args gql.Args) (
		[]*read.Connection[*domain.PortalSecretView], error) {
		return r.PortalSecretsOf(portals, connectionPart(args))
	})
	bindConnection[portal](b, "Portal")

	type token = *domain.PortalTokenView
	gql.DeclareObject[token](b, "PortalToken")
	bindIDs(b, "PortalToken", func(t token) domain.PortalTokenID { return t.ID })
	bindText(b, "PortalToken.description", func(t token) string { return t.Description })
	bindNullableTime(b, "PortalToken.expiresAt", func(t token) *time.Time { return t.ExpiresAt })
	bindTime(b, "PortalToken.createdAt", func(t token) time.Time { return t.CreatedAt })
	bindPart(b, "PortalToken.createdBy", func(t token) *domain.User { return t.CreatedBy })
	bindConnection[token](b, "PortalToken")

	type secret = *domain.PortalSecretView
	gql.DeclareObject[secret](b, "PortalSecret")
	bindIDs(b, "PortalSecret", func(s secret) domain.PortalSecretID { return s.ID })
	bindText(b, "PortalSecret.description", func(s secret) string { return s.Description })
	bindTime(b, "PortalSecret.createdAt", func(s secret) time.Time { return s.CreatedAt })
	bindPart(b, "PortalSecret.createdBy", func(s secret) *domain.User { return s.CreatedBy })
	bindConnection[secret](b, "PortalSecret")
}
