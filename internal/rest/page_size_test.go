package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// A page of large things is refused, and smaller pages of them are not.
func TestAPageHasABoundInBytes(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		configuration := "steps: [{command: a}]\n# " + strings.Repeat("x", 250<<10) + "\n"
		for i := range 70 {
			s.Post(testkit.AdminToken, organizationPath+"/pipelines", map[string]any{
				"name": "Large " + string(rune('A'+i/10)) + string(rune('0'+i%10)), "repository": "r", "configuration": configuration,
			}).Want(t, 201)
		}
		s.Get(testkit.AdminToken, organizationPath+"/pipelines?per_page=100").WantMessage(t, 400, "This page has more than 16 MiB. Ask for fewer items with per_page.")
		if n := len(s.Get(testkit.AdminToken, organizationPath+"/pipelines").Want(t, 200).List()); n != 30 {
			t.Errorf("the first page has %d", n)
		}
	})
}
