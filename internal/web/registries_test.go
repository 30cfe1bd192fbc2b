package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func (s *site) registry(id string) domain.CacheRegistryView {
	s.t.Helper()
	found, err := s.Service.CacheRegistry(s.t.Context(), admin(), testkit.Maintained(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

func TestRegistries(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const list = theCluster + "/registries"
		b.get(list).want(t, http.StatusOK, "Ruby gems", "ruby-gems", "Every job may save and restore", "agent-managed", `<span class="tag good">default</span>`)
		b.submit(list+"/new", "name", "Ruby Gems!", "description", "Kept text").want(t, http.StatusUnprocessableEntity, "with the slug ruby-gems already exists", "Kept text", `value="Ruby Gems!"`)
		b.submit(list+"/new", "name", "!!!", "color", "blue").want(t, http.StatusUnprocessableEntity, "Name must contain a letter or digit", "Color must be")
		made := b.submit(list+"/new", "name", "Node", "description", "For npm", "emoji", ":package:", "color", "#abc")
		node := made.Header.Get("Location")
		b.get(node).want(t, http.StatusOK, "Cache registry created.", "For npm", "📦", "Jobs that choose it", "<code>node</code>")

		b.submit(node+"/settings", "name", "", "emoji", "box").want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", `value="box"`)
		b.submit(node+"/settings", "name", "Node modules").wantRedirect(t, node+"/settings")
		b.get(node).want(t, http.StatusOK, "Node modules", "<code>node-modules</code>")

		b.submitTo(node+"/settings", node+"/default").wantRedirect(t, node)
		b.get(node).want(t, http.StatusOK, "now the cluster&#39;s default cache registry", "and jobs that choose no registry", `<span class="tag good">default</span>`)
		if a := b.get(node + "/settings"); strings.Contains(a.Body, "Make default") {
			t.Error("the default can be made the default")
		}
		b.submit(node+"/delete").want(t, http.StatusUnprocessableEntity, domain.CannotDeleteDefaultCacheRegistry, "Delete cache registry")
		b.submitTo(theRegistry+"/settings", theRegistry+"/default").wantRedirect(t, theRegistry)
		b.submit(node+"/delete").wantRedirect(t, list)
		b.get(node).want(t, http.StatusNotFound, "No cache registry found")

		// Maintainers may be kept from it.
		s.exec(`UPDATE organizations SET maintainers_can_destroy_cache_registries = false`)
		if a := b.get(theRegistry + "/settings"); strings.Contains(a.Body, "/delete") {
			t.Error("who may not delete registries is offered to")
		}
		b.get(theRegistry+"/delete").want(t, http.StatusForbidden)
		b.submitTo(theRegistry+"/settings", theRegistry+"/delete").want(t, http.StatusForbidden)
	})
}

func TestCacheStores(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const path = theRegistry + "/store"
		for address, reason := range map[string]string{
			"s3://key:hunter2@bucket":          "must not hold credentials",
			"s3://bucket?secret=hunter2":       "can only have region, endpoint, use_path_style",
			"https://bucket.example.com/x?y=z": "agents have no way to use it",
		} {
			b.submit(path, "cache_store", address).want(t, http.StatusUnprocessableEntity, reason, `value="`+address+`"`)
		}
		if s.registry(testkit.RegistryID).CacheStore != nil {
			t.Error("what was refused is stored")
		}
		b.submit(path, "cache_store", "s3://bucket/prefix?region=eu-central-1").wantRedirect(t, path)
		b.get(path).want(t, http.StatusOK, "Cache store saved.", "s3://bucket/prefix?region=eu-central-1")
		b.get(theCluster+"/registries").want(t, http.StatusOK, "s3://bucket/prefix?region=eu-central-1")
		if answer := s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "cache-registries", testkit.RegistryID)); strings.Contains(answer.String(), "s3:") {
			t.Errorf("the API shows it: %s", answer)
		}
		if answer := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?type=CACHE_REGISTRY_UPDATED"); strings.Count(answer.String(), "s3://bucket/prefix") != 1 {
			t.Errorf("the audit trail has %s", answer)
		}
		b.submit(path, "cache_store", " ").wantRedirect(t, path)
		b.get(path).want(t, http.StatusOK, "agent-managed")
	})
}

