package domain_test

import (
	"slices"
	"testing"

	"penstock/internal/domain"
)

func TestAllScopes(t *testing.T) {
	t.Parallel()
	if len(domain.AllScopes) != 49 || domain.AllScopes[0] != "delete_packages" || domain.AllScopes[48] != "write_test_plan" {
		t.Errorf("%d scopes: %v", len(domain.AllScopes), domain.AllScopes)
	}
	for _, scope := range []domain.Scope{
		domain.ScopeGraphQL, domain.ScopeReadAuditEvents, domain.ScopeReadClusters, domain.ScopeReadOrganizations,
		domain.ScopeReadPipelines, domain.ScopeReadPortals, domain.ScopeReadTeams, domain.ScopeReadUser,
		domain.ScopeWriteClusters, domain.ScopeWriteOrganizations, domain.ScopeWritePipelines, domain.ScopeWritePortals,
		domain.ScopeWriteTeams,
	} {
		if !slices.Contains(domain.AllScopes, scope) {
			t.Errorf("%s is not in AllScopes", scope)
		}
	}
}

func TestParseScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		names        []string
		want, reason string
	}{
		{nil, "", ""},
		{[]string{"write_clusters", "read_clusters", "write_clusters"}, "write_clusters read_clusters", ""},
		{
			[]string{"nope", "graphql", "READ_USER", "nope", "", "read_user graphql"}, "graphql",
			`Scope "nope" is unknown, Scope "READ_USER" is unknown, Scope "" is unknown, Scope "read_user graphql" is unknown`,
		},
	} {
		var got domain.Scopes
		reason := reasonsOf(t, func(f *domain.Faults) { got = domain.ParseScopes(tt.names, "f", f) })
		if got.String() != tt.want || reason != tt.reason {
			t.Errorf("ParseScopes(%q) = %q, fault %q", tt.names, got, reason)
		}
	}
}

func TestScopesHas(t *testing.T) {
	t.Parallel()
	scopes := domain.ScopesFromText("read_clusters write_clusters graphql")
	for scope, want := range map[domain.Scope]bool{
		domain.ScopeReadClusters: true, domain.ScopeWriteClusters: true, domain.ScopeGraphQL: true,
		domain.ScopeReadUser: false, "clusters": false, "read_cluster": false, "": false, " ": false,
		"read_clusters write_clusters": false,
	} {
		if got := scopes.Has(scope); got != want {
			t.Errorf("Has(%q) = %v", scope, got)
		}
	}
	if (domain.Scopes{}).Has("") || domain.ScopesFromText("").Has("") {
		t.Error("the empty set has a scope")
	}
}

func TestScopesList(t *testing.T) {
	t.Parallel()
	got := domain.ScopesFromText("write_teams graphql").List()
	if want := []domain.Scope{domain.ScopeWriteTeams, domain.ScopeGraphQL}; !slices.Equal(got, want) {
		t.Errorf("List() = %v, want %v", got, want)
	}
	if got := (domain.Scopes{}).List(); got == nil || len(got) != 0 {
		t.Errorf("List() of the empty set = %#v", got)
	}
}

func BenchmarkScopes(b *testing.B) {
	var faults domain.Faults
	names := make([]string, len(domain.AllScopes))
	for i, scope := range domain.AllScopes {
		names[i] = string(scope)
	}
	text := domain.ParseScopes(names, "scopes", &faults).String()
	b.ReportAllocs()
	for b.Loop() {
		if !domain.ScopesFromText(text).Has("write_test_plan") {
			b.Fatal("the last scope is missing")
		}
	}
}
