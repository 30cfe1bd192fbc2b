package graph

import (
	"context"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// viewer is who asks.
type viewer struct{ user *domain.User }

// email is a user's address.
type email struct{ user *domain.User }

func bindUsers(b *gql.Builder, baseURL string) {
	type user = *domain.User
	type avatar struct{ url string }
	gql.Object[user](b, "User")
	ids(b, "User", func(u user) domain.UserID { return u.ID })
	text(b, "User.name", func(u user) string { return u.Name })
	text(b, "User.email", func(u user) string { return u.Email })
	flag(b, "User.bot", func(user) bool { return false })
	flag(b, "User.machineUser", func(user) bool { return false })
	flags(b, "User.hasPassword", (*read.Snapshot).HavePassword)
	part(b, "User.avatar", func(u user) *avatar { return &avatar{baseURL + "/avatars/" + string(u.ID) + ".svg"} })
	gql.Object[*avatar](b, "Avatar")
	text(b, "Avatar.url", func(a *avatar) string { return a.url })

	gql.Object[*viewer](b, "Viewer")
	gql.Leaf(b, "Viewer.id", func(dst []byte, v *viewer) []byte { return appendID(dst, "Viewer", v.user.ID) })
	part(b, "Viewer.user", func(v *viewer) user { return v.user })
	gql.Each(b, "Viewer.organizations", func(ctx context.Context, _ *viewer, args gql.Args) (*read.Connection[*domain.Membership], error) {
		return readingOf(ctx).AccessibleOrganizations(partOf(args))
	})
	gql.Each(b, "Viewer.emails", func(ctx context.Context, _ *viewer, args gql.Args) (*read.Connection[user], error) {
		unverified := optional[bool](args, "verified") == domain.Some(false)
		return readingOf(ctx).OwnAddresses(unverified, partOf(args))
	})
	bindConnectionOf(b, "Email", func(_ context.Context, users []user) ([]*email, error) {
		addresses := make([]*email, len(users))
		for i, u := range users {
			addresses[i] = &email{u}
		}
		return addresses, nil
	})
	permissionsOf(b, "Viewer", "ViewerPermissions", map[string]func(*read.Snapshot, []*viewer) ([]bool, error){"totpConfigure": never[*viewer]})

	gql.Object[*email](b, "Email")
	ids(b, "Email", func(e *email) domain.UserID { return e.user.ID })
	text(b, "Email.address", func(e *email) string { return e.user.Email })
	flag(b, "Email.primary", func(*email) bool { return true })
	flag(b, "Email.verified", func(*email) bool { return true })
	bindTokens(b)
}

func bindTokens(b *gql.Builder) {
	type own = *domain.APIToken
	gql.Object[own](b, "APIAccessToken")
	ids(b, "APIAccessToken", func(t own) domain.APITokenID { return t.ID })
	nullableInstant(b, "APIAccessToken.expiresAt", func(t own) *time.Time { return t.ExpiresAt })

	type token = *domain.OrganizationToken
	gql.Object[token](b, "OrganizationAPIAccessToken")
	ids(b, "OrganizationAPIAccessToken", func(t token) domain.APITokenID { return t.ID })
	text(b, "OrganizationAPIAccessToken.description", func(t token) string { return t.Description })
	instant(b, "OrganizationAPIAccessToken.createdAt", func(t token) time.Time { return t.CreatedAt })
	nullableInstant(b, "OrganizationAPIAccessToken.expiresAt", func(t token) *time.Time { return t.ExpiresAt })
	nullableInstant(b, "OrganizationAPIAccessToken.lastAccessedAt", func(t token) *time.Time { return t.LastUsedAt })
	nullableText(b, "OrganizationAPIAccessToken.ipAddress", func(t token) *string { return t.LastUsedAddress })
	part(b, "OrganizationAPIAccessToken.owner", func(t token) *domain.User { return &t.User })
	gql.Leaf(b, "OrganizationAPIAccessToken.scopes", func(dst []byte, t token) []byte {
		return gql.List(func(dst []byte, s domain.Scope) []byte { return gql.AppendString(dst, strings.ToUpper(string(s))) })(dst, t.Scopes.List())
	})
	bindConnection[token](b, "OrganizationAPIAccessToken")
}
