package service_test

import (
	"strings"
	"testing"
)

// These cases are files with a user and an organization, of whose items one breaks a rule.

const declaredUser = "users: [{email: a@b.c, name: A}]\n"

// declaredIn returns a file with an organization on the second line that has the given lines.
func declaredIn(lines string) string {
	return declaredUser + "organizations: [{slug: o, name: O,\n" + lines + "\n}]"
}

var tooLong = strings.Repeat("x", 10_001)

var bootstrapRules = []struct {
	name   string
	source string
	want   string // without the file's name before each line
}{
	{"id", "users: [{email: a@b.c, name: A, id: 12}]", "1: users[0].id: ID must be a UUID"},
	{
		"repeated id", "users:\n- {email: a@b.c, name: A, id: 0190a1b2-0000-7000-8000-00000000000a}\n" +
			"- {email: b@b.c, name: B, id: 0190A1B2-0000-7000-8000-00000000000A}\n",
		"3: users[1].id: is already used",
	},
	{"reserved slug", "organizations: [{slug: v2, name: A}]", "1: organizations[0].slug: Slug v2 is reserved: addresses of the server begin with it. Choose another one, such as v2-team"},
	{"slug", "organizations: [{slug: Acme Inc, name: A}]", "1: organizations[0].slug: Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside"},
	{"plan", declaredIn("subscription: {plan: weekly}"), "3: organizations[0].subscription.plan: Plan must be monthly or annual"},
	{"date", declaredIn("subscription: {anchor: 2026-02-30}"), "3: organizations[0].subscription.anchor: Billing anchor must be a date such as 2026-01-31"},
	{"time for a date", declaredIn("subscription: {anchor: 2026-01-31T00:00:00Z}"), "3: organizations[0].subscription.anchor: Billing anchor must be a date such as 2026-01-31"},
	{"own billing parent", declaredIn("billing_parent: o"), "3: organizations[0].billing_parent: Billing parent must be another organization"},
	{"cluster_writes", declaredIn("settings: {cluster_writes: all}"), "3: organizations[0].settings.cluster_writes: Cluster writes must be members or managers"},
	{"addresses", declaredIn("settings: {allowed_api_ip_addresses: 10.0.0.0/8 home}"), `3: organizations[0].settings.allowed_api_ip_addresses: Allowed API IP addresses are not valid: "home" is not a CIDR address`},
	{"negative number", declaredIn("settings: {audit_retention_days: -1}"), "3: organizations[0].settings.audit_retention_days: settings.audit_retention_days must be a number of days from 0 to 36500"},
	{"huge number", declaredIn("settings: {audit_retention_days: 36501}"), "3: organizations[0].settings.audit_retention_days: settings.audit_retention_days must be a number of days from 0 to 36500"},
	{"days of builds", declaredIn("settings: {build_retention_days: 0}"), "3: organizations[0].settings.build_retention_days: settings.build_retention_days must be a number of days from 30 to 365, or null"},
	{"role", declaredIn("members: [{user: a@b.c, role: owner}]"), "3: organizations[0].members[0].role: Role must be admin or member"},
	{"team role", declaredIn("members: [{user: a@b.c}], teams: [{name: T, members: [{user: a@b.c, role: admin}]}]"), "3: organizations[0].teams[0].members[0].role: Role must be maintainer or member"},
	{"name without a slug", declaredIn("teams: [{name: '!'}]"), "3: organizations[0].teams[0].name: Name must contain a letter or digit, for its slug"},
	{"emoji", declaredIn("clusters: [{name: C, emoji: rocket}]"), "3: organizations[0].clusters[0].emoji: Emoji must be a name between colons, such as :rocket:"},
	{"color", declaredIn("clusters: [{name: C, color: red}]"), "3: organizations[0].clusters[0].color: Color must be # and 3 or 6 hexadecimal digits"},
	{"maintainer without a key", declaredIn("clusters: [{name: C, maintainers: [{}]}]"), "3: organizations[0].clusters[0].maintainers[0]: must have either the key user or the key team"},
	{
		"maintainer with both keys", declaredIn("members: [{user: a@b.c}], teams: [{name: T}], clusters: [{name: C, maintainers: [{user: a@b.c, team: t}]}]"),
		"3: organizations[0].clusters[0].maintainers[0]: must have either the key user or the key team",
	},
	{"queue key", declaredIn("clusters: [{name: C, queues: [{key: a b}]}]"), "3: organizations[0].clusters[0].queues[0].key: Key can only contain letters, digits, - and _"},
	{
		"instance shape", declaredIn("clusters: [{name: C, queues: [{key: k, hosted_agents: {instance_shape: HUGE}}]}]"),
		"3: organizations[0].clusters[0].queues[0].hosted_agents.instance_shape: Instance shape must be one of " +
			"LINUX_AMD64_2X4, LINUX_AMD64_4X16, LINUX_AMD64_8X32, LINUX_AMD64_16X64, LINUX_AMD64_32X128, LINUX_AMD64_64X256, " +
			"LINUX_ARM64_2X4, LINUX_ARM64_4X16, LINUX_ARM64_8X32, LINUX_ARM64_16X64, LINUX_ARM64_32X128, LINUX_ARM64_64X256, " +
			"MACOS_ARM64_M4_6X28, MACOS_ARM64_M4_12X56",
	},
	{
		"second default queue", declaredIn("clusters: [{name: C, queues: [{key: a, default: true},\n{key: b, default: true}]}]"),
		"4: organizations[0].clusters[0].queues[1].default: the cluster has another default on line 3",
	},
	{
		"second default registry", declaredIn("clusters: [{name: C, cache_registries: [{name: a, default: true},\n{name: b, default: true}]}]"),
		"4: organizations[0].clusters[0].cache_registries[1].default: the cluster has another default on line 3",
	},
	{"long repository", declaredIn("pipelines: [{name: P,\nrepository: " + tooLong + "}]"), "4: organizations[0].pipelines[0].repository: Repository is too long (maximum is 2000 characters)"},
	{"long password", "users: [{email: a@b.c, name: A,\npassword: " + tooLong + "}]", "2: users[0].password: Password is too long (maximum is 1024 characters)"},
	{"long description of a cluster", declaredIn("clusters: [{name: C,\ndescription: " + tooLong + "}]"), "4: organizations[0].clusters[0].description: Description is too long (maximum is 10000 characters)"},
	{
		"long description of a registry", declaredIn("clusters: [{name: C, cache_registries: [{name: R,\ndescription: " + tooLong + "}]}]"),
		"4: organizations[0].clusters[0].cache_registries[0].description: Description is too long (maximum is 10000 characters)",
	},
	{
		"long description of a token", declaredUser + "tokens: [{user: a@b.c, token: 12345678901234567890,\ndescription: " + tooLong + "}]",
		"3: tokens[0].description: Description is too long (maximum is 10000 characters)",
	},
	{
		"long list of addresses", declaredIn("settings: {allowed_api_ip_addresses: " + strings.Repeat("192.0.2.0/24 ", 800) + "}"),
		"3: organizations[0].settings.allowed_api_ip_addresses: Allowed API IP addresses is too long (maximum is 10000 characters)",
	},
	{"short token", declaredUser + "tokens: [{user: a@b.c, token: 1234567890123456789}]", "2: tokens[0].token: Token must be 20 or more printable ASCII characters without spaces"},
	{"token with a space", declaredUser + "tokens: [{user: a@b.c, token: 12345678901234567890 1}]", "2: tokens[0].token: Token must be 20 or more printable ASCII characters without spaces"},
	{"scope", declaredUser + "tokens: [{user: a@b.c, token: 12345678901234567890, scopes: [read_user,\nread_all]}]", `2: tokens[0].scopes: Scope "read_all" is unknown`},
	{"user declared twice", "users:\n- {email: a@b.c, name: A}\n- {email: A@B.C, name: B}\n", "3: users[1]: is already declared on line 2"},
	{"organization declared twice", "organizations:\n- {slug: a, name: A}\n- {slug: a, name: B}\n", "3: organizations[1]: is already declared on line 2"},
	{"member declared twice", declaredIn("members: [{user: a@b.c},\n{user: a@b.c}]"), "4: organizations[0].members[1]: is already declared on line 3"},
	{"team declared twice", declaredIn("teams: [{name: A},\n{name: B, slug: a}]"), "4: organizations[0].teams[1]: is already declared on line 3"},
	{
		"team member declared twice", declaredIn("members: [{user: a@b.c}], teams: [{name: A, members: [{user: a@b.c},\n{user: a@b.c}]}]"),
		"4: organizations[0].teams[0].members[1]: is already declared on line 3",
	},
	{"cluster declared twice", declaredIn("clusters: [{name: C},\n{name: C}]"), "4: organizations[0].clusters[1]: is already declared on line 3"},
	{
		"maintainer declared twice", declaredIn("teams: [{name: T}], clusters: [{name: C, maintainers: [{team: t},\n{team: t}]}]"),
		"4: organizations[0].clusters[0].maintainers[1]: is already declared on line 3",
	},
	{"queue declared twice", declaredIn("clusters: [{name: C, queues: [{key: k},\n{key: k}]}]"), "4: organizations[0].clusters[0].queues[1]: is already declared on line 3"},
	{
		"registry declared twice", declaredIn("clusters: [{name: C, cache_registries: [{name: a b},\n{name: A-B}]}]"),
		"4: organizations[0].clusters[0].cache_registries[1]: is already declared on line 3",
	},
	{
		"pipeline declared twice", declaredIn("pipelines: [{name: P, repository: r},\n{name: p, repository: s}]"),
		"4: organizations[0].pipelines[1]: is already declared on line 3",
	},
	{
		"token declared twice", declaredUser + "tokens:\n- {user: a@b.c, token: a-token-of-the-environment}\n- {user: a@b.c, token: 'a-token-of-the-environment'}\n",
		"4: tokens[1]: is already declared on line 3",
	},
	{
		"token of a user who is no member", declaredIn("members: []") + "\ntokens: [{user: a@b.c, token: 12345678901234567890, organizations: [o]}]",
		`5: tokens[0].organizations[0]: organization "o" has no member "a@b.c"`,
	},
	{"team member who is no member", declaredIn("teams: [{name: T, members: [{user: a@b.c}]}]"), `3: organizations[0].teams[0].members[0].user: organization "o" has no member "a@b.c"`},
	{"maintainer who is no member", declaredIn("clusters: [{name: C, maintainers: [{user: a@b.c}]}]"), `3: organizations[0].clusters[0].maintainers[0].user: organization "o" has no member "a@b.c"`},
	{
		"names that are too long", declaredIn("members: [{user: " + tooLong + "}],\nclusters: [{name: " + tooLong + ", queues: [{key: k}]}]"),
		"3: organizations[0].members[0]: has names that are too long\n" +
			"4: organizations[0].clusters[0].name: Name is too long (maximum is 255 characters)\n" +
			"4: organizations[0].clusters[0]: has names that are too long\n" +
			"4: organizations[0].clusters[0].queues[0]: has names that are too long",
	},
	{
		"several faults, in the order of the lines", "users:\n- {email: a, name: A}\n- {email: b, name: B}\norganizations: [{slug: O, name: O}]\ntokens: [{user: a@b.c, token: short}]\n",
		"2: users[0].email: Email must be an email address\n" +
			"3: users[1].email: Email must be an email address\n" +
			"4: organizations[0].slug: Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside\n" +
			"5: tokens[0].token: Token must be 20 or more printable ASCII characters without spaces",
	},
}

