package web

import (
	"net/http"
	"slices"
	"strings"
)

// route is a page of the web interface.
type route struct {
	path string  // a pattern of http.ServeMux, without the method
	get  handler // shows it; nil: it cannot be asked for
	post handler // takes its form; nil: it has none
	open bool    // for visitors too, who are not signed in
}

// handler answers a request. It calls an operation of the service and shows what came of it.
type handler func(*call) (*reply, error)

// allRoutes are all pages: each file of pages has its own list. Those of builds are below their organization's other
// pages too, for organizations whose slug other addresses begin with.
func allRoutes() []route {
	routes := pageRoutes()
	for _, r := range routes {
		if below, found := strings.CutPrefix(r.path, inBuilds); found {
			r.path = inPipeline + "/builds" + below
			routes = append(routes, r)
		}
	}
	return routes
}

func pageRoutes() []route {
	return slices.Concat(
		signInRoutes,
		setupRoutes,
		oidcRoutes,
		accountRoutes,
		tokenRoutes,
		secretRoutes,
		organizationRoutes,
		searchRoutes,
		clusterRoutes,
		clusterChangeRoutes,
		queueRoutes,
		agentTokenRoutes,
		clusterSecretRoutes,
		agentRoutes,
		maintainerRoutes,
		registryRoutes,
		registryEntryRoutes,
		pipelineRoutes,
		buildRoutes,
		organizationBuildRoutes,
		jobRoutes,
		artifactRoutes,
		teamRoutes,
		memberRoutes,
		invitationRoutes,
		usageRoutes,
		auditRoutes,
		organizationSettingsRoutes,
		bannerRoutes,
		portalRoutes,
		ruleRoutes,
		scheduleRoutes,
		triggerRoutes,
		badgeRoutes,
		templateRoutes,
		repositoryConnectionRoutes,
		serviceRoutes,
		deliveryRoutes,
		consoleRoutes,
		docsRoutes,
	)
}

// inOrganization is what the paths of an organization's pages begin with.
const inOrganization = "/organizations/{organization}"

// boundRoute is a route of a site.
type boundRoute struct {
	route
	site *Site
}

func (rt *boundRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(rt, w, r)
	defer c.Finish(c.answerPanic)
	answer, err := c.serve()
	if err != nil {
		answer = c.replyToError(err)
	}
	c.write(answer)
}

// allow returns the methods that a route takes.
func (rt *route) allow() string {
	switch {
	case rt.post == nil:
		return "GET, HEAD"
	case rt.get == nil:
		return http.MethodPost
	default:
		return "GET, HEAD, POST"
	}
}

// handler returns what answers that method, or nil.
func (rt *route) handler(method string) handler {
	switch method {
	case http.MethodGet, http.MethodHead:
		return rt.get
	case http.MethodPost:
		return rt.post
	default:
		return nil
	}
}
