package service_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/apply"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// declared is the contract's example, with the organization that it refers to and an item of each kind.
const declared = `
users:
  - {email: Admin@example.com, name: Admin, password: optional-web-password, id: 0190a1b2-0000-7000-8000-000000000001}
  - {email: dev@example.com, name: Dev}
organizations:
  - slug: acme-inc
    id: 0190a1b2-0000-7000-8000-000000000002
    name: Acme Inc
    subscription: {plan: annual, anchor: 2026-01-15}
    billing_parent: holding-co
    settings:
      cluster_writes: managers
      maintainers_can_destroy_cache_registries: false
      members_can_create_pipelines: false
      default_cluster: Open Source
      allowed_api_ip_addresses: 192.0.2.0/24  2001:db8::/32
      revoke_inactive_tokens_after_days: 30
      audit_retention_days: 365
      restrict_user_api_token_creation: true
      members_can_create_public_pipelines: true
      default_branch: trunk
      default_timeout_in_minutes: 10
      maximum_timeout_in_minutes: 60
      scheduled_job_expiry_in_minutes: 1440
      build_retention_days: 90
    members:
      - {user: dev@example.com}
      - {user: admin@example.com, role: admin}
    teams:
      - {name: Platform, id: 0190a1b2-0000-7000-8000-000000000003, members: [{user: admin@example.com, role: maintainer}, {user: dev@example.com}]}
    clusters:
      - name: Open Source
        id: 0190a1b2-0000-7000-8000-000000000004
        description: Ours
        emoji: ":rocket:"
        color: "#fff"
        maintainers: [{user: dev@example.com}, {team: platform}]
        queues:
          - {key: default, id: 0190a1b2-0000-7000-8000-000000000005, default: true}
          - {key: hosted, hosted_agents: {instance_shape: LINUX_AMD64_2X4}}
          - {key: hosted-2, hosted_agents: {instance_shape: MACOS_ARM64_M4_6X28}}
        cache_registries:
          - {name: Ruby gems, id: 0190a1b2-0000-7000-8000-000000000006, description: Gems, emoji: ":gem:", color: "#f00", default: true, policy: {rules: [{effect: allow, action: [restore, save], name: null}]}}
          - {name: Go modules}
      - name: Empty
    pipelines:
      - {name: Web, id: 0190a1b2-0000-7000-8000-000000000007, repository: "git@example.com:acme/web.git", cluster: Open Source}
      - {name: Docs, slug: the-docs, repository: "git@example.com:acme/docs.git"}
  - slug: holding-co
    name: Holding Co
    members:
      - {user: admin@example.com, role: admin}
tokens:
  - user: admin@example.com
    token: an-explicit-value-of-20-or-more-characters
    description: CI
    organizations: [acme-inc, holding-co]
    scopes: [read_clusters, write_clusters]
    graphql: true
  - {user: dev@example.com, token: another-value-of-20-or-more-characters}
activity:
  - {organization: acme-inc, user: admin@example.com, on: 2026-10-03}
  - {organization: acme-inc, user: admin@example.com, on: 2026-10-03}
  - {organization: holding-co, user: dev@example.com, on: 2026-10-04}
`

// declaredItems is how many different items declared has.
const declaredItems = 2 + 2 + 3 + 1 + 2 + 2 + 2 + 3 + 2 + 2 + 2 + 2

