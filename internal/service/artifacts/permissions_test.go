package artifacts_test

import (
	"context"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/testkit/matrix"
)

// withArtifacts adds artifacts that are about to be uploaded.
func withArtifacts(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	at.Content = "content"
	announce := func(batch artifacts.ArtifactBatch) artifacts.AnnouncedArtifacts {
		batch.ID = domain.NewID[string]()
		announced, err := w.Artifacts.CreateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, batch)
		w.Must(err)
		return announced
	}
	at.Batch = announce(artifacts.ArtifactBatch{Artifacts: []domain.ArtifactInput{{Path: "a.txt", FileSize: int64(len(at.Content)), SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.Artifact = string(at.Batch.IDs[0])
	parted := announce(artifacts.ArtifactBatch{InParts: true, Artifacts: []domain.ArtifactInput{{Path: "large", FileSize: 1 << 30, SHA1Sum: "040f06fd774092478d450774f5ba30c5da78acc8"}}})
	at.Parted = string(parted.IDs[0])
	_, at.Part, _ = strings.Cut(parted.Own[parted.IDs[0]].Parts[0], "?ticket=")
	key, err := w.Artifacts.SigningKey(t.Context())
	w.Must(err)
	at.Download = artifacts.NewTicket(key, artifacts.DownloadTicket, at.Artifact, time.Now().Add(time.Hour))
	at.Report = artifacts.NewTicket(key, artifacts.ReportTicket, at.Job.ID, time.Now().Add(time.Hour))
}

// withStored is withArtifacts for one that has arrived.
func withStored(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withArtifacts(t, w, at)
	pending, err := w.Artifacts.OpenUpload(t.Context(), authz.Actor{}, at.Batch.Ticket, "a.txt")
	w.Must(err)
	_, err = w.Artifacts.StoreUpload(t.Context(), authz.Actor{}, pending, strings.NewReader(at.Content))
	w.Must(err)
}

// withGivenUp is withArtifacts for one that its agent gave up while it came.
func withGivenUp(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withArtifacts(t, w, at)
	var err error
	at.Pending, err = w.Artifacts.OpenUpload(t.Context(), authz.Actor{}, at.Batch.Ticket, "a.txt")
	w.Must(err)
	w.Must(w.Artifacts.UpdateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, []artifacts.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactError}}))
}

