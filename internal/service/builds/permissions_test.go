package builds_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/matrix"
)

// withoutActor are the methods that nobody calls for a request, and why.
var withoutActor = map[string]string{
	"ArtifactAddresses": "it signs addresses of what a snapshot let the caller read",
	"AwaitLogs":         "it only waits",
	"SetBaseURL":        "the server calls it once",
	"SetReady":          "the server calls it once",
	"SigningKey":        "it is there for tests",
}

// withArtifacts adds artifacts that are about to be uploaded.
func withArtifacts(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	at.Content = "content"
	announce := func(batch builds.ArtifactBatch) builds.AnnouncedArtifacts {
		batch.ID = domain.NewID[string]()
		announced, err := w.Builds.CreateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, batch)
		w.Must(err)
		return announced
	}
	at.Batch = announce(builds.ArtifactBatch{Artifacts: []domain.ArtifactInput{{Path: "a.txt", FileSize: int64(len(at.Content)), SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.Artifact = string(at.Batch.IDs[0])
	parted := announce(builds.ArtifactBatch{InParts: true, Artifacts: []domain.ArtifactInput{{Path: "large", FileSize: 1 << 30, SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.Parted = string(parted.IDs[0])
	_, at.Part, _ = strings.Cut(parted.Own[parted.IDs[0]].Parts[0], "?ticket=")
	key, err := w.Builds.SigningKey(t.Context())
	w.Must(err)
	at.Download = builds.NewTicket(key, builds.DownloadTicket, at.Artifact, time.Now().Add(time.Hour))
}

// withStored is withArtifacts for one that has arrived.
func withStored(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withArtifacts(t, w, at)
	pending, err := w.Builds.OpenUpload(t.Context(), authz.Actor{}, at.Batch.Ticket, "a.txt")
	w.Must(err)
	_, err = w.Builds.StoreUpload(t.Context(), authz.Actor{}, pending, strings.NewReader(at.Content))
	w.Must(err)
}

// withGivenUp is withArtifacts for one that its agent gave up while it came.
func withGivenUp(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withArtifacts(t, w, at)
	var err error
	at.Pending, err = w.Builds.OpenUpload(t.Context(), authz.Actor{}, at.Batch.Ticket, "a.txt")
	w.Must(err)
	w.Must(w.Builds.UpdateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, []builds.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactError}}))
}

// withFinished is withStored for one that its agent has said so of.
func withFinished(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withStored(t, w, at)
	w.Must(w.Builds.UpdateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, []builds.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactFinished}}))
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

// zip compresses a text as agents compress logs.
func zip(text string) []byte {
	var b bytes.Buffer
	out := gzip.NewWriter(&b)
	_, _ = io.WriteString(out, text)
	_ = out.Close()
	return b.Bytes()
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
