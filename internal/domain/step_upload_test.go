package domain_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestUploadsAsYAML(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"steps": [{"command": "make", "key": "b"}, "wait"], "env": {"B": "1", "A": ""}}`: "steps:\n- command: make\n  key: b\n- wait\nenv:\n  B: '1'\n  A: ''\n",
		`{"n": 1, "f": 1.5e3, "t": true, "x": null, "text": "true", "l": [], "o": {}}`:     "n: 1\nf: 1.5e3\nt: true\nx: null\ntext: 'true'\nl: []\no: {}\n",
		`{"steps": [`: "",
		`nonsense`:    "",
		`{"steps": "` + strings.Repeat("x", 256<<10) + `"}`: "",
	} {
		got, ok := domain.StepUpload{Document: document}.YAML()
		if got != want || ok != (want != "") {
			t.Errorf("%.80s: %q, %t, not %q", document, got, ok, want)
		}
	}
}
