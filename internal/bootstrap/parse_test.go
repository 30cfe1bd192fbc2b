package bootstrap_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"penstock/internal/bootstrap"
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

func ptr[T any](v T) *T { return &v }

// checkFile compares a part at a time, so that a failure is short enough to read.
func checkFile(t *testing.T, got, want *bootstrap.File) {
	t.Helper()
	check := func(part string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", part, shown(got), shown(want))
		}
	}
	check("name", got.Name, want.Name)
	check("users", got.Users, want.Users)
	check("organizations", got.Organizations, want.Organizations)
	check("tokens", got.Tokens, want.Tokens)
	check("activity", got.Activity, want.Activity)
}

func shown(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ")
	return string(text)
}

func TestContractExample(t *testing.T) {
	t.Parallel()
	const admin = "admin@example.com"
	file := parseFile(t, "contract.yaml")
	checkFile(t, file, &bootstrap.File{
		Name:  "contract.yaml",
		Users: []*bootstrap.User{{Path: "users[0]", Email: admin, Name: "Admin", Password: "optional-web-password"}},
		Organizations: []*bootstrap.Organization{{
			Path:          "organizations[0]",
			Slug:          "acme-inc",
			Name:          "Acme Inc",
			Subscription:  bootstrap.Subscription{Plan: "monthly", Anchor: "2026-01-15"},
			BillingParent: "holding-co",
			Settings: bootstrap.Settings{
				ClusterWrites:                        ptr("members"),
				MaintainersCanDestroyCacheRegistries: ptr(true),
				MembersCanCreatePipelines:            ptr(true),
				DefaultCluster:                       "Open Source",
				AllowedAPIIPAddresses:                ptr(""),
				RevokeInactiveTokensAfterDays:        ptr[int64](0),
				AuditRetentionDays:                   ptr[int64](0),
			},
			Members: []*bootstrap.Member{{Path: "organizations[0].members[0]", User: admin, Role: "admin"}},
			Teams: []*bootstrap.Team{{
				Path: "organizations[0].teams[0]", Name: "Platform", Slug: "platform",
				Members: []*bootstrap.TeamMember{{Path: "organizations[0].teams[0].members[0]", User: admin, Role: "maintainer"}},
			}},
			Clusters: []*bootstrap.Cluster{{
				Path:        "organizations[0].clusters[0]",
				Name:        "Open Source",
				Maintainers: []*bootstrap.Maintainer{{Path: "organizations[0].clusters[0].maintainers[0]", User: admin}, {Path: "organizations[0].clusters[0].maintainers[1]", Team: "platform"}},
				Queues: []*bootstrap.Queue{
					{Path: "organizations[0].clusters[0].queues[0]", Key: "default", Default: true},
					{Path: "organizations[0].clusters[0].queues[1]", Key: "hosted", HostedAgents: &bootstrap.HostedAgents{InstanceShape: "LINUX_AMD64_2X4"}},
				},
				CacheRegistries: []*bootstrap.CacheRegistry{{Path: "organizations[0].clusters[0].cache_registries[0]", Name: "Ruby gems"}},
			}},
			Pipelines: []*bootstrap.Pipeline{{
				Path: "organizations[0].pipelines[0]", Name: "Web", Repository: "git@example.com:acme/web.git", Cluster: "Open Source",
			}},
		}},
		Tokens: []*bootstrap.Token{{
			Path:          "tokens[0]",
			User:          admin,
			Token:         "an-explicit-value-of-20-or-more-characters",
			Description:   "CI",
			Organizations: []string{"acme-inc"},
			Scopes:        []string{"read_clusters", "write_clusters", "read_organizations"},
			GraphQL:       true,
		}},
		Activity: []*bootstrap.Activity{{Path: "activity[0]", Organization: "acme-inc", User: admin, On: day(2026, 10, 3)}},
	})
	for path, line := range map[string]int{
		"users[0]": 2, "organizations[0]": 4, "organizations[0].billing_parent": 7, "organizations[0].settings.audit_retention_days": 15,
		"organizations[0].clusters[0].queues[1].id": 23, "tokens[0].scopes[2]": 32, "activity[0].on": 35,
	} {
		if got, want := file.Fault(path, "wrong"), (bootstrap.Fault{Line: line, Path: path, Reason: "wrong"}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
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
		Users: []*bootstrap.User{
			{Path: "users[0]", ID: "0190a1b2-0000-7000-8000-00000000000A", Email: "Admin@Example.com", Name: "Admin", Password: "hunter2: [${YES}"},
			{Path: "users[1]", Email: dev, Name: "2026"},
		},
		Organizations: []*bootstrap.Organization{
			{
				Path: "organizations[0]", ID: "0190a1b2-0000-7000-8000-000000000001", Slug: "holding-co", Name: "Holding Co",
				Subscription: bootstrap.Subscription{Plan: "annual"},
			},
			{
				Path: "organizations[1]", Slug: "acme-inc", Name: "Acme Inc",
				BillingParent: "holding-co",
				Settings: bootstrap.Settings{
					ClusterWrites:                        ptr("managers"),
					MaintainersCanDestroyCacheRegistries: ptr(false),
					MembersCanCreatePipelines:            ptr(false),
					AllowedAPIIPAddresses:                ptr("10.0.0.0/8  2001:db8::/32"),
					RevokeInactiveTokensAfterDays:        ptr[int64](30),
					AuditRetentionDays:                   ptr[int64](365),
				},
				Members: []*bootstrap.Member{{Path: "organizations[1].members[0]", User: "ADMIN@example.com", Role: "admin"}, {Path: "organizations[1].members[1]", User: dev}},
				Teams: []*bootstrap.Team{{
					Path: "organizations[1].teams[0]", ID: "0190a1b2-0000-7000-8000-000000000002", Name: "Équipe Ruby",
					Members: []*bootstrap.TeamMember{{Path: "organizations[1].teams[0].members[0]", User: admin}},
				}},
				Clusters: []*bootstrap.Cluster{{
					Path: "organizations[1].clusters[0]", ID: "0190a1b2-0000-7000-8000-000000000003", Name: "Open Source",
					Description: ptr("one: ${YES}\n- two # not a comment"),
					Emoji:       ptr(":rocket:"),
					Color:       ptr("#fff"),
					Maintainers: []*bootstrap.Maintainer{{Path: "organizations[1].clusters[0].maintainers[0]", User: dev}, {Path: "organizations[1].clusters[0].maintainers[1]", Team: "equipe-ruby"}},
					Queues: []*bootstrap.Queue{
						{Path: "organizations[1].clusters[0].queues[0]", ID: "0190a1b2-0000-7000-8000-000000000004", Key: "default", Default: true},
						{Path: "organizations[1].clusters[0].queues[1]", Key: "other", HostedAgents: &bootstrap.HostedAgents{InstanceShape: "MACOS_ARM64_M4_6X28"}},
					},
					CacheRegistries: []*bootstrap.CacheRegistry{
						{
							Path: "organizations[1].clusters[0].cache_registries[0]", ID: "0190a1b2-0000-7000-8000-000000000005", Name: "Ruby gems",
							Description: ptr(""), Emoji: ptr(""), Color: ptr(""),
							Policy: []byte(policy), Default: true,
						},
						{Path: "organizations[1].clusters[0].cache_registries[1]", Name: "Go modules"},
						{Path: "organizations[1].clusters[0].cache_registries[2]", Name: "Closed", Policy: []byte("{}")},
					},
				}},
				Pipelines: []*bootstrap.Pipeline{
					{
						Path: "organizations[1].pipelines[0]", ID: "0190a1b2-0000-7000-8000-000000000006", Name: "Web", Slug: "web-site",
						Repository: "git@example.com:acme/web.git",
					},
					{Path: "organizations[1].pipelines[1]", Name: "Docs & more", Repository: "https://example.com/docs.git", Cluster: "Open Source"},
				},
			},
		},
		Tokens: []*bootstrap.Token{
			{Path: "tokens[0]", User: dev, Token: "a-token-of-the-environment"},
			{
				Path: "tokens[1]", User: admin, Token: "12345678901234567890", Organizations: []string{"acme-inc", "elsewhere"},
				Scopes: []string{"graphql", "read_user"},
			},
		},
		Activity: []*bootstrap.Activity{
			{Path: "activity[0]", Organization: "acme-inc", User: gone, On: day(2026, 10, 3)},
			{Path: "activity[1]", Organization: "acme-inc", User: gone, On: day(2026, 10, 3)},
		},
	})
}

