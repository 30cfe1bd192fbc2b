package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

const defaultPolicy = `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`

// registriesPath is the path of the registries of the cluster Maintained, or of what is below them.
func registriesPath(below ...string) string {
	return testkit.ClusterPath(testkit.MaintainedID, append([]string{"cache-registries"}, below...)...)
}

// createdRegistry makes a registry in the cluster Maintained and returns its uuid.
func createdRegistry(t testing.TB, s *testkit.Server, name string) string {
	t.Helper()
	uuid := s.Post(testkit.AdminToken, registriesPath(), map[string]any{"name": name}).Want(t, 201).Text("uuid")
	if uuid == "" {
		t.Fatal("no uuid")
	}
	return uuid
}

func TestCacheRegistryFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		wantExactly(t, s.Get(testkit.MaintainerToken, registriesPath(testkit.RegistryID)).Want(t, 200).Object(), `{
			"uuid": "ID", "slug": "ruby-gems", "name": "Ruby gems", "description": null, "emoji": null, "color": null, "policy": POLICY,
			"default": false, "created_at": "2026-05-03T04:17:55.867Z", "updated_at": "2026-05-03T04:17:55.867Z",
			"url": "CLUSTER/cache-registries/ID", "cluster_url": "CLUSTER"}`,
			"ID", testkit.RegistryID, "POLICY", defaultPolicy, "CLUSTER", s.URL+testkit.ClusterPath(testkit.MaintainedID))
		standard := defaultRegistry(t, s, testkit.MaintainedID)
		if d := s.Get(testkit.AdminToken, registriesPath(standard)).Want(t, 200).Object()["default"]; d != true {
			t.Errorf("the default registry's default is %v", d)
		}
	})
}

func TestListCacheRegistries(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		list := s.Get(testkit.MaintainerToken, registriesPath()).Want(t, 200)
		wantExactly(t, testkit.Column(list.List(), "slug"), `["default", "ruby-gems"]`)
		wantExactly(t, list.Object()["links"], `{"self": "URL"}`, "URL", s.URL+registriesPath())
		one := s.Get(testkit.MaintainerToken, registriesPath(testkit.RegistryID)).Want(t, 200).Object()
		wantExactly(t, list.List()[1], string(asJSON(t, one)))
	})
}

func TestCacheRegistriesAreOrderedBySlug(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"npm", "a b", "A", "9", "aa", "a 1", "Émile"} {
			createdRegistry(t, s, name)
		}
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, registriesPath()).Want(t, 200).List(), "slug"),
			`["9", "a", "a-1", "a-b", "aa", "default", "emile", "npm", "ruby-gems"]`)
	})
}

func TestCreateCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		created := s.Post(testkit.MaintainerToken, registriesPath(),
			`{"name": "  Node modules ", "description": "For npm", "emoji": ":npm:", "color": "#c0ffee", "policy": {"rules": []}}`).Want(t, 201)
		wantMembers(t, created, `{"name": "Node modules", "slug": "node-modules", "description": "For npm", "emoji": ":npm:", "color": "#c0ffee",
			"policy": {"save": {"scopes": {}}, "restore": {"scopes": []}, "rules": []}, "default": false}`)
		stored := s.Get(testkit.AdminToken, registriesPath(created.Text("uuid"))).Want(t, 200)
		if string(stored.Body) != string(created.Body) {
			t.Errorf("created\n%s\nand stored\n%s", created.Body, stored.Body)
		}
	})
}

func TestUpdateCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(time.Hour)
		updated := s.Patch(testkit.MaintainerToken, registriesPath(testkit.RegistryID), `{"name": "Gems", "description": "Ruby", "emoji": ":gem:", "color": "#f00"}`).Want(t, 200)
		wantMembers(t, updated, `{"name": "Gems", "slug": "gems", "description": "Ruby", "emoji": ":gem:", "color": "#f00",
			"created_at": "2026-05-03T04:17:55.867Z", "updated_at": "2026-05-03T05:17:55.867Z"}`)
		stored := s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).Want(t, 200)
		if string(stored.Body) != string(updated.Body) {
			t.Errorf("answered\n%s\nand stored\n%s", updated.Body, stored.Body)
		}
		s.Put(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"name": "Put"}`).Want(t, http.StatusMethodNotAllowed)
	})
}

func TestUpdateCacheRegistryLeavesOmittedFieldsAlone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		uuid := s.Post(testkit.AdminToken, registriesPath(),
			`{"name": "Kept", "description": "d", "emoji": ":e:", "color": "#abc", "policy": {}}`).Want(t, 201).Text("uuid")
		wantUnchanged(t, s, registriesPath(uuid), func() { s.Patch(testkit.AdminToken, registriesPath(uuid), `{}`).Want(t, 200) })
		updated := s.Patch(testkit.AdminToken, registriesPath(uuid), `{"description": "new"}`).Want(t, 200)
		wantMembers(t, updated, `{"name": "Kept", "slug": "kept", "description": "new", "emoji": ":e:", "color": "#abc",
			"policy": {"save": {"scopes": {}}, "restore": {"scopes": []}, "rules": []}}`)
	})
}

func TestDeleteCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Delete(testkit.MaintainerToken, registriesPath(testkit.RegistryID)).Want(t, 204)
		s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).WantMessage(t, 404, "No cache registry found")
		s.Delete(testkit.AdminToken, registriesPath(testkit.RegistryID)).WantMessage(t, 404, "No cache registry found")
	})
}

func TestCacheRegistrySlugIsNotAnIdentifier(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Get(testkit.AdminToken, registriesPath("ruby-gems")).WantMessage(t, 404, "No cache registry found")
		s.Patch(testkit.AdminToken, registriesPath("ruby-gems"), `{"name": "x"}`).WantMessage(t, 404, "No cache registry found")
		s.Delete(testkit.AdminToken, registriesPath("ruby-gems")).WantMessage(t, 404, "No cache registry found")
	})
}

func TestCacheRegistryOfAnotherClusterIsNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdCluster(t, s), "cache-registries", testkit.RegistryID)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cache registry found")
		s.Patch(testkit.AdminToken, path, `{"name": "x"}`).WantMessage(t, 404, "No cache registry found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No cache registry found")
		s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).Want(t, 200)
	})
}

func TestRenamingACacheRegistryChangesItsSlugAndKeepsItsUUID(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		before := s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).Want(t, 200)
		after := s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"name": "Größe & Ærø"}`).Want(t, 200)
		wantMembers(t, after, `{"slug": "grosse-aero", "uuid": "ID", "url": "URL"}`, "ID", testkit.RegistryID, "URL", before.Text("url"))
	})
}

