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

// TestAPageOfLargeBuildsIsReadable lists builds whose meta-data, environment, messages and commands are too large for a page together.
func TestAPageOfLargeBuildsIsReadable(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Post(testkit.AdminToken, organizationPath+"/pipelines", map[string]any{"name": "Large", "repository": "r", "cluster_id": testkit.MaintainedID,
			"configuration": "steps: [{command: \"" + strings.Repeat("x", 200<<10) + "\"}]"}).Want(t, 201)
		path := organizationPath + "/pipelines/large/builds"
		create := func(message string, large bool) {
			t.Helper()
			meta, env := map[string]string{"k": "v"}, map[string]string{"A": "1"}
			if large {
				env["B"] = strings.Repeat("x", 9_000)
				for i := range 9 {
					meta[fmt.Sprintf("k%d", i)] = strings.Repeat("x", 95_000)
				}
			}
			s.Post(testkit.AdminToken, path, map[string]any{"commit": "HEAD", "branch": "main", "message": message, "meta_data": meta, "env": env}).Want(t, 201)
		}
		long := strings.Repeat("é", 5<<10)
		for range 18 {
			create(long, true)
		}
		create("Little", false)
		for _, list := range []string{path, organizationPath + "/builds", "/v2/builds"} {
			for _, build := range s.Get(testkit.AdminToken, list).Want(t, 200).List() {
				shown := fmt.Sprintf("%v %v", build["env"], build["meta_data"])
				switch message := build["message"].(string); {
				case message == "Little":
					if shown != "map[A:1] map[k:v]" {
						t.Errorf("%s: a little build is shown with %.50s", list, shown)
					}
				case shown != "map[] map[]" || message != long[:8<<10]:
					t.Errorf("%s: a large build is shown with %.50s and %d bytes of its message", list, shown, len(message))
				}
				if job := build["jobs"].([]any)[0].(map[string]any); job["command"] != nil || job["script_path"] != nil {
					t.Errorf("%s: a long command is shown", list)
				}
			}
		}
		one := s.Get(testkit.AdminToken, path+"?per_page=1&page=2").Want(t, 200).List()[0]
		if meta := one["meta_data"].(map[string]any); len(meta) != 10 || one["message"] != long || one["jobs"].([]any)[0].(map[string]any)["command"] == nil {
			t.Errorf("a page of its own shows %d values of its meta-data", len(meta))
		}
	})
}
