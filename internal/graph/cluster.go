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
	gql.Object[cluster](b, "Cluster")
	ids(b, "Cluster", func(c cluster) domain.ClusterID { return c.ID })
	text(b, "Cluster.name", func(c cluster) string { return c.Name })
	nullableText(b, "Cluster.description", func(c cluster) *string { return c.Description })
	nullableText(b, "Cluster.emoji", func(c cluster) *string { return c.Emoji })
	nullableText(b, "Cluster.color", func(c cluster) *string { return c.Color })
	part(b, "Cluster.createdBy", func(c cluster) *domain.User { return c.CreatedBy })
	referred(b, "Cluster.organization", func(c cluster) domain.OrganizationID { return c.OrganizationID }, (*read.Snapshot).Organizations)
	referred(b, "Cluster.defaultQueue", func(c cluster) domain.QueueID { return orNone(c.DefaultQueueID) }, (*read.Snapshot).Queues)
	gql.One(b, "Cluster.queues", sound(func(ctx context.Context, clusters []cluster, args gql.Args) ([]*read.Connection[*domain.QueueView], error) {
		return readingOf(ctx).QueuesOf(clusters, orderArg(args, domain.ByName), selectsOnly(ctx, "id", "uuid", "key", "description", "cluster"), partOf(args))
	}))
	connected(b, "Cluster.agentTokens", func(r *read.Snapshot, clusters []cluster, args gql.Args) ([]*read.Connection[*domain.AgentTokenView], error) {
		return r.AgentTokensOf(clusters, partOf(args))
	})
	connected(b, "Cluster.cacheRegistries", func(r *read.Snapshot, clusters []cluster, args gql.Args) ([]*read.Connection[*domain.CacheRegistry], error) {
		return r.CacheRegistriesOf(clusters, partOf(args))
	})
	bindConnection[cluster](b, "Cluster")
	bindQueues(b)
	bindAgentTokens(b)
	bindCacheRegistries(b)
	bindClusterPermissions(b)
}

func orNone[T ~string](id *T) T {
	if id == nil {
		return ""
	}
	return *id
}

func bindQueues(b *gql.Builder) {
	type queue = *domain.QueueView
	gql.Object[queue](b, "ClusterQueue")
	ids(b, "ClusterQueue", func(q queue) domain.QueueID { return q.ID })
	text(b, "ClusterQueue.key", func(q queue) string { return q.Key })
	nullableText(b, "ClusterQueue.description", func(q queue) *string { return q.Description })
	text(b, "ClusterQueue.retryAgentAffinity", func(q queue) domain.RetryAgentAffinity { return q.RetryAgentAffinity })
	flag(b, "ClusterQueue.dispatchPaused", func(q queue) bool { return q.Paused != nil })
	gql.Leaf(b, "ClusterQueue.dispatchPausedAt", func(dst []byte, q queue) []byte {
		if q.Paused == nil {
			return gql.AppendNull(dst)
		}
		return appendTime(dst, q.Paused.At)
	})
	nullableText(b, "ClusterQueue.dispatchPausedNote", func(q queue) *string {
		if q.Paused == nil {
			return nil
		}
		return q.Paused.Note
	})
	part(b, "ClusterQueue.dispatchPausedBy", func(q queue) *domain.User { return q.PausedBy })
	part(b, "ClusterQueue.createdBy", func(q queue) *domain.User { return q.CreatedBy })
	referred(b, "ClusterQueue.cluster", func(q queue) domain.ClusterID { return q.ClusterID }, (*read.Snapshot).Clusters)
	flag(b, "ClusterQueue.hosted", func(q queue) bool { return q.Hosted != nil })
	part(b, "ClusterQueue.hostedAgents", func(q queue) *domain.HostedAgents { return q.Hosted })
	bindConnection[queue](b, "ClusterQueue")

	type hosted = *domain.HostedAgents
	gql.Object[hosted](b, "HostedAgentQueueSettings")
	part(b, "HostedAgentQueueSettings.instanceShape", func(h hosted) *domain.InstanceShape { return &h.Shape })
	part(b, "HostedAgentQueueSettings.platformSettings", func(h hosted) *platformSettings { return &platformSettings{h} })
	gql.Object[*platformSettings](b, "HostedAgentPlatformSettings")
	part(b, "HostedAgentPlatformSettings.linux", (*platformSettings).linux)
	part(b, "HostedAgentPlatformSettings.macos", (*platformSettings).macos)
	gql.Object[*linuxSettings](b, "HostedAgentLinuxSettings")
	nullableText(b, "HostedAgentLinuxSettings.agentImageRef", func(l *linuxSettings) *string { return l.AgentImageRef })
	gql.Object[*macOSSettings](b, "HostedAgentMacOSSettingsType")
	nullableText(b, "HostedAgentMacOSSettingsType.macosVersion", func(m *macOSSettings) *string { return m.MacOSVersion })
	nullableText(b, "HostedAgentMacOSSettingsType.xcodeVersion", func(m *macOSSettings) *string { return m.XcodeVersion })

	type shape = *domain.InstanceShape
	gql.Object[shape](b, "HostedAgentInstanceShape")
	text(b, "HostedAgentInstanceShape.name", func(s shape) string { return s.Name })
	text(b, "HostedAgentInstanceShape.architecture", func(s shape) string { return strings.ToUpper(s.Architecture) })
	text(b, "HostedAgentInstanceShape.machineType", func(s shape) string { return strings.ToUpper(s.MachineType) })
	text(b, "HostedAgentInstanceShape.size", func(s shape) string { return sizes[s.CPU] })
	number(b, "HostedAgentInstanceShape.vcpu", func(s shape) int64 { return int64(s.CPU) })
	number(b, "HostedAgentInstanceShape.memory", func(s shape) int64 { return int64(s.Memory) })
}

