package service_test

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service"
)

// The rows of what only browsers do.
const (
	//                  nobody member maintainer teammate admin outsider reads writes ungranted revoked operator
	browsersOnly     = "deny   deny   deny       deny     deny  deny     deny  deny   deny      deny    deny"
	signedInUserOnly = "anon   deny   deny       deny     deny  deny     deny  deny   deny      anon    anon"
)

// allowedElsewhere are the operations that are allowed in a test of their own, because they need another set-up than the matrix has.
var allowedElsewhere = map[string]string{
	"AcceptInvitation":      "TestAnInvitationIsAcceptedOnce of internal/rest",
	"AcceptInvitationAsNew": "TestAnInvitationIsAcceptedOnce of internal/rest",
	"InvitationOffer":       "TestInvitationsThatDoNotWork of internal/rest",
	"SignIn":                "TestSignIn",
	"CheckSetup":            "TestSetup",
	"CompleteSetup":         "TestSetup",
}

func init() {
	permissionCases = append(permissionCases, browserCases...)
}

var browserCases = []permissionCase{
	{method: "SignIn", outcomes: browsersOnly, session: "wrong", visitor: "wrong", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.SignIn(ctx, a, domain.SignInInput{Email: "admin@example.com", Password: "not theirs"})
		return err
	}},
	{method: "BeginOIDC", outcomes: browsersOnly, session: "ok", visitor: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.BeginOIDC(ctx, a)
		return err
	}},
	{method: "SignInWithOIDC", outcomes: browsersOnly, session: "ok", visitor: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.SignInWithOIDC(ctx, a, domain.VerifiedClaims{Email: "member@example.com", EmailVerified: true})
		return err
	}},
	{method: "InvitationOffer", outcomes: browsersOnly, session: "uninvited", visitor: "uninvited", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.InvitationOffer(ctx, a, "no link's")
		return err
	}},
	{method: "AcceptInvitationAsNew", outcomes: browsersOnly, session: "uninvited", visitor: "uninvited", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, _, err := s.AcceptInvitationAsNew(ctx, a, domain.AcceptInput{Link: "no link's", Name: "N", Password: "long enough"})
		return err
	}},
	{method: "CheckSetup", outcomes: browsersOnly, session: "unlinked", visitor: "unlinked", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.CheckSetup(ctx, a, "no link's")
	}},
	{method: "NeedsSetup", outcomes: browsersOnly, session: "ok", visitor: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.NeedsSetup(ctx, a)
		return err
	}},
	{method: "CompleteSetup", outcomes: browsersOnly, session: "unlinked", visitor: "unlinked", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.CompleteSetup(ctx, a, domain.SetupInput{Link: "no link's", Name: "N", Email: "n@example.com", Password: "long enough", OrganizationName: "O"})
		return err
	}},
	{method: "OpenSetup", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.OpenSetup(ctx, a)
		return err
	}},
	{method: "PruneIdempotencyKeys", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PruneIdempotencyKeys(ctx, a)
		return err
	}},
	{method: "PruneSessions", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PruneSessions(ctx, a)
		return err
	}},
	{method: "Account", outcomes: signedInUserOnly, session: "ok", portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Account(ctx, a, at.Organization.Slug)
		return err
	}},
	{method: "Sessions", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.Sessions(ctx, a, onePage)
		return err
	}},
	{method: "OwnBuildMails", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.OwnBuildMails(ctx, a)
		return err
	}},
	{method: "UpdateOwnBuildMails", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.UpdateOwnBuildMails(ctx, a, domain.AllBuildMails)
	}},
	{method: "UpdateOwnUser", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateOwnUser(ctx, a, "Renamed "+at.ID)
		return err
	}},
	{method: "UpdateOwnPassword", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.UpdateOwnPassword(ctx, a, domain.PasswordInput{New: "long enough"})
	}},
	{method: "OwnTokens", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.OwnTokens(ctx, a, onePage)
		return err
	}},
	{method: "OwnToken", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.OwnToken(ctx, a, at.apiToken)
		return err
	}},
	{method: "CreateOwnToken", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreateOwnToken(ctx, a, domain.APITokenInput{Description: "new", Organizations: []string{at.Organization.Slug}})
		return err
	}},
	{method: "RevokeOwnToken", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.RevokeOwnToken(ctx, a, at.apiToken)
	}},
	{method: "OwnPortalTokens", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.OwnPortalTokens(ctx, a, onePage)
		return err
	}},
	{method: "OwnPortalToken", outcomes: signedInUserOnly, portals: true, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.OwnPortalToken(ctx, a, at.ownPortalToken)
		return err
	}},
	{method: "RevokeOwnPortalToken", outcomes: signedInUserOnly, portals: true, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.RevokeOwnPortalToken(ctx, a, at.ownPortalToken)
	}},
	{method: "AcceptInvitation", outcomes: signedInUserOnly, session: "uninvited", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.AcceptInvitation(ctx, a, "no link's")
		return err
	}},
	{method: "SignOut", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.SignOut(ctx, a)
	}},
	{method: "EndSession", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.EndSession(ctx, a, "0190a000-0000-7000-8000-0000000000ff")
	}},
	{method: "SignOutEverywhere", outcomes: signedInUserOnly, session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.SignOutEverywhere(ctx, a)
	}},
}
