package bootstrap

import (
	"cmp"

	"go.yaml.in/yaml/v4"

	"penstock/internal/domain"
	"penstock/internal/policy"
)

// Parse reads a bootstrap file of at most 1 MiB. The name is for errors only; getenv returns the value of an
// environment variable and whether it is set, as os.LookupEnv does. A file that declares nothing is good.
//
// The error is an *Error with every fault found, unless the file is not YAML: then it has the first.
func Parse(name string, source []byte, getenv func(string) (string, bool)) (*File, error) {
	root, fault := parseYAML(source)
	if fault != nil {
		return nil, &Error{File: name, Faults: []Fault{*fault}}
	}
	r := &reader{getenv: getenv, ids: map[any]int{}}
	file := readFile(value{reader: r, node: root})
	file.Name = name
	r.resolve(file)
	if len(r.faults) > 0 {
		return nil, &Error{File: name, Faults: r.faults}
	}
	return file, nil
}

func readFile(v value) *File {
	m := v.mapping("users", "organizations", "tokens", "activity")
	return &File{
		Users:         list(m.get("users"), readUser, func(u User) string { return domain.EmailKey(u.Email) }),
		Organizations: list(m.get("organizations"), readOrganization, func(o Organization) string { return o.Slug }),
		Tokens:        list(m.get("tokens"), readToken, func(t Token) string { return t.Value.Reveal() }),
		Activity:      list(m.get("activity"), readActivity, func(Activity) string { return "" }),
	}
}

func readUser(v value) User {
	m := v.mapping("email", "name", "password", "id")
	return held(m, User{
		At:       v.place(),
		ID:       identifier[domain.UserID](m.get("id")),
		Email:    m.need("email").email(),
		Name:     m.need("name").name(),
		Password: domain.Secret(m.get("password").nonEmpty()),
	})
}

func readOrganization(v value) Organization {
	m := v.mapping("slug", "name", "id", "subscription", "billing_parent", "settings", "members", "teams", "clusters", "pipelines")
	slug := m.need("slug").slug()
	return Organization{
		At:            v.place(),
		ID:            identifier[domain.OrganizationID](m.get("id")),
		Slug:          slug,
		Name:          m.need("name").name(),
		Subscription:  readSubscription(m.get("subscription")),
		BillingParent: readBillingParent(m.get("billing_parent"), slug),
		Settings:      readSettings(m.get("settings"), slug),
		Members:       list(m.get("members"), readMember, func(m Member) string { return m.User }),
		Teams: list(m.get("teams"), func(v value) Team { return readTeam(v, slug) },
			func(t Team) string { return t.Slug }),
		Clusters: list(m.get("clusters"), func(v value) Cluster { return readCluster(v, slug) },
			func(c Cluster) string { return c.Name }),
		Pipelines: list(m.get("pipelines"), func(v value) Pipeline { return readPipeline(v, slug) },
			func(p Pipeline) string { return p.Slug }),
	}
}

func readSubscription(v value) Subscription {
	m := v.mapping("plan", "anchor")
	return Subscription{
		Plan:   cmp.Or(oneOf(m.get("plan"), domain.PlanMonthly, domain.PlanAnnual), domain.PlanMonthly),
		Anchor: m.get("anchor").date(),
	}
}

func readBillingParent(v value, organization string) string {
	parent := v.organization()
	if parent != "" && parent == organization {
		v.fault("must be another organization")
	}
	return parent
}

func readSettings(v value, organization string) Settings {
	m := v.mapping("cluster_writes", "maintainers_can_destroy_cache_registries", "members_can_create_pipelines",
		"default_cluster", "allowed_api_ip_addresses", "revoke_inactive_tokens_after_days", "audit_retention_days")
	return Settings{
		ClusterWrites: optional(m.get("cluster_writes"),
			func(v value) domain.ClusterWrites {
				return oneOf(v, domain.ClusterWritesMembers, domain.ClusterWritesManagers)
			}),
		MaintainersCanDestroyCacheRegistries: optional(m.get("maintainers_can_destroy_cache_registries"), value.boolean),
		MembersCanCreatePipelines:            optional(m.get("members_can_create_pipelines"), value.boolean),
		DefaultCluster: optional(m.get("default_cluster"),
			func(v value) string { return v.cluster(organization) }),
		AllowedAPIIPAddresses:         optional(m.get("allowed_api_ip_addresses"), value.addresses),
		RevokeInactiveTokensAfterDays: optional(m.get("revoke_inactive_tokens_after_days"), value.days),
		AuditRetentionDays:            optional(m.get("audit_retention_days"), value.days),
	}
}

func readMember(v value) Member {
	m := v.mapping("user", "role")
	return Member{
		At:   v.place(),
		User: m.need("user").user(),
		Role: cmp.Or(oneOf(m.get("role"), domain.RoleAdmin, domain.RoleMember), domain.RoleMember),
	}
}

func readTeam(v value, organization string) Team {
	m := v.mapping("name", "slug", "id", "members")
	name := m.need("name").name()
	return held(m, Team{
		At:   v.place(),
		ID:   identifier[domain.TeamID](m.get("id")),
		Name: name,
		Slug: m.slugFor(name),
		Members: list(m.get("members"), func(v value) TeamMember { return readTeamMember(v, organization) },
			func(m TeamMember) string { return m.User }),
	})
}

