package policy_test

import (
	"strings"
	"testing"

	"penstock/internal/policy"
)

func TestFaultsHaveAPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document     string
		line, column int
		marks        string // the text that is marked
	}{
		"not an object":            {`[]`, 1, 1, ""},
		"nothing":                  {"", 1, 1, ""},
		"broken":                   {"{\n  \"rules\": [,]\n}", 2, 13, ""},
		"broken after a character": {"{\n  \"é\": x}", 2, 8, ""},
		"cut off":                  {"{\n\"rules\": [", 2, 11, ""},
		"something after it":       {"{}\n{}", 1, 1, ""},
		"unknown member":           {"{\n  \"rule\": []\n}", 2, 3, `"rule": []`},
		"broken far down":          {strings.Repeat(`{"a": `, 20) + "x", 1, 121, ""},
		"odd name":                 {"{\"save\": {\"scopes\": {\"the branch\": true}}}", 1, 22, `"the branch": true`},
		"wrong value":              {"{\n  \"rules\": [\n    {\"effect\": \"allow\", \"action\": \"read\"}\n  ]\n}", 3, 25, `"action": "read"`},
		"element":                  {`{"rules": [{"effect": "deny", "action": ["save", "save"]}]}`, 1, 50, `"save"`},
		"missing member":           {"{\"rules\": [\n  {\"action\": \"save\"}]}", 2, 3, `{"action": "save"}`},
		"condition":                {`{"rules": [{"effect": "deny", "action": "save", "when": "entry.branch == \"ä\" && claims.tag == null"}]}`, 1, 89, `.tag == null"`},
		"condition over two lines": {`{"rules": [{"effect": "deny", "action": "save", "when": "true &&\nclaims.\u0074ag"}]}`, 1, 73, `.\u0074ag"`},
		"condition of nothing":     {`{"rules": [{"effect": "deny", "action": "save", "when": ""}]}`, 1, 49, `"when": ""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, faults := policy.Parse([]byte(c.document))
			if len(faults) != 1 {
				t.Fatalf("the faults are %v", faults)
			}
			place := policy.LocateFaults([]byte(c.document), faults)[0]
			if marked := c.document[place.Start:place.End]; place.Line != c.line || place.Column != c.column || marked != c.marks {
				t.Errorf("%s: is at %d:%d, %q; want %d:%d, %q", faults, place.Line, place.Column, marked, c.line, c.column, c.marks)
			}
		})
	}
	if policy.LocateFaults([]byte("{}"), nil) != nil {
		t.Error("no faults have a place")
	}
	long := []byte(strings.Repeat("\n", policy.MaxDocumentBytes) + "{}")
	_, faults := policy.Parse(long)
	if place := policy.LocateFaults(long, faults)[0]; place != (policy.Place{Line: 1, Column: 1}) {
		t.Errorf("a document that is too long: %+v", place)
	}
}

// FuzzPlaces checks that every fault of any document has a place within it.
func FuzzPlaces(f *testing.F) {
	f.Add([]byte(`{"rules": [{"effect": "deny", "action": "save", "when": "\ud83d\ude00 claims.tag \\"}]}`))
	f.Add([]byte(`{"save": {"scopes": {"a b": 1, "a b": 2}}, "restore": 3`))
	f.Fuzz(func(t *testing.T, document []byte) {
		_, faults := policy.Parse(document)
		places := policy.LocateFaults(document, faults)
		if len(places) != len(faults) {
			t.Fatalf("%d faults have %d places", len(faults), len(places))
		}
		for i, place := range places {
			if place.Start < 0 || place.Start > place.End || place.End > len(document) || place.Line < 1 || place.Column < 1 {
				t.Errorf("%s is at %+v", faults[i], place)
			}
		}
	})
}