func TestCacheRegistrySlugIsUniqueInItsCluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const refusal = "Validation failed: A cache registry with the slug ruby-gems already exists in this cluster"
		s.Post(testkit.AdminToken, registriesPath(), `{"name": "Ruby   GEMS!"}`).WantMessage(t, 422, refusal)
		other := createdRegistry(t, s, "Other")
		wantUnchanged(t, s, registriesPath(other), func() {
			s.Patch(testkit.AdminToken, registriesPath(other), `{"name": "ruby gems", "description": "not stored"}`).WantMessage(t, 422, refusal)
		})
		s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"name": "RUBY gems"}`).Want(t, 200)
		elsewhere := testkit.ClusterPath(createdCluster(t, s), "cache-registries")
		s.Post(testkit.AdminToken, elsewhere, `{"name": "Ruby gems"}`).Want(t, 201)
	})
}

// Of thirty-two equal creates at once, one wins: the database decides.
func TestEqualCreatesAtOnceMakeOneCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const attempts = 32
		answers := make([]*testkit.Answer, attempts)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = s.Post(testkit.AdminToken, registriesPath(), `{"name": "Contended"}`) })
		}
		wg.Wait()
		created := 0
		for _, a := range answers {
			if a.Status == http.StatusCreated {
				created++
				continue
			}
			a.WantMessage(t, 422, "Validation failed: A cache registry with the slug contended already exists in this cluster")
		}
		if created != 1 {
			t.Errorf("%d of %d were created", created, attempts)
		}
	})
}

func TestCacheRegistryNameMustLeaveASlug(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"日本語", "---", "!"} {
			s.Post(testkit.AdminToken, registriesPath(), map[string]any{"name": name}).
				WantMessage(t, 422, "Validation failed: Name must contain a letter or digit, for its slug")
		}
	})
}

func TestCacheRegistryFieldsAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for body, reason := range map[string]string{
			`{}`:             "Name can't be blank",
			`{"name": null}`: "Name can't be blank",
			`{"name": " "}`:  "Name can't be blank",
			`{"name": 7}`:    "name must be a string",
			`{"name": "` + strings.Repeat("n", 256) + `"}`: "Name is too long (maximum is 255 characters)",
			`{"name": "x", "color": "red"}`:                "Color must be # and 3 or 6 hexadecimal digits",
			`{"name": "x", "emoji": "rocket"}`:             "Emoji must be a name between colons, such as :rocket:",
			`{"name": "x", "description": []}`:             "description must be a string",
		} {
			s.Post(testkit.AdminToken, registriesPath(), body).WantMessage(t, 422, "Validation failed: "+reason)
			if body == `{}` {
				continue // which changes nothing
			}
			wantUnchanged(t, s, registriesPath(testkit.RegistryID), func() {
				s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), body).WantMessage(t, 422, "Validation failed: "+reason)
			})
		}
		s.Post(testkit.AdminToken, registriesPath(), `{"name": "`+strings.Repeat("n", 255)+`"}`).Want(t, 201)
	})
}

func TestNullClearsCacheRegistryTexts(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		uuid := s.Post(testkit.AdminToken, registriesPath(), `{"name": "Texts", "description": "d", "emoji": ":e:", "color": "#abc"}`).Want(t, 201).Text("uuid")
		wantMembers(t, s.Patch(testkit.AdminToken, registriesPath(uuid), `{"description": "", "emoji": "", "color": ""}`).Want(t, 200),
			`{"description": "", "emoji": "", "color": ""}`)
		wantMembers(t, s.Patch(testkit.AdminToken, registriesPath(uuid), `{"description": null, "emoji": null, "color": null}`).Want(t, 200),
			`{"description": null, "emoji": null, "color": null}`)
	})
}

func TestUnknownCacheRegistryFieldIsRefusedByName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Post(testkit.AdminToken, registriesPath(), `{"name": "x", "polcy": {}, "Name": "y"}`).
			WantMessage(t, 422, "Validation failed: polcy is not a field that can be set, Name is not a field that can be set")
		s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"size": 1}`).
			WantMessage(t, 422, "Validation failed: size is not a field that can be set")
	})
}

func TestCacheRegistryReadOnlyFieldsAreRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, field := range []string{"uuid", "slug", "default", "cache_store", "store", "created_at", "updated_at", "url", "cluster_url"} {
			refusal := "Validation failed: " + field + " is not a field that can be set"
			s.Post(testkit.AdminToken, registriesPath(), map[string]any{"name": "New " + field, field: nil}).WantMessage(t, 422, refusal)
			wantUnchanged(t, s, registriesPath(testkit.RegistryID), func() {
				s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), map[string]any{"name": "Changed", field: true}).WantMessage(t, 422, refusal)
			})
		}
	})
}

func TestCacheStoreCannotBeSet(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, field := range []string{"cache_store", "store"} {
			s.Post(testkit.AdminToken, registriesPath(), map[string]any{"name": "x", field: "s3://bucket"}).Want(t, 422)
			s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), map[string]any{field: "s3://bucket"}).Want(t, 422)
			if _, shown := s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).Want(t, 200).Object()[field]; shown {
				t.Errorf("%s is shown", field)
			}
		}
	})
}