func readTeamMember(v value, organization string) TeamMember {
	m := v.mapping("user", "role")
	return TeamMember{
		At:   v.place(),
		User: m.need("user").member(organization),
		Role: cmp.Or(oneOf(m.get("role"), "maintainer", "member"), "member"),
	}
}

func readCluster(v value, organization string) Cluster {
	m := v.mapping("name", "id", "description", "emoji", "color", "maintainers", "queues", "cache_registries")
	var defaultQueue, defaultRegistry int // lines
	return held(m, Cluster{
		At:          v.place(),
		ID:          identifier[domain.ClusterID](m.get("id")),
		Name:        m.need("name").name(),
		Description: optional(m.get("description"), value.text),
		Emoji:       optional(m.get("emoji"), value.text),
		Color:       optional(m.get("color"), value.text),
		Maintainers: list(m.get("maintainers"), func(v value) Maintainer { return readMaintainer(v, organization) },
			func(m Maintainer) string { return m.User + m.Team }), // no slug is an e-mail address
		Queues: list(m.get("queues"), func(v value) Queue { return readQueue(v, &defaultQueue) },
			func(q Queue) string { return q.Key }),
		CacheRegistries: list(m.get("cache_registries"),
			func(v value) CacheRegistry { return readCacheRegistry(v, &defaultRegistry) },
			func(r CacheRegistry) string { return r.Slug }),
	})
}

func readMaintainer(v value, organization string) Maintainer {
	m := v.mapping("user", "team")
	if m.values != nil && m.get("user").given() == m.get("team").given() {
		v.fault("must have either the key user or the key team")
		return Maintainer{}
	}
	return Maintainer{
		At:   v.place(),
		User: m.get("user").member(organization),
		Team: m.get("team").team(organization),
	}
}

func readQueue(v value, defaultLine *int) Queue {
	m := v.mapping("key", "id", "default", "hosted_agents")
	return held(m, Queue{
		At:            v.place(),
		ID:            identifier[domain.QueueID](m.get("id")),
		Key:           m.need("key").text(),
		Default:       readDefault(m.get("default"), defaultLine),
		InstanceShape: m.get("hosted_agents").mapping("instance_shape").need("instance_shape").instanceShape(),
	})
}

func readCacheRegistry(v value, defaultLine *int) CacheRegistry {
	m := v.mapping("name", "id", "description", "emoji", "color", "policy", "default")
	name := m.need("name").name()
	return held(m, CacheRegistry{
		At:          v.place(),
		ID:          identifier[domain.CacheRegistryID](m.get("id")),
		Name:        name,
		Slug:        m.slugFor(name),
		Description: optional(m.get("description"), value.text),
		Emoji:       optional(m.get("emoji"), value.text),
		Color:       optional(m.get("color"), value.text),
		Policy:      readPolicy(m.get("policy")),
		Default:     readDefault(m.get("default"), defaultLine),
	})
}

// readPolicy returns a policy as JSON, or nil if there is none.
func readPolicy(v value) []byte {
	if !v.is(yaml.MappingNode) || v.isNull() {
		return nil
	}
	before := len(v.faults)
	document := v.appendJSON(nil)
	if len(v.faults) > before {
		return nil // document may not even be JSON
	}
	_, faults := policy.Parse(document)
	for _, f := range faults {
		v.faults = append(v.faults, Fault{Line: lineBelow(v.node, f.Path), Path: v.path, Reason: f.String()})
	}
	return document
}

// readDefault reads whether a queue or registry is the default of its cluster, of which there can be one.
// It keeps that one's line in defaultLine.
func readDefault(v value, defaultLine *int) bool {
	isDefault := v.boolean()
	switch {
	case !isDefault:
	case *defaultLine > 0:
		v.fault("the cluster has another default on line %d", *defaultLine)
	default:
		*defaultLine = v.node.Line
	}
	return isDefault
}

func readPipeline(v value, organization string) Pipeline {
	m := v.mapping("name", "slug", "id", "repository", "cluster")
	name := m.need("name").name()
	return held(m, Pipeline{
		At:         v.place(),
		ID:         identifier[domain.PipelineID](m.get("id")),
		Name:       name,
		Slug:       m.slugFor(name),
		Repository: m.need("repository").text(),
		Cluster:    m.get("cluster").cluster(organization),
	})
}

func readToken(v value) Token {
	m := v.mapping("user", "token", "description", "organizations", "scopes", "graphql")
	user := m.need("user").user()
	return held(m, Token{
		At:          v.place(),
		User:        user,
		Value:       domain.Secret(m.need("token").nonEmpty()),
		Description: m.get("description").text(),
		Organizations: list(m.get("organizations"), func(v value) string {
			organization := v.organization()
			v.refer(ToMember, organization, user)
			return organization
		}, func(slug string) string { return slug }),
		Scopes: readScopes(m.get("scopes"), m.get("graphql")),
	})
}

func readScopes(scopes, graphQL value) domain.Scopes {
	names := list(scopes, func(v value) string {
		return v.checked(func(s string, faults *domain.Faults) string {
			domain.ParseScopes([]string{s}, "scopes", faults)
			return s
		})
	}, func(name string) string { return name })
	if graphQL.boolean() {
		names = append(names, string(domain.ScopeGraphQL))
	}
	return domain.ParseScopes(names, "scopes", new(domain.Faults)) // each was checked above
}

func readActivity(v value) Activity {
	m := v.mapping("organization", "user", "on")
	return Activity{
		At:           v.place(),
		Organization: m.need("organization").organization(),
		User:         m.need("user").user(),
		On:           m.need("on").date(),
	}
}
