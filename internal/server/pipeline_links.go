package server

import (
	"context"
	"net/http"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/web"
)

// Where pipelines are reached by a token of theirs, which stands in the path.
const (
	badgeRoute   = "/badges/{token}.svg"
	deliverRoute = "/deliver/{token}"
)

// pipelineLinks answers at the addresses that have a pipeline's token in them.
type pipelineLinks struct {
	service *service.Service
	calls   httpcall.Settings
}

// takeToken returns the token that stands in the path below the first segment, and the request without it: paths are logged.
func takeToken(r *http.Request, segment string) (*http.Request, string) {
	route := map[string]string{"badges": badgeRoute, "deliver": deliverRoute}[segment]
	if route == "" {
		return r, ""
	}
	token := strings.TrimPrefix(r.URL.Path, "/"+segment+"/")
	hidden, u := *r, *r.URL
	u.Path, u.RawPath = route, ""
	hidden.URL = &u
	return &hidden, token
}

// showBadge answers with a picture that says how a pipeline's builds go.
func (l *pipelineLinks) showBadge(w http.ResponseWriter, r *http.Request, name string) {
	l.answer(w, r, badgeRoute, []string{http.MethodGet, http.MethodHead}, func(ctx context.Context, c *httpcall.Call) error {
		token, isPicture := strings.CutSuffix(name, ".svg")
		if !isPicture {
			token = ""
		}
		state, err := l.service.PipelineBadge(ctx, authz.Actor{}, token, r.URL.Query().Get("branch"))
		if err != nil {
			return err
		}
		c.Header.Set("Cache-Control", "no-cache")
		c.Header.Set("Content-Security-Policy", "default-src 'none'")
		c.Header.Set("X-Content-Type-Options", "nosniff")
		c.Write(http.StatusOK, "image/svg+xml", []byte(web.Badge(state)))
		return nil
	})
}

// takeDelivery answers an event of the service that hosts a pipeline's repository. Who set the webhook up sees that the address is
// right, and that nothing came of an event.
func (l *pipelineLinks) takeDelivery(w http.ResponseWriter, r *http.Request, token string) {
	l.answer(w, r, deliverRoute, []string{http.MethodPost}, func(ctx context.Context, c *httpcall.Call) error {
		if err := l.service.DeliverWebhook(ctx, authz.Actor{}, domain.Secret(token)); err != nil {
			return err
		}
		if r.Header.Get("X-GitHub-Event") == "ping" {
			c.WriteJSON(http.StatusOK, []byte(errorBody("The webhook reaches the pipeline. This server makes no builds yet.")))
			return nil
		}
		c.WriteJSON(http.StatusNotImplemented, []byte(errorBody("This server makes no builds yet. Nothing was done with the delivery.")))
		return nil
	})
}

func (l *pipelineLinks) answer(w http.ResponseWriter, r *http.Request, route string, methods []string, do func(context.Context, *httpcall.Call) error) {
	c := l.calls.NewCall(route, w, r)
	defer c.Finish(func() { c.WriteJSON(http.StatusInternalServerError, []byte(errorBody(httpcall.InternalMessage))) })
	for _, method := range methods {
		if r.Method == method {
			if err := do(r.Context(), &c); err != nil {
				status, message := c.Explain(err)
				c.WriteJSON(status, []byte(errorBody(message)))
			}
			return
		}
	}
	allowed := strings.Join(methods, ", ")
	c.Header.Set("Allow", allowed)
	c.WriteJSON(http.StatusMethodNotAllowed, []byte(errorBody("Method not allowed. Allowed here: "+allowed)))
}
