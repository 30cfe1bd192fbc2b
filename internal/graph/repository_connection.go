package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
)

type repositoryConnection = *domain.RepositoryConnection

// connectionTypes are the types of connections with repository hosts.
var connectionTypes = map[domain.ProviderKind]string{
	domain.GitHub:           "OrganizationRepositoryProviderGitHub",
	domain.GitHubEnterprise: "OrganizationRepositoryProviderGitHubEnterpriseServer",
	domain.GitLab:           "OrganizationRepositoryProviderGitLab",
	domain.Bitbucket:        "OrganizationRepositoryProviderBitbucket",
	domain.BitbucketServer:  "OrganizationRepositoryProviderBitbucketServer",
	domain.Gitea:            "OrganizationRepositoryProviderGitea",
}

// connectionLimit is how many requests the host of a connection takes.
type connectionLimit struct{ connection repositoryConnection }

func bindRepositoryConnections(b *gql.Builder) {
	gql.DeclareAbstract(b, "OrganizationRepositoryProvider", func(c repositoryConnection) string {
		return connectionTypes[c.Kind]
	})
	for kind, typeName := range connectionTypes {
		gql.DeclareObject[repositoryConnection](b, typeName)
		gql.BindLeaf(b, typeName+".id", func(dst []byte, c repositoryConnection) []byte {
			return appendID(dst, typeName, c.ID)
		})
		bindText(b, typeName+".name", func(c repositoryConnection) string { return c.DisplayName })
		if kind != domain.GitHub {
			bindText(b, typeName+".url", func(c repositoryConnection) string { return c.URL })
		}
		if kind == domain.GitHub || kind == domain.GitHubEnterprise {
			bindPart(b, typeName+".rateLimit", func(c repositoryConnection) *connectionLimit { return &connectionLimit{c} })
		}
	}
	gql.DeclareObject[*connectionLimit](b, "OrganizationRepositoryProviderGitHubRateLimit")
	gql.DeclareObject[*domain.RateLimit](b, "GitHubRateLimit")
	bindPart(b, "OrganizationRepositoryProviderGitHubRateLimit.mostRecent", func(l *connectionLimit) *domain.RateLimit {
		return l.connection.RateLimit
	})
	bindInt(b, "GitHubRateLimit.limit", func(l *domain.RateLimit) int64 { return l.Limit })
	bindInt(b, "GitHubRateLimit.remaining", func(l *domain.RateLimit) int64 { return l.Remaining })
	bindInt(b, "GitHubRateLimit.used", func(l *domain.RateLimit) int64 { return l.Used })
	bindTime(b, "GitHubRateLimit.resetAt", func(l *domain.RateLimit) time.Time { return l.ResetAt })
	gql.BindObjects(b, "Organization.repositoryProviders", func(ctx context.Context, organizations []organization,
		_ gql.Args) ([][]repositoryConnection, error) {
		return readingOf(ctx).RepositoryConnectionsOf(organizations)
	})
}
