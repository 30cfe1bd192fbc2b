package server

import (
	"context"
	"net/http"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/rest"
	"penstock/internal/service/builds"
	"penstock/internal/web"
)

const feedRoute = "/{organization}.xml" // or /{organization}/{pipeline}.xml

// feeds answers programs that watch how builds go. Their addresses have an API access token.
type feeds struct {
	builds  *builds.Service
	api     *rest.API
	baseURL string
	calls   httpcall.Settings
}

// feedOf returns which pipelines a path is the feed of: /acme-inc.xml or /acme-inc/web.xml.
func feedOf(path string) (ref domain.PipelineRef, isFeed bool) {
	name, found := strings.CutSuffix(strings.TrimPrefix(path, "/"), ".xml")
	organization, pipeline, ofPipeline := strings.Cut(name, "/")
	ref = domain.PipelineRef{Organization: domain.OrganizationRef{Slug: organization}, Slug: pipeline}
	return ref, found && organization != "" && (!ofPipeline || pipeline != "") && !strings.Contains(pipeline, "/") &&
		!domain.IsReservedSlug(organization)
}

func (f *feeds) answer(w http.ResponseWriter, r *http.Request, ref domain.PipelineRef) {
	answerAt(f.calls, w, r, feedRoute, []string{http.MethodGet, http.MethodHead},
		func(ctx context.Context, c *httpcall.Call) error {
			query := r.URL.Query()
			token := query.Get("access_token")
			if token == "" {
				token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			}
			if token == "" {
				c.WriteJSON(http.StatusUnauthorized,
					[]byte(errorBody("Authentication required. Add access_token with an API access token that has the "+
						"read_builds scope")))
				return nil
			}
			actor := authz.TokenActor(authz.REST, token, c.Address)
			if err := f.api.Admit(ctx, c, actor, ref.Organization.Slug); err != nil {
				return err
			}
			projects, err := f.builds.Feed(ctx, actor, ref, query.Get("branch"))
			if err != nil {
				return err
			}
			body, err := web.Feed(projects, f.baseURL+"/"+ref.Organization.Slug)
			if err != nil {
				return err
			}
			c.Header.Set("Cache-Control", "no-cache, private")
			c.Header.Set("X-Content-Type-Options", "nosniff")
			c.Write(http.StatusOK, "application/xml; charset=utf-8", body)
			return nil
		})
}
