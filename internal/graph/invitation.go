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

type invitation = *domain.InvitationView

func connectInvitations(r *read.Snapshot, organizations []organization, args gql.Args) (
	[]*read.Connection[invitation], error) {
	order := domain.RecentlyCreated
	if args.Enum("order") == "EMAIL" {
		order = domain.ByName
	}
	filter := domain.InvitationFilter{States: listArg(args, "state", lowerEnum[domain.InvitationState])}
	return r.InvitationsOf(organizations, filter, order, connectionPart(args))
}

func bindInvitations(b *gql.Builder) {
	gql.DeclareObject[invitation](b, "OrganizationInvitation")
	bindIDs(b, "OrganizationInvitation", func(v invitation) domain.InvitationID { return v.ID })
	bindText(b, "OrganizationInvitation.email", func(v invitation) string { return v.Email })
	bindText(b, "OrganizationInvitation.slug",
		func(v invitation) string { return v.OrganizationSlug + "/" + string(v.ID) })
	bindText(b, "OrganizationInvitation.role", func(v invitation) string { return upperEnum(v.Role) })
	bindText(b, "OrganizationInvitation.state", func(v invitation) string { return upperEnum(v.State) })
	bindTime(b, "OrganizationInvitation.createdAt", func(v invitation) time.Time { return v.CreatedAt })
	bindNullableTime(b, "OrganizationInvitation.acceptedAt", func(v invitation) *time.Time { return v.AcceptedAt })
	bindNullableTime(b, "OrganizationInvitation.revokedAt", func(v invitation) *time.Time { return v.RevokedAt })
	bindNullableTime(b, "OrganizationInvitation.expiredAt", invitation.ExpiredAt)
	bindPart(b, "OrganizationInvitation.createdBy", func(v invitation) *domain.User { return v.CreatedBy })
	bindPart(b, "OrganizationInvitation.acceptedBy", func(v invitation) *domain.User { return v.AcceptedBy })
	bindPart(b, "OrganizationInvitation.revokedBy", func(v invitation) *domain.User { return v.RevokedBy })
	bindReference(b, "OrganizationInvitation.organization", func(v invitation) domain.OrganizationID {
		return v.OrganizationID
	}, (*read.Snapshot).Organizations)
	type invitedSSO struct{ invitation }
	gql.DeclareObject[*invitedSSO](b, "OrganizationInvitationSSOType")
	bindPart(b, "OrganizationInvitation.sso", func(v invitation) *invitedSSO { return &invitedSSO{v} })
	bindText(b, "OrganizationInvitationSSOType.mode", func(s *invitedSSO) string { return upperEnum(s.SSOMode) })
	bindPermissions(b, "OrganizationInvitation", "OrganizationInvitationPermissions", map[string]func(*read.Snapshot,
		[]invitation) ([]bool, error){
		"organizationInvitationResend": permitOnInvitations(domain.InvitationPending, domain.InvitationExpired),
		"organizationInvitationRevoke": permitOnInvitations(domain.InvitationPending),
	})
	bindConnection[invitation](b, "OrganizationInvitation")
	bindConnectionField(b, "Organization.invitations", connectInvitations)

	type assignment = *domain.InvitationTeam
	gql.DeclareObject[assignment](b, "OrganizationInvitationTeamAssignment")
	gql.BindLeaf(b, "OrganizationInvitationTeamAssignment.id", func(dst []byte, t assignment) []byte {
		return appendID(dst, "OrganizationInvitationTeamAssignment", t.ID)
	})
	bindText(b, "OrganizationInvitationTeamAssignment.role", func(t assignment) string { return upperEnum(t.Role) })
	bindReference(b, "OrganizationInvitationTeamAssignment.team", func(t assignment) domain.TeamID {
		return t.TeamID
	}, (*read.Snapshot).Teams)
	bindConnection[assignment](b, "OrganizationInvitationTeamAssignment")
	bindConnectionField(b, "OrganizationInvitation.teams", func(r *read.Snapshot, invitations []invitation,
		args gql.Args) ([]*read.Connection[assignment], error) {
		return r.TeamsOfInvitations(invitations, connectionPart(args))
	})
	gql.BindEachObject(b, "Query.organizationInvitation", func(ctx context.Context, _ gql.Root, args gql.Args) (invitation,
		error) {
		slug, uuid, _ := strings.Cut(args.String("slug"), "/")
		found, err := findByID(uuid, readingOf(ctx).Invitations)
		if err != nil || found == nil || found.OrganizationSlug != slug {
			return nil, err
		}
		return found, nil
	})
}

