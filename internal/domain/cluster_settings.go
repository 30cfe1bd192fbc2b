package domain

// clusterSettings are the settings of a cluster that runs hosted agents. The tags say what REST and audit events call
// them, and what they mean.
type clusterSettings[Flag any] struct {
	HostedGitMirrorEnabled      Flag `json:"hosted_git_mirror_enabled" nullable:"false" managed:"true" doc:"Whether hosted agents use a git mirror." input:"Only changes on clusters that run hosted agents."`
	HostedContainerCacheEnabled Flag `json:"hosted_container_cache_enabled" nullable:"false" managed:"true" doc:"Whether hosted agents use a container cache." input:"Only changes on clusters that run hosted agents."`
}

// ClusterSettings are those of a cluster.
type ClusterSettings = clusterSettings[bool]

// ClusterSettingsInput is what a caller sends to change them.
type ClusterSettingsInput = clusterSettings[Optional[bool]]

// SettingsOfClusters describes the fields of ClusterSettings.
var SettingsOfClusters = []Setting[Cluster, ClusterPatch]{
	{
		Name: "hosted_git_mirror_enabled", GraphQL: "hostedGitMirrorEnabled",
		FormLabel: "Git mirror", Help: "Hosted agents clone from a nearby mirror.",
		AppliesTo: (*Cluster).Hosted, OnlyOn: "hosted clusters",
		Flag:   func(c *Cluster) *bool { return &c.HostedGitMirrorEnabled },
		FlagIn: func(p *ClusterPatch) *Optional[bool] { return &p.HostedGitMirrorEnabled },
	},
	{
		Name: "hosted_container_cache_enabled", GraphQL: "hostedContainerCacheEnabled",
		FormLabel: "Container cache", Help: "Hosted agents cache container image layers.",
		AppliesTo: (*Cluster).Hosted, OnlyOn: "hosted clusters",
		Flag:   func(c *Cluster) *bool { return &c.HostedContainerCacheEnabled },
		FlagIn: func(p *ClusterPatch) *Optional[bool] { return &p.HostedContainerCacheEnabled },
	},
}
