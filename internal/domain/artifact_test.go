package domain_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
)

// expressionOf returns a regular expression for what an artifact pattern names.
func expressionOf(pattern string) *regexp.Regexp {
	directories := regexp.MustCompile(`(\A|/|\x00)\*{2,}/`)
	for directories.MatchString(pattern) {
		pattern = directories.ReplaceAllString(pattern, "$1\x00")
	}
	expression := regexp.MustCompile(`\*+`).ReplaceAllString(regexp.QuoteMeta(pattern), ".*")
	expression = strings.ReplaceAll(strings.ReplaceAll(expression, `\.*`, `.*`), "\x00", `(?:.*/)?`)
	return regexp.MustCompile(`(?s)\A` + expression + `\z`)
}

// TestArtifactPatterns compares patterns with regular expressions that say the same.
func TestArtifactPatterns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(signs []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(signs[random.IntN(len(signs))])
		}
		return b.String()
	}
	matched := 0
	for range 20_000 {
		pattern, path := text([]string{"a", "b", "/", "*", "**/", "/**/", "**"}, 7), text([]string{"a", "b", "/"}, 8)
		p, err := domain.ParseArtifactPattern(pattern)
		if err != nil {
			t.Fatal(pattern, err)
		}
		if got, want := p.Matches(path), expressionOf(pattern).MatchString(path); got != want {
			t.Fatalf("%q names %q: %t, not %t", pattern, path, got, want)
		} else if got {
			matched++
		}
	}
	if matched < 500 {
		t.Errorf("only %d matched", matched)
	}
}

func TestArtifactPatternsAreBounded(t *testing.T) {
	t.Parallel()
	for pattern, message := range map[string]string{
		strings.Repeat("**/", 300) + "b": "",
		strings.Repeat("*a", 20):         "",
		strings.Repeat("*a", 21):         "query has too many wildcards (maximum is 20)",
		strings.Repeat("a/**/", 21):      "query has too many wildcards (maximum is 20)",
		strings.Repeat("a", 1025):        "query must be a path of at most 1024 bytes, in which * stands for any text",
	} {
		p, err := domain.ParseArtifactPattern(pattern)
		if got := messageOf(err); got != message {
			t.Errorf("%.20q: %q, not %q", pattern, got, message)
		}
		if err == nil && p.Matches(strings.Repeat("a/", 200)+strings.Repeat("a", 3_000)+"c") {
			t.Errorf("%.20q matches", pattern)
		}
	}
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