func parseBootstrap(t testing.TB, source string) *bootstrap.File {
	t.Helper()
	file, err := bootstrap.Parse("bootstrap.yaml", []byte(source), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *operating) apply(source string) apply.Result {
	s.t.Helper()
	result, err := s.applyFile(s.t.Context(), s.actor, parseBootstrap(s.t, source))
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// refusedWith checks that a file is refused with that error, and changes nothing.
func (s *operating) refusedWith(source string, lines ...string) {
	s.t.Helper()
	before := s.contents()
	result, err := s.applyFile(s.t.Context(), s.actor, parseBootstrap(s.t, source))
	var faults *bootstrap.Error
	if !errors.As(err, &faults) || err.Error() != strings.Join(lines, "\n") {
		s.t.Errorf("got %v\nwant %s", err, strings.Join(lines, "\n"))
	}
	if result.Applied != 0 || result.Existing != 0 || result.Skipped != nil {
		s.t.Errorf("the result is %+v", result)
	}
	s.unchangedSince(before)
}

// expectResult checks what became of a file's items; skipped are the paths of those that were.
func (s *operating) expectResult(got apply.Result, applied, existing int, skipped ...string) {
	s.t.Helper()
	var paths []string
	for _, fault := range got.Skipped {
		paths = append(paths, fault.Path)
	}
	if got.Applied != applied || got.Existing != existing || !slices.Equal(paths, skipped) {
		s.t.Errorf("the result is %+v, want %d applied, %d existing and skipped %v", got, applied, existing, skipped)
	}
}

// operatorTables are the columns of all tables that operators' operations write to.
var operatorTables = []struct{ table, columns string }{
	{"users", "id email email_key name name_key password_hash created_at"},
	{"organizations", `id slug name name_key created_at plan billing_anchor billing_parent_id cluster_writes
		maintainers_can_destroy_cache_registries members_can_create_pipelines default_cluster_id allowed_api_ip_addresses
		revoke_inactive_tokens_after_days audit_retention_days restrict_user_api_token_creation default_branch
		default_timeout_in_minutes maximum_timeout_in_minutes scheduled_job_expiry_in_minutes build_retention_days public_pipelines_enabled_at public_pipelines_enabled_by`},
	{"organization_counts", "organization_id shard clusters"},
	{"organization_members", "id organization_id user_id role created_at created_by"},
	{"teams", `id organization_id slug name name_key description privacy is_default_team default_member_role
		members_can_create_pipelines created_at created_by`},
	{"team_members", "id team_id organization_id user_id role created_at created_by"},
	{"api_tokens", "id user_id hash description scopes allowed_ip_addresses created_at expires_at revoked_at"},
	{"api_token_organizations", "token_id organization_id user_id"},
	{"clusters", `id organization_id name name_key description emoji color default_queue_id default_cache_registry_id
		hosted_git_mirror_enabled hosted_container_cache_enabled queues_count hosted_queues_count created_at created_by`},
	{"cluster_maintainers", "id organization_id cluster_id user_id team_id created_at created_by"},
	{"cluster_queues", "id cluster_id key description retry_agent_affinity dispatch_paused_at instance_shape created_at created_by"},
	{"cache_registries", "id cluster_id slug name description emoji color policy created_at updated_at created_by"},
	{"pipelines", "id organization_id slug name name_key repository cluster_id created_at created_by archived_at"},
	{"activity_days", "organization_id day user_id"},
	{"bootstrap_items", "kind key applied_at"},
}

// contents returns all that operators' operations have stored.
func (s *operating) contents() (rows []string) {
	s.t.Helper()
	for _, table := range operatorTables {
		columns := strings.Fields(table.columns)
		for i, column := range columns {
			columns[i] = `COALESCE(CAST(` + column + ` AS TEXT), 'null')`
		}
		found := s.query(`SELECT '` + table.table + ` ' || ` + strings.Join(columns, ` || ' | ' || `) + ` FROM ` + table.table)
		slices.Sort(found)
		rows = append(rows, found...)
	}
	return rows
}

func (s *operating) unchangedSince(before []string) {
	s.t.Helper()
	after := s.contents()
	for _, row := range before {
		if !slices.Contains(after, row) {
			s.t.Errorf("gone: %s", row)
		}
	}
	for _, row := range after {
		if !slices.Contains(before, row) {
			s.t.Errorf("new: %s", row)
		}
	}
}

func (s *operating) count(table string) string {
	s.t.Helper()
	return s.query(`SELECT CAST(count(*) AS TEXT) FROM ` + table)[0]
}

// checkCounters checks the stored numbers of clusters and queues against what is there.
func (s *operating) checkCounters() {
	s.t.Helper()
	s.expect("", `SELECT slug FROM organizations o
		WHERE (SELECT COALESCE(sum(n.clusters), 0) FROM organization_counts n WHERE n.organization_id = o.id)
			<> (SELECT count(*) FROM clusters c WHERE c.organization_id = o.id)`)
	s.expect("", `SELECT name FROM clusters c
		WHERE queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id)
		OR hosted_queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id AND q.instance_shape IS NOT NULL)
		OR hosted_container_cache_enabled <> (hosted_queues_count > 0)`)
}

func TestBootstrapMakesWhatTheFileDeclares(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.expectResult(s.apply(declared), declaredItems, 0)
		s.checkCounters()
		const (
			admin   = "0190a1b2-0000-7000-8000-000000000001"
			acme    = "0190a1b2-0000-7000-8000-000000000002"
			team    = "0190a1b2-0000-7000-8000-000000000003"
			cluster = "0190a1b2-0000-7000-8000-000000000004"
			queue   = "0190a1b2-0000-7000-8000-000000000005"
			gems    = "0190a1b2-0000-7000-8000-000000000006"
			web     = "0190a1b2-0000-7000-8000-000000000007"
		)
		s.expect("Admin@example.com admin@example.com Admin", `SELECT email || ' ' || email_key || ' ' || name FROM users WHERE id = $1`, admin)
		if hash := s.query(`SELECT password_hash FROM users WHERE id = $1`, admin)[0]; !domain.CheckPassword(hash, "optional-web-password") {
			t.Errorf("the password is stored as %s", hash)
		}
		s.expect("Acme Inc annual 2026-01-15 holding-co", `SELECT o.name || ' ' || o.plan || ' ' || o.billing_anchor || ' ' || p.slug
			FROM organizations o JOIN organizations p ON p.id = o.billing_parent_id WHERE o.id = $1`, acme)
		s.expect("managers 192.0.2.0/24 2001:db8::/32 30 365 "+cluster, `SELECT cluster_writes || ' ' || allowed_api_ip_addresses || ' ' ||
			revoke_inactive_tokens_after_days || ' ' || audit_retention_days || ' ' || default_cluster_id FROM organizations
			WHERE id = $1 AND NOT maintainers_can_destroy_cache_registries AND NOT members_can_create_pipelines`, acme)
		s.expect("trunk 10 60 1440 90", `SELECT default_branch || ' ' || default_timeout_in_minutes || ' ' || maximum_timeout_in_minutes || ' ' ||
			scheduled_job_expiry_in_minutes || ' ' || build_retention_days FROM organizations WHERE id = $1 AND restrict_user_api_token_creation
			AND public_pipelines_enabled_at IS NOT NULL AND public_pipelines_enabled_by IS NULL`, acme)
		s.expect("Holding Co monthly 2026-03-14 members  0 0", `SELECT name || ' ' || plan || ' ' || billing_anchor || ' ' || cluster_writes || ' ' ||
			allowed_api_ip_addresses || ' ' || revoke_inactive_tokens_after_days || ' ' || audit_retention_days
			FROM organizations WHERE slug = 'holding-co' AND maintainers_can_destroy_cache_registries AND members_can_create_pipelines
			AND billing_parent_id IS NULL AND default_cluster_id IS NULL`)
		s.expect("dev@example.com member\nAdmin@example.com admin", `SELECT u.email || ' ' || m.role FROM organization_members m
			JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 ORDER BY m.id`, acme)
		s.expect("platform Platform visible member", `SELECT slug || ' ' || name || ' ' || privacy || ' ' || default_member_role FROM teams
			WHERE id = $1 AND NOT is_default_team AND NOT members_can_create_pipelines`, team)
		s.expect("Admin@example.com maintainer\ndev@example.com member", `SELECT u.email || ' ' || m.role FROM team_members m
			JOIN users u ON u.id = m.user_id WHERE m.team_id = $1 ORDER BY m.id`, team)
		s.expect("Open Source Ours :rocket: #fff 3 2 "+queue+" "+gems, `SELECT name || ' ' || description || ' ' || emoji || ' ' || color || ' ' ||
			queues_count || ' ' || hosted_queues_count || ' ' || default_queue_id || ' ' || default_cache_registry_id FROM clusters WHERE id = $1`, cluster)
		s.expect("dev@example.com\nplatform", `SELECT COALESCE(u.email, t.slug) FROM cluster_maintainers k LEFT JOIN users u ON u.id = k.user_id
			LEFT JOIN teams t ON t.id = k.team_id WHERE k.cluster_id = $1 ORDER BY k.id`, cluster)
		s.expect("default none\nhosted LINUX_AMD64_2X4\nhosted-2 MACOS_ARM64_M4_6X28", `SELECT key || ' ' || COALESCE(instance_shape, 'none')
			FROM cluster_queues WHERE cluster_id = $1 ORDER BY key`, cluster)
		s.expect("default\ngo-modules\nruby-gems", `SELECT slug FROM cache_registries WHERE cluster_id = $1 ORDER BY slug`, cluster)
		s.expect(`Ruby gems Gems :gem: #f00 {"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[{"effect":"allow","action":["save","restore"]}]}`,
			`SELECT name || ' ' || description || ' ' || emoji || ' ' || color || ' ' || policy FROM cache_registries WHERE id = $1`, gems)
		const unrestricted = `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`
		s.expect(unrestricted, `SELECT DISTINCT policy FROM cache_registries WHERE slug <> 'ruby-gems'`)
		s.expect("default", `SELECT r.slug FROM clusters c JOIN cache_registries r ON r.id = c.default_cache_registry_id WHERE c.name = 'Empty'`)
		s.expect("Web web git@example.com:acme/web.git "+cluster, `SELECT name || ' ' || slug || ' ' || repository || ' ' || cluster_id FROM pipelines WHERE id = $1`, web)
		s.expect("Docs", `SELECT name FROM pipelines WHERE slug = 'the-docs' AND cluster_id IS NULL`)
		s.expect("CI read_clusters write_clusters graphql", `SELECT description || ' ' || scopes FROM api_tokens WHERE user_id = $1`, admin)
		s.expect("acme-inc\nholding-co", `SELECT o.slug FROM api_token_organizations g JOIN organizations o ON o.id = g.organization_id ORDER BY o.slug`)
		s.expect("acme-inc Admin@example.com 2026-10-03\nholding-co dev@example.com 2026-10-04", `SELECT o.slug || ' ' || u.email || ' ' || a.day
			FROM activity_days a JOIN organizations o ON o.id = a.organization_id JOIN users u ON u.id = a.user_id ORDER BY a.day`)

		paged, err := s.Clusters(t.Context(), tokenActor("an-explicit-value-of-20-or-more-characters"), "holding-co", domain.Page{Number: 1, Size: 1})
		if err != nil || paged.Total != 0 {
			t.Errorf("using the token: %+v, %v", paged, err)
		}
	})
}

