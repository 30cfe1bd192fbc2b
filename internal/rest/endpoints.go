package rest

import "net/http"

// endpoint is one operation of the API. The OpenAPI description is made from the same values.
type endpoint struct {
	methods   []string // the first is the one that is described, the others do the same
	path      string
	operation string // its name in the description
	summary   string
	scope     string // that a token needs; documentation, the service decides
	open      bool   // needs no token
	body      any    // an example of the body's type; nil for none
	optional  bool   // the body may be left out, and then be of any media type
	strict    bool   // unknown members of the body are refused
	answer    any    // an example of the answer's type; nil for none
	list      listKind
	query     []parameter // besides those of its list
	status    int
	tagged    bool  // has an ETag
	errors    []int // statuses that it can answer with besides the common ones
	handle    func(*call) (answer any, err error)
}

// parameter is a query parameter.
type parameter struct{ name, doc string }

// listKind says how an endpoint's answer is paged.
type listKind int

const (
	noList listKind = iota
	pageList
	cursorList
)

const (
	inOrganization = "/v2/organizations/{org}"
	inCluster      = inOrganization + "/clusters/{cluster}"
	inPipeline     = inOrganization + "/pipelines/{pipeline}"
	inTeam         = inOrganization + "/teams/{team}"
	inPortal       = inOrganization + "/portals/{portal}"
)

var (
	get    = []string{http.MethodGet}
	post   = []string{http.MethodPost}
	update = []string{http.MethodPut, http.MethodPatch}
	patch  = []string{http.MethodPatch}
	remove = []string{http.MethodDelete}
)

// endpoints returns the whole API.
func endpoints() []*endpoint {
	var all []*endpoint
	for _, group := range [][]endpoint{
		rootEndpoints, identityEndpoints, clusterEndpoints, queueEndpoints, agentTokenEndpoints, maintainerEndpoints, cacheRegistryEndpoints,
		auditEventEndpoints, pipelineEndpoints, organizationSettingsEndpoints, memberEndpoints, teamEndpoints, teamMemberEndpoints, teamPipelineEndpoints,
		usageEndpoints,
		portalEndpoints,
	} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	return all
}
