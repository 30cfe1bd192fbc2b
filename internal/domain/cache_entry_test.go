package domain_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/policy"
)

func addressOf(paths string, key ...string) domain.CacheAddress {
	a := domain.CacheAddress{TargetPaths: strings.Split(paths, ",")}
	for _, value := range key {
		optional := strings.HasSuffix(value, "?")
		a.Key = append(a.Key, domain.CacheKeyPart{Value: strings.TrimSuffix(value, "?"), Mandatory: !optional})
	}
	return a
}

// TestCacheHashes has addresses that must not be taken for each other, and some that are the same.
func TestCacheHashes(t *testing.T) {
	t.Parallel()
	known := map[domain.CacheHash]string{}
	for name, hashes := range map[string]domain.CacheHashes{
		"plain":                  hashesOf("s", policy.Entry{}, addressOf("a,b", "k", "v")),
		"another set":            hashesOf("t", policy.Entry{}, addressOf("a,b", "k", "v")),
		"a branch":               hashesOf("s", policy.Entry{Branch: "x"}, addressOf("a,b", "k", "v")),
		"a pipeline":             hashesOf("s", policy.Entry{Pipeline: "x"}, addressOf("a,b", "k", "v")),
		"a build":                hashesOf("s", policy.Entry{Build: "x"}, addressOf("a,b", "k", "v")),
		"moved between scopes":   hashesOf("s", policy.Entry{Pipeline: "x", Branch: "y"}, addressOf("a,b", "k", "v")),
		"moved back":             hashesOf("s", policy.Entry{Pipeline: "xy"}, addressOf("a,b", "k", "v")),
		"fewer paths":            hashesOf("s", policy.Entry{}, addressOf("a", "k", "v")),
		"a path in the key":      hashesOf("s", policy.Entry{}, addressOf("a", "b", "k", "v")),
		"joined paths":           hashesOf("s", policy.Entry{}, addressOf("ab", "k", "v")),
		"joined key":             hashesOf("s", policy.Entry{}, addressOf("a,b", "kv")),
		"another order of parts": hashesOf("s", policy.Entry{}, addressOf("a,b", "v", "k")),
		"a longer key":           hashesOf("s", policy.Entry{}, addressOf("a,b", "k", "v", "")),
		"lengths in values":      hashesOf("s", policy.Entry{}, addressOf("a,b", "k\x01v")),
	} {
		if other, taken := known[hashes.Exact]; taken {
			t.Errorf("%s is the same as %s", name, other)
		}
		known[hashes.Exact] = name
		for _, prefix := range hashes.Prefixes {
			if other, taken := known[prefix]; taken && other == name {
				t.Errorf("%s: a part of the key is the whole of it", name)
			}
		}
	}
	plain := hashesOf("s", policy.Entry{}, addressOf("a,b", "k", "v"))
	if hashesOf("s", policy.Entry{}, addressOf("b,a,b", "k", "v?")).Exact != plain.Exact {
		t.Error("the order of paths, or what is mandatory, counts")
	}
	if longer := hashesOf("s", policy.Entry{}, addressOf("a,b", "k", "w")); longer.Prefixes[0] != plain.Prefixes[0] || longer.Prefixes[1] == plain.Prefixes[1] {
		t.Error("keys that begin the same are not found by that")
	}
}

func hashesOf(set domain.CacheEntrySetID, scopes policy.Entry, a domain.CacheAddress) domain.CacheHashes {
	return a.Hashes(set, scopes)
}

func TestCacheFallbacks(t *testing.T) {
	t.Parallel()
	for key, lengths := range map[string][]int{
		"a":         nil,
		"a b c":     nil,
		"a b c?":    {2},
		"a b? c?":   {2, 1},
		"a? b? c?":  {2, 1}, // never without any part
		"a? b c? d": nil,
		"a? b c?":   {2},
		"a?":        nil,
	} {
		address := addressOf("p", strings.Fields(key)...)
		hashes := address.Hashes("s", policy.Entry{})
		got := address.Fallbacks(hashes)
		if len(got) != len(lengths) {
			t.Errorf("%s: %d fallbacks, want %v", key, len(got), lengths)
			continue
		}
		for i, length := range lengths {
			if got[i] != hashes.Prefixes[length-1] {
				t.Errorf("%s: fallback %d is not that of %d parts", key, i, length)
			}
		}
	}
}

