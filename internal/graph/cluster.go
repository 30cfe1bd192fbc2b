package graph

import (
	"context"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

func bindClusters(b *gql.Builder) {
	type cluster = *domain.ClusterView
	gql.DeclareObject[cluster](b, "Cluster")
	bindIDs(b, "Cluster", func(c cluster) domain.ClusterID { return c.ID })
	bindText(b, "Cluster.name", func(c cluster) string { return c.Name })
	bindLook(b, "Cluster", func(c cluster) *domain.Look { return &c.Look })
	bindTime(b, "Cluster.createdAt", func(c cluster) time.Time { return c.CreatedAt })
	for _, s := range domain.SettingsOfClusters {
		bindManagedBool(b, "Cluster."+s.GraphQL, func(c cluster) bool { return *s.Flag(&c.Cluster) })
	}
	bindReference(b, "Cluster.defaultCacheRegistry", func(c cluster) domain.CacheRegistryID {
		return c.DefaultCacheRegistryID
	}, (*read.Snapshot).CacheRegistries)
	bindPart(b, "Cluster.createdBy", func(c cluster) *domain.User { return c.CreatedBy })
	bindReference(b, "Cluster.organization", func(c cluster) domain.OrganizationID {
		return c.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindReference(b, "Cluster.defaultQueue", func(c cluster) domain.QueueID { return valueOrEmpty(c.DefaultQueueID) },
		(*read.Snapshot).Queues)
	gql.BindObject(b, "Cluster.queues", withChecks(func(ctx context.Context, clusters []cluster, args gql.Args) (
		[]*read.Connection[*domain.QueueView], error) {
		return readingOf(ctx).QueuesOf(clusters, orderArg(args, domain.ByName), selectsOnly(ctx, "id", "uuid", "key",
			"description", "cluster"), connectionPart(args))
	}))
	bindConnectionField(b, "Cluster.agentTokens", func(r *read.Snapshot, clusters []cluster, args gql.Args) (
		[]*read.Connection[*domain.AgentTokenView], error) {
		return r.AgentTokensOf(clusters, connectionPart(args))
	})
	bindConnectionField(b, "Cluster.cacheRegistries", func(r *read.Snapshot, clusters []cluster, args gql.Args) (
		[]*read.Connection[*domain.CacheRegistry], error) {
		return r.CacheRegistriesOf(clusters, connectionPart(args))
	})
	bindConnectionField(b, "Cluster.maintainers", func(r *read.Snapshot, clusters []cluster, args gql.Args) (
		[]*read.Connection[*domain.Maintainer], error) {
		return r.MaintainersOf(clusters, connectionPart(args))
	})
	bindConnection[cluster](b, "Cluster")
	bindQueues(b)
	bindAgentTokens(b)
	bindClusterSecrets(b)
	bindCacheRegistries(b)
	bindClusterPermissions(b)
}

func valueOrEmpty[T ~string](id *T) T {
	if id == nil {
		return ""
	}
	return *id
}

func bindQueues(b *gql.Builder) {
	type queue = *domain.QueueView
	gql.DeclareObject[queue](b, "ClusterQueue")
	bindIDs(b, "ClusterQueue", func(q queue) domain.QueueID { return q.ID })
	bindText(b, "ClusterQueue.key", func(q queue) string { return q.Key })
	bindSettings(b, "ClusterQueue", domain.SettingsOfQueues, func(q queue) *domain.Queue { return &q.Queue })
	bindBool(b, "ClusterQueue.dispatchPaused", func(q queue) bool { return q.Paused != nil })
	gql.BindLeaf(b, "ClusterQueue.dispatchPausedAt", func(dst []byte, q queue) []byte {
		if q.Paused == nil {
			return gql.AppendNull(dst)
		}
		return appendTime(dst, q.Paused.At)
	})
	bindNullableText(b, "ClusterQueue.dispatchPausedNote", func(q queue) *string {
		if q.Paused == nil {
			return nil
		}
		return q.Paused.Note
	})
	bindPart(b, "ClusterQueue.dispatchPausedBy", func(q queue) *domain.User { return q.PausedBy })
	bindTime(b, "ClusterQueue.createdAt", func(q queue) time.Time { return q.CreatedAt })
	bindPart(b, "ClusterQueue.createdBy", func(q queue) *domain.User { return q.CreatedBy })
	bindReference(b, "ClusterQueue.cluster", func(q queue) domain.ClusterID {
		return q.ClusterID
	}, (*read.Snapshot).Clusters)
	bindBool(b, "ClusterQueue.hosted", func(q queue) bool { return q.Hosted != nil })
	bindPart(b, "ClusterQueue.hostedAgents", func(q queue) *domain.HostedAgents { return q.Hosted })
	bindConnection[queue](b, "ClusterQueue")
	bindQueueMetrics(b)

	type hosted = *domain.HostedAgents
	gql.DeclareObject[hosted](b, "HostedAgentQueueSettings")
	bindPart(b, "HostedAgentQueueSettings.instanceShape", func(h hosted) *domain.InstanceShape { return &h.Shape })
	bindPart(b, "HostedAgentQueueSettings.platformSettings", func(h hosted) *platformSettings {
		return &platformSettings{h}
	})
	gql.DeclareObject[*platformSettings](b, "HostedAgentPlatformSettings")
	bindPart(b, "HostedAgentPlatformSettings.linux", (*platformSettings).linux)
	bindPart(b, "HostedAgentPlatformSettings.macos", (*platformSettings).macos)
	gql.DeclareObject[*linuxSettings](b, "HostedAgentLinuxSettings")
	bindNullableText(b, "HostedAgentLinuxSettings.agentImageRef", func(l *linuxSettings) *string {
		return l.AgentImageRef
	})
	gql.DeclareObject[*macOSSettings](b, "HostedAgentMacOSSettingsType")
	bindNullableText(b, "HostedAgentMacOSSettingsType.macosVersion", func(m *macOSSettings) *string {
		return m.MacOSVersion
	})
	bindNullableText(b, "HostedAgentMacOSSettingsType.xcodeVersion", func(m *macOSSettings) *string {
		return m.XcodeVersion
	})

	type shape = *domain.InstanceShape
	gql.DeclareObject[shape](b, "HostedAgentInstanceShape")
	bindText(b, "HostedAgentInstanceShape.name", func(s shape) string { return s.Name })
	bindText(b, "HostedAgentInstanceShape.architecture", func(s shape) string { return strings.ToUpper(s.Architecture) })
	bindText(b, "HostedAgentInstanceShape.machineType", func(s shape) string { return strings.ToUpper(s.MachineType) })
	bindText(b, "HostedAgentInstanceShape.size", func(s shape) string { return sizesByProcessors[s.CPU] })
	bindInt(b, "HostedAgentInstanceShape.vcpu", func(s shape) int64 { return int64(s.CPU) })
	bindInt(b, "HostedAgentInstanceShape.memory", func(s shape) int64 { return int64(s.Memory) })
}

// sizesByProcessors has what shapes with so many processors are called.
var sizesByProcessors = map[int]string{2: "SMALL", 4: "MEDIUM", 6: "MEDIUM", 8: "LARGE", 12: "LARGE", 16: "EXTRA_LARGE",
	32: "EXTRA_EXTRA_LARGE", 64: "THREE_XL"}

type (
	platformSettings struct{ hosted *domain.HostedAgents }
	linuxSettings    struct{ *domain.HostedAgents }
	macOSSettings    struct{ *domain.HostedAgents }
)

func (p *platformSettings) linux() *linuxSettings {
	if p.hosted.Shape.MachineType != "linux" {
		return nil
	}
	return &linuxSettings{p.hosted}
}

func (p *platformSettings) macos() *macOSSettings {
	if p.hosted.Shape.MachineType != "macos" {
		return nil
	}
	return &macOSSettings{p.hosted}
}

func bindAgentTokens(b *gql.Builder) {
	type token = *domain.AgentTokenView
	gql.DeclareObject[token](b, "ClusterToken")
	bindIDs(b, "ClusterToken", func(t token) domain.AgentTokenID { return t.ID })
	bindText(b, "ClusterToken.description", func(t token) string { return t.Description })
	bindNullableText(b, "ClusterToken.allowedIpAddresses", func(t token) *string { return t.AllowedIPAddresses })
	bindNullableTime(b, "ClusterToken.expiresAt", func(t token) *time.Time { return t.ExpiresAt })
	bindText(b, "ClusterToken.token", func(token) string { return "" })
	bindTime(b, "ClusterToken.createdAt", func(t token) time.Time { return t.CreatedAt })
	bindPart(b, "ClusterToken.createdBy", func(t token) *domain.User { return t.CreatedBy })
	bindReference(b, "ClusterToken.cluster", func(t token) domain.ClusterID {
		return t.ClusterID
	}, (*read.Snapshot).Clusters)
	bindConnection[token](b, "ClusterAgentToken")
}

func bindClusterSecrets(b *gql.Builder) {
	type secret = *domain.ClusterSecretView
	gql.DeclareObject[secret](b, "Secret")
	bindIDs(b, "Secret", func(s secret) domain.ClusterSecretID { return s.ID })
	bindText(b, "Secret.key", func(s secret) string { return s.Key })
	bindNullableText(b, "Secret.description", func(s secret) *string { return s.Description })
	bindTime(b, "Secret.createdAt", func(s secret) time.Time { return s.CreatedAt })
	bindTime(b, "Secret.updatedAt", func(s secret) time.Time { return s.UpdatedAt })
	bindNullableTime(b, "Secret.destroyedAt", func(secret) *time.Time { return nil })
	bindReference(b, "Secret.cluster", func(s secret) domain.ClusterID { return s.ClusterID }, (*read.Snapshot).Clusters)
	bindReference(b, "Secret.organization", func(s secret) domain.OrganizationID {
		return s.OrganizationID
	}, (*read.Snapshot).Organizations)
}

func bindCacheRegistries(b *gql.Builder) {
	type registry = *domain.CacheRegistry
	gql.DeclareObject[registry](b, "CacheRegistry")
	bindIDs(b, "CacheRegistry", func(c registry) domain.CacheRegistryID { return c.ID })
	bindText(b, "CacheRegistry.name", func(c registry) string { return c.Name })
	bindText(b, "CacheRegistry.slug", func(c registry) string { return c.Slug })
	bindLook(b, "CacheRegistry", func(r registry) *domain.Look { return &r.Look })
	bindNullableText(b, "CacheRegistry.policy", func(c registry) *string { return c.Policy })
	bindTime(b, "CacheRegistry.createdAt", func(c registry) time.Time { return c.CreatedAt })
	bindTime(b, "CacheRegistry.updatedAt", func(c registry) time.Time { return c.UpdatedAt })
	bindReference(b, "CacheRegistry.cluster", func(c registry) domain.ClusterID {
		return c.ClusterID
	}, (*read.Snapshot).Clusters)
	bindBools(b, "CacheRegistry.default", (*read.Snapshot).AreDefaultRegistries)
	bindConnection[registry](b, "CacheRegistry")
}

func bindClusterPermissions(b *gql.Builder) {
	type maintainer = *domain.Maintainer
	gql.DeclareObject[maintainer](b, "ClusterPermission")
	bindIDs(b, "ClusterPermission", func(m maintainer) domain.MaintainerID { return m.ID })
	for _, field := range []string{"can_add_pipelines", "can_manage", "can_see_tokens"} {
		bindBool(b, "ClusterPermission."+field, func(maintainer) bool { return true })
	}
	bindReference(b, "ClusterPermission.cluster", func(m maintainer) domain.ClusterID {
		return m.ClusterID
	}, (*read.Snapshot).Clusters)
	gql.BindObject(b, "ClusterPermission.actor", findMaintainerActors)
	bindConnection[maintainer](b, "ClusterPermission")
}