func TestBootstrapsFirstDeclaredAdministratorIsTheCreator(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		for _, table := range []string{
			"organization_members", "teams", "team_members", "clusters", "cluster_maintainers", "cluster_queues", "cache_registries", "pipelines",
		} {
			s.expect("Admin@example.com", `SELECT DISTINCT COALESCE(u.email, 'nobody') FROM `+table+` x LEFT JOIN users u ON u.id = x.created_by`)
		}
		s.apply(`{organizations: [{slug: nobodys, name: Nobody's, clusters: [{name: Nobody's}]}]}`)
		s.expect("Nobody's", `SELECT name FROM clusters WHERE created_by IS NULL`)
	})
}

func TestTheDocumentedBootstrapFileIsApplied(t *testing.T) {
	page, err := os.ReadFile("../../docs/bootstrap.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	example = strings.NewReplacer("${ADMIN_PASSWORD}", "a password", "${ADMIN_TOKEN}", "a-value-of-20-or-more-characters").Replace(example)
	eachOperating(t, func(_ *testing.T, s *operating) {
		s.expectResult(s.apply(example), 2+2+2+1+2+1+2+2+1+1+1+1, 0)
		s.expectResult(s.apply(example), 0, 0)
		s.expect("holding-co", `SELECT p.slug FROM organizations o JOIN organizations p ON p.id = o.billing_parent_id`)
		s.expect("Open Source", `SELECT c.name FROM organizations o JOIN clusters c ON c.id = o.default_cluster_id`)
	})
}

func TestBootstrapsSecondStartChangesNothing(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		before := s.contents()
		s.expectResult(s.apply(declared), 0, 0)
		s.unchangedSince(before)
	})
}

func TestBootstrapNeverStoresATokensValue(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		for _, row := range s.contents() {
			if strings.Contains(row, "-value-of-20-or-more") || strings.Contains(row, "optional-web-password") {
				t.Errorf("stored: %s", row)
			}
		}
		s.expect(domain.HashToken("another-value-of-20-or-more-characters"),
			`SELECT key FROM bootstrap_items WHERE kind = 'token' AND key IN (SELECT hash FROM api_tokens WHERE description = '')`)
	})
}

