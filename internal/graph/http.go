package graph

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/httpcall"
)

// maxBody is the size of the largest body that is read.
const maxBody = 1 << 20

// call is one request on its way to its answer.
type call struct {
	httpcall.Call
	api      *API
	spending *spending // nil: it is not known whose request it is
}

// ServeHTTP answers at the GraphQL address.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := a.newCall("/v1", w, r)
	defer c.Finish(c.answerPanic)
	if r.URL.Path != "/v1" {
		c.fail(http.StatusNotFound, "Not found")
		return
	}
	c.servePost(func() {
		var actor authz.Actor
		if token := c.Token("Bearer"); token != "" {
			actor = authz.TokenActor(authz.GraphQL, token, c.Address)
		}
		actor.UserAgent = c.UserAgent()
		admitted, err := a.Service.Admit(r.Context(), actor, "")
		if admitted.User != "" {
			c.spending = a.newSpending(admitted.User)
			err = cmp.Or(err, c.RecordCaller(admitted.User, ""))
		}
		if err == nil {
			err = a.Service.CheckGraphQL(r.Context(), actor)
		}
		if err != nil {
			c.refuse(err)
			return
		}
		turn, err := a.turns.enter(r.Context(), string(admitted.User))
		if err != nil {
			c.refuse(err)
			return
		}
		defer turn.leave()
		body, ok := c.readBody()
		if !ok {
			return
		}
		asked, err := readRequest(body)
		if err != nil {
			c.fail(http.StatusBadRequest, err.Error())
			return
		}
		c.runDocument(actor, turn, asked)
	})
}

// Console runs a request, a JSON object as one sends it to the GraphQL address, in the name of a user who is signed in,
// and from where the organizations let their API be used. It returns the status and the body of the answer.
func (a *API) Console(ctx context.Context, actor authz.Actor, request []byte) (status int, answer []byte) {
	actor.Surface = authz.GraphQL
	asked, err := readRequest(request)
	if err != nil {
		return http.StatusBadRequest, errorBody(err.Error())
	}
	body, err := a.runForUser(ctx, actor, asked)
	if err != nil {
		return httpcall.Status(err), errorBody(a.present(ctx, err))
	}
	return http.StatusOK, body
}

// runForUser runs a document in the name of a user who is signed in.
func (a *API) runForUser(ctx context.Context, actor authz.Actor, asked gql.Request) ([]byte, error) {
	admitted, err := a.Service.Admit(ctx, actor, "")
	if err != nil {
		return nil, err
	}
	turn, err := a.turns.enter(ctx, string(admitted.User))
	if err != nil {
		return nil, err
	}
	defer turn.leave()
	result, err := a.run(ctx, actor, turn, a.newSpending(admitted.User), asked)
	if err != nil {
		return nil, err
	}
	return result.Body, nil
}

func (a *API) newCall(route string, w http.ResponseWriter, r *http.Request) *call {
	c := &call{Call: a.NewCall(route, w, r), api: a}
	c.AllowOtherSites(exposedHeaders)
	return c
}

const exposedHeaders = httpcall.ExposedHeaders + ", RateLimit-Complexity-Requested, RateLimit-Complexity-Actual"

// servePost answers a POST with serve, a preflight, and refuses every other method.
func (c *call) servePost(serve func()) {
	switch c.R.Method {
	case http.MethodPost:
		serve()
	case http.MethodOptions:
		c.AnswerPreflight("OPTIONS, POST")
	default:
		c.Header.Set("Allow", "OPTIONS, POST")
		c.fail(http.StatusMethodNotAllowed, "Method not allowed. Send a POST request")
	}
}

// readBody reads the request's JSON body, or refuses the request. The caller has been authenticated before.
func (c *call) readBody() (body []byte, ok bool) {
	if media, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type")); err != nil || media != "application/json" {
		c.fail(http.StatusUnsupportedMediaType, "The body must have the content type application/json")
		return nil, false
	}
	body, err := c.ReadBody(maxBody)
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		c.fail(http.StatusRequestEntityTooLarge, "The body is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes")
		return nil, false
	}
	if err != nil {
		c.refuse(err)
		return nil, false
	}
	return body, true
}

