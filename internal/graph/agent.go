package graph

import (
	"context"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type agent = *domain.AgentView

func agentSearch(args gql.Args) domain.AgentSearch {
	search := domain.AgentSearch{
		Text:        args.String("search"),
		Tags:        listArg(args, "metaData", sameEnum[string]),
		Running:     optional[bool](args, "isRunningJob").Ptr(),
		Paused:      optional[bool](args, "paused").Ptr(),
		Unclustered: isGivenFalse(args, "clustered"),
	}
	search.Cluster, search.Queues = clusterArgs(args)
	return search
}

func bindAgents(b *gql.Builder) {
	gql.DeclareObject[agent](b, "Agent")
	bindIDs(b, "Agent", func(a agent) domain.AgentID { return a.ID })
	bindText(b, "Agent.name", func(a agent) string { return a.Name })
	bindText(b, "Agent.connectionState", func(a agent) string { return string(a.State) })
	bindText(b, "Agent.hostname", func(a agent) string { return a.Hostname })
	bindText(b, "Agent.ipAddress", func(a agent) string { return a.IPAddress })
	bindText(b, "Agent.userAgent", func(a agent) string { return a.UserAgent })
	bindText(b, "Agent.version", func(a agent) string { return a.Version })
	bindText(b, "Agent.pid", func(a agent) string { return strconv.FormatInt(a.PID, 10) })
	bindNullableInt(b, "Agent.priority", func(a agent) *int64 { return a.Priority })
	gql.BindLeaf(b, "Agent.metaData", func(dst []byte, a agent) []byte { return appendTexts(dst, a.MetaData) })
	for _, field := range []string{"isDeprecated", "public", "versionHasKnownIssues"} {
		bindBool(b, "Agent."+field, func(agent) bool { return false })
	}
	bindTime(b, "Agent.createdAt", func(a agent) time.Time { return a.CreatedAt })
	for field, get := range map[string]func(agent) *time.Time{
		"connectedAt":    func(a agent) *time.Time { return a.ConnectedAt },
		"disconnectedAt": func(a agent) *time.Time { return a.DisconnectedAt },
		"heartbeatAt":    func(a agent) *time.Time { return a.HeardAt },
		"pingedAt":       func(a agent) *time.Time { return a.HeardAt },
		"lostAt":         func(a agent) *time.Time { return a.LostAt },
		"stoppedAt":      func(a agent) *time.Time { return a.StoppedAt },
	} {
		bindNullableTime(b, "Agent."+field, get)
	}
	bindStops(b)
	bindPauses(b)
	type operatingSystem struct{ name string }
	gql.DeclareObject[*operatingSystem](b, "OperatingSystem")
	bindPart(b, "Agent.operatingSystem", func(a agent) *operatingSystem {
		if a.OS == "" {
			return nil
		}
		return &operatingSystem{a.OS}
	})
	bindText(b, "OperatingSystem.name", func(s *operatingSystem) string { return s.name })
	bindReference(b, "Agent.organization", func(a agent) domain.OrganizationID {
		return a.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindReference(b, "Agent.clusterQueue", func(a agent) domain.QueueID {
		return valueOrEmpty(a.QueueID)
	}, (*read.Snapshot).Queues)
	gql.BindObject(b, "Agent.job", func(ctx context.Context, agents []agent, _ gql.Args) ([]job, error) {
		return readingOf(ctx).JobsWithAgents(agents)
	})
	bindBools(b, "Agent.isRunningJob", func(r *read.Snapshot, agents []agent) ([]bool, error) {
		jobs, err := r.JobsWithAgents(agents)
		flags := make([]bool, len(agents))
		for i, j := range jobs {
			flags[i] = j != nil
		}
		return flags, err
	})
	bindConnectionField(b, "Agent.jobs", func(r *read.Snapshot, agents []agent, args gql.Args) ([]*read.Connection[job],
		error) {
		return r.JobsOfAgents(agents, jobSearch(args), orderArg(args, domain.RecentlyAssigned), connectionPart(args))
	})
	bindPermissions(b, "Agent", "AgentPermissions", map[string]func(*read.Snapshot, []agent) ([]bool, error){
		"agentPause": permitOnAgents, "agentResume": permitOnAgents, "agentStop": permitOnAgents,
	})
	bindConnection[agent](b, "Agent")
	bindConnectionField(b, "Organization.agents", func(r *read.Snapshot, organizations []organization, args gql.Args) (
		[]*read.Connection[agent], error) {
		return r.AgentsOf(organizations, agentSearch(args), connectionPart(args))
	})
	gql.BindEachObject(b, "Query.agent", func(ctx context.Context, _ gql.Root, args gql.Args) (agent, error) {
		organization, uuid, _ := strings.Cut(args.String("slug"), "/")
		found, err := findByID(uuid, readingOf(ctx).Agents)
		if err != nil || found == nil || found.OrganizationSlug != organization {
			return nil, err
		}
		return found, nil
	})
}

func permitOnAgents(r *read.Snapshot, agents []agent) ([]bool, error) {
	return r.AgentPermitted(agents, authz.WriteAgent)
}

// bindStops binds when an agent stopped because somebody stopped it, and who did: at once, or after its job.
func bindStops(b *gql.Builder) {
	bindPart(b, "Agent.stoppedBy", func(a agent) *domain.User { return a.StoppedBy })
	for prefix, force := range map[string]bool{"stopForced": true, "stoppedGracefully": false} {
		bindNullableTime(b, "Agent."+prefix+"At", func(a agent) *time.Time {
			if a.ForceStop != force {
				return nil
			}
			return a.StoppedAt
		})
		bindPart(b, "Agent."+prefix+"By", func(a agent) *domain.User {
			if a.ForceStop != force {
				return nil
			}
			return a.StoppedBy
		})
	}
}

// bindPauses binds whether an agent is paused now, and why.
func bindPauses(b *gql.Builder) {
	bindBools(b, "Agent.paused", (*read.Snapshot).ArePaused)
	gql.BindColumn(b, "Agent.pausedAt", whilePaused(func(a agent) *time.Time { return a.PausedAt }),
		func(dst []byte, at *time.Time) []byte {
			if at == nil {
				return gql.AppendNull(dst)
			}
			return appendTime(dst, *at)
		})
	gql.BindColumn(b, "Agent.pausedNote", whilePaused(func(a agent) *string { return a.PausedNote }), appendNullable)
	gql.BindObject(b, "Agent.pausedBy", whilePaused(func(a agent) *domain.User { return a.PausedBy }))
	bindInt(b, "Agent.pausedTimeoutInMinutes", func(a agent) int64 {
		if a.PausedTimeout == nil {
			return domain.DefaultPauseMinutes
		}
		return *a.PausedTimeout
	})
}

// whilePaused finds what is known of a pause, for agents that are paused now.
func whilePaused[V any](get func(agent) *V) func(context.Context, []agent, gql.Args) ([]*V, error) {
	return func(ctx context.Context, agents []agent, _ gql.Args) ([]*V, error) {
		paused, err := readingOf(ctx).ArePaused(agents)
		values := make([]*V, len(agents))
		for i, a := range agents {
			if err == nil && paused[i] {
				values[i] = get(a)
			}
		}
		return values, err
	}
}
