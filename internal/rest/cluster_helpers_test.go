package rest_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

const (
	clustersPath = "/v2/organizations/" + testkit.Organization + "/clusters"
	hostedQueue  = `{"key": "hosted", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`
	unknownUUID  = "0190a000-0000-7000-8000-00000000ffff"
)

// managementFields are those that only managers of a cluster see.
var managementFields = []string{
	"hosted_git_mirror_enabled", "hosted_container_cache_enabled", "default_cache_registry_uuid", "default_cache_registry_url",
}

// createdID makes a thing as the administrator and returns its id.
func createdID(t testing.TB, s *testkit.Server, path, body string) string {
	t.Helper()
	id := s.Post(testkit.AdminToken, path, body).Want(t, 201).Text("id")
	if id == "" {
		t.Fatalf("POST %s: no id", path)
	}
	return id
}

func createdCluster(t testing.TB, s *testkit.Server) string {
	t.Helper()
	return createdID(t, s, clustersPath, `{"name": "Fresh"}`)
}

func createdQueue(t testing.TB, s *testkit.Server, cluster, key string) string {
	t.Helper()
	return createdID(t, s, testkit.ClusterPath(cluster, "queues"), `{"key": "`+key+`"}`)
}

func createdHostedCluster(t testing.TB, s *testkit.Server) string {
	t.Helper()
	cluster := createdCluster(t, s)
	createdID(t, s, testkit.ClusterPath(cluster, "queues"), hostedQueue)
	return cluster
}

// defaultRegistry returns the UUID of a cluster's default cache registry.
func defaultRegistry(t testing.TB, s *testkit.Server, cluster string) string {
	t.Helper()
	return s.Get(testkit.AdminToken, testkit.ClusterPath(cluster)).Want(t, 200).Text("default_cache_registry_uuid")
}

// wantExactly checks a value against JSON text in which the pairs' first halves stand for their second ones.
func wantExactly(t testing.TB, got any, text string, pairs ...string) {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(text)), &want); err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, got), asJSON(t, want); string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// wantMembers checks some members of an answer against the JSON text of an object that has just these.
func wantMembers(t testing.TB, a *testkit.Answer, text string, pairs ...string) {
	t.Helper()
	var want map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(text)), &want); err != nil {
		t.Fatal(err)
	}
	got := a.Object()
	for member, value := range want {
		if actual, there := got[member]; !there || !reflect.DeepEqual(actual, value) {
			t.Errorf("%s: want %s in %s", member, asJSON(t, value), a)
		}
	}
}

// wantUnchanged checks that a thing looks the same to the administrator after fn as before.
func wantUnchanged(t testing.TB, s *testkit.Server, path string, fn func()) {
	t.Helper()
	before := s.Get(testkit.AdminToken, path).Want(t, 200)
	fn()
	if after := s.Get(testkit.AdminToken, path).Want(t, 200); string(after.Body) != string(before.Body) {
		t.Errorf("%s was\n%s\nand is\n%s", path, before.Body, after.Body)
	}
}

func globalID(kind, id string) string {
	return base64.StdEncoding.EncodeToString([]byte(kind + "---" + id))
}

// storedNumber returns a number that a query of the database finds.
func storedNumber(t testing.TB, s *testkit.Server, query string, args ...any) (n int64) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		found, err := tx.One(query, func(r *db.Row) { n = r.Int() }, args...)
		if err == nil && !found {
			err = fmt.Errorf("no rows")
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