// readRequest reads a GraphQL request.
func readRequest(body []byte) (r gql.Request, err error) {
	var asked struct {
		Query         *string        `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     jsontext.Value `json:"variables"`
	}
	if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, &asked) != nil {
		return r, domain.NewError(domain.Malformed, "The body must be a JSON object with a query, and may have variables "+
			"and an operationName")
	}
	if asked.Query == nil || *asked.Query == "" {
		return r, domain.NewError(domain.Malformed, "The body must have a query")
	}
	r.Query, r.OperationName = *asked.Query, asked.OperationName
	r.Variables, err = readVariables(asked.Variables)
	return r, err
}

var errVariables = domain.NewError(domain.Malformed, "The variables must be a JSON object, or a string that holds one")

// readVariables reads variables: an object, nothing, or a string that holds one of them.
func readVariables(value jsontext.Value) (variables map[string]any, err error) {
	switch value.Kind() {
	case 0, 'n':
		return nil, nil
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, errVariables
		}
		if text == "" {
			return nil, nil
		}
		value = jsontext.Value(text)
		if value.Kind() == 'n' {
			return nil, nil
		}
	}
	if value.Kind() != '{' || json.Unmarshal(value, &variables) != nil {
		return nil, errVariables
	}
	return variables, nil
}

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

type requestIDKey struct{}

// context returns the request's context, with the request's id for what is logged.
func (c *call) context() context.Context {
	return context.WithValue(c.Context(), requestIDKey{}, c.ID)
}

// requestIDAttr returns the id of the request that is under way, as the log has it.
func requestIDAttr(ctx context.Context) slog.Attr {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return slog.String("request_id", id)
}

// runDocument runs a document and writes its answer.
func (c *call) runDocument(actor authz.Actor, turn *turn, asked gql.Request) {
	buffer := buffers.Get().(*[]byte)
	asked.Buffer = (*buffer)[:0]
	result, err := c.api.run(c.context(), actor, turn, c.spending, asked)
	if err != nil {
		c.failWith(err)
		return
	}
	c.spending.show(c.Header)
	c.Header["RateLimit-Complexity-Requested"] = []string{strconv.FormatInt(result.Requested, 10)}
	c.Header["RateLimit-Complexity-Actual"] = []string{strconv.FormatInt(result.Actual, 10)}
	status := http.StatusOK
	if len(result.Errors) > 0 && c.CallerGone() {
		status = httpcall.StatusCallerGone
	}
	if err := c.ReserveAnswer(len(result.Body)); err != nil {
		c.refuse(err)
		return
	}
	c.WriteJSON(status, result.Body)
	if cap(result.Body) <= maxKeptBuffer {
		*buffer = result.Body
		buffers.Put(buffer)
	}
}

// refuse answers with why a caller is not let in.
func (c *call) refuse(err error) {
	c.Header["Connection"] = []string{"close"} // a stranger's body is not read
	c.failWith(err)
}

// failWith answers with an error.
func (c *call) failWith(err error) {
	status, message := c.Explain(err)
	switch status {
	case http.StatusUnauthorized:
		c.Header["Www-Authenticate"] = []string{"Bearer"}
		message = "Authentication required. Please supply a valid API Access Token: " + c.api.BaseURL + "/docs#authentication"
	case http.StatusInternalServerError:
		message = internalMessage
	}
	c.fail(status, message)
}

type errorAnswer struct {
	Errors []errorMessage `json:"errors"`
}

type errorMessage struct {
	Message string `json:"message"`
}

func errorBody(message string) []byte {
	body, err := json.Marshal(errorAnswer{[]errorMessage{{message}}})
	if err != nil {
		return []byte(`{"errors":[{"message":"` + internalMessage + `"}]}`)
	}
	return body
}

func (c *call) fail(status int, message string) {
	if c.spending != nil {
		c.spending.charge(0)
		c.spending.show(c.Header)
	}
	c.WriteJSON(status, errorBody(message))
}

func (c *call) answerPanic() { c.fail(http.StatusInternalServerError, internalMessage) }