func TestCheckCacheEntries(t *testing.T) {
	t.Parallel()
	many := func(n int) []string { return strings.Split(strings.Repeat("x ", n-1)+"x", " ") }
	for name, test := range map[string]struct {
		address domain.CacheAddress
		reason  string
	}{
		"good":           {addressOf("a", "k"), ""},
		"most":           {domain.CacheAddress{TargetPaths: many(100), Key: addressOf("a", many(32)...).Key}, ""},
		"empty value":    {addressOf("a", ""), ""},
		"no path":        {domain.CacheAddress{Key: addressOf("a", "k").Key}, "`target_paths` is invalid: it must have a path"},
		"no key":         {addressOf("a"), "`cache_key` is invalid: it must have a part"},
		"many paths":     {domain.CacheAddress{TargetPaths: many(101), Key: addressOf("a", "k").Key}, "at most 100 paths"},
		"many parts":     {addressOf("a", many(33)...), "at most 32 parts"},
		"empty path":     {addressOf("a,", "k"), "a path must be a text of 1 to 4096 bytes"},
		"long path":      {addressOf(strings.Repeat("a", 4097), "k"), "a path must be a text"},
		"long part":      {addressOf("a", strings.Repeat("k", 4097)), "a part must be a text of at most 4096 bytes"},
		"NUL":            {addressOf("a", "k\x00"), "a part must be a text"},
		"no text":        {addressOf("a\xff", "k"), "a path must be a text"},
		"both are wrong": {domain.CacheAddress{}, "it must have a part"},
	} {
		err := test.address.Check()
		if test.reason == "" && err != nil || test.reason != "" && (err == nil || !strings.Contains(err.Error(), test.reason)) {
			t.Errorf("%s: %v, want %q", name, err, test.reason)
		}
	}
	blob := domain.CacheBlob{Digest: domain.CacheDigest{Algorithm: "sha256", Value: strings.Repeat("0a", 32)}, FileSize: 1, Compression: "zip"}
	change := func(fn func(*domain.CacheBlob)) domain.CacheContent {
		changed := blob
		fn(&changed)
		return domain.CacheContent{Blobs: []domain.CacheBlob{blob, changed}, Platform: "linux/amd64"}
	}
	for name, test := range map[string]struct {
		content domain.CacheContent
		reason  string
	}{
		"good":             {change(func(*domain.CacheBlob) {}), ""},
		"zstd":             {change(func(b *domain.CacheBlob) { b.Compression = "zstd" }), ""},
		"no blob":          {domain.CacheContent{}, "it must have a blob"},
		"another digest":   {change(func(b *domain.CacheBlob) { b.Digest.Algorithm = "md5" }), "`blobs[1].digest` is invalid"},
		"a path as digest": {change(func(b *domain.CacheBlob) { b.Digest.Value = "../../" + strings.Repeat("0", 58) }), "`blobs[1].digest` is invalid"},
		"large digits":     {change(func(b *domain.CacheBlob) { b.Digest.Value = strings.Repeat("0A", 32) }), "`blobs[1].digest` is invalid"},
		"below nothing":    {change(func(b *domain.CacheBlob) { b.FileSize = -1 }), "`blobs[1].file_size` is invalid"},
		"too large":        {change(func(b *domain.CacheBlob) { b.FileSize = 1<<50 + 1 }), "`blobs[1].file_size` is invalid"},
		"gzip":             {change(func(b *domain.CacheBlob) { b.Compression = "gzip" }), "it must be zip or zstd"},
		"platform":         {domain.CacheContent{Blobs: []domain.CacheBlob{blob}, Platform: "<b>"}, "`platform` is invalid"},
	} {
		err := test.content.Check()
		if test.reason == "" && err != nil || test.reason != "" && (err == nil || !strings.Contains(err.Error(), test.reason)) {
			t.Errorf("%s: %v, want %q", name, err, test.reason)
		}
	}
}
