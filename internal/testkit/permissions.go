package testkit

import (
	"context"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// PermissionAddress is where the actors of permission tests call from.
var PermissionAddress = netip.MustParseAddr("192.0.2.1")

// Outcome is what can come of a call.
type Outcome struct {
	Code    domain.Code
	Message string // its beginning
}

// Outcomes are what can come of a call, by the names that permission tests have for it.
var Outcomes = map[string]Outcome{
	"ok":    {0, ""},
	"anon":  {domain.Unauthenticated, "Authentication required"},
	"ended": {domain.Unauthenticated, "The job has ended"},
	"none":  {domain.NotFound, "No organization found"},
	"scope": {domain.Forbidden, "Your access token doesn't have the "},
	"deny":  {domain.Forbidden, "Forbidden"},

	"hidden":     {domain.NotFound, "No team found"},
	"lost":       {domain.NotFound, "No pipeline found"},
	"other":      {domain.Forbidden, "This token is for another job"},
	"unassigned": {domain.Invalid, "This job is not assigned to this agent"},
	"nobuild":    {domain.NotFound, "No build found"},
	"nojob":      {domain.NotFound, "No job found"},
	"nostep":     {domain.NotFound, "No step found"},
	"noartifact": {domain.NotFound, "No artifact found"},
	"noupload":   {domain.NotFound, "No upload found"},
	"ticket":     {domain.Forbidden, "This address is not valid"},
	"noregistry": {domain.NotFound, "Cache registry not found"},
	"nosaved":    {domain.NotFound, "Cache upload not found"},
	"gone":       {domain.Invalid, "The artifact is no longer being uploaded"},
	"wrong":      {domain.Invalid, domain.WrongSignIn},
	"uninvited":  {domain.NotFound, "No invitation found"},
	"unlinked":   {domain.NotFound, "No set-up link found"},
}

// CheckOutcome checks what came of a call.
func CheckOutcome(t testing.TB, call string, err error, outcome string) {
	t.Helper()
	want, known := Outcomes[outcome]
	if !known || domain.CodeOf(err) != want.Code || (err == nil) != (outcome == "ok") ||
		err != nil && !strings.HasPrefix(err.Error(), want.Message) {
		t.Errorf("%s: %v, not %s", call, err, outcome)
	}
}

// CheckMethods fails for an exported method of a service that no case allows, or none refuses, by the outcomes of each method's cases. It leaves out
// those that are allowed elsewhere, or that nobody calls for a request, and why; those in public refuse nobody.
func CheckMethods(t testing.TB, service reflect.Type, outcomes, elsewhere map[string]string, public ...string) {
	t.Helper()
	for method := range service.Methods() {
		row := strings.Fields(outcomes[method.Name])
		if !slices.Contains(row, "ok") && elsewhere[method.Name] == "" {
			t.Errorf("no case of the permission test allows %s of %v: add one with \"ok\" for who may call it", method.Name, service)
		}
		refuses := slices.ContainsFunc(row, func(outcome string) bool { return outcome != "ok" })
		if !refuses && elsewhere[method.Name] == "" && !slices.Contains(public, method.Name) {
			t.Errorf("no case of the permission test refuses %s of %v: add one with the outcomes of who may not call it",
				method.Name, service)
		}
	}
	for name := range outcomes {
		if _, exists := service.MethodByName(name); !exists {
			t.Errorf("the permission test has %s, which is no method", name)
		}
	}
}

// PermissionActors returns the people, and what acts for them: nobody; tokens with all scopes of a plain member, a maintainer of a cluster, a member of
// the team that maintains it, an administrator, and an administrator of another organization; tokens of the administrator with all read scopes, with all
// write scopes, without organizations, and revoked; an operator's command; a portal, and one of another organization; the administrator at a browser,
// and a browser in which nobody is signed in.
func (s *Server) PermissionActors(t testing.TB) map[string]authz.Actor {
	t.Helper()
	actors := map[string]authz.Actor{
		"nobody":     {},
		"member":     s.PermissionToken(t, "member@example.com", Organization, ""),
		"maintainer": s.PermissionToken(t, "maintainer@example.com", Organization, ""),
		"teammate":   s.PermissionToken(t, "teammate@example.com", Organization, ""),
		"admin":      s.PermissionToken(t, "admin@example.com", Organization, ""),
		"outsider":   s.PermissionToken(t, "outsider@example.com", ElsewhereSlug, ""),
		"reads":      s.PermissionToken(t, "admin@example.com", Organization, "read_"),
		"writes":     s.PermissionToken(t, "admin@example.com", Organization, "write_"),
		"ungranted":  s.PermissionToken(t, "admin@example.com", "", ""),
		"revoked":    s.PermissionToken(t, "admin@example.com", Organization, ""),
		"operator":   authz.OperatorActor(),
		"session":    s.PermissionSession(t, "admin@example.com"),
		"visitor":    authz.VisitorActor(PermissionAddress),
	}
	actors["portal"] = s.permissionPortal(t, actors["admin"], Organization)
	actors["foreignPortal"] = s.permissionPortal(t, actors["outsider"], ElsewhereSlug)
	Change(t, s.DB, `UPDATE api_tokens SET revoked_at = 1 WHERE hash = $1`, actors["revoked"].Credential.Hash)
	return actors
}

// PermissionToken creates a token with the scopes that begin so, and returns who uses it.
func (s *Server) PermissionToken(t testing.TB, email, organizations, scopes string) authz.Actor {
	t.Helper()
	in := domain.APITokenInput{User: email, Description: "a test's", Organizations: strings.Fields(organizations)}
	for _, scope := range domain.AllScopes {
		if strings.HasPrefix(string(scope), scopes) {
			in.Scopes = append(in.Scopes, string(scope))
		}
	}
	_, value, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), in)
	if err != nil {
		t.Fatal(err)
	}
	return authz.TokenActor(authz.REST, value.Reveal(), PermissionAddress)
}

