package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/core"
)

func (a *API) clusterEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/clusters", Operation: "listClusters",
			Summary: "Lists an organization's clusters, by name.",
			Scope:   domain.ScopeReadClusters, Answer: []clusterAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.ClusterView], error) {
					return a.Service.Clusters(c.Context(), c.Actor(), c.Path("org"), page)
				}, a.showCluster)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/clusters", Operation: "createCluster",
			Summary: "Creates a cluster.",
			Scope:   domain.ScopeWriteClusters, Body: clusterCreateBody{}, Answer: clusterAnswer{}, Status: http.StatusCreated,
			Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				cluster, err := a.Service.CreateCluster(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, clusterCreateBody.input))
				return a.showCluster(cluster), err
			},
		},
		{
			Method: http.MethodGet, Path: inCluster, Operation: "getCluster", Summary: "Gets a cluster.",
			Scope: domain.ScopeReadClusters, Answer: managedClusterAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				cluster, err := a.Service.Cluster(c.Context(), c.Actor(), clusterRef(c))
				return a.showFullCluster(cluster), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inCluster, Operation: "updateCluster",
			Summary: "Changes a cluster. Everything is stored, or nothing.",
			Scope:   domain.ScopeWriteClusters, Body: clusterUpdateBody{}, Answer: managedClusterAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				cluster, err := a.Service.UpdateCluster(c.Context(), c.Actor(), clusterRef(c),
					readBody(c, clusterUpdateBody.input), a.requireClusterMatch(c))
				return a.showFullCluster(cluster), err
			},
		},
		{
			Method: http.MethodDelete, Path: inCluster, Operation: "deleteCluster",
			Summary: "Deletes a cluster with its queues, agent tokens, secrets, maintainers and cache registries.",
			Scope:   domain.ScopeWriteClusters, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeleteCluster(c.Context(), c.Actor(), clusterRef(c), a.requireClusterMatch(c))
			},
		},
		{
			Method: http.MethodGet, Path: inCluster + "/network_ranges", Operation: "listClusterNetworkRanges",
			Summary: "Lists the address ranges that belong to a cluster: none. Managers of the cluster only.",
			Scope:   domain.ScopeReadClusters, Answer: []string{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return a.Service.NetworkRanges(c.Context(), c.Actor(), clusterRef(c))
			},
		},
	}
}

func organizationRef(c *endpoint.Call) domain.OrganizationRef {
	return domain.OrganizationRef{Slug: c.Path("org")}
}

func clusterRef(c *endpoint.Call) domain.ClusterRef {
	return domain.ClusterRef{Organization: organizationRef(c), ID: c.Path("cluster")}
}

type clusterCreateBody struct {
	Name             domain.Optional[string] `json:"name" required:"true" doc:"1 to 255 characters. Two clusters may share one."`
	domain.LookInput `json:",inline"`
	Maintainers      domain.Optional[[]maintainerBody] `json:"maintainers" doc:"The cluster's maintainers: at most 100 users and teams of the organization."`
}

func (b clusterCreateBody) input() domain.ClusterInput {
	in := domain.ClusterInput{Name: b.Name, LookInput: b.LookInput}
	if b.Maintainers.HasValue() {
		in.Maintainers.Given = true
		for _, m := range b.Maintainers.Value {
			in.Maintainers.Value = append(in.Maintainers.Value, m.input())
		}
	}
	return in
}

type clusterUpdateBody struct {
	Name                        domain.Optional[string] `json:"name" nullable:"false" doc:"1 to 255 characters. Two clusters may share one."`
	domain.LookInput            `json:",inline"`
	DefaultQueueID              domain.Optional[string] `json:"default_queue_id" format:"uuid" doc:"A queue of this cluster. Null for none."`
	DefaultCacheRegistryUUID    domain.Optional[string] `json:"default_cache_registry_uuid" format:"uuid" nullable:"false" doc:"A cache registry of this cluster. Only those who may manage the cluster can change it."`
	domain.ClusterSettingsInput `json:",inline"`
}

func (b clusterUpdateBody) input() domain.ClusterPatch {
	return domain.ClusterPatch{
		Name:                   b.Name,
		LookInput:              b.LookInput,
		DefaultQueueID:         b.DefaultQueueID,
		DefaultCacheRegistryID: b.DefaultCacheRegistryUUID,
		ClusterSettingsInput:   b.ClusterSettingsInput,
	}
}

