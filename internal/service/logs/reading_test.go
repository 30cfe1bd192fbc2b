package logs_test

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/logs"
	"penstock/internal/testkit/running"
)

func TestALogIsReadWhileItGrowsAndAfterwards(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		if text := j.Read(0, -1); text != "" {
			t.Errorf("before anything is written: %q", text)
		}
		text := lines(5 << 20) // more than is read together
		const size = 256 << 10
		for i := 0; i*size < len(text); i++ {
			j.Chunk(i+1, i*size, text[i*size:min((i+1)*size, len(text))]).Want(t, 200)
		}
		check := func(when string) {
			t.Helper()
			if got := j.Read(0, -1); got != text {
				t.Errorf("%s: %d bytes, not %d", when, len(got), len(text))
			}
			for _, part := range [][2]int64{{0, 1}, {1, 1000}, {size - 1, 2}, {3 << 20, 1 << 20}, {int64(len(text)) - 10, 10}, {int64(len(text)) - 10, 100}, {int64(len(text)), 5}} {
				from, to := part[0], min(part[0]+part[1], int64(len(text)))
				if got := j.Read(part[0], part[1]); got != text[from:to] {
					t.Errorf("%s: the part %v has %d bytes", when, part, len(got))
				}
			}
		}
		check("in pieces")
		j.Finish(0).Want(t, 200)
		check("when it has ended")
		s.Pack()
		check("as an object")
	})
}

func TestAReaderGoesOnWhenALogBecomesAnObject(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		text := lines(3 << 20)
		for i := range 3 {
			j.Chunk(i+2, 10+i<<20, text[i<<20:(i+1)<<20]).Want(t, 200) // the first one is missing
		}
		j.Finish(0).Want(t, 200)
		log, err := s.Logs.ReadLog(t.Context(), running.Admin, j.Ref())
		if err != nil {
			t.Fatal(err)
		}
		in, err := log.Open(t.Context(), 0, log.Size)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		begin := make([]byte, 1000)
		if _, err := io.ReadFull(in, begin); err != nil {
			t.Fatal(err)
		}
		s.Advance(10 * time.Minute)
		s.Pack()
		rest, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		want := "\n[... 10 bytes of the log are missing ...]\n" + text
		if got := string(begin) + string(rest); got != want {
			t.Errorf("%d bytes, not %d", len(got), len(want))
		}
		j.WantPacked(want)
	})
}

func TestALogIsDeleted(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		ctx := t.Context()
		for name, prepare := range map[string]func(*running.Job){
			"in pieces": func(*running.Job) {},
			"sealed":    func(j *running.Job) { s.Exec(`UPDATE job_logs SET place = 'sealed' WHERE job_id = $1`, j.ID) },
			"an object": func(*running.Job) { s.Pack() },
		} {
			j := s.StartNewJob()
			for i := range 150 {
				j.Chunk(i+1, i, "x").Want(t, 200)
			}
			j.Send("POST", "/header_times", `{"header_times":{"0":"2026-01-02T03:04:05Z"}}`).Want(t, 200)
			if err := s.Logs.DeleteLog(ctx, running.Admin, j.Ref()); domain.CodeOf(err) != domain.Invalid {
				t.Errorf("%s: while the job runs: %v", name, err)
			}
			j.Finish(0).Want(t, 200)
			prepare(j)
			for range 2 {
				if err := s.Logs.DeleteLog(ctx, running.Admin, j.Ref()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			s.Pack()
			if place, rows := j.Place(), j.Rows(); place != "deleted" || rows != "0" {
				t.Errorf("%s: the log is %s with %s pieces", name, place, rows)
			}
			if _, err := s.Blobs.Stat(ctx, j.Key()); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: the object: %v", name, err)
			}
			if _, err := s.Logs.ReadLog(ctx, running.Admin, j.Ref()); domain.CodeOf(err) != domain.NotFound {
				t.Errorf("%s: reading it: %v", name, err)
			}
			j.Chunk(200, 1000, "late").Want(t, 200)
			if rows := j.Rows(); rows != "0" {
				t.Errorf("%s: %s pieces came afterwards", name, rows)
			}
		}
	})
}

// TestALogThatIsDeletedWhileItIsPackedIsGone has a node that stores the object when the log was deleted already.
func TestALogThatIsDeletedWhileItIsPackedIsGone(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "secret").Want(t, 200)
		j.Finish(0).Want(t, 200)
		slow := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: brokenStore{s.Blobs, func(put func() (int64, error)) (int64, error) {
			n, err := put()
			if err := s.Logs.DeleteLog(context.Background(), running.Admin, j.Ref()); err != nil {
				t.Error(err)
			}
			if _, err := s.Blobs.Put(context.Background(), j.Key(), strings.NewReader("secret"), -1); err != nil { // as if it were a moment later
				t.Error(err)
			}
			return n, err
		}}})
		if err := slow.PackLogs(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		if err := s.Artifacts.DeleteBlobs(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Blobs.Stat(t.Context(), j.Key()); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("the object: %v", err)
		}
	})
}

func TestWhoMayReadAndDeleteLogs(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "text").Want(t, 200)
		j.Finish(0).Want(t, 200)
		token := func(value string) authz.Actor {
			return authz.TokenActor(authz.REST, value, netip.MustParseAddr("127.0.0.1"))
		}
		for _, c := range []struct {
			actor authz.Actor
			code  domain.Code
		}{{authz.Actor{}, domain.Unauthenticated}, {token("unknown"), domain.Unauthenticated}, {token(running.ReaderToken), domain.Forbidden}, {running.Operator, domain.Unauthenticated}} {
			_, readErr := s.Logs.ReadLog(t.Context(), c.actor, j.Ref())
			deleteErr := s.Logs.DeleteLog(t.Context(), c.actor, j.Ref())
			for _, err := range []error{readErr, deleteErr} {
				if domain.CodeOf(err) != c.code {
					t.Errorf("%v: %v", c.actor, err)
				}
			}
		}
		other := domain.JobRef{Organization: running.Organization, ID: domain.NewID[string]()}
		if _, err := s.Logs.ReadLog(t.Context(), running.Admin, other); err == nil || err.Error() != "No job found" {
			t.Errorf("another job: %v", err)
		}
		if got := j.Read(0, -1); got != "text" {
			t.Errorf("the log is %q", got)
		}
	})
}

// TestALogWhoseObjectIsAwaySaysSo has a store that has lost an object.
func TestALogWhoseObjectIsAwaySaysSo(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "text").Want(t, 200)
		j.Finish(0).Want(t, 200)
		s.Pack()
		if err := s.Blobs.Delete(t.Context(), j.Key()); err != nil {
			t.Fatal(err)
		}
		log, err := s.Logs.ReadLog(t.Context(), running.Admin, j.Ref())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Open(t.Context(), 0, log.Size); domain.CodeOf(err) != domain.NotFound {
			t.Error(err)
		}
	})
}