func TestWhatWasChangedRevokedOrDeletedSinceBootstrapStaysSo(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		const token = "an-explicit-value-of-20-or-more-characters"
		s.exec(`UPDATE organizations SET allowed_api_ip_addresses = '', default_cluster_id = NULL, billing_parent_id = NULL, name = 'Acme' WHERE slug = 'acme-inc'`)
		admin := tokenActor(token)
		cluster := domain.ClusterRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: "0190a1b2-0000-7000-8000-000000000004"}
		if err := s.DeleteQueue(t.Context(), admin, cluster, "0190a1b2-0000-7000-8000-000000000005", nil); err != nil {
			t.Fatal(err)
		}
		name := domain.ClusterPatch{Name: domain.Some("Renamed"), LookInput: domain.LookInput{Color: domain.Null[string]()}}
		if _, err := s.UpdateCluster(t.Context(), admin, cluster, core.Value(name), nil); err != nil {
			t.Fatal(err)
		}
		s.exec(`DELETE FROM cache_registries WHERE slug = 'go-modules'`)
		s.exec(`UPDATE cache_registries SET name = 'Gems', slug = 'gems', policy = NULL WHERE slug = 'ruby-gems'`)
		s.exec(`UPDATE users SET email = 'new@example.com', email_key = 'new@example.com', password_hash = NULL WHERE name = 'Admin'`)
		s.exec(`DELETE FROM organization_members WHERE user_id IN (SELECT id FROM users WHERE name = 'Dev')`)
		s.exec(`UPDATE organization_members SET role = 'member'`)
		s.exec(`DELETE FROM teams`)
		s.exec(`DELETE FROM pipelines WHERE slug = 'web'`)
		s.exec(`UPDATE pipelines SET slug = 'docs'`)
		s.exec(`DELETE FROM activity_days`)
		s.exec(`UPDATE organization_counts SET clusters = 1 WHERE organization_id = (SELECT id FROM organizations WHERE slug = 'acme-inc')`)
		s.exec(`DELETE FROM clusters WHERE name = 'Empty'`)
		if err := s.RevokeAPIToken(t.Context(), s.actor, token); err != nil {
			t.Fatal(err)
		}
		s.exec(`DELETE FROM api_tokens WHERE description = ''`)
		before := s.contents()
		s.expectResult(s.apply(declared), 0, 0)
		s.unchangedSince(before)
		s.checkCounters()
	})
}

func TestWhatExistsWhenItIsFirstDeclaredIsLeftAsItIs(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		// The same things by what they are recognised by, and different in all else.
		s.apply(`
users:
  - {email: admin@EXAMPLE.com, name: Other}
  - {email: dev@example.com, name: Other, password: other-password}
organizations:
  - slug: acme-inc
    name: Other
    members: [{user: admin@example.com}, {user: dev@example.com, role: admin}]
    teams: [{name: Other, slug: platform, members: [{user: admin@example.com}]}]
    clusters:
      - name: Open Source
        maintainers: [{user: dev@example.com}]
        queues: [{key: default}, {key: hosted}, {key: other, default: true}]
        cache_registries: [{name: RUBY GEMS}]
      - name: Empty
        description: Other
    pipelines: [{name: Other, slug: web, repository: other}]
  - {slug: holding-co, name: Other, subscription: {plan: annual}}
tokens:
  - {user: dev@example.com, token: an-explicit-value-of-20-or-more-characters, organizations: [acme-inc]}
activity:
  - {organization: acme-inc, user: admin@example.com, on: 2026-10-03}
`)
		s.exec(`DELETE FROM bootstrap_items`)
		before := s.contents()
		s.expectResult(s.apply(declared), 8, declaredItems-8)
		after := s.contents()
		for _, row := range before {
			if !slices.Contains(after, row) && !strings.HasPrefix(row, "clusters ") {
				t.Errorf("changed: %s", row)
			}
		}
		s.expect("Empty Other\nOpen Source none", `SELECT name || ' ' || COALESCE(description, 'none') FROM clusters ORDER BY name`)
		s.expect("other", `SELECT q.key FROM clusters c JOIN cluster_queues q ON q.id = c.default_queue_id`)
		s.expect("default", `SELECT DISTINCT r.slug FROM clusters c JOIN cache_registries r ON r.id = c.default_cache_registry_id`)
		s.checkCounters()
		s.exec(`DELETE FROM pipelines WHERE slug = 'web'`) // found there counts as applied
		again := s.contents()
		s.expectResult(s.apply(declared), 0, 0)
		s.unchangedSince(again)
	})
}

