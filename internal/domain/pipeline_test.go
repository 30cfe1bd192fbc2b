package domain_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/domain"
)

// checked returns what is wrong with a configuration.
func checked(configuration string) string {
	var faults domain.Faults
	domain.PipelineInput{Configuration: domain.Some(configuration)}.CheckConfiguration(&faults)
	if len(faults) == 0 {
		return ""
	}
	return strings.TrimPrefix(faults[0].Reason, "Configuration ")
}

func TestCheckConfiguration(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x]\n"
	for i := 1; i < 100; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	for configuration, want := range map[string]string{
		"":                                "",
		"steps:\n  - command: \"make\"\n": "",
		"\ufeffsteps: []\r\n":             "",
		"a: 1\n---\nb: 2\n...\n":          "",
		"a: 1\na: 2\n":                    "", // whose key counts is for those who run it
		"a: !!int x\nb: !custom y\n<<: z": "",
		bomb:                              "", // aliases are not followed
		"a: &a [*a]":                      "",
		strings.Repeat("[", 100) + strings.Repeat("]", 100): "",

		"a: [\n":                           "is not valid YAML: line 2, column 1: did not find expected node content",
		"a: b\n c: d\n":                    "is not valid YAML: line 2, column 3: mapping values are not allowed in this context",
		"- a\nb: c\n":                      "is not valid YAML: line 2, column 1: did not find expected '-' indicator",
		"a: 'b\n\nc":                       "is not valid YAML: line 3, column 2: found unexpected end of stream",
		"a:\n\t- b":                        "is not valid YAML: line 2, column 1: found character that cannot start any token",
		"ü: *b":                            "is not valid YAML: line 1, column 4: unknown anchor 'b' referenced",
		"a: !b!c d":                        "is not valid YAML: line 1, column 4: found undefined tag handle",
		"%YAML 3.0\n---\na":                "is not valid YAML: line 1, column 1: found incompatible YAML document",
		"a: b\nüü: \x1b[0m":                "is not valid YAML: line 2, column 5: control characters are not allowed",
		"\uffff":                           "is not valid YAML: line 1, column 1: control characters are not allowed",
		"a\x00":                            "must be valid UTF-8 without NUL",
		"a\xff":                            "must be valid UTF-8 without NUL",
		strings.Repeat("[", 101):           "is not valid YAML: line 1, column 101: exceeded max depth of 100",
		strings.Repeat("- ", 101) + "a":    "is not valid YAML: line 1, column 201: exceeded max depth of 100",
		strings.Repeat(" ", 256<<10+1):     "is too long (maximum is 256 KiB)",
		"{" + strings.Repeat("a,", 20_000): "has too many values (maximum is about 20,000)",
		strings.Repeat("- ", 20_001):       "has too many values (maximum is about 20,000)",
		strings.Repeat("\n", 20_001):       "has too many values (maximum is about 20,000)",
		strings.Repeat("%TAG !a! b\n", 21) + "---\na": "has too many %TAG directives (maximum is 20)",
	} {
		if got := checked(configuration); got != want {
			t.Errorf("%.100q (%d bytes): %q, want %q", configuration, len(configuration), got, want)
		}
	}
}

// FuzzCheckConfiguration holds that no text makes the check panic, and that it says where the fault is.
func FuzzCheckConfiguration(f *testing.F) {
	for _, seed := range []string{
		"steps:\n  - label: \":go: build\"\n    command: |\n      make\n    agents: {queue: default}\n  - wait: ~\n",
		"a: &a [*a]\n<<: *a\n", "%TAG !a! b\n--- !a!c\n? d\n: >-\n e\n", "a: [\n", "\ufeff{a: 'b', \"c\": d", "- - ? - a\n# b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, configuration string) {
		reason, found := strings.CutPrefix(checked(configuration), "is not valid YAML: ")
		if !found {
			return
		}
		var line, column int
		if _, err := fmt.Sscanf(reason, "line %d, column %d: ", &line, &column); err != nil || line < 1 || column < 1 || line > len(configuration)+1 {
			t.Errorf("%q: %s", configuration, reason)
		}
	})
}

func TestProvider(t *testing.T) {
	t.Parallel()
	for repository, want := range map[string]string{
		"git@github.com:acme/web.git":                  "github acme/web",
		"github.com:acme/web":                          "github acme/web",
		"https://github.com/acme/web.git":              "github acme/web",
		"https://user:secret@GitHub.com:443/acme/web/": "github acme/web",
		"ssh://git@gitlab.com/group/sub/web.git":       "gitlab group/sub/web",
		"git@bitbucket.org:acme/web.git":               "bitbucket acme/web",
		"git@github.example.com:acme/web.git":          "",
		"https://example.com/github.com/acme/web":      "",
		"https://example.com/?github.com:a":            "",
		"github.com":                                   "",
		"https://github.com/":                          "",
		"/srv/git/web.git":                             "",
		"%zz":                                          "",
		"":                                             "",
	} {
		got := ""
		if provider := (&domain.Pipeline{Repository: repository}).Provider(); provider != nil {
			got = provider.ID + " " + provider.Repository
		}
		if got != want {
			t.Errorf("%s: %q, want %q", repository, got, want)
		}
	}
}
