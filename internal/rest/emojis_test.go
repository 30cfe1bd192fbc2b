package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestEmojisHaveNamesAndPictures(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		emojis := s.Get(testkit.MemberToken, "/v2/organizations/acme-inc").Want(t, 200).Text("emojis_url")
		found := map[string]map[string]any{}
		for _, e := range s.Get(testkit.MemberToken, strings.TrimPrefix(emojis, s.URL)).Want(t, 200).List() {
			name, _ := e["name"].(string)
			if found[name] != nil || name == "" {
				t.Errorf("%q stands there twice", name)
			}
			found[name] = e
		}
		if url := found["rocket"]["url"]; url != s.URL+"/emojis/1f680.svg" {
			t.Errorf("the rocket is at %v", url)
		}
		if aliases, _ := found["+1"]["aliases"].([]any); len(aliases) != 1 || aliases[0] != "thumbsup" {
			t.Errorf("+1 is also called %v", aliases)
		}
		s.Get(testkit.OutsiderToken, "/v2/organizations/acme-inc/emojis").WantMessage(t, 404, "No organization found")
		s.Get("", "/v2/organizations/acme-inc/emojis").Want(t, 401)
	})
}
