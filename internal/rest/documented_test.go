package rest_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// whyNotServed are the reasons why documented endpoints are not served. docs/conformance.md has them at length.
var whyNotServed = []string{"always", "deliveries", "export", "hosted", "packages", "tests"}

// TestDocumentedEndpoints has every endpoint that the public documentation shows with an example: it is served, and so called by the tests of the surface, or
// there is a reason why not.
func TestDocumentedEndpoints(t *testing.T) {
	t.Parallel()
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	served := map[string]bool{}
	for _, e := range surface {
		served[e.method+" "+parameter.ReplaceAllString(e.path, "{}")] = true
	}
	text, err := os.ReadFile("testdata/documented.txt")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		endpoint := strings.Replace(words[0], "HEAD", "GET", 1) + " " + words[1]
		switch {
		case len(words) == 2 && !served[endpoint]:
			t.Errorf("no test calls %s", endpoint)
		case len(words) == 3 && served[endpoint]:
			t.Errorf("%s is served: it needs no reason", endpoint)
		case len(words) == 3:
			missing[words[2]]++
		}
	}
	document, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	for reason, endpoints := range missing {
		if !slices.Contains(whyNotServed, reason) || !strings.Contains(string(document), "| `"+reason+"` |") {
			t.Errorf("%d endpoints are not served because of %s, which docs/conformance.md does not explain", endpoints, reason)
		}
	}
}
