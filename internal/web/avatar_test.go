package web_test

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"testing"

	"penstock/internal/web"
)

func TestAvatarsAreDrawnFromTheIDAlone(t *testing.T) {
	t.Parallel()
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		web.Avatars(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	const one, other = "/avatars/0190a000-0000-7000-8000-000000000001.svg", "/avatars/0190a000-0000-7000-8000-000000000002.svg"
	first := get(one)
	if first.Code != http.StatusOK || first.Header().Get("Content-Type") != "image/svg+xml" {
		t.Fatalf("%d %s", first.Code, first.Header())
	}
	if err := xml.Unmarshal(first.Body.Bytes(), new(struct{})); err != nil {
		t.Errorf("it is not XML: %v", err)
	}
	if first.Body.String() != get(one).Body.String() {
		t.Error("the same user looks different the second time")
	}
	if first.Body.String() == get(other).Body.String() {
		t.Error("two users look the same")
	}
	for _, path := range []string{"/avatars/", "/avatars/x.svg", "/avatars/0190a000-0000-7000-8000-000000000001", "/avatars/../secret.svg"} {
		if w := get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
