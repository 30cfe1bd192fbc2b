package graph

import (
	"cmp"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
)

func bindClusterMutations(b *gql.Builder) {
	mutation(b, "clusterCreate", "ClusterCreatePayload", func(c change) (*payload, error) {
		maintainers, maintainersErr := clusterMaintainers(c.input)
		made, err := c.service.CreateCluster(c.ctx, c.actor, c.organization("organizationId"), core.Sent(domain.ClusterInput{
			Name:        optional[string](c.input, "name"),
			LookInput:   readLook(c.input),
			Maintainers: maintainers,
		}, maintainersErr))
		return &payload{cluster: &made}, err
	})
	bindPart(b, "ClusterCreatePayload.cluster", func(p *payload) *domain.ClusterView { return p.cluster })

	mutation(b, "clusterUpdate", "ClusterUpdatePayload", func(c change) (*payload, error) {
		queue, queueErr := optionalID(c.input, "defaultQueueId", "ClusterQueue", "cluster queue")
		registry, registryErr := optionalID(c.input, "defaultCacheRegistryId", "CacheRegistry", "cache registry")
		patch := domain.ClusterPatch{Name: optional[string](c.input, "name"), LookInput: readLook(c.input),
			DefaultQueueID: queue, DefaultCacheRegistryID: registry.UnlessNull()}
		readSettings(c.input, domain.SettingsOfClusters, &patch)
		domain.LeaveOutNulls(domain.SettingsOfClusters, &patch) // that generated clients send for what is not set
		changed, err := c.service.UpdateCluster(c.ctx, c.actor, c.cluster("id"),
			core.Sent(patch, cmp.Or(queueErr, registryErr)), nil)
		return &payload{cluster: &changed}, err
	})
	bindPart(b, "ClusterUpdatePayload.cluster", func(p *payload) *domain.ClusterView { return p.cluster })

	mutation(b, "clusterDelete", "ClusterDeletePayload", func(c change) (*payload, error) {
		return &payload{deleted: c.input.String("id")}, c.service.DeleteCluster(c.ctx, c.actor, c.cluster("id"), nil)
	})
	deletedField(b, "ClusterDeletePayload.deletedClusterId")
	bindClusterPermissionMutations(b)
	bindQueueMutations(b)
	bindAgentTokenMutations(b)
	bindCacheRegistryMutations(b)
}

func bindClusterPermissionMutations(b *gql.Builder) {
	mutation(b, "clusterPermissionCreate", "ClusterPermissionCreatePayload", func(c change) (*payload, error) {
		made, err := c.service.AddMaintainer(c.ctx, c.actor, c.cluster("clusterId"), core.Sent(maintainerInput(c.input)))
		return &payload{maintainer: &made}, err
	})
	bindPart(b, "ClusterPermissionCreatePayload.clusterPermission", func(p *payload) *domain.Maintainer {
		return p.maintainer
	})

	mutation(b, "clusterPermissionDelete", "ClusterPermissionDeletePayload", func(c change) (*payload, error) {
		id := c.input.String("id")
		return &payload{deleted: id}, c.service.RemoveMaintainer(c.ctx, c.actor, c.cluster("clusterId"),
			globalID[string]("ClusterPermission", id), nil)
	})
	deletedField(b, "ClusterPermissionDeletePayload.deletedClusterPermissionId")
}

// clusterMaintainers reads who is to maintain a new cluster.
func clusterMaintainers(input gql.Args) (maintainers domain.Optional[[]domain.MaintainerInput], err error) {
	given := optional[[]any](input, "maintainers")
	maintainers.Given, maintainers.Null = given.Given, given.Null
	for _, v := range given.Value {
		m, err := maintainerInput(v.(gql.Args))
		if err != nil {
			return maintainers, err
		}
		maintainers.Value = append(maintainers.Value, m)
	}
	return maintainers, nil
}

func maintainerInput(input gql.Args) (in domain.MaintainerInput, err error) {
	var userErr, teamErr error
	in.User, userErr = optionalID(input, "userId", "User", "user")
	in.Team, teamErr = optionalID(input, "teamId", "Team", "team")
	return in, cmp.Or(userErr, teamErr)
}

func queueField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) *domain.QueueView { return p.queue })
}

func bindQueueMutations(b *gql.Builder) {
	mutation(b, "clusterQueueCreate", "ClusterQueueCreatePayload", func(c change) (*payload, error) {
		made, err := c.service.CreateQueue(c.ctx, c.actor, c.cluster("clusterId"), core.Value(queueInput(c.input)))
		return &payload{queue: &made}, err
	})
	queueField(b, "ClusterQueueCreatePayload.clusterQueue")

	mutation(b, "clusterQueueUpdate", "ClusterQueueUpdatePayload", func(c change) (*payload, error) {
		cluster, id := c.queue()
		changed, err := c.service.UpdateQueue(c.ctx, c.actor, cluster, id, core.Value(queueInput(c.input)), nil)
		return &payload{queue: &changed}, err
	})
	queueField(b, "ClusterQueueUpdatePayload.clusterQueue")

	mutation(b, "clusterQueueDelete", "ClusterQueueDeletePayload", func(c change) (*payload, error) {
		cluster, id := c.queue()
		return &payload{deleted: c.input.String("id")}, c.service.DeleteQueue(c.ctx, c.actor, cluster, id, nil)
	})
	deletedField(b, "ClusterQueueDeletePayload.deletedClusterQueueId")

	mutation(b, "clusterQueuePauseDispatch", "ClusterQueuePauseDispatchPayload", func(c change) (*payload, error) {
		cluster, id := c.queue()
		paused, err := c.service.PauseQueue(c.ctx, c.actor, cluster, id, core.Value(optional[string](c.input, "note")))
		return &payload{queue: &paused}, err
	})
	queueField(b, "ClusterQueuePauseDispatchPayload.queue")

	mutation(b, "clusterQueueResumeDispatch", "ClusterQueueResumeDispatchPayload", func(c change) (*payload, error) {
		cluster, id := c.queue()
		resumed, err := c.service.ResumeQueue(c.ctx, c.actor, cluster, id)
		return &payload{queue: &resumed}, err
	})
	queueField(b, "ClusterQueueResumeDispatchPayload.queue")
}