func TestWhatBreaksARuleStopsBootstrapAndNamesTheLine(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		for _, c := range bootstrapRules {
			_, err := s.applyFile(t.Context(), s.actor, parseBootstrap(t, c.source))
			want := "bootstrap.yaml:" + strings.ReplaceAll(c.want, "\n", "\nbootstrap.yaml:")
			if err == nil || err.Error() != want {
				t.Errorf("%s: got\n%v\nwant\n%s", c.name, err, want)
			}
		}
		if rows := s.contents(); rows != nil {
			t.Errorf("stored: %v", rows)
		}
	})
}

func TestBootstrapShowsNoSecrets(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		for _, source := range []string{
			"users: [{email: a@b.c, name: A, password: " + strings.Repeat("hunter2", 1000) + "}]",
			"tokens: [{user: a@b.c, token: hunter2}]",
			"tokens: [{user: a@b.c, token: hunter2hunter2hunter2}]",
			"tokens:\n- {user: a@b.c, token: hunter2hunter2hunter2}\n- {user: a@b.c, token: hunter2hunter2hunter2}\n",
		} {
			_, err := s.applyFile(t.Context(), s.actor, parseBootstrap(t, source))
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q: got %v", source, err)
			}
		}
	})
}

func TestASlugThatIsGivenNeedNotBeMadeOfTheName(t *testing.T) {
	eachOperating(t, func(_ *testing.T, s *operating) {
		s.apply(declaredIn("teams: [{name: 東京, slug: t}], pipelines: [{name: 東京, slug: p, repository: r}]"))
		s.expect("t", `SELECT slug FROM teams`)
		s.expect("p", `SELECT slug FROM pipelines`)
	})
}
