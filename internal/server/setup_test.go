package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/config"
)

var setupLink = regexp.MustCompile(`url="?(http://[^"\s]+/setup\?link=[0-9A-Za-z]+)`)

func TestAnInstallationWithoutUsersHasASetupLink(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			empty := start(t, engine, func(cfg *config.Config) { cfg.Bootstrap = "" })
			found := setupLink.FindStringSubmatch(empty.log.String())
			if found == nil {
				t.Fatal("no link was logged")
			}
			path := strings.TrimPrefix(found[1], empty.url)
			if a := empty.get(path); a.status != http.StatusOK || !strings.Contains(a.body, "Set up Penstock") {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
			if a := empty.get(path + "x"); a.status != http.StatusNotFound {
				t.Errorf("another link: %d %s", a.status, a.body)
			}
		})
	}
	if s := start(t, "sqlite", nil); setupLink.MatchString(s.log.String()) {
		t.Error("an installation with users has a link")
	}
}
