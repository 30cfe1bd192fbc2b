package bootstrap_test

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
)

// environment is what ${NAME} is replaced from in all tests.
func environment(name string) (string, bool) {
	text, ok := map[string]string{
		"BRANCH":    "main",
		"DAYS":      "30",
		"EMPTY":     "",
		"FALSE":     "false",
		"MULTILINE": "one: ${YES}\n- two # not a comment",
		"NULBYTE":   "a\x00b",
		"BROKEN":    "a\xffb",
		"PASSWORD":  "hunter2: [${YES}",
		"TOKEN":     "a-token-of-the-environment",
		"YES":       "true",
	}[name]
	return text, ok
}

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func parseFile(t *testing.T, name string) *bootstrap.File {
	t.Helper()
	source, err := fs.ReadFile(os.DirFS("testdata"), name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := bootstrap.Parse(name, source, environment)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// checkFile compares a part at a time, so that a failure is short enough to read.
func checkFile(t *testing.T, got, want *bootstrap.File) {
	t.Helper()
	check := func(part string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", part, got, want)
		}
	}
	check("name", got.Name, want.Name)
	check("users", got.Users, want.Users)
	check("organizations", got.Organizations, want.Organizations)
	check("tokens", got.Tokens, want.Tokens)
	check("activity", got.Activity, want.Activity)
	check("unresolved", got.Unresolved, want.Unresolved)
}

func at(line int, path string) bootstrap.Place { return bootstrap.Place{Line: line, Path: path} }

func TestContractExample(t *testing.T) {
	t.Parallel()
	const admin = "admin@example.com"
	checkFile(t, parseFile(t, "contract.yaml"), &bootstrap.File{
		Name:  "contract.yaml",
		Users: []bootstrap.User{{At: at(2, "users[0]"), Email: admin, Name: "Admin", Password: "optional-web-password"}},
		Organizations: []bootstrap.Organization{{
			At:            at(4, "organizations[0]"),
			Slug:          "acme-inc",
			Name:          "Acme Inc",
			Subscription:  bootstrap.Subscription{Plan: "monthly", Anchor: day(2026, 1, 15)},
			BillingParent: "holding-co",
			Settings: bootstrap.Settings{
				ClusterWrites:                        domain.Some(domain.ClusterWritesMembers),
				MaintainersCanDestroyCacheRegistries: domain.Some(true),
				MembersCanCreatePipelines:            domain.Some(true),
				DefaultCluster:                       domain.Some("Open Source"),
				AllowedAPIIPAddresses:                domain.Some(""),
				RevokeInactiveTokensAfterDays:        domain.Some[int64](0),
				AuditRetentionDays:                   domain.Some[int64](0),
			},
			Members: []bootstrap.Member{{At: at(17, "organizations[0].members[0]"), User: admin, Role: "admin"}},
			Teams: []bootstrap.Team{{
				At: at(19, "organizations[0].teams[0]"), Name: "Platform", Slug: "platform",
				Members: []bootstrap.TeamMember{{At: at(19, "organizations[0].teams[0].members[0]"), User: admin, Role: "maintainer"}},
			}},
			Clusters: []bootstrap.Cluster{{
				At:          at(21, "organizations[0].clusters[0]"),
				Name:        "Open Source",
				Maintainers: []bootstrap.Maintainer{{At: at(22, "organizations[0].clusters[0].maintainers[0]"), User: admin}, {At: at(22, "organizations[0].clusters[0].maintainers[1]"), Team: "platform"}},
				Queues: []bootstrap.Queue{
					{At: at(23, "organizations[0].clusters[0].queues[0]"), Key: "default", Default: true},
					{At: at(23, "organizations[0].clusters[0].queues[1]"), Key: "hosted", InstanceShape: "LINUX_AMD64_2X4"},
				},
				CacheRegistries: []bootstrap.CacheRegistry{{At: at(24, "organizations[0].clusters[0].cache_registries[0]"), Name: "Ruby gems", Slug: "ruby-gems"}},
			}},
			Pipelines: []bootstrap.Pipeline{{
				At: at(26, "organizations[0].pipelines[0]"), Name: "Web", Slug: "web", Repository: "git@example.com:acme/web.git", Cluster: "Open Source",
			}},
		}},
		Tokens: []bootstrap.Token{{
			At:            at(28, "tokens[0]"),
			User:          admin,
			Value:         "an-explicit-value-of-20-or-more-characters",
			Description:   "CI",
			Organizations: []string{"acme-inc"},
			Scopes:        domain.ScopesFromText("read_clusters write_clusters read_organizations graphql"),
		}},
		Activity: []bootstrap.Activity{{At: at(35, "activity[0]"), Organization: "acme-inc", User: admin, On: day(2026, 10, 3)}},
		Unresolved: []bootstrap.Reference{
			{Line: 7, Path: "organizations[0].billing_parent", Kind: bootstrap.ToOrganization, Value: "holding-co"},
		},
	})
}

func TestEveryKey(t *testing.T) {
	t.Parallel()
	const admin, dev, gone = "admin@example.com", "dev@example.com", "gone@example.com"
	policy := `{"save":{"scopes":{"pipeline":true,"branch":false,"build":true}},` +
		`"restore":{"scopes":[{"branch":"$current","pipeline":"true"},{"branch":"2026-01-31"}]},` +
		`"rules":[{"name":null,"effect":"allow","action":["save","restore"],"when":"entry.branch != '<main>' && true"},` +
		`{"name":"${BRANCH}","effect":"deny","action":"save","when":null}]}`
	checkFile(t, parseFile(t, "full.yaml"), &bootstrap.File{
		Name: "full.yaml",
		Users: []bootstrap.User{
			{
				At: at(3, "users[0]"), ID: "0190a1b2-0000-7000-8000-00000000000a",
				Email: "Admin@Example.com", Name: "Admin", Password: "hunter2: [${YES}",
			},
			{At: at(7, "users[1]"), Email: dev, Name: "2026"},
		},
		Organizations: []bootstrap.Organization{
			{
				At: at(9, "organizations[0]"), ID: "0190a1b2-0000-7000-8000-000000000001", Slug: "holding-co", Name: "Holding Co",
				Subscription: bootstrap.Subscription{Plan: "annual"},
			},
			{
				At: at(13, "organizations[1]"), Slug: "acme-inc", Name: "Acme Inc",
				Subscription:  bootstrap.Subscription{Plan: "monthly"},
				BillingParent: "holding-co",
				Settings: bootstrap.Settings{
					ClusterWrites:                        domain.Some(domain.ClusterWritesManagers),
					MaintainersCanDestroyCacheRegistries: domain.Some(false),
					MembersCanCreatePipelines:            domain.Some(false),
					AllowedAPIIPAddresses:                domain.Some("10.0.0.0/8 2001:db8::/32"),
					RevokeInactiveTokensAfterDays:        domain.Some[int64](30),
					AuditRetentionDays:                   domain.Some[int64](365),
				},
				Members: []bootstrap.Member{{At: at(26, "organizations[1].members[0]"), User: admin, Role: "admin"}, {At: at(27, "organizations[1].members[1]"), User: dev, Role: "member"}},
				Teams: []bootstrap.Team{{
					At: at(29, "organizations[1].teams[0]"), ID: "0190a1b2-0000-7000-8000-000000000002", Name: "Équipe Ruby", Slug: "equipe-ruby",
					Members: []bootstrap.TeamMember{{At: at(31, "organizations[1].teams[0].members[0]"), User: admin, Role: "member"}},
				}},
				Clusters: []bootstrap.Cluster{{
					At: at(33, "organizations[1].clusters[0]"), ID: "0190a1b2-0000-7000-8000-000000000003", Name: "Open Source",
					Description: domain.Some("one: ${YES}\n- two # not a comment"),
					Emoji:       domain.Some(":rocket:"),
					Color:       domain.Some("#fff"),
					Maintainers: []bootstrap.Maintainer{{At: at(39, "organizations[1].clusters[0].maintainers[0]"), User: dev}, {At: at(40, "organizations[1].clusters[0].maintainers[1]"), Team: "equipe-ruby"}},
					Queues: []bootstrap.Queue{
						{At: at(42, "organizations[1].clusters[0].queues[0]"), ID: "0190a1b2-0000-7000-8000-000000000004", Key: "default", Default: true},
						{At: at(43, "organizations[1].clusters[0].queues[1]"), Key: "other", InstanceShape: "MACOS_ARM64_M4_6X28"},
					},
					CacheRegistries: []bootstrap.CacheRegistry{
						{
							At: at(45, "organizations[1].clusters[0].cache_registries[0]"), ID: "0190a1b2-0000-7000-8000-000000000005", Name: "Ruby gems", Slug: "ruby-gems",
							Description: domain.Some(""), Emoji: domain.Some(""), Color: domain.Some(""),
							Policy: []byte(policy), Default: true,
						},
						{At: at(60, "organizations[1].clusters[0].cache_registries[1]"), Name: "Go modules", Slug: "go-modules"},
						{At: at(61, "organizations[1].clusters[0].cache_registries[2]"), Name: "Closed", Slug: "closed", Policy: []byte("{}")},
					},
				}},
				Pipelines: []bootstrap.Pipeline{
					{
						At: at(63, "organizations[1].pipelines[0]"), ID: "0190a1b2-0000-7000-8000-000000000006", Name: "Web", Slug: "web-site",
						Repository: "git@example.com:acme/web.git",
					},
					{
						At: at(67, "organizations[1].pipelines[1]"), Name: "Docs & more", Slug: "docs-more",
						Repository: "https://example.com/docs.git", Cluster: "Open Source",
					},
				},
			},
		},
		Tokens: []bootstrap.Token{
			{At: at(69, "tokens[0]"), User: dev, Value: "a-token-of-the-environment"},
			{
				At: at(71, "tokens[1]"), User: admin, Value: "12345678901234567890", Organizations: []string{"acme-inc", "elsewhere"},
				Scopes: domain.ScopesFromText("graphql read_user"),
			},
		},
		Activity: []bootstrap.Activity{
			{At: at(76, "activity[0]"), Organization: "acme-inc", User: gone, On: day(2026, 10, 3)},
			{At: at(77, "activity[1]"), Organization: "acme-inc", User: gone, On: day(2026, 10, 3)},
		},
		Unresolved: []bootstrap.Reference{
			{Line: 73, Path: "tokens[1].organizations[1]", Kind: bootstrap.ToOrganization, Value: "elsewhere"},
			{Line: 73, Path: "tokens[1].organizations[1]", Kind: bootstrap.ToMember, Organization: "elsewhere", Value: admin},
			{Line: 76, Path: "activity[0].user", Kind: bootstrap.ToUser, Value: gone},
			{Line: 77, Path: "activity[1].user", Kind: bootstrap.ToUser, Value: gone},
		},
	})
}

func TestNothingDeclared(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"", "\n", "# nothing\n", "---\n", "---\n...\n", "~", "{}", "users:\ntokens: []\n", "\uFEFFusers: []\n"} {
		file, err := bootstrap.Parse("b.yaml", []byte(source), environment)
		if err != nil || !reflect.DeepEqual(file, &bootstrap.File{Name: "b.yaml"}) {
			t.Errorf("%q: got %+v, %v", source, file, err)
		}
	}
}

