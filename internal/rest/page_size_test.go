package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// A page of large things leaves out what is large, so that nobody makes a list unreadable for others. Smaller pages of them have it.
func TestAPageHasABoundInBytes(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		configuration := "steps: [{command: a}]\n# " + strings.Repeat("x", 250<<10) + "\n"
		for i := range 70 {
			s.Post(testkit.AdminToken, organizationPath+"/pipelines", map[string]any{
				"name": "Large " + string(rune('A'+i/10)) + string(rune('0'+i%10)), "repository": "r", "configuration": configuration,
			}).Want(t, 201)
		}
		s.Post(testkit.AdminToken, organizationPath+"/pipelines", `{"name": "Little", "repository": "r", "configuration": "steps: [{command: b}]", "env": {"A": "1"}}`).Want(t, 201)
		for _, pipeline := range s.Get(testkit.AdminToken, organizationPath+"/pipelines?per_page=100").Want(t, 200).List() {
			shown := fmt.Sprintf("%v %v", pipeline["configuration"], pipeline["env"])
			switch name := pipeline["name"].(string); {
			case strings.HasPrefix(name, "Large") && (shown != "<nil> <nil>" || len(pipeline["steps"].([]any)) > 0):
				t.Errorf("%s is shown with %.50s", name, shown)
			case name == "Little" && shown != "steps: [{command: b}] map[A:1]":
				t.Errorf("%s is shown with %.50s", name, shown)
			}
		}
		first := s.Get(testkit.AdminToken, organizationPath+"/pipelines?name=Large").Want(t, 200).List()
		if len(first) != 30 || first[0]["configuration"] != configuration {
			t.Errorf("the first page has %d, with %.50v", len(first), first[0]["configuration"])
		}
	})
}
