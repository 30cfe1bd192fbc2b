package domain_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
)

const knownID = "0190a1b2-c3d4-7e5f-8a6b-0123456789ab"

var idPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestNewID(t *testing.T) {
	t.Parallel()
	var last domain.ClusterID
	for range 1000 {
		id := domain.NewID[domain.ClusterID]()
		if !idPattern.MatchString(string(id)) || id[14] != '7' {
			t.Fatalf("NewID gave %q", id)
		}
		if id <= last {
			t.Fatalf("%q came after %q", id, last)
		}
		last = id
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, s := range []string{knownID, strings.ToUpper(knownID)} {
		if id, ok := domain.ParseID[domain.QueueID](s); !ok || id != knownID {
			t.Errorf("ParseID(%q) = %q, %v", s, id, ok)
		}
	}
	for _, s := range []string{
		"", "default", knownID[:35], knownID + "0", strings.ReplaceAll(knownID, "-", ""), "{" + knownID + "}", "urn:uuid:" + knownID,
		strings.Replace(knownID, "a", "g", 1), strings.Replace(knownID, "-", "_", 1), "{" + knownID[1:35] + "}", strings.Repeat("\xff", 36),
	} {
		if id, ok := domain.ParseID[domain.QueueID](s); ok || id != "" {
			t.Errorf("ParseID(%q) = %q, %v", s, id, ok)
		}
	}
}

func TestGraphQLID(t *testing.T) {
	t.Parallel()
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	id := domain.GraphQLID("ClusterQueue", domain.QueueID(knownID))
	if want := encode("ClusterQueue---" + knownID); id != want {
		t.Errorf("GraphQLID = %q, want %q", id, want)
	}
	for _, s := range []string{id, encode("ClusterQueue---" + strings.ToUpper(knownID))} {
		if typeName, got, ok := domain.ParseGraphQLID(s); !ok || typeName != "ClusterQueue" || got != knownID {
			t.Errorf("ParseGraphQLID(%q) = %q, %q, %v", s, typeName, got, ok)
		}
	}
	for _, s := range []string{
		"", knownID, encode(knownID), encode("---" + knownID), encode("Cluster--" + knownID), encode("Cluster---default"),
		encode("Cluster---" + knownID + "x"), encode("Cluster------" + knownID), strings.TrimRight(id, "=") + "!", id + "=",
	} {
		if _, _, ok := domain.ParseGraphQLID(s); ok {
			t.Errorf("ParseGraphQLID(%q) is accepted", s)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"", knownID, strings.ToUpper(knownID), "{" + knownID[1:35] + "}", strings.Repeat("-", 36)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := domain.ParseID[string](s)
		if ok != idPattern.MatchString(strings.ToLower(s)) {
			t.Fatalf("ParseID(%q) = %q, %v", s, id, ok)
		}
		if ok && id != strings.ToLower(s) || !ok && id != "" {
			t.Errorf("ParseID(%q) = %q, %v", s, id, ok)
		}
	})
}

func FuzzParseGraphQLID(f *testing.F) {
	for _, s := range []string{"", "Q2x1c3Rlcg==", domain.GraphQLID("Cluster", knownID), domain.GraphQLID("a---b", knownID), domain.GraphQLID("", knownID)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		typeName, id, ok := domain.ParseGraphQLID(s)
		if !ok {
			return
		}
		if typeName == "" || !idPattern.MatchString(id) {
			t.Fatalf("ParseGraphQLID(%q) = %q, %q", s, typeName, id)
		}
		again, sameID, ok := domain.ParseGraphQLID(domain.GraphQLID(typeName, id))
		if !ok || again != typeName || sameID != id {
			t.Errorf("%q, %q become %q, %q, %v", typeName, id, again, sameID, ok)
		}
	})
}