// TestUnresolved holds that what a file does not declare is left to be looked up, and how it is reported
// when it is not there either.
func TestUnresolved(t *testing.T) {
	t.Parallel()
	source := `organizations:
  - slug: acme
    name: Acme
    billing_parent: parent
    settings: {default_cluster: Big}
    members: [{user: a@b.c}]
    teams: [{name: T, members: [{user: M@b.c}]}]
    clusters: [{name: C, maintainers: [{user: n@b.c}, {team: other}]}]
    pipelines: [{name: P, repository: r, cluster: Small}]
tokens:
  - {user: t@b.c, token: "12345678901234567890", organizations: [acme]}
activity:
  - {organization: far, user: a@b.c, on: 2026-01-01}
`
	want := `b.yaml:4: organizations[0].billing_parent: there is no organization "parent"
b.yaml:5: organizations[0].settings.default_cluster: organization "acme" has no cluster "Big"
b.yaml:6: organizations[0].members[0].user: there is no user "a@b.c"
b.yaml:7: organizations[0].teams[0].members[0].user: organization "acme" has no member "m@b.c"
b.yaml:8: organizations[0].clusters[0].maintainers[0].user: organization "acme" has no member "n@b.c"
b.yaml:8: organizations[0].clusters[0].maintainers[1].team: organization "acme" has no team "other"
b.yaml:9: organizations[0].pipelines[0].cluster: organization "acme" has no cluster "Small"
b.yaml:11: tokens[0].user: there is no user "t@b.c"
b.yaml:11: tokens[0].organizations[0]: organization "acme" has no member "t@b.c"
b.yaml:13: activity[0].organization: there is no organization "far"
b.yaml:13: activity[0].user: there is no user "a@b.c"`
	file, err := bootstrap.Parse("b.yaml", []byte(source), environment)
	if err != nil {
		t.Fatal(err)
	}
	e := &bootstrap.Error{File: file.Name}
	for _, ref := range file.Unresolved {
		e.Faults = append(e.Faults, ref.Fault())
	}
	if got := e.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var long = strings.Repeat("x", 10_001)

func TestASlugThatIsGivenNeedNotBeMadeOfTheName(t *testing.T) {
	t.Parallel()
	file, err := bootstrap.Parse("b.yaml", []byte(in("teams: [{name: 東京, slug: t}], pipelines: [{name: 東京, slug: p, repository: r}]")), environment)
	if err != nil {
		t.Fatal(err)
	}
	if o := file.Organizations[0]; o.Teams[0].Slug != "t" || o.Pipelines[0].Slug != "p" {
		t.Errorf("got %+v", o)
	}
}

const user = "users: [{email: a@b.c, name: A}]\n"

// in returns a file with an organization on the second line that has the given lines.
func in(lines string) string { return user + "organizations: [{slug: o, name: O,\n" + lines + "\n}]" }

var faultCases = []struct {
	name   string
	source string
	want   string // without the file's name before each line
}{
	{"unknown key at the top", "users: []\nuser: []\n", `2: unknown key "user" (allowed: users, organizations, tokens, activity)`},
	{
		"unknown key", in("members: [{user: a@b.c, rol: admin}]"),
		`3: organizations[0].members[0]: unknown key "rol" (allowed: user, role)`,
	},
	{
		"unknown key that may be a secret", "users: [{email: a@b.c, name: A, password:hunter}]",
		"1: users[0]: unknown key (allowed: email, name, password, id)",
	},
	{"duplicate key", "users: []\nusers: []\n", `2: duplicate key "users"`},
	{"key that is not text", "users: [{[a]: b, email: a@b.c, name: A}]", "1: users[0]: a key must be text"},
	{"variable in a key", "${YES}: []", "1: unknown key (allowed: users, organizations, tokens, activity)"},
	{"missing keys", "users: [{}]", "1: users[0]: missing key \"email\"\n1: users[0]: missing key \"name\""},
	{"null for a key that is needed", "users: [{email: a@b.c, name: null}]", `1: users[0]: missing key "name"`},
	{"null for an item", "users: [~]", "1: users[0]: missing key \"email\"\n1: users[0]: missing key \"name\""},
	{"comment for a value", "users: [{email: a@b.c,\nname: #A\n}]", "2: users[0].name: has no value (quote a value that begins with #)"},
	{"list at the top", "- users", "1: must be a mapping, not a list"},
	{"text for a list", "users: ${YES}", "1: users: must be a list, not a single value"},
	{"text for an item", "users: [a]", "1: users[0]: must be a mapping, not a single value"},
	{"mapping for a text", "users: [{email: a@b.c, name: {a: b}}]", "1: users[0].name: must be a single value, not a mapping"},
	{"text for a mapping", in("settings: none"), "3: organizations[0].settings: must be a mapping, not a single value"},
	{
		"several faults, in the order of the lines", "tokens: none\nusers:\n- {email: a, name: A}\n- {email: a@b.c}\n",
		"1: tokens: must be a list, not a single value\n" +
			"3: users[0].email: Email must be an e-mail address\n" +
			"4: users[1]: missing key \"name\"",
	},

	{"unset variable", "users: [{email: a@b.c,\nname: A ${NOWHERE}}]", "2: users[0].name: environment variable NOWHERE is not set"},
	{
		"variable without an end", "users: [{email: a@b.c, name: '${YES'}]",
		"1: users[0].name: ${ must begin a variable such as ${NAME} (write $${ for a literal ${)",
	},
	{
		"variable with a default", "users: [{email: a@b.c, name: '${YES:-no}'}]",
		"1: users[0].name: ${ must begin a variable such as ${NAME} (write $${ for a literal ${)",
	},
	{"variable with a NUL", "users: [{email: a@b.c, name: '${NULBYTE}'}]", "1: users[0].name: must be valid UTF-8 without NUL"},
	{"variable that is not UTF-8", "users: [{email: a@b.c, name: '${BROKEN}'}]", "1: users[0].name: must be valid UTF-8 without NUL"},
	{"escaped NUL", `users: [{email: a@b.c, name: "\0"}]`, "1: users[0].name: must be valid UTF-8 without NUL"},

	{"blank name", "users: [{email: a@b.c, name: ' '}]", "1: users[0].name: Name can't be blank"},
	{"empty password", "users: [{email: a@b.c, name: A, password: '${EMPTY}'}]", "1: users[0].password: must not be empty"},
	{"id", "users: [{email: a@b.c, name: A, id: 12}]", "1: users[0].id: must be a UUID"},
	{
		"repeated id", "users:\n- {email: a@b.c, name: A, id: 0190a1b2-0000-7000-8000-00000000000a}\n" +
			"- {email: b@b.c, name: B, id: 0190A1B2-0000-7000-8000-00000000000A}\n",
		"3: users[1].id: is already used on line 2",
	},
	{"slug", "organizations: [{slug: Acme Inc, name: A}]", "1: organizations[0].slug: must be a slug: 1 to 100 of a-z and 0-9, with single hyphens inside"},
	{"plan", in("subscription: {plan: weekly}"), "3: organizations[0].subscription.plan: must be one of monthly, annual"},
	{"date", in("subscription: {anchor: 2026-02-30}"), "3: organizations[0].subscription.anchor: must be a date such as 2026-01-31"},
	{"time for a date", in("subscription: {anchor: 2026-01-31T00:00:00Z}"), "3: organizations[0].subscription.anchor: must be a date such as 2026-01-31"},
	{"own billing parent", in("billing_parent: o"), "3: organizations[0].billing_parent: must be another organization"},
	{"cluster_writes", in("settings: {cluster_writes: all}"), "3: organizations[0].settings.cluster_writes: must be one of members, managers"},
	{"boolean", in("settings: {members_can_create_pipelines: yes}"), "3: organizations[0].settings.members_can_create_pipelines: must be true or false"},
	{"addresses", in("settings: {allowed_api_ip_addresses: 10.0.0.0/8 home}"), `3: organizations[0].settings.allowed_api_ip_addresses: Allowed API IP addresses are not valid: "home" is not a CIDR address`},
	{"negative number", in("settings: {audit_retention_days: -1}"), "3: organizations[0].settings.audit_retention_days: must be a number of days from 0 to 36500"},
	{"huge number", in("settings: {audit_retention_days: 36501}"), "3: organizations[0].settings.audit_retention_days: must be a number of days from 0 to 36500"},
	{"fraction", in("settings: {audit_retention_days: 1.5}"), "3: organizations[0].settings.audit_retention_days: must be a number of days from 0 to 36500"},
	{"role", in("members: [{user: a@b.c, role: owner}]"), "3: organizations[0].members[0].role: must be one of admin, member"},
	{"team role", in("members: [{user: a@b.c}], teams: [{name: T, members: [{user: a@b.c, role: admin}]}]"), "3: organizations[0].teams[0].members[0].role: must be one of maintainer, member"},
	{"name without a slug", in("teams: [{name: '!'}]"), "3: organizations[0].teams[0].name: must have a letter or digit to make a slug of"},
	{"emoji", in("clusters: [{name: C, emoji: rocket}]"), "3: organizations[0].clusters[0].emoji: Emoji must be a name between colons, such as :rocket:"},
	{"color", in("clusters: [{name: C, color: red}]"), "3: organizations[0].clusters[0].color: Color must be # and 3 or 6 hexadecimal digits"},
	{"maintainer without a key", in("clusters: [{name: C, maintainers: [{}]}]"), "3: organizations[0].clusters[0].maintainers[0]: must have either the key user or the key team"},
	{
		"maintainer with both keys", in("members: [{user: a@b.c}], teams: [{name: T}], clusters: [{name: C, maintainers: [{user: a@b.c, team: t}]}]"),
		"3: organizations[0].clusters[0].maintainers[0]: must have either the key user or the key team",
	},
	{"queue key", in("clusters: [{name: C, queues: [{key: a b}]}]"), "3: organizations[0].clusters[0].queues[0].key: Key can only contain letters, digits, - and _"},
	{"hosted agents without a shape", in("clusters: [{name: C, queues: [{key: k, hosted_agents: {}}]}]"), `3: organizations[0].clusters[0].queues[0].hosted_agents: missing key "instance_shape"`},
	{
		"instance shape", in("clusters: [{name: C, queues: [{key: k, hosted_agents: {instance_shape: HUGE}}]}]"),
		"3: organizations[0].clusters[0].queues[0].hosted_agents.instance_shape: must be one of " +
			"LINUX_AMD64_2X4, LINUX_AMD64_4X16, LINUX_AMD64_8X32, LINUX_AMD64_16X64, LINUX_AMD64_32X128, LINUX_AMD64_64X256, " +
			"LINUX_ARM64_2X4, LINUX_ARM64_4X16, LINUX_ARM64_8X32, LINUX_ARM64_16X64, LINUX_ARM64_32X128, LINUX_ARM64_64X256, " +
			"MACOS_ARM64_M4_6X28, MACOS_ARM64_M4_12X56",
	},
	{
		"second default queue", in("clusters: [{name: C, queues: [{key: a, default: true},\n{key: b, default: true}]}]"),
		"4: organizations[0].clusters[0].queues[1].default: the cluster has another default on line 3",
	},
	{
		"second default registry", in("clusters: [{name: C, cache_registries: [{name: a, default: true},\n{name: b, default: true}]}]"),
		"4: organizations[0].clusters[0].cache_registries[1].default: the cluster has another default on line 3",
	},
	{
		"slug of a registry", in("clusters: [{name: C, cache_registries: [{name: a, slug: b}]}]"),
		`3: organizations[0].clusters[0].cache_registries[0]: unknown key "slug" (allowed: name, id, description, emoji, color, policy, default)`,
	},
	{
		"policy that is text", in("clusters: [{name: C, cache_registries: [{name: a, policy: '{}'}]}]"),
		"3: organizations[0].clusters[0].cache_registries[0].policy: must be a mapping, not a single value",
	},
	{
		"numbers, anchors and repeated keys in a policy", in("clusters: [{name: C, cache_registries: [{name: a, policy: {rules: [\n1,\n1.5,\n&a b,\n{a: b,\na: b}]}}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].policy: must not have a number (quote it if it is text)\n" +
			"5: organizations[0].clusters[0].cache_registries[0].policy: must not have a number (quote it if it is text)\n" +
			"6: organizations[0].clusters[0].cache_registries[0].policy: anchors, aliases and tags are not supported (quote a value that begins with &, * or !)\n" +
			"8: organizations[0].clusters[0].cache_registries[0].policy: duplicate key \"a\"",
	},
	{
		"policy that is not one", in("clusters: [{name: C, cache_registries: [{name: a, policy: {\nrule: [],\nrules: [{\neffect: allow,\naction: read}],\nsave: {scopes: {\nthe-branch: true}}}}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].policy: rule is not allowed; use save, restore or rules\n" +
			"7: organizations[0].clusters[0].cache_registries[0].policy: rules[0].action must be save or restore\n" +
			`9: organizations[0].clusters[0].cache_registries[0].policy: save.scopes["the-branch"] is not allowed; use branch, build or pipeline`,
	},
	{"empty repository", in("pipelines: [{name: P, repository: ''}]"), "3: organizations[0].pipelines[0].repository: Repository can't be blank"},
	{"blank repository", in("pipelines: [{name: P,\nrepository: ' '}]"), "4: organizations[0].pipelines[0].repository: Repository can't be blank"},
	{"long repository", in("pipelines: [{name: P,\nrepository: " + long + "}]"), "4: organizations[0].pipelines[0].repository: Repository is too long (maximum is 2000 characters)"},
	{"long password", "users: [{email: a@b.c, name: A,\npassword: " + long + "}]", "2: users[0].password: Password is too long (maximum is 1024 characters)"},
	{"long description of a cluster", in("clusters: [{name: C,\ndescription: " + long + "}]"), "4: organizations[0].clusters[0].description: Description is too long (maximum is 10000 characters)"},
	{
		"long description of a registry", in("clusters: [{name: C, cache_registries: [{name: R,\ndescription: " + long + "}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].description: Description is too long (maximum is 10000 characters)",
	},
	{
		"long description of a token", user + "tokens: [{user: a@b.c, token: 12345678901234567890,\ndescription: " + long + "}]",
		"3: tokens[0].description: Description is too long (maximum is 10000 characters)",
	},
	{"blank description of a token", user + "tokens: [{user: a@b.c, token: 12345678901234567890, description: ' '}]", "2: tokens[0].description: Description can't be blank"},
	{
		"long list of addresses", in("settings: {allowed_api_ip_addresses: " + strings.Repeat("192.0.2.0/24 ", 800) + "}"),
		"3: organizations[0].settings.allowed_api_ip_addresses: Allowed API IP addresses is too long (maximum is 10000 characters)",
	},
	{
		"several faults of one item", in("pipelines: [{name: '', repository: '', id: '', slug: ''}]"),
		"3: organizations[0].pipelines[0].name: Name can't be blank\n" +
			"3: organizations[0].pipelines[0].id: must be a UUID\n" +
			"3: organizations[0].pipelines[0].slug: must be a slug: 1 to 100 of a-z and 0-9, with single hyphens inside\n" +
			"3: organizations[0].pipelines[0].repository: Repository can't be blank",
	},
	{"empty token", user + "tokens: [{user: a@b.c, token: ''}]", "2: tokens[0].token: must not be empty"},
	{"short token", user + "tokens: [{user: a@b.c, token: 1234567890123456789}]", "2: tokens[0].token: Token must be 20 or more printable ASCII characters without spaces"},
	{"token with a space", user + "tokens: [{user: a@b.c, token: 12345678901234567890 1}]", "2: tokens[0].token: Token must be 20 or more printable ASCII characters without spaces"},
	{"scope", user + "tokens: [{user: a@b.c, token: 12345678901234567890, scopes: [read_user,\nread_all]}]", `3: tokens[0].scopes[1]: Scope "read_all" is unknown`},
	{"activity without a day", in("members: []") + "\nactivity: [{organization: o, user: a@b.c}]", `5: activity[0]: missing key "on"`},

	{"user declared twice", "users:\n- {email: a@b.c, name: A}\n- {email: A@B.C, name: B}\n", "3: users[1]: is already declared on line 2"},
	{"organization declared twice", "organizations:\n- {slug: a, name: A}\n- {slug: a, name: B}\n", "3: organizations[1]: is already declared on line 2"},
	{"member declared twice", in("members: [{user: a@b.c},\n{user: a@b.c}]"), "4: organizations[0].members[1]: is already declared on line 3"},
	{"team declared twice", in("teams: [{name: A},\n{name: B, slug: a}]"), "4: organizations[0].teams[1]: is already declared on line 3"},
	{
		"team member declared twice", in("members: [{user: a@b.c}], teams: [{name: A, members: [{user: a@b.c},\n{user: a@b.c}]}]"),
		"4: organizations[0].teams[0].members[1]: is already declared on line 3",
	},
	{"cluster declared twice", in("clusters: [{name: C},\n{name: C}]"), "4: organizations[0].clusters[1]: is already declared on line 3"},
	{
		"maintainer declared twice", in("teams: [{name: T}], clusters: [{name: C, maintainers: [{team: t},\n{team: t}]}]"),
		"4: organizations[0].clusters[0].maintainers[1]: is already declared on line 3",
	},
	{"queue declared twice", in("clusters: [{name: C, queues: [{key: k},\n{key: k}]}]"), "4: organizations[0].clusters[0].queues[1]: is already declared on line 3"},
	{
		"registry declared twice", in("clusters: [{name: C, cache_registries: [{name: a b},\n{name: A-B}]}]"),
		"4: organizations[0].clusters[0].cache_registries[1]: is already declared on line 3",
	},
	{
		"pipeline declared twice", in("pipelines: [{name: P, repository: r},\n{name: p, repository: s}]"),
		"4: organizations[0].pipelines[1]: is already declared on line 3",
	},
	{
		"token declared twice", user + "tokens:\n- {user: a@b.c, token: a-token-of-the-environment}\n- {user: a@b.c, token: '${TOKEN}'}\n",
		"4: tokens[1]: is already declared on line 3",
	},
	{
		"organization of a token twice", in("members: [{user: a@b.c}]") + "\ntokens: [{user: a@b.c, token: 12345678901234567890, organizations: [o, o]}]",
		"5: tokens[0].organizations[1]: is already declared on line 5",
	},
	{
		"scope twice", user + "tokens: [{user: a@b.c, token: 12345678901234567890, scopes: [read_user, read_user]}]",
		"2: tokens[0].scopes[1]: is already declared on line 2",
	},

	{
		"token of a user who is no member", in("members: []") + "\ntokens: [{user: a@b.c, token: 12345678901234567890, organizations: [o]}]",
		`5: tokens[0].organizations[0]: organization "o" has no member "a@b.c"`,
	},
	{"team member who is no member", in("teams: [{name: T, members: [{user: a@b.c}]}]"), `3: organizations[0].teams[0].members[0].user: organization "o" has no member "a@b.c"`},
	{"maintainer who is no member", in("clusters: [{name: C, maintainers: [{user: a@b.c}]}]"), `3: organizations[0].clusters[0].maintainers[0].user: organization "o" has no member "a@b.c"`},

	{"alias", "users: &a []\ntokens: *a\n", "1: users: " + unsupported + "\n2: tokens: " + unsupported},
	{"alias of nothing", "users: []\ntokens: *a\n", "2: " + unsupported},
	{"merge key", "users:\n- <<: {email: a@b.c}\n  email: a@b.c\n  name: A\n", "2: users[0]: merge keys (<<) are not supported"},
	{"tag", "users: [{email: a@b.c, name: !!str 12}]", "1: users[0].name: " + unsupported},
	{"tagged list", "users: !!set []", "1: users: " + unsupported},
	{"two documents", "users: []\n---\nusers: []\n", "2: must hold a single YAML document"},
	{"tab", "users:\n\t- email: a\n", "2: found character that cannot start any token"},
	{"list without an end", "tokens: []\nusers: [\n", "3: did not find expected node content"},
	{"mapping without an end", "users:\n  - {email: a@b.c\n  - {email: b@b.c}\n", "2: did not find expected ',' or '}'"},
	{"quote without an end", "users:\n- email: 'a@b.c\n  name: A\n", "2: found unexpected end of stream"},
	{"wrong indentation", "users:\n  - email: a@b.c\n    name: A\n tokens: []\n", "4: did not find expected key"},
	{"fault on the first line", "users: ]", "1: did not find expected node content"},
	{"control character", "users: []\n# \x01", "2: must be UTF-8 text without control characters"},
	{"noncharacter", "users: []\n# \uFDD0", "2: must be UTF-8 text without control characters"},
	{"invalid UTF-8", "users: []\n\n# \xff", "3: must be UTF-8 text without control characters"},
}

const unsupported = "anchors, aliases and tags are not supported (quote a value that begins with &, * or !)"

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file, err := bootstrap.Parse("b.yaml", []byte(c.source), environment)
			if err == nil {
				t.Fatalf("got no error and %+v", file)
			}
			want := "b.yaml:" + strings.ReplaceAll(c.want, "\n", "\nb.yaml:")
			if got := err.Error(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	comment := []byte("#" + strings.Repeat("x", limit))
	if _, err := bootstrap.Parse("b.yaml", comment[:limit], environment); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := bootstrap.Parse("b.yaml", comment, environment)
	if err == nil || err.Error() != "b.yaml: is larger than 1048576 bytes" {
		t.Errorf("over the limit: %v", err)
	}
}

// TestAliasesOfAliases holds that aliases are refused where they stand rather than followed.
func TestAliasesOfAliases(t *testing.T) {
	t.Parallel()
	source := "users:\n- &a [x]\n"
	for range 100 {
		source += "- &a [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
	}
	_, err := bootstrap.Parse("b.yaml", []byte(source), environment)
	e, ok := errors.AsType[*bootstrap.Error](err)
	if !ok || len(e.Faults) != 101 {
		t.Errorf("got %v", err)
	}
}

// TestSecretsStayOut holds that no error shows a password or token, whatever YAML makes of it.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"users: [{email: a@b.c, password: hunter2}]",
		"users: [{email: a@b.c, password: [hunter2]}]",
		"users: [{email: a@b.c, password: {hunter2: hunter2}}]",
		"users: [{email: a@b.c, password:hunter2}]",
		"users: [{email: a@b.c, password=hunter2}]",
		"users: [{email: a@b.c, password hunter2}]",
		"users:\n- email: a@b.c\n  password: *hunter2\n",
		"users:\n- email: a@b.c\n  password: &hunter2\n",
		"users:\n- email: a@b.c\n  password: !hunter2\n",
		"users:\n- email: a@b.c\n  password: !!hunter2 x\n",
		"users:\n- email: a@b.c\n  password: !hunter2!x y\n",
		"users:\n- email: a@b.c\n  password: @hunter2\n",
		"users:\n- email: a@b.c\n  password: %hunter2\n",
		"users:\n- email: a@b.c\n  password: \"hunter2\n",
		"users:\n- email: a@b.c\n  password: |hunter2\n",
		"users:\n- email: a@b.c\n  password: hunter2: x\n",
		"users:\n- email: a@b.c\n  password: ${hunter2!}\n",
		"users:\n- email: a@b.c\n  password hunter2\n",
		"users: [hunter2]",
		"tokens: [{user: a@b.c, token: hunter2}]",
		"tokens: [hunter2]",
		"tokens:\n- &x {user: a@b.c, token: hunter2hunter2hunter2}\n- *x\n",
		"tokens:\n- {user: a@b.c, token: hunter2hunter2hunter2}\n- {user: a@b.c, token: hunter2hunter2hunter2}\n",
		"hunter2",
	} {
		_, err := bootstrap.Parse("b.yaml", []byte(source), environment)
		if err == nil {
			t.Errorf("%q: got no error", source)
			continue
		}
		e, ok := errors.AsType[*bootstrap.Error](err)
		if !ok {
			t.Fatalf("got a %T", err)
		}
		for _, fault := range e.Faults {
			if strings.Contains(fault.Path+fault.Reason, "hunter2") {
				t.Errorf("%q: got %v", source, err)
			}
		}
	}
}