func queueInput(input gql.Args) domain.QueueInput {
	in := domain.QueueInput{Key: optional[string](input, "key")}
	readSettings(input, domain.SettingsOfQueues, &in)
	hosted := optional[gql.Args](input, "hostedAgents")
	in.Hosted.Given, in.Hosted.Null = hosted.Given, hosted.Null
	if hosted.HasValue() {
		platform := hosted.Value.Object("platformSettings")
		in.Hosted.Value = domain.HostedAgentsInput{
			InstanceShape: optional[string](hosted.Value, "instanceShape"),
			AgentImageRef: optional[string](platform.Object("linux"), "agentImageRef"),
			MacOSVersion:  optional[string](platform.Object("macos"), "macosVersion"),
			XcodeVersion:  optional[string](platform.Object("macos"), "xcodeVersion"),
		}
		if direct := optional[string](hosted.Value, "agentImageRef"); direct.Given {
			in.Hosted.Value.AgentImageRef = direct
		}
	}
	return in
}

func bindAgentTokenMutations(b *gql.Builder) {
	mutation(b, "clusterAgentTokenCreate", "ClusterAgentTokenCreatePayload", func(c change) (*payload, error) {
		made, value, err := c.service.CreateAgentToken(c.ctx, c.actor, c.cluster("clusterId"),
			core.Value(agentTokenInput(c.input)))
		return &payload{token: &made, value: value}, err
	})
	tokenField(b, "ClusterAgentTokenCreatePayload.clusterAgentToken")
	bindText(b, "ClusterAgentTokenCreatePayload.tokenValue", func(p *payload) string { return p.value.Reveal() })

	mutation(b, "clusterAgentTokenUpdate", "ClusterAgentTokenUpdatePayload", func(c change) (*payload, error) {
		cluster, id := c.agentToken()
		changed, err := c.service.UpdateAgentToken(c.ctx, c.actor, cluster, id, core.Value(agentTokenInput(c.input)), nil)
		return &payload{token: &changed}, err
	})
	tokenField(b, "ClusterAgentTokenUpdatePayload.clusterAgentToken")

	mutation(b, "clusterAgentTokenRevoke", "ClusterAgentTokenRevokePayload", func(c change) (*payload, error) {
		cluster, id := c.agentToken()
		return &payload{deleted: c.input.String("id")}, c.service.DeleteAgentToken(c.ctx, c.actor, cluster, id, nil)
	})
	deletedField(b, "ClusterAgentTokenRevokePayload.deletedClusterAgentTokenId")
}

func tokenField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) *domain.AgentTokenView { return p.token })
}

func agentTokenInput(input gql.Args) domain.AgentTokenInput {
	in := domain.AgentTokenInput{
		Description:        optional[string](input, "description"),
		AllowedIPAddresses: optional[string](input, "allowedIpAddresses"),
	}
	if at := optional[time.Time](input, "expiresAt"); at.HasValue() {
		in.ExpiresAt = domain.Some(at.Value.Format(time.RFC3339Nano))
	}
	return in
}

func bindCacheRegistryMutations(b *gql.Builder) {
	mutation(b, "cacheRegistryCreate", "CacheRegistryCreatePayload", func(c change) (*payload, error) {
		made, err := c.service.CreateCacheRegistry(c.ctx, c.actor, c.cluster("clusterId"), core.Value(registryInput(c.input)))
		return &payload{registry: &made.CacheRegistry}, err
	})
	registryField(b, "CacheRegistryCreatePayload.cacheRegistry")

	mutation(b, "cacheRegistryUpdate", "CacheRegistryUpdatePayload", func(c change) (*payload, error) {
		cluster, id := c.cacheRegistry()
		changed, err := c.service.UpdateCacheRegistry(c.ctx, c.actor, cluster, id, core.Value(registryChange(c.input)), nil)
		return &payload{registry: &changed.CacheRegistry}, err
	})
	registryField(b, "CacheRegistryUpdatePayload.cacheRegistry")

	mutation(b, "cacheRegistryDelete", "CacheRegistryDeletePayload", func(c change) (*payload, error) {
		cluster, id := c.cacheRegistry()
		return &payload{deleted: c.input.String("id")}, c.service.DeleteCacheRegistry(c.ctx, c.actor, cluster, id, nil)
	})
	deletedField(b, "CacheRegistryDeletePayload.deletedCacheRegistryId")
}

func registryField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) *domain.CacheRegistry { return p.registry })
}

// registryChange is registryInput for a registry that exists. Null for the policy keeps it: the Terraform provider
// sends null where none is configured. The JSON text null clears it.
func registryChange(input gql.Args) domain.CacheRegistryInput {
	in := registryInput(input)
	switch {
	case in.Policy.Null:
		in.Policy = domain.Optional[[]byte]{}
	case strings.TrimSpace(string(in.Policy.Value)) == "null":
		in.Policy = domain.Null[[]byte]()
	}
	return in
}

func registryInput(input gql.Args) domain.CacheRegistryInput {
	in := domain.CacheRegistryInput{
		Name:      optional[string](input, "name"),
		LookInput: readLook(input),
	}
	policy := optional[string](input, "policy")
	in.Policy = domain.Optional[[]byte]{Value: []byte(policy.Value), Given: policy.Given, Null: policy.Null}
	return in
}