func TestItemsAddedToTheFileLaterAreApplied(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		later := strings.NewReplacer(
			"      - {user: dev@example.com}\n", "      - {user: dev@example.com}\n      - {user: new@example.com}\n",
			"  - {email: dev@example.com, name: Dev}", "  - {email: dev@example.com, name: Dev}\n  - {email: new@example.com, name: New}",
			"{user: dev@example.com}]}", "{user: dev@example.com}, {user: new@example.com}]}",
			"        maintainers: [", "        maintainers: [{user: new@example.com}, ",
			"        queues:\n", "        queues:\n          - {key: new-hosted, hosted_agents: {instance_shape: LINUX_ARM64_2X4}}\n",
			"{key: default, id: 0190a1b2-0000-7000-8000-000000000005, default: true}", "{key: default}\n          - {key: new, default: true}",
			"default: true, policy: {rules: [{effect: allow, action: [restore, save], name: null}]}", "policy: {}",
			"          - {name: Go modules}", "          - {name: Go modules}\n          - {name: New, default: true}",
			"      - name: Empty", "      - name: New\n        queues: [{key: default}]\n      - name: Empty\n        queues: [{key: default}]",
			"    pipelines:\n", "    pipelines:\n      - {name: New, repository: new, cluster: New}\n",
			"tokens:\n", "tokens:\n  - {user: new@example.com, token: a-new-value-of-20-or-more-characters, organizations: [acme-inc]}\n",
			"activity:\n", "activity:\n  - {organization: acme-inc, user: new@example.com, on: 2026-10-03}\n",
		).Replace(declared)
		s.expectResult(s.apply(later), 13, 0)
		s.checkCounters()
		s.expect("new 5 3", `SELECT q.key || ' ' || c.queues_count || ' ' || c.hosted_queues_count
			FROM clusters c JOIN cluster_queues q ON q.id = c.default_queue_id WHERE c.name = 'Open Source'`)
		s.expect("new", `SELECT r.slug FROM clusters c JOIN cache_registries r ON r.id = c.default_cache_registry_id WHERE c.name = 'Open Source'`)
		s.expect("New", `SELECT c.name FROM pipelines p JOIN clusters c ON c.id = p.cluster_id WHERE p.slug = 'new'`)
		before := s.contents()
		s.expectResult(s.apply(later), 0, 0)
		s.unchangedSince(before)
	})
}

func TestNewItemsOfWhatWasDeletedSinceAreSkipped(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const file = `
users: [{email: admin@example.com, name: Admin}, {email: gone@example.com, name: Gone}, {email: left@example.com, name: Left}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: left@example.com}, {user: admin@example.com, role: admin}]
    teams:
      - {name: Deleted, members: [%s]}
      - {name: Kept, members: [%s]}
    clusters:
      - {name: Deleted, queues: [%s], maintainers: [%s], cache_registries: [%s]}
      - {name: Kept, maintainers: [%s]}
    pipelines: [{name: Web, repository: x}%s]
activity: [%s]
`
		s.apply(fmt.Sprintf(file, "", "", "", "", "", "", "", ""))
		s.exec(`DELETE FROM teams WHERE slug = 'deleted'`)
		s.exec(`UPDATE organization_counts SET clusters = 1`)
		s.exec(`DELETE FROM clusters WHERE name = 'Deleted'`)
		s.exec(`DELETE FROM users WHERE name = 'Gone'`)
		s.exec(`DELETE FROM organization_members WHERE user_id IN (SELECT id FROM users WHERE name = 'Left')`)
		later := fmt.Sprintf(file,
			"{user: admin@example.com}", "{user: left@example.com}, {user: admin@example.com}",
			"{key: default}", "{user: admin@example.com}", "{name: Default}, {name: New}", "{team: deleted}, {user: left@example.com}, {user: admin@example.com}",
			", {name: New, repository: x, cluster: Deleted}",
			"{organization: acme-inc, user: gone@example.com, on: 2026-10-03}, {organization: acme-inc, user: left@example.com, on: 2026-10-03}")
		skipped := []string{
			"organizations[0].teams[0].members[0]",
			"organizations[0].teams[1].members[0].user",
			"organizations[0].clusters[0].maintainers[0]",
			"organizations[0].clusters[0].queues[0]",
			"organizations[0].clusters[0].cache_registries[0]",
			"organizations[0].clusters[0].cache_registries[1]",
			"organizations[0].clusters[1].maintainers[0].team",
			"organizations[0].clusters[1].maintainers[1].user",
			"organizations[0].pipelines[1].cluster",
			"activity[0].user",
		}
		result := s.apply(later)
		s.expectResult(result, 3, 0, skipped...)
		if want := (bootstrap.Fault{Line: 11, Path: "organizations[0].clusters[0].queues[0]", Reason: `organization "acme-inc" has no cluster "Deleted"`}); !slices.Contains(result.Skipped, want) {
			t.Errorf("skipped %+v", result.Skipped)
		}
		s.expect("kept admin@example.com", `SELECT t.slug || ' ' || u.email FROM team_members m JOIN teams t ON t.id = m.team_id JOIN users u ON u.id = m.user_id`)
		s.expect("1", `SELECT CAST(count(*) AS TEXT) FROM cluster_maintainers`)
		s.checkCounters()
		before := s.contents()
		s.expectResult(s.apply(later), 0, 0, skipped...)
		s.unchangedSince(before)
	})
}

