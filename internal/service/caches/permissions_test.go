package caches_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/caches"
	"penstock/internal/testkit/matrix"
)

// What jobs save in caches.
var (
	cachedAddress = domain.CacheAddress{TargetPaths: []string{"vendor"}, Key: []domain.CacheKeyPart{{Value: "v1", Mandatory: true}}}
	cachedContent = domain.CacheContent{Platform: "linux/amd64", Blobs: []domain.CacheBlob{{Digest: domain.CacheDigest{Algorithm: "sha256", Value: strings.Repeat("a", 64)}, FileSize: 7, Compression: "zip"}}}
)

// withCache adds an entry that the job has saved.
func withCache(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	upload, err := w.Caches.SaveCache(t.Context(), at.Programs["job"], "ruby-gems", cachedAddress, cachedContent)
	w.Must(err)
	w.Must(w.Caches.CommitCache(t.Context(), at.Programs["job"], "ruby-gems", string(upload)))
	at.CacheUpload = string(upload)
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*caches.Service](), Cases: []matrix.Case{
	{Method: "CacheDecisions", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Caches.CacheDecisions(ctx, a, at.Job)
		return err
	}},
	{Method: "CacheRegistry", People: matrix.NoPeople, Programs: matrix.CacheUsers, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Caches.CacheRegistry(ctx, a, "ruby-gems")
		return err
	}},
	{Method: "SaveCache", People: matrix.NoPeople, Programs: matrix.CacheUsers, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Caches.SaveCache(ctx, a, "ruby-gems", cachedAddress, cachedContent)
		return err
	}},
	{Method: "PeekCache", People: matrix.NoPeople, Programs: matrix.CacheUsers, Repeats: true, Prepare: withCache, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Caches.PeekCache(ctx, a, "ruby-gems", cachedAddress)
		return err
	}},
	{Method: "RetrieveCache", People: matrix.NoPeople, Programs: matrix.CacheUsers, Repeats: true, Prepare: withCache, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Caches.RetrieveCache(ctx, a, "ruby-gems", cachedAddress)
		return err
	}},
	{Method: "ExpireCache", People: matrix.NoPeople, Programs: matrix.CacheUsers, Prepare: withCache, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Caches.ExpireCache(ctx, a, "ruby-gems", cachedAddress)
	}},
	{Method: "CommitCache", People: matrix.NoPeople, Programs: matrix.OwnCacheUpload, Prepare: withCache, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Caches.CommitCache(ctx, a, "ruby-gems", at.CacheUpload)
	}},
	{Method: "StoreCacheUses", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Caches.StoreCacheUses(ctx, a)
	}},
	{Method: "SweepCaches", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Caches.SweepCaches(ctx, a)
	}},
}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