type clusterAnswer struct {
	ID              domain.ClusterID `json:"id" format:"uuid" doc:"The cluster's UUID."`
	GraphQLID       string           `json:"graphql_id" doc:"The cluster's ID in the GraphQL API."`
	DefaultQueueID  *domain.QueueID  `json:"default_queue_id" format:"uuid" doc:"The queue that agents take jobs from when they name none."`
	Name            string           `json:"name" doc:"The cluster's name."`
	domain.Look     `json:",inline"`
	Maintainers     clusterMaintainers `json:"maintainers" doc:"Who may manage the cluster, besides the organization's administrators."`
	URL             string             `json:"url" format:"uri" doc:"The cluster in this API."`
	WebURL          string             `json:"web_url" format:"uri" doc:"The cluster in the web interface."`
	QueuesURL       string             `json:"queues_url" format:"uri" doc:"The cluster's queues in this API."`
	DefaultQueueURL *string            `json:"default_queue_url" format:"uri" doc:"The default queue in this API."`
	CreatedAt       endpoint.Timestamp `json:"created_at" doc:"When the cluster was created."`
	CreatedBy       *userAnswer        `json:"created_by" doc:"Who created the cluster. Null if they are gone."`
}

type clusterMaintainers struct {
	Users []maintainerAnswer `json:"users" doc:"The users among them."`
	Teams []maintainerAnswer `json:"teams" doc:"The teams among them."`
}

// managedClusterAnswer is a cluster as those who may manage it see it; others do not get the last four.
type managedClusterAnswer struct {
	clusterAnswer            `json:",inline"`
	domain.ClusterSettings   `json:",inline"`
	DefaultCacheRegistryUUID domain.CacheRegistryID `json:"default_cache_registry_uuid" format:"uuid" managed:"true" doc:"The UUID of the cluster's default cache registry."`
	DefaultCacheRegistryURL  string                 `json:"default_cache_registry_url" format:"uri" managed:"true" doc:"The default cache registry in this API."`
}

func (a *API) clusterURL(organization string, id domain.ClusterID) string {
	return a.BaseURL + "/v2/organizations/" + organization + "/clusters/" + string(id)
}

// showCluster returns how a cluster is shown in lists and on creation.
func (a *API) showCluster(v domain.ClusterView) clusterAnswer {
	url := a.clusterURL(v.OrganizationSlug, v.ID)
	answer := clusterAnswer{
		ID:             v.ID,
		GraphQLID:      domain.GraphQLID("Cluster", v.ID),
		DefaultQueueID: v.DefaultQueueID,
		Name:           v.Name,
		Look:           v.Look,
		Maintainers:    clusterMaintainers{Users: []maintainerAnswer{}, Teams: []maintainerAnswer{}},
		URL:            url,
		WebURL:         a.BaseURL + "/organizations/" + v.OrganizationSlug + "/clusters/" + string(v.ID),
		QueuesURL:      url + "/queues",
		CreatedAt:      endpoint.Timestamp(v.CreatedAt),
		CreatedBy:      a.showUser(v.CreatedBy),
	}
	if v.DefaultQueueID != nil {
		queue := url + "/queues/" + string(*v.DefaultQueueID)
		answer.DefaultQueueURL = &queue
	}
	for _, m := range v.Maintainers {
		if m.User != nil {
			answer.Maintainers.Users = append(answer.Maintainers.Users, showMaintainer(m))
		} else {
			answer.Maintainers.Teams = append(answer.Maintainers.Teams, showMaintainer(m))
		}
	}
	return answer
}

// showFullCluster returns how a cluster is shown to the caller when they get or update it.
func (a *API) showFullCluster(v domain.ClusterView) any {
	answer := a.showCluster(v)
	if !v.Managed {
		return answer
	}
	return managedClusterAnswer{
		clusterAnswer:            answer,
		ClusterSettings:          v.ClusterSettings,
		DefaultCacheRegistryUUID: v.DefaultCacheRegistryID,
		DefaultCacheRegistryURL:  answer.URL + "/cache-registries/" + string(v.DefaultCacheRegistryID),
	}
}

// requireClusterMatch is requireMatch for clusters, which their creation shows otherwise than they are got.
func (a *API) requireClusterMatch(c *endpoint.Call) *core.Precondition[domain.ClusterView] {
	return requireMatch(c, a.showFullCluster, func(v domain.ClusterView) any { return a.showCluster(v) })
}