func TestCacheRegistryPolicyIsNormalized(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for given, normal := range map[string]string{
			`{}`: `{"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[]}`,
			`{"rules": [{"action": "save", "effect": "allow", "name": null, "when": null}], "restore": {"scopes": [{"branch": "$current"}, {"branch": "main"}]},
				"save": {"scopes": {"pipeline": false, "branch": true}}}`: `{"save":{"scopes":{"pipeline":false,"branch":true}},` +
				`"restore":{"scopes":[{"branch":"$current"},{"branch":"main"}]},"rules":[{"action":["save"],"effect":"allow"}]}`,
			`{"rules": [{"effect": "deny", "action": ["restore", "save"], "when": "entry.branch != null"}]}`: `{"save":{"scopes":{}},"restore":{"scopes":[]},` +
				`"rules":[{"effect":"deny","action":["save","restore"],"when":"entry.branch != null"}]}`,
		} {
			answer := s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"policy": `+given+`}`).Want(t, 200)
			if !strings.Contains(string(answer.Body), `"policy":`+normal+`,`) {
				t.Errorf("%s became %s", given, answer.Body)
			}
		}
	})
}

func TestInvalidCacheRegistryPolicyIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for policy, reason := range map[string]string{
			`"{}"`:        "Policy must be a JSON object",
			`"rules: []"`: "Policy must be a JSON object",
			`[]`:          "Policy must be a JSON object",
			`7`:           "Policy must be a JSON object",
			`{"rules": [{"effect": "allow", "action": "save"}, {"effect": "allow", "action": "save"}, {"effect": "allow", "action": "delete"}]}`: "Policy rules[2].action must be save or restore",
		} {
			s.Post(testkit.AdminToken, registriesPath(), `{"name": "x", "policy": `+policy+`}`).WantMessage(t, 422, "Validation failed: "+reason)
			wantUnchanged(t, s, registriesPath(testkit.RegistryID), func() {
				s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"name": "Not stored", "policy": `+policy+`}`).WantMessage(t, 422, "Validation failed: "+reason)
			})
		}
		several := s.Post(testkit.AdminToken, registriesPath(), `{"name": "", "policy": {"rule": [], "save": {"scopes": {"branch": 1}}}}`).Want(t, 422).Message()
		if strings.Count(several, "Policy ") != 2 || !strings.Contains(several, "Name can't be blank") {
			t.Errorf("not every fault is told: %s", several)
		}
	})
}

func TestCreateWithoutPolicyIsUnrestricted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, body := range []string{`{"name": "Omitted"}`, `{"name": "Null", "policy": null}`} {
			if answer := s.Post(testkit.AdminToken, registriesPath(), body).Want(t, 201); !strings.Contains(string(answer.Body), `"policy":`+defaultPolicy+`,`) {
				t.Errorf("%s", answer)
			}
		}
	})
}

func TestNullPolicyOnUpdateIsStoredAsNull(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		wantMembers(t, s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"policy": null}`).Want(t, 200), `{"policy": null}`)
		wantMembers(t, s.Get(testkit.AdminToken, registriesPath(testkit.RegistryID)).Want(t, 200), `{"policy": null}`)
	})
}

func TestUpdateReplacesTheWholePolicy(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"policy": {"save": {"scopes": {"branch": true}}, "rules": [{"effect": "deny", "action": "save"}]}}`).Want(t, 200)
		wantMembers(t, s.Patch(testkit.AdminToken, registriesPath(testkit.RegistryID), `{"policy": {"restore": {"scopes": [{}]}}}`).Want(t, 200),
			`{"policy": {"save": {"scopes": {}}, "restore": {"scopes": [{}]}, "rules": []}}`)
	})
}

func TestDefaultCacheRegistryCannotBeDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		standard := defaultRegistry(t, s, testkit.MaintainedID)
		s.Delete(testkit.AdminToken, registriesPath(standard)).
			WantMessage(t, 422, "Unable to destroy cache registry. Cannot destroy default cache registry")
		s.Get(testkit.AdminToken, registriesPath(standard)).Want(t, 200)
	})
}

// Managing the cluster and destroying its registries are two permissions.
func TestMaintainersMayBeKeptFromDestroyingCacheRegistries(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, token := range []string{testkit.MaintainerToken, testkit.TeammateToken} {
			s.Delete(token, registriesPath(createdRegistry(t, s, "By a maintainer"))).Want(t, 204)
		}
		testkit.Change(t, s.DB, `UPDATE organizations SET maintainers_can_destroy_cache_registries = FALSE WHERE slug = $1`, testkit.Organization)
		kept := createdRegistry(t, s, "Kept")
		for _, token := range []string{testkit.MaintainerToken, testkit.TeammateToken} {
			s.Delete(token, registriesPath(kept)).WantMessage(t, 403, "Forbidden")
			s.Patch(token, registriesPath(kept), `{"description": "still managed"}`).Want(t, 200)
			s.Delete(token, registriesPath(unknownUUID)).WantMessage(t, 404, "No cache registry found")
		}
		s.Delete(testkit.AdminToken, registriesPath(kept)).Want(t, 204)
	})
}

func TestCacheRegistriesAreForManagersOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Get(testkit.MemberToken, registriesPath()).WantMessage(t, 403, "Forbidden")
		s.Get(testkit.MemberToken, registriesPath(unknownUUID)).WantMessage(t, 403, "Forbidden")
		s.Post(testkit.MemberToken, registriesPath(), `not JSON`).WantMessage(t, 403, "Forbidden")
		s.Patch(testkit.MemberToken, registriesPath(testkit.RegistryID), `{"policy": "bad"}`).WantMessage(t, 403, "Forbidden")
		s.Delete(testkit.MemberToken, registriesPath(testkit.RegistryID)).WantMessage(t, 403, "Forbidden")
	})
}

// However creating, renaming, making the default and deleting interleave, a cluster has exactly one default registry,
// which is its own, and the API's answers are among those that it documents.
func TestAClusterAlwaysHasOneDefaultCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		clusters := []string{testkit.MaintainedID, createdCluster(t, s)}
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for step := range 12 {
					cluster := clusters[(worker+step)%len(clusters)]
					path := testkit.ClusterPath(cluster, "cache-registries")
					made := s.Post(testkit.AdminToken, path, map[string]any{"name": fmt.Sprintf("Made %d", step%5)})
					if made.Status != 201 {
						made.Want(t, 422)
					}
					for _, registry := range s.Get(testkit.AdminToken, path).Want(t, 200).List() {
						uuid, _ := registry["uuid"].(string)
						if registry["slug"] == fmt.Sprintf("made-%d", (step+worker)%5) {
							allowed(t, s.Put(testkit.AdminToken, testkit.ClusterPath(cluster), map[string]any{"default_cache_registry_uuid": uuid}), 200, 422)
						}
						if registry["slug"] == fmt.Sprintf("made-%d", (step+2*worker)%5) {
							allowed(t, s.Patch(testkit.AdminToken, path+"/"+uuid, map[string]any{"name": fmt.Sprintf("Made %d", (step+1)%5)}), 200, 404, 422)
						}
						if registry["slug"] == fmt.Sprintf("made-%d", (step+3*worker)%5) || registry["slug"] == "default" {
							allowed(t, s.Delete(testkit.AdminToken, path+"/"+uuid), 204, 404, 422)
						}
					}
				}
			})
		}
		wg.Wait()
		for _, cluster := range clusters {
			standard := 0
			for _, registry := range s.Get(testkit.AdminToken, testkit.ClusterPath(cluster, "cache-registries")+"?per_page=100").Want(t, 200).List() {
				if registry["default"] == true {
					standard++
					if registry["uuid"] != defaultRegistry(t, s, cluster) {
						t.Error("the default registry is not the one that the cluster names")
					}
				}
			}
			if standard != 1 {
				t.Errorf("the cluster has %d default registries", standard)
			}
		}
		if n := storedNumber(t, s, `SELECT count(*) FROM clusters c LEFT JOIN cache_registries r ON r.id = c.default_cache_registry_id AND r.cluster_id = c.id WHERE r.id IS NULL`); n != 0 {
			t.Errorf("%d clusters are without a default registry of their own", n)
		}
	})
}

// The schema itself refuses a cluster without a default registry of its own.
func TestTheSchemaGuardsTheDefaultCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := defaultRegistry(t, s, createdCluster(t, s))
		for _, statement := range []string{
			`DELETE FROM cache_registries WHERE id = (SELECT default_cache_registry_id FROM clusters WHERE id = '` + testkit.MaintainedID + `')`,
			`UPDATE clusters SET default_cache_registry_id = '` + other + `' WHERE id = '` + testkit.MaintainedID + `'`,
			`UPDATE clusters SET default_cache_registry_id = NULL WHERE id = '` + testkit.MaintainedID + `'`,
		} {
			err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(statement)
				return err
			})
			if err == nil {
				t.Errorf("the database accepted %s", statement)
			}
		}
		s.Get(testkit.AdminToken, registriesPath(defaultRegistry(t, s, testkit.MaintainedID))).Want(t, 200)
	})
}

func allowed(t testing.TB, a *testkit.Answer, statuses ...int) {
	t.Helper()
	for _, status := range statuses {
		if a.Status == status {
			return
		}
	}
	t.Errorf("want one of %v: %s", statuses, a)
}