func TestWhatWasSkippedIsAppliedOnceTheFileIsCorrected(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const file = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters:
      - {name: %s}
    pipelines: [%s]
`
		const (
			items    = "Open Source, queues: [{key: new}], cache_registries: [{name: New}], maintainers: [{user: admin@example.com}]"
			pipeline = "{name: Web, repository: x, cluster: Open Source}"
		)
		s.apply(fmt.Sprintf(file, "Open Source", ""))
		s.exec(`UPDATE clusters SET name = 'Renamed', name_key = 'renamed'`)
		later := fmt.Sprintf(file, items, pipeline)
		s.expectResult(s.apply(later), 0, 0, "organizations[0].clusters[0].maintainers[0]", "organizations[0].clusters[0].queues[0]",
			"organizations[0].clusters[0].cache_registries[0]", "organizations[0].pipelines[0].cluster")
		corrected := strings.ReplaceAll(later, "Open Source", "Renamed")
		s.expectResult(s.apply(corrected), 4, 1) // the cluster is there
		s.checkCounters()
		s.expect("Renamed", `SELECT c.name FROM pipelines p JOIN clusters c ON c.id = p.cluster_id`)
		s.expect("Renamed new", `SELECT c.name || ' ' || q.key FROM cluster_queues q JOIN clusters c ON c.id = q.cluster_id`)
		before := s.contents()
		s.expectResult(s.apply(corrected), 0, 0)
		s.unchangedSince(before)
	})
}

func TestSeveralNodesApplyTheSameFileAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			options := testkit.NewDatabase(t, engine)
			var nodes []*operating
			for range 4 {
				d, err := db.Open(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := d.Close(); err != nil {
						t.Error(err)
					}
				})
				if _, err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				nodes = append(nodes, operatingOn(t, d))
			}
			file := parseBootstrap(t, declared)
			var wg sync.WaitGroup
			var mutex sync.Mutex
			applied, existing := 0, 0
			for i := range 12 {
				wg.Go(func() {
					s := nodes[i%len(nodes)]
					result, err := s.applyFile(t.Context(), s.actor, file)
					if err != nil {
						t.Error(err)
					}
					mutex.Lock()
					defer mutex.Unlock()
					applied += result.Applied
					existing += result.Existing
				})
			}
			wg.Wait()
			if applied != declaredItems || existing != 0 {
				t.Errorf("%d items were applied and %d found, want %d and 0", applied, existing, declaredItems)
			}
			s := nodes[0]
			s.checkCounters()
			for table, want := range map[string]string{
				"users": "2", "organizations": "2", "organization_members": "3", "teams": "1", "team_members": "2", "clusters": "2",
				"cluster_maintainers": "2", "cluster_queues": "3", "cache_registries": "4", "pipelines": "2", "api_tokens": "2", "activity_days": "2",
			} {
				if got := s.count(table); got != want {
					t.Errorf("%s has %s rows, want %s", table, got, want)
				}
			}
		})
	}
}

func TestBootstrapBesideOperatorsWhoMakeTheSame(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		var users, members strings.Builder
		const n = 40
		for i := range n {
			fmt.Fprintf(&users, "  - {email: user-%d@example.com, name: Declared}\n", i)
			fmt.Fprintf(&members, "      - {user: user-%d@example.com}\n", i)
		}
		file := parseBootstrap(t, "users:\n"+users.String()+"organizations:\n  - slug: acme-inc\n    name: Declared\n    members:\n"+members.String())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := s.applyFile(t.Context(), s.actor, file); err != nil {
				t.Error(err)
			}
		})
		for i := range n {
			wg.Go(func() {
				email := fmt.Sprintf("user-%d@example.com", n-1-i)
				_, err := s.CreateUser(t.Context(), s.actor, domain.UserInput{Email: email, Name: "Made"})
				if err != nil && domain.CodeOf(err) != domain.Invalid {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s.expect(fmt.Sprint(n), `SELECT CAST(count(*) AS TEXT) FROM organization_members`)
		s.expect(fmt.Sprint(n), `SELECT CAST(count(*) AS TEXT) FROM users`)
	})
}

func TestADanglingReferenceStopsBootstrapAndNamesTheLine(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.refusedWith(`
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members:
      - {user: admin@example.com, role: admin}
      - role: member
        user: nobody@example.com
`, `bootstrap.yaml:9: organizations[0].members[1].user: there is no user "nobody@example.com"`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    billing_parent: nobody
  - slug: other
    name: Other
    billing_parent: nobody-else
`, `bootstrap.yaml:5: organizations[0].billing_parent: there is no organization "nobody"`,
			`bootstrap.yaml:8: organizations[1].billing_parent: there is no organization "nobody-else"`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    settings:
      default_cluster: None
`, `bootstrap.yaml:6: organizations[0].settings.default_cluster: organization "acme-inc" has no cluster "None"`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    teams:
      - {name: Platform, members: [{user: nobody@example.com}]}
`, `bootstrap.yaml:6: organizations[0].teams[0].members[0].user: organization "acme-inc" has no member "nobody@example.com"`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - name: Open Source
        maintainers:
          - {team: none}
          - {user: nobody@example.com}
`, `bootstrap.yaml:8: organizations[0].clusters[0].maintainers[0].team: organization "acme-inc" has no team "none"`,
			`bootstrap.yaml:9: organizations[0].clusters[0].maintainers[1].user: organization "acme-inc" has no member "nobody@example.com"`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    pipelines:
      - {name: Web, repository: x, cluster: None}
`, `bootstrap.yaml:6: organizations[0].pipelines[0].cluster: organization "acme-inc" has no cluster "None"`)
		s.refusedWith(`
users: [{email: admin@example.com, name: Admin}]
tokens:
  - {user: nobody@example.com, token: a-value-of-20-or-more-characters}
  - user: admin@example.com
    token: another-value-of-20-or-more-characters
    organizations:
      - nowhere
`, `bootstrap.yaml:4: tokens[0].user: there is no user "nobody@example.com"`,
			`bootstrap.yaml:8: tokens[1].organizations[0]: there is no organization "nowhere"`)
		s.refusedWith(`
users: [{email: admin@example.com, name: Admin}]
activity:
  - {organization: nowhere, user: admin@example.com, on: 2026-10-03}
  - {organization: nowhere, user: nobody@example.com, on: 2026-10-03}
`, `bootstrap.yaml:4: activity[0].organization: there is no organization "nowhere"`,
			`bootstrap.yaml:5: activity[1].organization: there is no organization "nowhere"`,
			`bootstrap.yaml:5: activity[1].user: there is no user "nobody@example.com"`)
		if rows := s.contents(); rows != nil {
			t.Errorf("stored: %v", rows)
		}
	})
}

