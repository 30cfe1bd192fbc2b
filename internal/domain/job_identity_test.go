package domain_test

import (
	"testing"

	"penstock/internal/domain"
)

// A branch cannot pretend to be another branch with a commit of its own.
func TestPartsOfASubjectAreKeptApart(t *testing.T) {
	t.Parallel()
	claims, _, err := domain.IdentityToken(domain.JobIdentity{
		"organization_slug": "acme-inc", "pipeline_slug": "web", "build_branch": "main:commit:1", "build_commit": "HEAD:x", "step_key": "deploy",
	}, domain.IdentityInput{}, "")
	if want := "organization:acme-inc:pipeline:web:ref:refs/heads/main%3Acommit%3A1:commit:HEAD%3Ax:step:deploy"; err != nil || claims["sub"] != want {
		t.Errorf("the subject is %v (%v), want %s", claims["sub"], err, want)
	}
}
