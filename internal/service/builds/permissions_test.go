package builds_test

import (
	"reflect"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit/matrix"
)

// withAnnotation adds an annotation of the build.
func withAnnotation(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	made, err := w.Builds.AnnotateBuild(t.Context(), w.People["admin"], at.Build, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
	w.Must(err)
	at.Annotation = string(made.ID)
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*builds.Service](), Cases: permissionCases,
	Public: []string{"IdentityKeys"}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
