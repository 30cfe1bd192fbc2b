package graph

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/httpcall"
)

const (
	portalRoute       = "/portal/organizations/{organization}/portals/{portal}"
	portalTokensRoute = portalRoute + "/tokens"
)

// Portals returns the handler of everything below /portal.
func (a *API) Portals() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(portalRoute, a.servePortal)
	mux.HandleFunc(portalTokensRoute, a.servePortalTokens)
	mux.HandleFunc("/", a.serveNoPortal)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpcall.HasUncleanPath(r) {
			a.serveNoPortal(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (a *API) serveNoPortal(w http.ResponseWriter, r *http.Request) {
	c := a.newCall("unknown", w, r)
	defer c.Finish(c.answerPanic)
	c.fail(http.StatusNotFound, "Not found")
}

func portalRefOf(r *http.Request) domain.PortalRef {
	return domain.PortalRef{Organization: domain.OrganizationRef{Slug: r.PathValue("organization")}, Slug: r.PathValue("portal")}
}

// servePortal runs the portal's document. The request's body is the variables.
func (a *API) servePortal(w http.ResponseWriter, r *http.Request) {
	c := a.newCall(portalRoute, w, r)
	defer c.Finish(c.answerPanic)
	c.servePost(func() {
		actor := authz.PortalActor(c.Token("Bearer"), c.Address)
		actor.UserAgent = c.UserAgent()
		document, err := a.Service.PortalDocument(r.Context(), actor, portalRefOf(r))
		if err != nil {
			c.refuse(err)
			return
		}
		if err := c.NoteCaller("", r.PathValue("organization")); err != nil {
			c.refuse(err)
			return
		}
		c.spending = a.newSpending("")
		leave, err := a.turns.enter(r.Context(), "portal "+string(document.ID))
		if err != nil {
			c.refuse(err)
			return
		}
		defer leave()
		asked := gql.Request{Query: document.Query, OperationName: r.URL.Query().Get("operation_name")}
		if r.ContentLength != 0 {
			body, ok := c.readBody()
			if !ok {
				return
			}
			if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, &asked.Variables) != nil {
				c.fail(http.StatusBadRequest, "The body must be a JSON object: the variables")
				return
			}
		}
		c.runDocument(actor, asked)
	})
}

// RunPortal runs an operation of a portal's document with an administrator's own rights, for trying it out.
func (a *API) RunPortal(ctx context.Context, actor authz.Actor, ref domain.PortalRef, operation string, variables []byte) ([]byte, error) {
	portal, err := a.Service.Portal(ctx, actor, ref)
	if err != nil {
		return nil, err
	}
	given, err := readVariables(jsontext.Value(variables))
	if err != nil {
		return nil, domain.Faults{{Field: "variables", Reason: "Variables must be a JSON object"}}.Err()
	}
	return a.runForUser(ctx, actor, gql.Request{Query: portal.Query, OperationName: operation, Variables: given})
}

// servePortalTokens makes a token that expires from one of the portal's secrets.
func (a *API) servePortalTokens(w http.ResponseWriter, r *http.Request) {
	c := a.newCall(portalTokensRoute, w, r)
	defer c.Finish(c.answerPanic)
	c.servePost(func() {
		body, ok := c.readBody()
		if !ok {
			return
		}
		var asked struct {
			GrantType jsontext.Value `json:"grant_type"`
			ClientID  jsontext.Value `json:"client_id"`
			Secret    jsontext.Value `json:"secret"`
			ExpiresIn jsontext.Value `json:"expires_in"`
		}
		if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, &asked) != nil {
			c.fail(http.StatusBadRequest, "The body must be a JSON object with grant_type, client_id, secret and expires_in")
			return
		}
		var grant domain.PortalGrant
		grant.GrantType = readGrantMember[string](asked.GrantType, "grant_type", "a string", &grant.Faults)
		grant.ClientID = readGrantMember[string](asked.ClientID, "client_id", "a string", &grant.Faults).Value
		grant.Secret = readGrantMember[domain.Secret](asked.Secret, "secret", "a string", &grant.Faults).Value
		grant.ExpiresIn = readGrantMember[int64](asked.ExpiresIn, "expires_in", "a whole number", &grant.Faults)
		value, expires, err := a.Service.CreateEphemeralPortalToken(r.Context(),
			authz.Actor{Surface: authz.Portal, Address: c.Address, UserAgent: c.UserAgent()}, portalRefOf(r), grant)
		if err != nil {
			c.refuse(err)
			return
		}
		c.Header["Cache-Control"] = []string{"no-store"}
		c.writeJSON(http.StatusOK, struct {
			Token     string `json:"token"`
			ExpiresAt string `json:"expires_at"`
		}{value.Reveal(), expires.UTC().Format(domain.TimestampLayout)})
	})
}

// readGrantMember reads a member of a body that may be left out, or null. One of another type is a fault.
func readGrantMember[T any](value jsontext.Value, name, kind string, faults *domain.Faults) (read domain.Optional[T]) {
	switch {
	case value == nil:
	case value.Kind() == 'n':
		return domain.Null[T]()
	case json.Unmarshal(value, &read.Value) != nil:
		faults.Add(name, name+" must be "+kind)
	default:
		read.Given = true
	}
	return read
}

func (c *call) writeJSON(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		c.refuse(err)
		return
	}
	c.WriteJSON(status, body)
}
