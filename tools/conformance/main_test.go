package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{"TestSlug": true, "FuzzSlug": true}
	for name, test := range map[string]struct {
		document string
		faults   []string
	}{
		"all in order": {"## 5 Clusters\n| No. | rule | tests |\n|---|---|---|\n| C5.1 | a | TestSlug |\n" +
			"| C5.2 | a \\| b | `TestSlug/upper case`, FuzzSlug |", nil},
		"no test":         {"| C5.1 | a |  |", []string{"1: C5.1 names no test"}},
		"twice":           {"| C5.1 | a | TestSlug |\n| C5.1 | b | TestSlug |", []string{"2: C5.1 stands in line 1 already"}},
		"gone":            {"| C5.1 | a | TestSlug, TestGone/x |", []string{"1: C5.1: there is no TestGone"}},
		"no name":         {"| C5.1 | a | by hand |", []string{`1: C5.1: "by hand" is not the name of a test`}},
		"bare bar":        {"| C5.1 | a | b | TestSlug |", []string{`1: C5.1 has 4 columns, not 3 (a bar inside a column is written \|)`}},
		"in a code block": {"```\n| C5.1 | a | |\n```\n| C5.2 | a | TestSlug |", nil},
		"no rules":        {"# Conformance", []string{"1: has no rules"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if faults := check(test.document, tests); !slices.Equal(faults, test.faults) {
				t.Errorf("got %q, want %q", faults, test.faults)
			}
		})
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	repository := fstest.MapFS{}
	for path, text := range map[string]string{
		"docs/conformance.md":       "| C1 | a | TestA, FuzzA |\n| C2 | b | TestB, TestC, TestHelp |\n",
		"internal/a/a_test.go":      "func TestA(t *testing.T) {}\nfunc FuzzA(f *testing.F) {}\nfunc TestHelp(n int) {}\n",
		"internal/a/a.go":           "func TestB(t *testing.T) {}\n",
		"web/node_modules/_test.go": "func TestC(t *testing.T) {}\n",
	} {
		repository[path] = &fstest.MapFile{Data: []byte(text)}
	}
	faults, err := run(repository)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"docs/conformance.md:2: C2: there is no TestB",
		"docs/conformance.md:2: C2: there is no TestC",
		"docs/conformance.md:2: C2: there is no TestHelp",
	}
	if !slices.Equal(faults, want) {
		t.Errorf("got %q, want %q", faults, want)
	}
}
