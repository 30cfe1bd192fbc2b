package web_test

import (
	"net/http"
	"regexp"
	"testing"
)

func TestAssetsAreAnsweredLikePages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.browser()
		path := regexp.MustCompile(`/assets/[0-9a-f]+/app\.css`).FindString(b.get("/sign-in").Body)
		for _, c := range []struct {
			method, path, accept string
			status               int
			mediaType            string
		}{
			{http.MethodGet, path, "text/css", http.StatusOK, "text/css; charset=utf-8"},
			{http.MethodHead, path, "text/css", http.StatusOK, "text/css; charset=utf-8"},
			{http.MethodGet, "/assets/x/app.css", "text/css", http.StatusNotFound, "application/json; charset=utf-8"},
			{http.MethodGet, "/assets/x/app.css", "text/html", http.StatusNotFound, "text/html; charset=utf-8"},
			{http.MethodPost, path, "text/html", http.StatusNotFound, "text/html; charset=utf-8"},
		} {
			a := b.send(c.method, c.path, nil, map[string]string{"Accept": c.accept, "X-Request-Id": "mine"}).want(t, c.status)
			if got := a.Header.Get("Content-Type"); got != c.mediaType {
				t.Errorf("%s is %q, want %q", a.path, got, c.mediaType)
			}
			if got := a.Header.Get("X-Request-Id"); got != "mine" {
				t.Errorf("%s has the X-Request-Id %q", a.path, got)
			}
		}
	})
}
