package builds_test

import (
	"reflect"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/matrix"
)

// withoutActor are the methods that nobody calls for a request, and why.
var withoutActor = map[string]string{
	"SetReady": "the server calls it once",
}

// withAnnotation adds an annotation of the build.
func withAnnotation(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	made, err := w.Builds.AnnotateBuild(t.Context(), w.People["admin"], at.Build, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
	w.Must(err)
	at.Annotation = string(made.ID)
}

// withPauses pauses all agents.
func withPauses(t *testing.T, w *matrix.World, _ *matrix.Target) {
	t.Helper()
	testkit.Change(t, w.DB, `UPDATE agents SET paused_at = $1, paused_timeout = 5`, time.Now().UnixMicro())
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*builds.Service](), Cases: permissionCases, WithoutActor: withoutActor,
	Public: []string{"IdentityKeys"}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
