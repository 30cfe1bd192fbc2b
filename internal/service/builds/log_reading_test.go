package builds_test

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
)

func TestALogIsReadWhileItGrowsAndAfterwards(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		if text := j.read(0, -1); text != "" {
			t.Errorf("before anything is written: %q", text)
		}
		text := lines(5 << 20) // more than is read together
		const size = 256 << 10
		for i := 0; i*size < len(text); i++ {
			j.chunk(i+1, i*size, text[i*size:min((i+1)*size, len(text))]).want(200)
		}
		check := func(when string) {
			t.Helper()
			if got := j.read(0, -1); got != text {
				t.Errorf("%s: %d bytes, not %d", when, len(got), len(text))
			}
			for _, part := range [][2]int64{{0, 1}, {1, 1000}, {size - 1, 2}, {3 << 20, 1 << 20}, {int64(len(text)) - 10, 10}, {int64(len(text)) - 10, 100}, {int64(len(text)), 5}} {
				from, to := part[0], min(part[0]+part[1], int64(len(text)))
				if got := j.read(part[0], part[1]); got != text[from:to] {
					t.Errorf("%s: the part %v has %d bytes", when, part, len(got))
				}
			}
		}
		check("in pieces")
		j.finish(0)
		check("when it has ended")
		s.pack()
		check("as an object")
	})
}

func TestAReaderGoesOnWhenALogBecomesAnObject(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		text := lines(3 << 20)
		for i := range 3 {
			j.chunk(i+2, 10+i<<20, text[i<<20:(i+1)<<20]).want(200) // the first one is missing
		}
		j.finish(0)
		log, err := s.logs.ReadLog(t.Context(), logAdmin, j.ref())
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
		j.pass(10 * time.Minute)
		s.pack()
		rest, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		want := "\n[... 10 bytes of the log are missing ...]\n" + text
		if got := string(begin) + string(rest); got != want {
			t.Errorf("%d bytes, not %d", len(got), len(want))
		}
		j.wantPacked(want)
	})
}

func TestALogIsDeleted(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		ctx := t.Context()
		for name, prepare := range map[string]func(*loggedJob){
			"in pieces": func(*loggedJob) {},
			"sealed":    func(j *loggedJob) { s.exec(`UPDATE job_logs SET place = 'sealed' WHERE job_id = $1`, j.id) },
			"an object": func(*loggedJob) { s.pack() },
		} {
			j := s.start()
			for i := range 150 {
				j.chunk(i+1, i, "x").want(200)
			}
			j.call("POST", "header_times", `{"header_times":{"0":"2026-01-02T03:04:05Z"}}`).want(200)
			if err := s.logs.DeleteLog(ctx, logAdmin, j.ref()); domain.CodeOf(err) != domain.Invalid {
				t.Errorf("%s: while the job runs: %v", name, err)
			}
			j.finish(0)
			prepare(j)
			for range 2 {
				if err := s.logs.DeleteLog(ctx, logAdmin, j.ref()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			s.pack()
			if place, rows := j.place(), j.rows(); place != "deleted" || rows != "0" {
				t.Errorf("%s: the log is %s with %s pieces", name, place, rows)
			}
			if _, err := s.blobs.Stat(ctx, j.key()); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: the object: %v", name, err)
			}
			if _, err := s.logs.ReadLog(ctx, logAdmin, j.ref()); domain.CodeOf(err) != domain.NotFound {
				t.Errorf("%s: reading it: %v", name, err)
			}
			j.chunk(200, 1000, "late").want(200)
			if rows := j.rows(); rows != "0" {
				t.Errorf("%s: %s pieces came afterwards", name, rows)
			}
		}
	})
}

// TestALogThatIsDeletedWhileItIsPackedIsGone has a node that stores the object when the log was deleted already.
func TestALogThatIsDeletedWhileItIsPackedIsGone(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "secret").want(200)
		j.finish(0)
		slow := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: brokenStore{s.blobs, func(put func() (int64, error)) (int64, error) {
			n, err := put()
			if err := s.logs.DeleteLog(context.Background(), logAdmin, j.ref()); err != nil {
				t.Error(err)
			}
			if _, err := s.blobs.Put(context.Background(), j.key(), strings.NewReader("secret"), -1); err != nil { // as if it were a moment later
				t.Error(err)
			}
			return n, err
		}}})
		if err := slow.PackLogs(t.Context(), logOperator); err != nil {
			t.Fatal(err)
		}
		if err := s.artifacts.DeleteBlobs(t.Context(), logOperator); err != nil {
			t.Fatal(err)
		}
		if _, err := s.blobs.Stat(t.Context(), j.key()); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("the object: %v", err)
		}
	})
}

func TestWhoMayReadAndDeleteLogs(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "text").want(200)
		j.finish(0)
		token := func(value string) authz.Actor {
			return authz.TokenActor(authz.REST, value, netip.MustParseAddr("127.0.0.1"))
		}
		for _, c := range []struct {
			actor authz.Actor
			code  domain.Code
		}{{authz.Actor{}, domain.Unauthenticated}, {token("unknown"), domain.Unauthenticated}, {token(logReaderToken), domain.Forbidden}, {logOperator, domain.Unauthenticated}} {
			_, readErr := s.logs.ReadLog(t.Context(), c.actor, j.ref())
			deleteErr := s.logs.DeleteLog(t.Context(), c.actor, j.ref())
			for _, err := range []error{readErr, deleteErr} {
				if domain.CodeOf(err) != c.code {
					t.Errorf("%v: %v", c.actor, err)
				}
			}
		}
		other := domain.JobRef{Organization: logOrganization, ID: domain.NewID[string]()}
		if _, err := s.logs.ReadLog(t.Context(), logAdmin, other); err == nil || err.Error() != "No job found" {
			t.Errorf("another job: %v", err)
		}
		if got := j.read(0, -1); got != "text" {
			t.Errorf("the log is %q", got)
		}
	})
}

// TestALogWhoseObjectIsAwaySaysSo has a store that has lost an object.
func TestALogWhoseObjectIsAwaySaysSo(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "text").want(200)
		j.finish(0)
		s.pack()
		if err := s.blobs.Delete(t.Context(), j.key()); err != nil {
			t.Fatal(err)
		}
		log, err := s.logs.ReadLog(t.Context(), logAdmin, j.ref())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Open(t.Context(), 0, log.Size); domain.CodeOf(err) != domain.NotFound {
			t.Error(err)
		}
	})
}
