package logs_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"reflect"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/service/logs"
	"penstock/internal/testkit/matrix"
)

// zip compresses a text as agents compress logs.
func zip(text string) []byte {
	var b bytes.Buffer
	out := gzip.NewWriter(&b)
	_, _ = io.WriteString(out, text)
	_ = out.Close()
	return b.Bytes()
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*logs.Service](), Cases: []matrix.Case{
	{Method: "ReadLog", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Logs.ReadLog(ctx, a, at.Job)
		return err
	}},
	{Method: "DeleteLog", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Logs.DeleteLog(ctx, a, at.Bad)
	}},
	{Method: "AddLogChunk", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Logs.AddLogChunk(ctx, a, at.Job.ID, logs.LogChunk{Sequence: 1, Size: 4, Content: zip("text")})
	}},
	{Method: "AddLogChunk", People: matrix.NoPeople, Programs: matrix.UploadingJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Logs.AddLogChunk(ctx, a, at.JobOf[a.Credential.Hash], logs.LogChunk{Sequence: 1, Size: 4, Content: zip("text")})
	}},
	{Method: "SaveHeaderTimes", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Logs.SaveHeaderTimes(ctx, a, at.Job.ID, map[string]string{"0": "2026-01-02T03:04:05Z"})
	}},
	{Method: "SaveHeaderTimes", People: matrix.NoPeople, Programs: matrix.OwnJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Logs.SaveHeaderTimes(ctx, a, at.JobOf[a.Credential.Hash], map[string]string{"0": "2026-01-02T03:04:05Z"})
	}},
	{Method: "PackLogs", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Logs.PackLogs(ctx, a)
	}},
}, WithoutActor: map[string]string{"AwaitLogs": "it only waits"}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
