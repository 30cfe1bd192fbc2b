package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/starts"
	"penstock/internal/web"
)

// Where pipelines are reached by a token of theirs, which stands in the path.
const (
	badgeRoute   = "/badges/{token}.svg" // or .json
	deliverRoute = "/deliver/{token}"
)

// pipelineLinks answers at the addresses that have a pipeline's token in them.
type pipelineLinks struct {
	service *service.Service
	starts  *starts.Service
	calls   httpcall.Settings
}

// cutToken returns the token that stands in the path below the first segment, and the request without it: paths are
// logged.
func cutToken(r *http.Request, segment string) (*http.Request, string) {
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
	l.answer(w, r, badgeRoute, []string{http.MethodGet, http.MethodHead},
		func(ctx context.Context, c *httpcall.Call) error {
			token, isPicture := strings.CutSuffix(name, ".svg")
			isJSON := false
			if !isPicture {
				if token, isJSON = strings.CutSuffix(name, ".json"); !isJSON {
					token = ""
				}
			}
			query := r.URL.Query()
			state, err := l.service.PipelineBadge(ctx, authz.Actor{}, token, query.Get("branch"), query.Get("step"))
			if err != nil {
				return err
			}
			c.Header.Set("Cache-Control", "no-cache")
			c.Header.Set("Content-Security-Policy", "default-src 'none'")
			c.Header.Set("X-Content-Type-Options", "nosniff")
			if isJSON {
				c.WriteJSON(http.StatusOK, []byte(`{"status":"`+string(state)+`"}`))
				return nil
			}
			c.Write(http.StatusOK, "image/svg+xml",
				[]byte(web.Badge(state, web.BadgeLook{Style: query.Get("style"), Theme: query.Get("theme")})))
			return nil
		})
}

// receiveDelivery answers an event of the host of a pipeline's repository with what became of it.
func (l *pipelineLinks) receiveDelivery(w http.ResponseWriter, r *http.Request, token string) {
	l.answer(w, r, deliverRoute, []string{http.MethodPost}, func(ctx context.Context, c *httpcall.Call) error {
		body, err := c.ReadBody(domain.MaxDelivery)
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			c.WriteJSON(http.StatusRequestEntityTooLarge, []byte(errorBody("The delivery is larger than 5 MB")))
			return nil
		}
		if err != nil {
			return err
		}
		if starts.IsTriggerToken(token) {
			return l.trigger(ctx, c, r, domain.Secret(token), body)
		}
		done, err := l.starts.Deliver(ctx, authz.Actor{}, domain.Secret(token), r.Header, body)
		if err != nil {
			return err
		}
		c.WriteJSON(http.StatusOK, []byte(errorBody(done.Outcome)))
		return nil
	})
}

// trigger answers a delivery to a pipeline's trigger with the build that it started.
func (l *pipelineLinks) trigger(ctx context.Context, c *httpcall.Call, r *http.Request, token domain.Secret,
	body []byte) error {
	done, err := l.starts.DeliverToTrigger(ctx, authz.Actor{}, token, r.Header, body)
	switch {
	case err != nil:
		return err
	case done.Build == nil:
		c.WriteJSON(http.StatusOK, []byte(errorBody(done.Outcome)))
	default:
		c.WriteJSON(http.StatusCreated, []byte(`{"id":"`+string(done.Build.ID)+`"}`))
	}
	return nil
}

func (l *pipelineLinks) answer(w http.ResponseWriter, r *http.Request, route string, methods []string,
	do func(context.Context, *httpcall.Call) error) {
	answerAt(l.calls, w, r, route, methods, do)
}

// answerAt answers a request at an address that takes some methods.
func answerAt(calls httpcall.Settings, w http.ResponseWriter, r *http.Request, route string, methods []string,
	do func(context.Context, *httpcall.Call) error) {
	c := calls.NewCall(route, w, r)
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
