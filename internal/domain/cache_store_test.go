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
		"gs://bucket/prefix":               "",
		"gs://" + strings.Repeat("b", 222): "",
		"azblob://container/prefix?storage_account=acme&domain=blob.core.windows.net": "",

		"bucket/prefix":                                 "must begin with s3://",
		"https://bucket.s3.amazonaws.com":               "must begin with s3://",
		"file:///var/cache":                             "must begin with s3://",
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
		"gs://bucket?private_key=hunter2":               "must have no query for gs",
		"azblob://container?sig=hunter2":                "can only have storage_account, domain",
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