func TestAllDanglingReferencesAreShownAtOnce(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    billing_parent: nobody
    settings: {default_cluster: None}
    members: [{user: nobody@example.com}]
    teams: [{name: Platform, members: [{user: one@example.com}]}]
    clusters: [{name: Open Source, maintainers: [{team: none}]}]
    pipelines: [{name: Web, repository: x, cluster: None}]
tokens:
  - {user: nobody@example.com, token: a-value-of-20-or-more-characters, organizations: [acme-inc, nowhere]}
activity:
  - {organization: nowhere, user: nobody@example.com, on: 2026-10-03}
`, `bootstrap.yaml:5: organizations[0].billing_parent: there is no organization "nobody"`,
			`bootstrap.yaml:6: organizations[0].settings.default_cluster: organization "acme-inc" has no cluster "None"`,
			`bootstrap.yaml:7: organizations[0].members[0].user: there is no user "nobody@example.com"`,
			`bootstrap.yaml:8: organizations[0].teams[0].members[0].user: organization "acme-inc" has no member "one@example.com"`,
			`bootstrap.yaml:9: organizations[0].clusters[0].maintainers[0].team: organization "acme-inc" has no team "none"`,
			`bootstrap.yaml:10: organizations[0].pipelines[0].cluster: organization "acme-inc" has no cluster "None"`,
			`bootstrap.yaml:12: tokens[0].user: there is no user "nobody@example.com"`,
			`bootstrap.yaml:12: tokens[0].organizations[1]: there is no organization "nowhere"`,
			`bootstrap.yaml:14: activity[0].organization: there is no organization "nowhere"`,
			`bootstrap.yaml:14: activity[0].user: there is no user "nobody@example.com"`)
	})
}

func TestWhatIsNotMadeForAFaultCausesNoOther(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		s.refusedWith(`
users: [{email: new@example.com, name: New}]
organizations:
  - slug: new
    name: New
    id: 0190a1b2-0000-7000-8000-000000000002
    members: [{user: new@example.com, role: admin}]
    clusters: [{name: New, queues: [{key: new}]}]
    pipelines: [{name: New, repository: x, cluster: New}]
  - {slug: child, name: Child, billing_parent: new}
tokens: [{user: new@example.com, token: a-value-of-20-or-more-characters, organizations: [new]}]
activity: [{organization: new, user: new@example.com, on: 2026-10-03}]
`, `bootstrap.yaml:6: organizations[0].id: is already used`)
	})
}

func TestANewOrganizationWhoseBillingParentWasDeletedStopsBootstrap(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const parent = `
organizations:
  - {slug: parent, name: Parent}
`
		s.apply(parent)
		s.exec(`DELETE FROM organizations`)
		s.refusedWith(parent+"  - {slug: child, name: Child, billing_parent: parent}\n",
			`bootstrap.yaml:4: organizations[1].billing_parent: there is no organization "parent"`)
	})
}

func TestATokenOfWhoWasDeletedIsSkippedWhateverItIsFor(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		s.exec(`DELETE FROM users WHERE name = 'Dev'`)
		later := strings.Replace(declared, "activity:\n", "  - {user: dev@example.com, token: a-value-of-20-or-more-characters, organizations: [acme-inc]}\nactivity:\n", 1)
		s.expectResult(s.apply(later), 0, 0, "tokens[2].user")
	})
}

func TestBootstrapRefersToWhatTheDatabaseHas(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		const file = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    teams: [{name: New, members: [{user: dev@example.com}]}]
    clusters:
      - name: New
        maintainers: [{team: platform}, {user: dev@example.com}]
    pipelines: [{name: New, repository: x, cluster: Open Source}]
  - {slug: child, name: Child, billing_parent: holding-co, members: [{user: dev@example.com}]}
tokens: [{user: dev@example.com, token: a-value-of-20-or-more-characters, organizations: [acme-inc, child]}]
activity: [{organization: holding-co, user: dev@example.com, on: 2026-10-05}]
`
		s.expectResult(s.apply(file), 10, 0)
		// Already applied items need not be looked at again, so that who goes does not stop the next start.
		s.exec(`DELETE FROM users WHERE name = 'Dev'`)
		before := s.contents()
		s.expectResult(s.apply(file), 0, 0)
		s.unchangedSince(before)
	})
}

func TestADanglingReferenceOfAnItemThatExistsStopsBootstrapToo(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.organization(domain.OrganizationInput{Slug: "acme-inc"})
		s.refusedWith(`
organizations:
  - {slug: acme-inc, name: Acme Inc, billing_parent: nobody}
`, `bootstrap.yaml:3: organizations[0].billing_parent: there is no organization "nobody"`)
		s.refusedWith(`
organizations:
  - {slug: acme-inc, name: Acme Inc, settings: {default_cluster: None}}
`, `bootstrap.yaml:3: organizations[0].settings.default_cluster: organization "acme-inc" has no cluster "None"`)
	})
}

func TestATokenForAnOrganizationOfOthersStopsBootstrap(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		s.refusedWith(`
tokens:
  - {user: admin@example.com, token: a-good-value-of-20-or-more-characters, organizations: [acme-inc]}
  - {user: dev@example.com, token: a-value-of-20-or-more-characters, organizations: [acme-inc, holding-co]}
`, `bootstrap.yaml:4: tokens[1].organizations[1]: organization "holding-co" has no member "dev@example.com"`)

		// Also if they were a member, by the same file.
		s.exec(`DELETE FROM organization_members WHERE user_id IN (SELECT id FROM users WHERE name = 'Dev')`)
		s.refusedWith(strings.Replace(declared, "token: another-value-of-20-or-more-characters", "token: a-value-of-20-or-more-characters, organizations: [acme-inc]", 1),
			`bootstrap.yaml:60: tokens[1].organizations[0]: organization "acme-inc" has no member "dev@example.com"`)
	})
}

