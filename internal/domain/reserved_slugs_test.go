package domain_test

import (
	"testing"

	"penstock/internal/domain"
)

func TestReservedSlugs(t *testing.T) {
	t.Parallel()
	for slug, want := range map[string]string{
		"acme-inc": "/acme-inc/web/builds/7", "v2-team": "/v2-team/web/builds/7", "v2": "/organizations/v2/pipelines/web/builds/7", "docs": "/organizations/docs/pipelines/web/builds/7",
	} {
		if got := domain.BuildPath(slug, "web", 7); got != want {
			t.Errorf("a build of %s is at %s, want %s", slug, got, want)
		}
		var faults domain.Faults
		domain.RequireFreeSlug(slug, &faults)
		if isReserved := faults.Err() != nil; isReserved != domain.IsReservedSlug(slug) || isReserved != (slug == "v2" || slug == "docs") {
			t.Errorf("%s is reserved: %t", slug, isReserved)
		}
	}
}
