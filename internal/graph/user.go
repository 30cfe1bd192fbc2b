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

// avatar is a picture of somebody.
type avatar struct{ url string }

// email is a user's address.
type email struct{ user *domain.User }

func bindUsers(b *gql.Builder, baseURL string) {
	type user = *domain.User
	gql.DeclareObject[user](b, "User")
	bindIDs(b, "User", func(u user) domain.UserID { return u.ID })
	bindText(b, "User.name", func(u user) string { return u.Name })
	bindText(b, "User.email", func(u user) string { return u.Email })
	bindTime(b, "User.createdAt", func(u user) time.Time { return u.CreatedAt })
	bindBool(b, "User.bot", func(user) bool { return false })
	bindBool(b, "User.machineUser", func(user) bool { return false })
	bindBools(b, "User.hasPassword", (*read.Snapshot).HavePassword)
	bindPart(b, "User.avatar", func(u user) *avatar { return &avatar{baseURL + "/avatars/" + string(u.ID) + ".svg"} })
	gql.DeclareObject[*avatar](b, "Avatar")
	bindText(b, "Avatar.url", func(a *avatar) string { return a.url })

	gql.DeclareObject[*viewer](b, "Viewer")
	gql.BindLeaf(b, "Viewer.id", func(dst []byte, v *viewer) []byte { return appendID(dst, "Viewer", v.user.ID) })
	bindPart(b, "Viewer.user", func(v *viewer) user { return v.user })
	gql.BindEachObject(b, "Viewer.organizations", func(ctx context.Context, _ *viewer, args gql.Args) (
		*read.Connection[*domain.Membership], error) {
		return readingOf(ctx).AccessibleOrganizations(connectionPart(args))
	})
	gql.BindEachObject(b, "Viewer.emails", func(ctx context.Context, _ *viewer, args gql.Args) (*read.Connection[user],
		error) {
		unverified := optional[bool](args, "verified") == domain.Some(false)
		return readingOf(ctx).OwnAddresses(unverified, connectionPart(args))
	})
	bindConnectionOf(b, "Email", func(_ context.Context, users []user) ([]*email, error) {
		addresses := make([]*email, len(users))
		for i, u := range users {
			addresses[i] = &email{u}
		}
		return addresses, nil
	})
	bindPermissions(b, "Viewer", "ViewerPermissions", map[string]func(*read.Snapshot, []*viewer) ([]bool, error){
		"totpConfigure": permitNobody[*viewer]})

	gql.DeclareObject[*email](b, "Email")
	bindIDs(b, "Email", func(e *email) domain.UserID { return e.user.ID })
	bindText(b, "Email.address", func(e *email) string { return e.user.Email })
	bindBool(b, "Email.primary", func(*email) bool { return true })
	bindBool(b, "Email.verified", func(*email) bool { return true })
	bindTokens(b)
}

func bindTokens(b *gql.Builder) {
	type own = *domain.APIToken
	gql.DeclareObject[own](b, "APIAccessToken")
	bindIDs(b, "APIAccessToken", func(t own) domain.APITokenID { return t.ID })
	bindNullableTime(b, "APIAccessToken.expiresAt", func(t own) *time.Time { return t.ExpiresAt })

	type token = *domain.OrganizationToken
	gql.DeclareObject[token](b, "OrganizationAPIAccessToken")
	bindIDs(b, "OrganizationAPIAccessToken", func(t token) domain.APITokenID { return t.ID })
	bindText(b, "OrganizationAPIAccessToken.description", func(t token) string { return t.Description })
	bindTime(b, "OrganizationAPIAccessToken.createdAt", func(t token) time.Time { return t.CreatedAt })
	bindNullableTime(b, "OrganizationAPIAccessToken.expiresAt", func(t token) *time.Time { return t.ExpiresAt })
	bindNullableTime(b, "OrganizationAPIAccessToken.lastAccessedAt", func(t token) *time.Time { return t.LastUsedAt })
	bindNullableText(b, "OrganizationAPIAccessToken.ipAddress", func(t token) *string { return t.LastUsedAddress })
	bindPart(b, "OrganizationAPIAccessToken.owner", func(t token) *domain.User { return &t.User })
	gql.BindLeaf(b, "OrganizationAPIAccessToken.scopes", func(dst []byte, t token) []byte {
		return gql.ListOf(func(dst []byte, s domain.Scope) []byte {
			return gql.AppendString(dst, strings.ToUpper(string(s)))
		})(dst, t.Scopes.List())
	})
	bindConnection[token](b, "OrganizationAPIAccessToken")
}
