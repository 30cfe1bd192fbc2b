package domain_test

import (
	"testing"

	"penstock/internal/domain"
)

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
