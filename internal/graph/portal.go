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
	portalCodesRoute  = portalRoute + "/codes"
)

// Portals returns the handler of everything below /portal.
func (a *API) Portals() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(portalRoute, a.servePortal)
	mux.HandleFunc(portalTokensRoute, a.servePortalTokens)
	mux.HandleFunc(portalCodesRoute, a.servePortalCodes)
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
	return domain.PortalRef{Organization: domain.OrganizationRef{Slug: r.PathValue("organization")},
		Slug: r.PathValue("portal")}
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
		if err := c.RecordCaller(document.User, r.PathValue("organization")); err != nil {
			c.refuse(err)
			return
		}
		c.spending = a.newSpending(document.User)
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
		turn, err := a.turns.enter(r.Context(), turnOf(document))
		if err != nil {
			c.refuse(err)
			return
		}
		defer turn.leave()
		c.runDocument(actor, turn, asked)
	})
}

// RunPortal runs an operation of a portal's document for a user who is signed in, as the portal does or as themself:
// with a token that is made for it, so that it reaches what the portal's own programs reach, and nothing else.
func (a *API) RunPortal(ctx context.Context, actor authz.Actor, ref domain.PortalRef, asSelf bool, operation string,
	variables []byte) ([]byte, error) {
	given, err := readVariables(jsontext.Value(variables))
	if err != nil {
		return nil, domain.Faults{{Field: "variables", Reason: "Variables must be a JSON object"}}.Err()
	}
	token, err := a.Service.BeginPortalRun(ctx, actor, ref, asSelf)
	if err != nil {
		return nil, err
	}
	run := authz.PortalActor(token.Reveal(), actor.Address)
	run.UserAgent = actor.UserAgent
	document, err := a.Service.PortalDocument(ctx, run, ref)
	if err != nil {
		return nil, err
	}
	turn, err := a.turns.enter(ctx, turnOf(document))
	if err != nil {
		return nil, err
	}
	defer turn.leave()
	result, err := a.run(ctx, run, turn, a.newSpending(""), gql.Request{Query: document.Query, OperationName: operation,
		Variables: given})
	if err != nil {
		return nil, err
	}
	return result.Body, nil
}

// turnOf names whose turn it is when a portal is run: the user's who runs it as themself, or the portal's.
func turnOf(document domain.PortalDocument) string {
	if document.User != "" {
		return string(document.User)
	}
	return "portal " + string(document.ID)
}

// servePortalCodes issues a program a code, which a user authorizes in the web interface. Nothing is stored or looked
// up for it: the user learns whether there is such a portal, and for whom.
func (a *API) servePortalCodes(w http.ResponseWriter, r *http.Request) {
	c := a.newCall(portalCodesRoute, w, r)
	defer c.Finish(c.answerPanic)
	c.servePost(func() {
		ref := portalRefOf(r)
		if !domain.ValidSlug(ref.Organization.Slug) || !domain.ValidSlug(ref.Slug) {
			c.fail(http.StatusNotFound, "Not found")
			return
		}
		code, secret, expires := domain.NewPortalCode(ref, a.Now())
		c.Header["Cache-Control"] = []string{"no-store"}
		c.writeJSON(http.StatusOK, struct {
			Code             domain.PortalCode `json:"code"`
			Secret           string            `json:"secret"`
			AuthorizationURL string            `json:"authorization_url"`
			ExpiresAt        string            `json:"expires_at"`
		}{code, secret.Reveal(), a.BaseURL + "/organizations/" + ref.Organization.Slug + "/portals/" + ref.Slug + "/codes/" +
			string(code), expires.UTC().Format(domain.TimestampLayout)})
	})
}

// servePortalTokens makes a token that expires, from one of the portal's secrets or from a code that a user has
// authorized.
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
			Code      jsontext.Value `json:"code"`
			Secret    jsontext.Value `json:"secret"`
			ExpiresIn jsontext.Value `json:"expires_in"`
		}
		if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, &asked) != nil {
			c.fail(http.StatusBadRequest, "The body must be a JSON object with grant_type, client_id or code, secret and "+
				"expires_in")
			return
		}
		var grant domain.PortalGrant
		grant.GrantType = readGrantMember[string](asked.GrantType, "grant_type", "a string", &grant.Faults)
		grant.ClientID = readGrantMember[string](asked.ClientID, "client_id", "a string", &grant.Faults).Value
		grant.Code = readGrantMember[string](asked.Code, "code", "a string", &grant.Faults).Value
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
