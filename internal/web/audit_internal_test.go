package web

import (
	"reflect"
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", maxDiff+1)
	for name, c := range map[string]struct {
		before, after string
		want          string // the signs
	}{
		"nothing":       {"", "", ""},
		"made":          {"", "a\nb", "++"},
		"deleted":       {"a\nb", "", "--"},
		"same":          {"a\nb", "a\nb", "  "},
		"in the middle": {"a\nb\nc", "a\nx\nc", " -+ "},
		"moved":         {"a\nb\nc", "b\nc\na", "-  +"},
		"too long":      {long, "a", strings.Repeat("-", maxDiff+2) + "+"},
	} {
		signs := ""
		for _, line := range diffLines(c.before, c.after) {
			signs += line.Sign
		}
		if signs != c.want {
			t.Errorf("%s: %q, want %q", name, signs, c.want)
		}
	}
}

func TestChangesOfAnEvent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]propertyChange{
		`{}`: nil,
		`{"after":{"name":"A","emoji":null,"paused":false}}`: {
			{Name: "name", After: "A", HasAfter: true}, {Name: "paused", After: "no", HasAfter: true},
		},
		`{"before":{"name":"A","note":"x","n":3},"after":{"name":"A","note":null,"n":4,"tags":["a","b"]}}`: {
			{Name: "n", Before: "3", After: "4", HadBefore: true, HasAfter: true},
			{Name: "note", Before: "x", HadBefore: true, HasAfter: true},
			{Name: "tags", After: "a, b", HasAfter: true},
		},
		`{"before":{"policy":"{\"a\":1}"},"after":{"policy":"{\"a\":2}"}}`: {
			{Name: "policy", Before: "{\n  \"a\": 1\n}", After: "{\n  \"a\": 2\n}", HadBefore: true, HasAfter: true,
				Lines: []diffLine{{" ", "{"}, {"-", `  "a": 1`}, {"+", `  "a": 2`}, {" ", "}"}}},
		},
	} {
		if got := readAuditData(text).changes(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, want %+v", text, got, want)
		}
	}
}
