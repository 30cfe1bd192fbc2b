package domain_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

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

func TestNewIDAt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 3, 4, 17, 55, 867_000_000, time.UTC)
	last := domain.NewIDAt[domain.AuditEventID](at.Add(-time.Millisecond))
	if first := domain.FirstIDAt[domain.AuditEventID](at); last >= first {
		t.Errorf("%q of the millisecond before is not before %q", last, first)
	}
	for range 10_000 { // more than there are in a version 7 UUID's first part after the time
		id := domain.NewIDAt[domain.AuditEventID](at)
		parsed, err := uuid.Parse(string(id))
		if err != nil || parsed.Version() != 7 || parsed.Variant() != uuid.RFC4122 || string(id[:13]) != "019dec0e-a49b" {
			t.Fatalf("NewIDAt gave %q", id)
		}
		if id <= last {
			t.Fatalf("%q came after %q", id, last)
		}
		last = id
	}
	for later, before := range map[time.Duration]bool{-time.Nanosecond: true, 0: true, time.Nanosecond: false, time.Millisecond: false} {
		if first := domain.FirstIDAt[domain.AuditEventID](at.Add(later)); first <= last != before {
			t.Errorf("from %v on ids are not before %q, and %q was made at 0", later, first, last)
		}
	}
	if id := domain.NewIDAt[domain.AuditEventID](at.Add(time.Millisecond)); id <= last {
		t.Errorf("%q of a millisecond later came after %q", id, last)
	}
	for at, want := range map[time.Time]string{
		{}: "00000000-0000-0000-0000-000000000000",
		time.Date(9999, time.December, 31, 23, 59, 59, 999_000_000, time.UTC): "e677d21f-dbff-0000-0000-000000000000",
		time.Date(99999, time.January, 1, 0, 0, 0, 0, time.UTC):               "ffffffff-ffff-0000-0000-000000000000",
	} {
		if id := domain.FirstIDAt[string](at); id != want {
			t.Errorf("the first of %v is %q, want %q", at, id, want)
		}
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