func TestNothingDeclared(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"", "\n", "# nothing\n", "---\n", "---\n...\n", "~", "{}", "users:\ntokens: []\n", "\uFEFFusers: []\n"} {
		file, err := bootstrap.Parse("b.yaml", []byte(source), environment)
		if err != nil || file.Name != "b.yaml" || len(file.Users)+len(file.Organizations)+len(file.Tokens)+len(file.Activity) > 0 {
			t.Errorf("%q: got %+v, %v", source, file, err)
		}
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
	{"null for an item", "users: [~]", "1: users[0]: must be a mapping, not a single value"},
	{"comment for a value", "users: [{email: a@b.c,\nname: #A\n}]", "2: users[0].name: has no value (quote a value that begins with #)"},
	{"list at the top", "- users", "1: must be a mapping, not a list"},
	{"text for a list", "users: ${YES}", "1: users: must be a list, not a single value"},
	{"text for an item", "users: [a]", "1: users[0]: must be a mapping, not a single value"},
	{"mapping for a text", "users: [{email: a@b.c, name: {a: b}}]", "1: users[0].name: must be a single value, not a mapping"},
	{"text for a mapping", in("settings: none"), "3: organizations[0].settings: must be a mapping, not a single value"},
	{
		"several faults, in the order of the lines", "tokens: none\nusers:\n- {email: a, name: A}\n- {email: a@b.c}\n",
		"1: tokens: must be a list, not a single value\n" +
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
	{"empty password", "users: [{email: a@b.c, name: A, password: '${EMPTY}'}]", "1: users[0].password: must not be empty"},
	{"boolean", in("settings: {members_can_create_pipelines: yes}"), "3: organizations[0].settings.members_can_create_pipelines: must be true or false"},
	{"fraction", in("settings: {audit_retention_days: 1.5}"), "3: organizations[0].settings.audit_retention_days: must be a whole number"},
	{"hosted agents without a shape", in("clusters: [{name: C, queues: [{key: k, hosted_agents: {}}]}]"), `3: organizations[0].clusters[0].queues[0].hosted_agents: missing key "instance_shape"`},
	{
		"slug of a registry", in("clusters: [{name: C, cache_registries: [{name: a, slug: b}]}]"),
		`3: organizations[0].clusters[0].cache_registries[0]: unknown key "slug" (allowed: name, id, description, emoji, color, policy, default)`,
	},
	{
		"policy that is text", in("clusters: [{name: C, cache_registries: [{name: a, policy: '{}'}]}]"),
		"3: organizations[0].clusters[0].cache_registries[0].policy: must be a mapping, not a single value",
	},
	{
		"anchors and repeated keys in a policy", in("clusters: [{name: C, cache_registries: [{name: a, policy: {rules: [\n&a b,\n{a: b,\na: b}]}}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].policy.rules[0]: " + unsupported + "\n" +
			"6: organizations[0].clusters[0].cache_registries[0].policy.rules[1]: duplicate key \"a\"",
	},
	{
		"policy that is not one", in("clusters: [{name: C, cache_registries: [{name: a, policy: {\nrule: [],\nrules: [{\neffect: allow,\naction: read}],\nsave: {scopes: {\nthe-branch: true}}}}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].policy.rule: is not allowed; use save, restore or rules\n" +
			"7: organizations[0].clusters[0].cache_registries[0].policy.rules[0].action: must be save or restore\n" +
			`8: organizations[0].clusters[0].cache_registries[0].policy.save.scopes["the-branch"]: is not allowed; use branch, build or pipeline`,
	},
	{"empty token", user + "tokens: [{user: a@b.c, token: ''}]", "2: tokens[0].token: must not be empty"},
	{"activity without a day", in("members: []") + "\nactivity: [{organization: o, user: a@b.c}]", `5: activity[0]: missing key "on"`},
	{"blank name", "users: [{email: a@b.c, name: ' '}]", "1: users[0].name: must not be empty"},
	{"blank repository", in("pipelines: [{name: P,\nrepository: ' '}]"), "4: organizations[0].pipelines[0].repository: must not be empty"},
	{"blank description of a token", user + "tokens: [{user: a@b.c, token: 12345678901234567890, description: ' '}]", "2: tokens[0].description: must not be empty"},
	{
		"several faults of one item", in("pipelines: [{name: '', repository: '', id: '', slug: ''}]"),
		"3: organizations[0].pipelines[0].name: must not be empty\n" +
			"3: organizations[0].pipelines[0].slug: must not be empty\n" +
			"3: organizations[0].pipelines[0].id: must not be empty\n" +
			"3: organizations[0].pipelines[0].repository: must not be empty",
	},
	{
		"organization of a token twice", in("members: [{user: a@b.c}]") + "\ntokens: [{user: a@b.c, token: 12345678901234567890, organizations: [o, o]}]",
		"5: tokens[0].organizations[1]: is there already",
	},
	{
		"scope twice", user + "tokens: [{user: a@b.c, token: 12345678901234567890, scopes: [read_user, read_user]}]",
		"2: tokens[0].scopes[1]: is there already",
	},

	{"alias", "users: &a []\ntokens: *a\n", "1: users: " + unsupported + "\n2: tokens: " + unsupported},
	{"alias of nothing", "users: []\ntokens: *a\n", "2: " + unsupported},
	{"merge key", "users:\n- <<: {email: a@b.c}\n  email: a@b.c\n  name: A\n", "2: users[0]: unknown key (allowed: email, name, password, id)"},
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
		"tokens: [{user: a@b.c, token: hunter2, scope: all}]",
		"tokens: [hunter2]",
		"tokens:\n- &x {user: a@b.c, token: hunter2hunter2hunter2}\n- *x\n",
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

// TestDocumentation holds that docs/bootstrap.md names every key and that its example has each.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(os.DirFS("../../docs"), "bootstrap.md")
	if err != nil {
		t.Fatal(err)
	}
	text, example, _ := strings.Cut(string(page), "```yaml")
	var check func(reflect.Type)
	check = func(in reflect.Type) {
		for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice {
			in = in.Elem()
		}
		if in.Kind() != reflect.Struct {
			return
		}
		for i := range in.NumField() {
			key, _, _ := strings.Cut(in.Field(i).Tag.Get("yaml"), ",")
			if key == "" {
				continue
			}
			if !strings.Contains(text, "`"+key+"`") || !strings.Contains(example, key+": ") && !strings.Contains(example, key+":\n") {
				t.Errorf("the page lacks the key %s", key)
			}
			check(in.Field(i).Type)
		}
	}
	check(reflect.TypeFor[bootstrap.File]())
}