// withFinished is withStored for one that its agent has said so of.
func withFinished(t *testing.T, w *matrix.World, at *matrix.Target) {
	t.Helper()
	withStored(t, w, at)
	w.Must(w.Artifacts.UpdateArtifacts(t.Context(), at.Programs["job"], at.Job.ID, []artifacts.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactFinished}}))
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*artifacts.Service](), Cases: []matrix.Case{
	{Method: "Artifacts", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.Artifacts(ctx, a, at.Build, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "JobArtifacts", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.JobArtifacts(ctx, a, at.Job, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "Artifact", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.Artifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "DownloadArtifact", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.DownloadArtifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "ReportTicket", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Artifacts.ReportTicket(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "OpenArtifact", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenArtifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "DeleteArtifact", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.DeleteArtifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact}, nil)
		return err
	}},
	{Method: "CreateArtifacts", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.CreateArtifacts(ctx, a, at.Job.ID, artifacts.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{{Path: "a", FileSize: 1, SHA1Sum: strings.Repeat("a", 40)}}})
		return err
	}},
	{Method: "CreateArtifacts", People: matrix.NoPeople, Programs: matrix.UploadingJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.CreateArtifacts(ctx, a, at.JobOf[a.Credential.Hash], artifacts.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{{Path: "a", FileSize: 1, SHA1Sum: strings.Repeat("a", 40)}}})
		return err
	}},
	{Method: "UpdateArtifacts", People: matrix.NoPeople, Programs: matrix.TheJob, Prepare: withStored, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Artifacts.UpdateArtifacts(ctx, a, at.Job.ID, []artifacts.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactFinished}})
	}},
	{Method: "UpdateArtifacts", People: matrix.NoPeople, Programs: matrix.OwnArtifacts, Prepare: withStored, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Artifacts.UpdateArtifacts(ctx, a, at.JobOf[a.Credential.Hash], []artifacts.ArtifactChange{{ID: at.Artifact, State: domain.ArtifactFinished}})
	}},
	{Method: "SearchArtifacts", People: matrix.NoPeople, Programs: matrix.ClusterOfBuild, Repeats: true, Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.SearchArtifacts(ctx, a, at.BuildID, "*", domain.ArtifactSearch{State: domain.ArtifactFinished})
		return err
	}},
	{Method: "Artifacts", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.Artifacts(ctx, a, at.Build, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "JobArtifacts", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.JobArtifacts(ctx, a, at.Job, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "Artifact", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.Artifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "DownloadArtifact", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.DownloadArtifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact})
		return err
	}},
	{Method: "DeleteArtifact", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "job", Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.DeleteArtifact(ctx, a, domain.ArtifactRef{Job: at.Job, ID: at.Artifact}, nil)
		return err
	}},
	{Method: "OpenUpload", People: matrix.Everyone, Programs: matrix.AnyProgram, Repeats: true, Prepare: withArtifacts, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenUpload(ctx, a, at.Batch.Ticket, "a.txt")
		return err
	}},
	{Method: "OpenUpload", People: matrix.BadTicket, Programs: matrix.BadTickets, Repeats: true, Prepare: withArtifacts, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenUpload(ctx, a, at.Batch.Ticket+"x", "a.txt")
		return err
	}},
	{Method: "OpenPart", People: matrix.Everyone, Programs: matrix.AnyProgram, Repeats: true, Prepare: withArtifacts, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		ticket, err := url.QueryUnescape(at.Part)
		if err == nil {
			_, err = w.Artifacts.OpenPart(ctx, a, at.Parted, 1, ticket)
		}
		return err
	}},
	{Method: "OpenPart", People: matrix.BadTicket, Programs: matrix.BadTickets, Repeats: true, Prepare: withArtifacts, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		ticket, err := url.QueryUnescape(at.Part)
		if err == nil {
			_, err = w.Artifacts.OpenPart(ctx, a, at.Parted, 2, ticket)
		}
		return err
	}},
	{Method: "StoreUpload", People: matrix.Everyone, Programs: matrix.AnyProgram, Prepare: withArtifacts, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		pending, err := w.Artifacts.OpenUpload(ctx, a, at.Batch.Ticket, "a.txt")
		if err == nil {
			_, err = w.Artifacts.StoreUpload(ctx, a, pending, strings.NewReader(at.Content))
		}
		return err
	}},
	{Method: "StoreUpload", People: matrix.TooLate, Programs: matrix.TooLateForAny, Prepare: withGivenUp, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.StoreUpload(ctx, a, at.Pending, strings.NewReader(at.Content))
		return err
	}},
	{Method: "OpenDownload", People: matrix.Everyone, Programs: matrix.AnyProgram, Repeats: true, Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenDownload(ctx, a, at.Artifact, at.Download)
		return err
	}},
	{Method: "OpenDownload", People: matrix.BadTicket, Programs: matrix.BadTickets, Repeats: true, Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenDownload(ctx, a, at.Artifact, at.Part)
		return err
	}},
	{Method: "OpenReportFile", People: matrix.Everyone, Programs: matrix.AnyProgram, Repeats: true, Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenReportFile(ctx, a, at.Job.ID, at.Report, "a.txt")
		return err
	}},
	{Method: "OpenReportFile", People: matrix.BadTicket, Programs: matrix.BadTickets, Repeats: true, Prepare: withFinished, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Artifacts.OpenReportFile(ctx, a, at.Job.ID, at.Download, "a.txt")
		return err
	}},
	{Method: "SweepArtifacts", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Artifacts.SweepArtifacts(ctx, a)
	}},
	{Method: "DeleteBlobs", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Artifacts.DeleteBlobs(ctx, a)
	}},
	{Method: "ReadTestReports", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Artifacts.ReadTestReports(ctx, a)
	}},
}, WithoutActor: map[string]string{
	"ArtifactAddresses": "it signs addresses of what a snapshot let the caller read",
	"SigningKey":        "it is there for tests",
}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
