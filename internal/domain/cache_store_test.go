package domain_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestCacheStores(t *testing.T) {
	t.Parallel()
	for address, reason := range map[string]string{
		"s3://bucket":                                     "",
		" s3://bucket/some/prefix/ ":                      "",
		"s3://bucket/prefix?region=eu-central-1":          "",
		"s3://b.u-ck_et/p?endpoint=http://127.0.0.1:9000": "",
		"s3://bucket/p?region=x&use_path_style=true&endpoint=https%3A%2F%2Fminio.example.com%2F": "",
		"s3://" + strings.Repeat("b", 222): "",
		"nsc://my-namespace":               "",
		"nsc://my-namespace/":              "",

		"bucket/prefix": "must begin with s3://",
		"https://bucket.s3.amazonaws.com/?sig=hunter2":  "can't be https://: agents have no way to use it",
		"http://bucket.example.com":                     "can't be http://: agents have no way to use it",
		"file:///var/cache":                             "can't be file://: it names a directory of one machine",
		"gs://bucket/prefix":                            "can't be gs://: agents have no way to use it. Use s3:// or nsc://",
		"azblob://container?storage_account=acme":       "can't be azblob://: agents have no way to use it",
		"nsc://my-namespace/hunter2":                    "must be no more than a namespace",
		"nsc://":                                        "must name a bucket or namespace",
		"javascript://bucket/%0aalert(1)":               "must begin with s3://",
		"s3:bucket":                                     "must name a bucket",
		"s3:///prefix":                                  "must name a bucket",
		"s3://Bucket":                                   "must name a bucket",
		"s3://bucket:80/":                               "must name a bucket",
		"s3://b":                                        "must name a bucket",
		"s3://" + strings.Repeat("b", 223):              "must name a bucket",
		"s3://bucket/#part":                             "part after #",
		"s3://bucket#":                                  "part after #",
		"s3://AKIAEXAMPLE:hunter2@bucket":               "must not hold credentials",
		"s3://hunter2@bucket":                           "must not hold credentials",
		"s3://bucket?access_key_id=hunter2":             "can only have region, endpoint, use_path_style",
		"s3://bucket?Region=hunter2":                    "can only have region",
		"s3://bucket?region=a&region=hunter2":           "must have one value for region",
		"s3://bucket?region=":                           "must have one value for region",
		"s3://bucket?region=%zz":                        "must have a query such as",
		"s3://bucket?endpoint=https://a:hunter2@b.c":    "must have an endpoint",
		"s3://bucket?endpoint=https://b.c%3Fhunter2":    "must have an endpoint",
		"s3://bucket?endpoint=https://b.c/hunter2":      "must have an endpoint",
		"s3://bucket?endpoint=ftp://b.c":                "must have an endpoint",
		"nsc://namespace?token=hunter2":                 "must have no query for nsc",
		"s3://bucket/%zz":                               "must be an address such as",
		"s3://bucket/\x00":                              "must be an address such as",
		"s3://bucket/\xff":                              "must be an address such as",
		"s3://bucket/" + strings.Repeat("hunter2", 150): "is too long",
	} {
		var registry domain.CacheRegistry
		var faults domain.Faults
		now := time.Unix(1, 0)
		registry.SetCacheStore(domain.CacheStoreInput{URL: domain.Some(address)}, now, &faults)
		switch {
		case reason == "":
			if len(faults) > 0 || registry.CacheStore == nil || *registry.CacheStore != strings.TrimSpace(address) || registry.UpdatedAt != now {
				t.Errorf("%q: %v, %+v", address, faults, registry)
			}
		case len(faults) != 1 || faults[0].Field != "cache_store" || !strings.Contains(faults[0].Reason, reason):
			t.Errorf("%q: %v, want %q", address, faults, reason)
		case strings.Contains(faults[0].Reason, "hunter2"):
			t.Errorf("%q: the secret is in %q", address, faults[0].Reason)
		}
	}
}

func TestTheAgentsOwnCacheStore(t *testing.T) {
	t.Parallel()
	for _, given := range []domain.Optional[string]{domain.Null[string](), domain.Some(""), domain.Some("  "), {}} {
		store := "s3://bucket"
		registry, faults := domain.CacheRegistry{CacheStore: &store}, domain.Faults{}
		registry.SetCacheStore(domain.CacheStoreInput{URL: given}, time.Unix(1, 0), &faults)
		if registry.CacheStore != nil || len(faults) > 0 {
			t.Errorf("%+v: %v, %v", given, registry.CacheStore, faults)
		}
	}
}

func TestChangingTheStoreDropsTheEntries(t *testing.T) {
	t.Parallel()
	var faults domain.Faults
	registry := domain.CacheRegistry{ID: "r"}
	set := func(address string) domain.CacheEntrySetID {
		registry.SetCacheStore(domain.CacheStoreInput{URL: domain.Some(address)}, time.Unix(1, 0), &faults)
		return registry.Entries()
	}
	if first := registry.Entries(); first != "r" || set("") != first {
		t.Errorf("the first entries are %s, then %s", first, registry.Entries())
	}
	bucket := set("s3://bucket")
	if again := set(" s3://bucket "); bucket == "r" || again != bucket {
		t.Errorf("%s, then %s", bucket, again)
	}
	if other := set("s3://other"); other == bucket || set("s3://bucket") == bucket || set("") == "r" {
		t.Error("entries come back with their store")
	}
	old := "gs://bucket"
	registry = domain.CacheRegistry{ID: "r", CacheStore: &old}
	if set("gs://bucket") != "r" || !strings.Contains(registry.CacheStoreWarning(), "agents have no way to use it") {
		t.Errorf("%+v: %q", registry, registry.CacheStoreWarning())
	}
	if len(faults) > 0 {
		t.Error(faults)
	}
}