// sizes has what shapes with so many processors are called.
var sizes = map[int]string{2: "SMALL", 4: "MEDIUM", 6: "MEDIUM", 8: "LARGE", 12: "LARGE", 16: "EXTRA_LARGE", 32: "EXTRA_EXTRA_LARGE", 64: "THREE_XL"}

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
	gql.Object[token](b, "ClusterToken")
	ids(b, "ClusterToken", func(t token) domain.AgentTokenID { return t.ID })
	text(b, "ClusterToken.description", func(t token) string { return t.Description })
	nullableText(b, "ClusterToken.allowedIpAddresses", func(t token) *string { return t.AllowedIPAddresses })
	nullableInstant(b, "ClusterToken.expiresAt", func(t token) *time.Time { return t.ExpiresAt })
	text(b, "ClusterToken.token", func(token) string { return "" })
	part(b, "ClusterToken.createdBy", func(t token) *domain.User { return t.CreatedBy })
	referred(b, "ClusterToken.cluster", func(t token) domain.ClusterID { return t.ClusterID }, (*read.Snapshot).Clusters)
	bindConnection[token](b, "ClusterAgentToken")
}

func bindCacheRegistries(b *gql.Builder) {
	type registry = *domain.CacheRegistry
	gql.Object[registry](b, "CacheRegistry")
	ids(b, "CacheRegistry", func(c registry) domain.CacheRegistryID { return c.ID })
	text(b, "CacheRegistry.name", func(c registry) string { return c.Name })
	text(b, "CacheRegistry.slug", func(c registry) string { return c.Slug })
	nullableText(b, "CacheRegistry.description", func(c registry) *string { return c.Description })
	nullableText(b, "CacheRegistry.emoji", func(c registry) *string { return c.Emoji })
	nullableText(b, "CacheRegistry.color", func(c registry) *string { return c.Color })
	nullableText(b, "CacheRegistry.policy", func(c registry) *string { return c.Policy })
	instant(b, "CacheRegistry.createdAt", func(c registry) time.Time { return c.CreatedAt })
	instant(b, "CacheRegistry.updatedAt", func(c registry) time.Time { return c.UpdatedAt })
	referred(b, "CacheRegistry.cluster", func(c registry) domain.ClusterID { return c.ClusterID }, (*read.Snapshot).Clusters)
	bindConnection[registry](b, "CacheRegistry")
}

func bindClusterPermissions(b *gql.Builder) {
	type maintainer = *domain.Maintainer
	gql.Object[maintainer](b, "ClusterPermission")
	ids(b, "ClusterPermission", func(m maintainer) domain.MaintainerID { return m.ID })
	for _, field := range []string{"can_add_pipelines", "can_manage", "can_see_tokens"} {
		flag(b, "ClusterPermission."+field, func(maintainer) bool { return true })
	}
	referred(b, "ClusterPermission.cluster", func(m maintainer) domain.ClusterID { return m.ClusterID }, (*read.Snapshot).Clusters)
	gql.One(b, "ClusterPermission.actor", maintainersActors)
}
