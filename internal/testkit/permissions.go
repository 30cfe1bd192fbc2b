package testkit

import (
	"context"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// PermissionColumns are who calls in a small permission matrix: nobody, tokens with all scopes of a member, an administrator and an administrator of
// another organization, tokens of the administrator with all read scopes and with all write scopes, an operator's command, and the
// administrator at a browser.
const PermissionColumns = "nobody member admin outsider reads writes operator session"

// Rows of a small permission matrix.
const (
	//              nobody member admin outsider reads writes operator session
	MembersRead  = "anon   ok     ok    none     ok    scope  anon     ok"
	AdminsRead   = "anon   deny   ok    none     ok    scope  anon     ok"
	AdminsWrite  = "anon   deny   ok    none     scope ok     anon     ok"
	OperatorOnly = "deny   deny   deny  deny     deny  deny   ok       deny"
	Everyone     = "ok     ok     ok    ok       ok    ok     ok       ok"
)

var permissionCodes = map[string]domain.Code{
	"ok": 0, "anon": domain.Unauthenticated, "none": domain.NotFound, "scope": domain.Forbidden, "deny": domain.Forbidden,
}

// PermissionCase is a row of a small permission matrix.
type PermissionCase struct {
	Method   string
	Outcomes string
	Call     func(ctx context.Context, actor authz.Actor) error
}

// PermissionActors returns who calls, by the names of the columns.
func (s *Server) PermissionActors() map[string]authz.Actor {
	s.t.Helper()
	address := netip.MustParseAddr("192.0.2.1")
	token := func(email, organization, scopes string) authz.Actor {
		in := domain.APITokenInput{User: email, Description: "a test's", Organizations: []string{organization}}
		for _, scope := range domain.AllScopes {
			if strings.HasPrefix(string(scope), scopes) {
				in.Scopes = append(in.Scopes, string(scope))
			}
		}
		_, value, err := s.Service.CreateAPIToken(s.t.Context(), authz.OperatorActor(), in)
		if err != nil {
			s.t.Fatal(err)
		}
		return authz.TokenActor(authz.REST, value.Reveal(), address)
	}
	session, err := s.Service.SignInWithOIDC(s.t.Context(), authz.VisitorActor(address), domain.VerifiedClaims{Email: "admin@example.com", EmailVerified: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return map[string]authz.Actor{
		"nobody":   {},
		"member":   token("member@example.com", Organization, ""),
		"admin":    token("admin@example.com", Organization, ""),
		"outsider": token("outsider@example.com", ElsewhereSlug, ""),
		"reads":    token("admin@example.com", Organization, "read_"),
		"writes":   token("admin@example.com", Organization, "write_"),
		"operator": authz.OperatorActor(),
		"session":  authz.SessionActor(session.Reveal(), address),
	}
}

// CheckPermissions runs a small permission matrix, and fails if an exported method of the service is neither in it nor among those that nobody
// calls for a request.
func (s *Server) CheckPermissions(t *testing.T, service any, withoutActor map[string]string, cases []PermissionCase) {
	t.Helper()
	covered := map[string]bool{}
	for method := range withoutActor {
		covered[method] = true
	}
	actors := s.PermissionActors()
	for _, c := range cases {
		covered[c.Method] = true
		outcomes := strings.Fields(c.Outcomes)
		for i, name := range strings.Fields(PermissionColumns) {
			err := c.Call(t.Context(), actors[name])
			if got, want := domain.CodeOf(err), permissionCodes[outcomes[i]]; got != want || err != nil && want == 0 {
				t.Errorf("%s by %s: %v, want %s", c.Method, name, err, outcomes[i])
			}
		}
	}
	kind := reflect.TypeOf(service)
	for method := range kind.Methods() {
		if !covered[method.Name] {
			t.Errorf("%s is in no row of the permission matrix", method.Name)
		}
	}
}
