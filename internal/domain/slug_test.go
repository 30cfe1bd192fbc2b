package domain_test

import (
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
)

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Ruby gems":                "ruby-gems",
		"  --Ruby__gems!! ":        "ruby-gems",
		"Default":                  "default",
		"Crème Brûlée":             "creme-brulee",
		"Cre\u0300me":              "creme",
		"Straße STRAẞE":            "strasse-strasse",
		"Ærø Łódź Đà Þór":          "aero-lodz-da-thor",
		"æøłđþß":                   "aeoldthss",
		"ǽ":                        "ae",
		"x² ½ ﬁx Ⅳ":                "x2-1-2-fix-iv",
		"ｆｕｌｌ　ｗｉｄｔｈ":               "full-width",
		"日本語":                      "",
		"日本 v2 語":                  "v2",
		"":                         "",
		"-":                        "",
		"🚀":                        "",
		"a\x00b\xffc":              "a-b-c",
		strings.Repeat("a", 255):   strings.Repeat("a", 100),
		strings.Repeat("ß", 60):    strings.Repeat("s", 100),
		strings.Repeat("ab ", 60):  strings.TrimSuffix(strings.Repeat("ab-", 33), "-") + "-a",
		strings.Repeat("abc ", 60): strings.TrimSuffix(strings.Repeat("abc-", 25), "-"),
	} {
		if got := domain.MakeSlug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestValidSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"a": true, "0": true, "acme-inc": true, "a-1-b": true, strings.Repeat("a", 100): true,
		"": false, "-": false, "-a": false, "a-": false, "a--b": false, "A": false, "a_b": false, "é": false,
		"a b": false, "a\n": false, "e\u0301": false, strings.Repeat("a", 101): false,
	} {
		if got := domain.ValidSlug(in); got != want {
			t.Errorf("ValidSlug(%q) = %v", in, got)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"", "Ruby gems", "Ærø ﬁ½", "\xff\x00", strings.Repeat("ß-", 60), strings.Repeat("\u0301", 70)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := domain.MakeSlug(s)
		if again := domain.MakeSlug(slug); again != slug {
			t.Errorf("Slug(%q) = %q, whose slug is %q", s, slug, again)
		}
		if slug != "" && (!domain.ValidSlug(slug) || !slugPattern.MatchString(slug) || len(slug) > 100) {
			t.Errorf("Slug(%q) = %q is not valid", s, slug)
		}
		if want := slugPattern.MatchString(s) && len(s) <= 100; domain.ValidSlug(s) != want {
			t.Errorf("ValidSlug(%q) = %v", s, !want)
		}
	})
}