// TestHostileClusters writes an attack into every field of what these pages show.
func TestHostileClusters(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx, text := t.Context(), domain.Some(attack)
		_, err := s.Service.UpdateCluster(ctx, admin(), testkit.Maintained(), core.Value(domain.ClusterPatch{Name: text, LookInput: domain.LookInput{Description: text}}), nil)
		must(err)
		_, err = s.Service.UpdateQueue(ctx, admin(), testkit.Maintained(), testkit.QueueID, core.Value(domain.QueueInput{QueueSettingsInput: domain.QueueSettingsInput{Description: text}}), nil)
		must(err)
		_, err = s.Service.PauseQueue(ctx, admin(), testkit.Maintained(), testkit.QueueID, core.Value(text))
		must(err)
		token, _, err := s.Service.CreateAgentToken(ctx, admin(), testkit.Maintained(), core.Value(domain.AgentTokenInput{Description: text}))
		must(err)
		quoted := strings.NewReplacer(`"`, `\"`).Replace(attack)
		document := `{"save": {"scopes": {"branch": true}}, "restore": {"scopes": [{"branch": "` + quoted + `"}]}, "rules": [{"name": "` + quoted +
			`", "effect": "allow", "action": "restore", "when": "entry.branch != '` + strings.NewReplacer(`"`, `\"`, `'`, `\\'`).Replace(attack) + `'"}]}`
		_, err = s.Service.UpdateCacheRegistry(ctx, admin(), testkit.Maintained(), testkit.RegistryID, core.Value(domain.CacheRegistryInput{
			Name: text, LookInput: domain.LookInput{Description: text}, Policy: domain.Some([]byte(document))}), nil)
		must(err)
		s.exec(`UPDATE teams SET name = '` + strings.ReplaceAll(attack, "'", "''") + `'`)
		s.exec(`UPDATE cache_registries SET cache_store = 's3://' || name, emoji = name, color = name WHERE id = '` + testkit.RegistryID + `'`)
		s.exec(`UPDATE clusters SET emoji = name, color = name WHERE id = '` + testkit.MaintainedID + `'`)
		s.exec(`UPDATE cluster_agent_tokens SET allowed_ip_addresses = description`)

		for path, times := range map[string]int{
			theCluster:                                             4,
			theCluster + "/settings":                               6,
			theCluster + "/delete":                                 2,
			theCluster + "/queues":                                 5,
			theCluster + "/queues/new":                             1,
			theQueue:                                               3,
			theQueue + "/edit":                                     2,
			theQueue + "/pause":                                    1,
			theQueue + "/delete":                                   1,
			theCluster + "/tokens":                                 5,
			theCluster + "/tokens/new":                             1,
			theCluster + "/maintainers":                            4,
			theRegistry:                                            7,
			theRegistry + "/policy":                                6,
			theRegistry + "/store":                                 6,
			theRegistry + "/settings":                              8,
			theRegistry + "/delete":                                3,
			theCluster + "/registries":                             8,
			theCluster + "/registries/new":                         1,
			theCluster + "/maintainers/new?kind=teams":             2,
			theCluster + "/tokens/" + string(token.ID) + "/edit":   3,
			theCluster + "/tokens/" + string(token.ID) + "/revoke": 2,
		} {
			b.get(path).want(t, http.StatusOK).wantHarmless(t, times)
		}

		// What was typed comes back, as text.
		wrong := http.StatusUnprocessableEntity
		b.submit("/organizations/acme-inc/clusters/new", "name", "", "description", attack, "emoji", attack, "color", attack).want(t, wrong).wantHarmless(t, 3)
		b.submit(theCluster+"/settings", "name", "", "description", attack, "emoji", attack, "color", attack, "default_queue_id", attack).want(t, wrong).wantHarmless(t, 3)
		b.submit(theCluster+"/queues/new", "key", attack, "description", attack, "hosted_agents.instance_shape", attack, "retry_agent_affinity", attack).want(t, wrong).wantHarmless(t, 2)
		b.submit(theQueue+"/edit", "description", attack, "retry_agent_affinity", attack).want(t, wrong).wantHarmless(t, 1)
		b.submit(theQueue+"/pause", "dispatch_paused_note", attack).want(t, wrong).wantHarmless(t, 1)
		b.submit(theCluster+"/tokens/new", "description", attack, "allowed_ip_addresses", attack).want(t, wrong).wantHarmless(t, 2)
		b.create(theCluster+"/tokens/new", "description", attack).want(t, http.StatusOK).wantHarmless(t, 1)
		b.submit(theCluster+"/maintainers/new", "user", attack).want(t, wrong).wantHarmless(t, 1)
		b.submit(theCluster+"/registries/new", "name", "", "description", attack, "emoji", attack, "color", attack).want(t, wrong).wantHarmless(t, 3)
		b.submit(theRegistry+"/store", "cache_store", attack).want(t, wrong).wantHarmless(t, 1)
		b.submit(theRegistry+"/policy", "do", "save", "policy", attack, "pipeline_slug", attack).want(t, wrong).wantHarmless(t, 2)
		b.submit(theRegistry+"/policy", "policy", `{"`+quoted+`": 1, "rules": [{"effect": "`+quoted+`"}]}`).want(t, http.StatusOK).wantHarmless(t, 0)
		tried := append([]string{"do", "test", "policy", document}, claims("asks", "restore", "build_branch", attack, "pipeline_slug", attack)...)
		b.submit(theRegistry+"/policy", tried...).want(t, http.StatusOK, "Denied").wantHarmless(t, 5)
	})
}