// PermissionSession signs a user in and returns who uses the session.
func (s *Server) PermissionSession(t testing.TB, email string) authz.Actor {
	t.Helper()
	token, err := s.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(PermissionAddress), domain.VerifiedClaims{Email: email, EmailVerified: true})
	if err != nil {
		t.Fatal(err)
	}
	return authz.SessionActor(token.Reveal(), PermissionAddress)
}

func (s *Server) permissionPortal(t testing.TB, by authz.Actor, organization string) authz.Actor {
	t.Helper()
	_, value, err := s.Service.CreatePortal(t.Context(), by, organization,
		core.Value(domain.PortalInput{Name: domain.Some("Of tests " + domain.NewID[string]()), Query: domain.Some("{ __typename }")}))
	if err != nil {
		t.Fatal(err)
	}
	return authz.PortalActor(value.Reveal(), PermissionAddress)
}

// lastSeen matches the column of organization_members that says when the member was last seen.
var lastSeen = regexp.MustCompile(`,("\d{4}-\d\d-\d\d"|null),`)

// PermissionRows returns every row of the database, after its table's name, in order, but for what is recorded of a request whatever becomes of it.
func PermissionRows(t testing.TB, d *db.DB) (rows []string) {
	t.Helper()
	for _, row := range Rows(t, d) {
		switch {
		case strings.HasPrefix(row, "activity_"), strings.HasPrefix(row, "usage_"):
		case strings.HasPrefix(row, "organization_members "):
			rows = append(rows, lastSeen.ReplaceAllString(row, ","))
		default:
			rows = append(rows, row)
		}
	}
	if len(rows) < 30 {
		t.Fatalf("only %d rows", len(rows))
	}
	slices.Sort(rows)
	return rows
}

// RowsWithout returns the rows that others, which are in order, does not have.
func RowsWithout(rows, others []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
		_, found := slices.BinarySearch(others, row)
		return found
	})
}

// CheckSameRows fails if refused calls have changed anything.
func CheckSameRows(t testing.TB, calls string, before, after []string) {
	t.Helper()
	for _, row := range RowsWithout(after, before) {
		t.Errorf("%s left %s", calls, row)
	}
	for _, row := range RowsWithout(before, after) {
		t.Errorf("%s took away %s", calls, row)
	}
}

// PermissionColumns are who calls in a small permission matrix.
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

// PermissionCase is a row of a small permission matrix.
type PermissionCase struct {
	Method   string
	Outcomes string
	Call     func(ctx context.Context, actor authz.Actor) error
}

// CheckPermissions runs a small permission matrix, and checks that it has every exported method of the service but those that are elsewhere.
func (s *Server) CheckPermissions(t *testing.T, service any, elsewhere map[string]string, cases []PermissionCase, public ...string) {
	t.Helper()
	actors, all := s.PermissionActors(t), map[string]string{}
	for _, c := range cases {
		all[c.Method] += c.Outcomes + " "
		outcomes := strings.Fields(c.Outcomes)
		for i, name := range strings.Fields(PermissionColumns) {
			CheckOutcome(t, c.Method+" by "+name, c.Call(t.Context(), actors[name]), outcomes[i])
		}
	}
	CheckMethods(t, reflect.TypeOf(service), all, elsewhere, public...)
}