func TestBillingParentsInABootstrapFile(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(`
organizations:
  - {slug: first, name: First, billing_parent: middle}
  - {slug: middle, name: Middle}
  - {slug: last, name: Last, billing_parent: middle}
`)
		s.expect("first middle\nlast middle", `SELECT o.slug || ' ' || p.slug FROM organizations o JOIN organizations p ON p.id = o.billing_parent_id ORDER BY o.slug`)
		s.refusedWith(`
organizations:
  - slug: below-a-child
    name: Below a child
    billing_parent: first
`, `bootstrap.yaml:5: organizations[0].billing_parent: Billing parent can't have a billing parent itself`)
		s.refusedWith(`
organizations:
  - {slug: a, name: A, billing_parent: b}
  - {slug: b, name: B, billing_parent: middle}
`, `bootstrap.yaml:4: organizations[1].billing_parent: Billing parent can't be set on an organization that is one`)
		s.refusedWith(`
organizations:
  - {slug: b, name: B, billing_parent: middle}
  - {slug: a, name: A, billing_parent: b}
`, `bootstrap.yaml:4: organizations[1].billing_parent: Billing parent can't have a billing parent itself`)
	})
}

func TestAnIDInUseStopsBootstrapAndNamesTheLine(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		s.refusedWith(`
users:
  - {email: a@example.com, name: A, id: 0190a1b2-0000-7000-8000-000000000001}
  - {email: b@example.com, name: B}
`, `bootstrap.yaml:3: users[0].id: is already used`)
		s.refusedWith(`
organizations:
  - {slug: a, name: A, id: 0190a1b2-0000-7000-8000-000000000002}
`, `bootstrap.yaml:3: organizations[0].id: is already used`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    teams:
      - {name: A, id: 0190a1b2-0000-7000-8000-000000000003}
`, `bootstrap.yaml:6: organizations[0].teams[0].id: is already used`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - {name: A, id: 0190a1b2-0000-7000-8000-000000000004}
      - name: B
        cache_registries: [{name: Default, id: 0190a1b2-0000-7000-8000-000000000006}]
`, `bootstrap.yaml:6: organizations[0].clusters[0].id: is already used`,
			`bootstrap.yaml:8: organizations[0].clusters[1].cache_registries[0].id: is already used`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - name: Empty
        queues: [{key: a, id: 0190a1b2-0000-7000-8000-000000000005}]
`, `bootstrap.yaml:7: organizations[0].clusters[0].queues[0].id: is already used`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - name: Empty
        cache_registries: [{name: A, id: 0190a1b2-0000-7000-8000-000000000006}]
`, `bootstrap.yaml:7: organizations[0].clusters[0].cache_registries[0].id: is already used`)
		s.refusedWith(`
organizations:
  - slug: acme-inc
    name: Acme Inc
    pipelines:
      - {name: A, repository: x, id: 0190a1b2-0000-7000-8000-000000000007}
`, `bootstrap.yaml:6: organizations[0].pipelines[0].id: is already used`)
	})
}

func TestADeclaredDefaultRegistryIsTheOneThatTheClusterHas(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const file = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - name: New
        cache_registries:
          - {name: DEFAULT, id: 0190a1b2-0000-7000-8000-000000000001, description: Ours, policy: {}}
`
		s.expectResult(s.apply(file), 3, 0)
		s.expect(`DEFAULT Ours {"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[]}`,
			`SELECT r.name || ' ' || r.description || ' ' || r.policy FROM clusters c JOIN cache_registries r ON r.id = c.default_cache_registry_id`)
		s.expect("0190a1b2-0000-7000-8000-000000000001", `SELECT id FROM cache_registries`)

		s.exec(`DELETE FROM bootstrap_items`)
		other := strings.NewReplacer("Ours", "Other", "000000000001", "000000000002").Replace(file)
		s.expectResult(s.apply(other), 0, 3)
		s.expect("Ours", `SELECT description FROM cache_registries`)
	})
}

func TestOfClustersOfOneNameTheOldestIsMeant(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const file = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{name: Same, description: oldest, queues: [%s]}]
tokens: [{user: admin@example.com, token: a-value-of-20-or-more-characters, organizations: [acme-inc], scopes: [write_clusters]}]
`
		s.apply(fmt.Sprintf(file, ""))
		same := domain.ClusterInput{Name: domain.Some("Same")}
		if _, err := s.CreateCluster(t.Context(), tokenActor("a-value-of-20-or-more-characters"), domain.OrganizationRef{Slug: "acme-inc"}, core.Value(same)); err != nil {
			t.Fatal(err)
		}
		s.expectResult(s.apply(fmt.Sprintf(file, "{key: new}")), 1, 0)
		s.expect("oldest", `SELECT c.description FROM clusters c JOIN cluster_queues q ON q.cluster_id = c.id`)
	})
}

func TestBootstrapItemsAreToldApart(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		result := s.apply(`
users: [{email: a/b@example.com, name: A}, {email: b@example.com, name: B}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: a/b@example.com}, {user: b@example.com}]
    clusters:
      - {name: c, maintainers: [{user: a/b@example.com}], queues: [{key: default}]}
      - {name: c/a, maintainers: [{user: b@example.com}], queues: [{key: default}]}
      - {name: c%2Fa, maintainers: [{user: b@example.com}], queues: [{key: default}]}
      - {name: C, queues: [{key: default}, {key: DEFAULT}]}
`)
		s.expectResult(result, 2+1+2+4+3+5, 0)
		s.checkCounters()
		s.expect("acme-inc/C/DEFAULT\nacme-inc/C/default\nacme-inc/c%252Fa/default\nacme-inc/c%2Fa/default\nacme-inc/c/default",
			`SELECT key FROM bootstrap_items WHERE kind = 'queue' ORDER BY key`)
	})
}
