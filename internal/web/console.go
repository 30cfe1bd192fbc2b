package web

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// GraphQL runs a GraphQL request, a JSON object, in the name of a user. The answer is JSON too.
type GraphQL func(ctx context.Context, actor authz.Actor, request []byte) (status int, answer []byte)

var consoleRoutes = []route{
	{path: inOrganization + "/graphql", get: showConsole, post: showConsole},
}

type consoleView struct {
	Nonce   string // of what the editor may do; empty: the page has none
	Form    *form
	Query   string // to begin with
	Missing bool   // documents can't be run here
	Ran     bool
	Status  int
	Body    string
}

// showConsole runs GraphQL documents in the name of the signed-in user. Its form needs no JavaScript; where there is
// some, GraphiQL takes the form's place, and sends its requests here too.
func showConsole(c *call) (*reply, error) {
	if c.account.Current == nil {
		return nil, domain.Missing("organization")
	}
	view := consoleView{Query: consoleExample(c.organization()), Missing: c.GraphQL == nil}
	view.Form = c.newForm("Run",
		field{Name: "query", Label: "Document", Kind: "textarea", Rows: 16, Code: true, Language: "graphql", Required: true,
			Value: view.Query},
		field{Name: "variables", Label: "Variables", Kind: "textarea", Rows: 4, Code: true, Language: "json",
			Help: "A JSON object."},
		field{Name: "operation_name", Label: "Operation", Code: true, Help: "Its name, if the document has several."})
	if c.isPost() && !view.Missing {
		request, err := view.request(c)
		if err != nil {
			return nil, err
		}
		status, answer := c.GraphQL(c.ctx(), c.actor(), request)
		if c.R.Header.Get("Accept") == "application/json" {
			return &reply{status: status, json: string(answer)}, nil
		}
		view.Ran, view.Status, view.Body = true, status, truncateText(indentJSON(answer))
	}
	if !view.Missing && !view.Ran && c.assetURL("console.js") != "" {
		view.Nonce = rand.Text()
		c.W.Header().Set("Content-Security-Policy", consolePolicy(view.Nonce))
	}
	return c.show(page{template: "console", Title: "GraphQL", Section: "graphql", Crumbs: []crumb{{Label: "GraphQL"}},
		View: view}), nil
}

// consolePolicy is contentPolicy with what GraphiQL needs besides: its dialogs put a style of their own into the page
// while they are open.
func consolePolicy(nonce string) string {
	return strings.Replace(contentPolicy, "style-src 'self'", "style-src 'self' 'nonce-"+nonce+"'", 1)
}

// request is what GraphiQL asks for, or what the form does.
func (view *consoleView) request(c *call) ([]byte, error) {
	if request := c.R.PostForm.Get("request"); request != "" {
		return []byte(request), nil
	}
	return json.Marshal(map[string]string{
		"query":         view.Form.typed("query"),
		"variables":     strings.TrimSpace(view.Form.typed("variables")),
		"operationName": strings.TrimSpace(view.Form.typed("operation_name")),
	})
}

// consoleExample is a document to begin with.
func consoleExample(organization string) string {
	return `query Clusters {
  organization(slug: "` + organization + `") {
    name
    clusters(first: 10) {
      nodes {
        name
        queues(first: 10) {
          nodes {
            key
            description
          }
        }
      }
    }
  }
}
`
}
