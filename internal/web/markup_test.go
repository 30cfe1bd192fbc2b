package web_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// attack is what hostile users write into every field that they can. Where it is not escaped, checkMarkup sees it.
const attack = `</title></textarea></script>"'><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>{{.}}`

// checkMarkup checks what holds for every page: one heading of the first rank, a name for every input, ids that are there once, no
// script or style in the page itself, nothing from other sites, and a token in every form that changes something.
func checkMarkup(t *testing.T, a *answer) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(a.Body))
	if err != nil {
		t.Errorf("%s: %v", a.path, err)
		return
	}
	m := markup{t: t, path: a.path, ids: map[string]int{}, labels: map[string]bool{}}
	m.walk(root, nil)
	if m.headings != 1 {
		t.Errorf("%s has %d headings of the first rank", a.path, m.headings)
	}
	for id, n := range m.ids {
		if n > 1 {
			t.Errorf("%s has the id %s %d times", a.path, id, n)
		}
	}
	for _, id := range m.inputs {
		if !m.labels[id] {
			t.Errorf("%s: the input %q has no label", a.path, id)
		}
	}
	for _, id := range m.described {
		if m.ids[id] == 0 {
			t.Errorf("%s: what is to be described by %q is not", a.path, id)
		}
	}
}

type markup struct {
	t         *testing.T
	path      string
	headings  int
	ids       map[string]int
	labels    map[string]bool // what they are for
	inputs    []string        // ids
	described []string
}

func attributes(n *html.Node) map[string]string {
	values := map[string]string{}
	for _, a := range n.Attr {
		values[a.Key] = a.Val
	}
	return values
}

func (m *markup) walk(n, form *html.Node) {
	if n.Type == html.ElementNode {
		if n.Data == "form" {
			form = n
			m.form(n)
		}
		m.element(n)
	}
	for child := range n.ChildNodes() {
		m.walk(child, form)
	}
}

func (m *markup) element(n *html.Node) {
	m.t.Helper()
	values := attributes(n)
	switch n.Data {
	case "h1":
		m.headings++
	case "script":
		if !strings.HasPrefix(values["src"], "/assets/") || n.FirstChild != nil {
			m.t.Errorf("%s has a script of its own", m.path)
		}
	case "iframe":
		if values["sandbox"] != "allow-scripts" || !strings.HasSuffix(values["src"], "/raw") {
			m.t.Errorf("%s has a frame that is not apart: %v", m.path, values)
		}
	case "style", "object", "embed", "base":
		m.t.Errorf("%s has a %s", m.path, n.Data)
	case "label":
		m.labels[values["for"]] = true
		for child := range n.Descendants() {
			if id := attributes(child)["name"]; id != "" {
				m.labels["name "+id] = true
			}
		}
	case "input", "select", "textarea":
		if values["type"] != "hidden" {
			id := values["id"]
			if id == "" {
				id = "name " + values["name"]
			}
			m.inputs = append(m.inputs, id)
		}
	case "img":
		if _, ok := values["alt"]; !ok {
			m.t.Errorf("%s has a picture without a text", m.path)
		}
	}
	if id := values["id"]; id != "" {
		m.ids[id]++
	}
	m.described = append(m.described, strings.Fields(values["aria-describedby"])...)
	m.attributes(n, values)
}

func (m *markup) attributes(n *html.Node, values map[string]string) {
	m.t.Helper()
	for name, value := range values {
		switch {
		case name == "role" && value == "search" && values["aria-label"] == "":
			m.t.Errorf("%s has a search that does not say of what", m.path)
		case strings.HasPrefix(name, "on") || name == "style" || name == "srcdoc" || name == "hx-on":
			m.t.Errorf("%s: a %s has %s=%q", m.path, n.Data, name, value)
		case name == "href" && n.Data == "a" && values["rel"] == "external noreferrer": // of the documentation
		case name == "href" && n.Data == "a" && values["rel"] == "nofollow noopener noreferrer": // of an annotation
		case name == "href" || name == "src" || name == "action" || name == "formaction":
			if value != "" && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "?") || strings.HasPrefix(value, "//") {
				m.t.Errorf("%s: a %s leads to %q", m.path, n.Data, value)
			}
		}
	}
}

// form checks that a form that changes something has its token.
func (m *markup) form(n *html.Node) {
	m.t.Helper()
	if attributes(n)["method"] != "post" {
		return
	}
	for child := range n.Descendants() {
		if values := attributes(child); values["name"] == "form_token" && values["value"] != "" {
			return
		}
	}
	m.t.Errorf("%s has a form without a token", m.path)
}

// textOf returns what a page shows: its text, and the values of its inputs.
func textOf(t *testing.T, body string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			shown.WriteString(n.Data + "\n")
		case html.ElementNode:
			shown.WriteString(attributes(n)["value"] + "\n")
		}
	}
	return shown.String()
}

// wantHarmless checks that a page shows what an attacker wrote, as text.
func (a *answer) wantHarmless(t *testing.T, times int) {
	t.Helper()
	checkMarkup(t, a)
	if n := strings.Count(textOf(t, a.Body), attack); n < times {
		t.Errorf("%s shows the attack %d times, want %d: %s", a.path, n, times, a.Body)
	}
}
