package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"penstock/internal/authz"
)

// actorOf signs a user in and returns them, for calls of the service.
func (s *site) actorOf(email string) authz.Actor {
	s.t.Helper()
	return authz.SessionActor(s.signedIn(email).cookie("penstock_session"), netip.MustParseAddr("192.0.2.1"))
}

// graphQLSchema returns the text of the GraphQL schema.
func graphQLSchema(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("../graph/schema/*.graphqls")
	if err != nil || len(names) == 0 {
		t.Fatalf("there is no schema: %v", err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// resubmit sends the form that a page takes itself, as it was shown but for some fields: names and values by turns.
func (b *browser) resubmit(shown *answer, path string, fields ...string) *answer {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(shown.Body))
	if err != nil {
		b.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" {
			continue
		}
		values := attributes(n)
		if to, named := values["action"]; named && to != path || values["method"] != "post" {
			continue
		}
		form := valuesOf(n)
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return b.send(http.MethodPost, path, form, nil)
	}
	b.t.Fatalf("%s has no form of its own", shown.path)
	return nil
}

// valuesOf returns what a browser would send of a form.
func valuesOf(form *html.Node) url.Values {
	sent := url.Values{}
	for n := range form.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		values := attributes(n)
		_, isChecked := values["checked"]
		_, isSelected := values["selected"]
		switch {
		case n.Data == "textarea":
			text := ""
			if n.FirstChild != nil {
				text = n.FirstChild.Data // without the first line break, which the parser leaves out
			}
			sent.Add(values["name"], strings.ReplaceAll(text, "\n", "\r\n"))
		case n.Data == "option" && isSelected:
			sent.Add(attributes(n.Parent)["name"], values["value"])
		case n.Data == "input" && (values["type"] == "checkbox" || values["type"] == "radio"):
			if isChecked {
				sent.Add(values["name"], values["value"])
			}
		case n.Data == "input":
			sent.Add(values["name"], values["value"])
		}
	}
	return sent
}