// permitOnInvitations reports on which invitations, in one of the states, the caller may act.
func permitOnInvitations(states ...domain.InvitationState) func(*read.Snapshot, []invitation) ([]bool, error) {
	return func(r *read.Snapshot, invitations []invitation) ([]bool, error) {
		return r.InvitationPermitted(invitations, authz.WriteInvitation, states...)
	}
}

func bindInvitationMutations(b *gql.Builder) {
	mutation(b, "organizationInvitationCreate", "OrganizationInvitationCreatePayload", func(c change) (*payload, error) {
		in, inputErr := invitationInput(c.input)
		made, err := c.service.CreateInvitations(c.ctx, c.actor, c.organization("organizationID"), core.Sent(in, inputErr))
		p := &payload{}
		for i := range made {
			p.organization = made[i].OrganizationID
			p.invitations = append(p.invitations, &made[i])
		}
		return p, err
	})
	organizationField(b, "OrganizationInvitationCreatePayload.organization")
	gql.BindObjects(b, "OrganizationInvitationCreatePayload.invitationEdges",
		askEachPayload(func(ctx context.Context, p *payload) (edges []*edge[invitation], err error) {
			connection, err := allInvitations(readingOf(ctx), p)
			if err != nil || connection == nil {
				return nil, err
			}
			for _, v := range p.invitations {
				edges = append(edges, &edge[invitation]{connection, v})
			}
			return edges, nil
		}))
	gql.BindLeaf(b, "OrganizationInvitationCreatePayload.invitationUrls", func(dst []byte, p *payload) []byte {
		dst = append(dst, '[')
		for i, v := range p.invitations {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = gql.AppendString(dst, p.baseURL+domain.InvitationPath+v.Link.Reveal())
		}
		return append(dst, ']')
	})

	mutation(b, "organizationInvitationResend", "OrganizationInvitationResendPayload", func(c change) (*payload, error) {
		sent, err := c.service.ResendInvitation(c.ctx, c.actor, c.organizationOfInvitation(), "")
		return &payload{invitations: []invitation{&sent}}, err
	})
	bindPart(b, "OrganizationInvitationResendPayload.organizationInvitation",
		func(p *payload) invitation { return p.invitations[0] })
	bindText(b, "OrganizationInvitationResendPayload.invitationUrl", func(p *payload) string {
		return p.baseURL + domain.InvitationPath + p.invitations[0].Link.Reveal()
	})

	mutation(b, "organizationInvitationRevoke", "OrganizationInvitationRevokePayload", func(c change) (*payload, error) {
		revoked, err := c.service.RevokeInvitation(c.ctx, c.actor, c.organizationOfInvitation(), "", nil)
		return &payload{invitations: []invitation{&revoked}, organization: revoked.OrganizationID}, err
	})
	organizationField(b, "OrganizationInvitationRevokePayload.organization")
	bindPart(b, "OrganizationInvitationRevokePayload.organizationInvitation",
		func(p *payload) invitation { return p.invitations[0] })
	bindNewEdge(b, "OrganizationInvitationRevokePayload.organizationInvitationEdge",
		func(p *payload) invitation { return p.invitations[0] }, allInvitations)
}

// allInvitations returns the list of all invitations of a payload's organization.
func allInvitations(r *read.Snapshot, p *payload) (*read.Connection[invitation], error) {
	organizations, err := r.Organizations([]domain.OrganizationID{p.organization})
	if err != nil {
		return nil, err
	}
	connections, err := r.InvitationsOf(organizations, domain.InvitationFilter{}, domain.RecentlyCreated,
		read.ConnectionPart{})
	return firstOf(connections, err)
}

func askEachPayload[V any](ask func(context.Context, *payload) (V, error)) func(context.Context, []*payload, gql.Args) (
	[]V, error) {
	return func(ctx context.Context, payloads []*payload, args gql.Args) ([]V, error) {
		return askEach(func(p *payload) (V, error) { return ask(ctx, p) })(ctx, payloads, args)
	}
}

func invitationInput(input gql.Args) (in domain.InvitationInput, err error) {
	in = domain.InvitationInput{Role: optionalEnum(input, "role"), SSOMode: optionalSSOMode(input)}
	in.Emails = domain.Some(listArg(input, "emails", func(email string) string { return email }))
	for _, t := range input.List("teams") {
		team, _ := t.(gql.Args)
		id := globalID[string]("Team", team.String("id"))
		if id == "" {
			err = domain.Faults{{Field: "teams", Reason: domain.ForeignInvitationTeam}}.Err()
		}
		in.Teams.Value = append(in.Teams.Value, domain.InvitationTeamInput{ID: id, Role: optionalEnum(team, "role")})
	}
	return in, err
}

func (c change) organizationOfInvitation() domain.OrganizationRef {
	return domain.OrganizationRef{Of: c.thing("id", "OrganizationInvitation", domain.InvitationThing)}
}
