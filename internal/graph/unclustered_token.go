package graph

import (
	"context"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type unclusteredToken = *domain.UnclusteredTokenView

func bindUnclusteredTokens(b *gql.Builder) {
	gql.DeclareObject[unclusteredToken](b, "AgentToken")
	bindIDs(b, "AgentToken", func(t unclusteredToken) domain.UnclusteredTokenID { return t.ID })
	bindNullableText(b, "AgentToken.description", func(t unclusteredToken) *string { return t.Description })
	bindTime(b, "AgentToken.createdAt", func(t unclusteredToken) time.Time { return t.CreatedAt })
	bindPart(b, "AgentToken.createdBy", func(t unclusteredToken) *domain.User { return t.CreatedBy })
	bindReference(b, "AgentToken.organization", func(t unclusteredToken) domain.OrganizationID {
		return t.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindBool(b, "AgentToken.public", func(unclusteredToken) bool { return false })
	bindNullableTime(b, "AgentToken.revokedAt", func(t unclusteredToken) *time.Time { return t.RevokedAt })
	bindPart(b, "AgentToken.revokedBy", func(t unclusteredToken) *domain.User { return t.RevokedBy })
	bindNullableText(b, "AgentToken.revokedReason", func(t unclusteredToken) *string { return t.RevokedReason })
	bindText(b, "AgentToken.token", func(unclusteredToken) string { return "" })
	bindPermissions(b, "AgentToken", "AgentTokenPermissions", map[string]func(*read.Snapshot, []unclusteredToken) ([]bool,
		error){
		"agentTokenRevoke": permitOnTokens,
	})
	bindConnection[unclusteredToken](b, "AgentToken")
	bindConnectionField(b, "Organization.agentTokens", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[unclusteredToken], error) {
		var revoked *bool
		if value, state := gql.Arg[bool](args, "revoked"); state == gql.Given {
			revoked = &value
		}
		return r.UnclusteredTokensOf(os, revoked, connectionPart(args))
	})
	gql.BindEachObject(b, "Query.agentToken", func(ctx context.Context, _ gql.Root, args gql.Args) (unclusteredToken,
		error) {
		organization, uuid, _ := strings.Cut(args.String("slug"), "/")
		token, err := findByID(uuid, readingOf(ctx).UnclusteredTokens)
		if err != nil || token == nil || token.OrganizationSlug != organization {
			return nil, err
		}
		return token, nil
	})
	bindUnclusteredTokenMutations(b)
}

// permitOnTokens reports which tokens the caller may revoke: those of organizations that they administer.
func permitOnTokens(r *read.Snapshot, tokens []unclusteredToken) ([]bool, error) {
	ids := make([]domain.OrganizationID, len(tokens))
	for i, t := range tokens {
		ids[i] = t.OrganizationID
	}
	organizations, err := r.Organizations(ids)
	if err != nil {
		return nil, err
	}
	return r.OrganizationPermitted(organizations, authz.WriteUnclusteredToken)
}

func bindUnclusteredTokenMutations(b *gql.Builder) {
	mutation(b, "agentTokenCreate", "AgentTokenCreatePayload", func(c change) (*payload, error) {
		made, value, err := c.service.CreateUnclusteredToken(c.ctx, c.actor, c.organization("organizationID"),
			core.Value(domain.UnclusteredTokenInput{
				Description: optional[string](c.input, "description"), Public: optional[bool](c.input, "public"),
			}))
		return &payload{unclustered: &made, value: value, organization: made.OrganizationID}, err
	})
	organizationField(b, "AgentTokenCreatePayload.organization")
	bindText(b, "AgentTokenCreatePayload.tokenValue", func(p *payload) string { return p.value.Reveal() })
	bindNewEdge(b, "AgentTokenCreatePayload.agentTokenEdge", func(p *payload) unclusteredToken { return p.unclustered },
		func(r *read.Snapshot, p *payload) (*read.Connection[unclusteredToken], error) {
			organizations, err := r.Organizations([]domain.OrganizationID{p.organization})
			if err != nil {
				return nil, err
			}
			return firstOf(r.UnclusteredTokensOf(organizations, nil, read.ConnectionPart{}))
		})

	mutation(b, "agentTokenRevoke", "AgentTokenRevokePayload", func(c change) (*payload, error) {
		thing := c.thing("id", "AgentToken", domain.UnclusteredTokenThing)
		revoked, err := c.service.RevokeUnclusteredToken(c.ctx, c.actor, domain.OrganizationRef{Of: thing}, thing.ID,
			c.input.String("reason"))
		return &payload{unclustered: &revoked}, err
	})
	bindPart(b, "AgentTokenRevokePayload.agentToken", func(p *payload) unclusteredToken { return p.unclustered })
}
