package logs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/logs"
	"penstock/internal/testkit/running"
)

// lines returns some text that does not compress to nothing.
func lines(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "\x1b_bk;t=%d\aline %d: %x\n", 1700000000000+i, i, rand.Uint64())
	}
	return b.String()[:size]
}

func TestPiecesOfALogComeInAnyOrderAndTwice(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		text := lines(1000)
		for _, piece := range []int{3, 1, 3, 9, 2, 5, 4, 1, 8, 7, 10, 6, 10} {
			j.Chunk(piece, 100*(piece-1), text[100*(piece-1):100*piece]).Want(t, 200)
		}
		if rows := j.Rows(); rows != "10" {
			t.Errorf("%s pieces are stored", rows)
		}
		s.Pack()
		if place := j.Place(); place != "" {
			t.Errorf("the log of a running job is %s", place)
		}
		j.Finish(0).Want(t, 200)
		s.Pack()
		j.WantPacked(text)
		j.Chunk(10, 900, text[900:]).Want(t, 200) // the answer may have been lost
		j.Chunk(11, 1000, "late").Want(t, 200)
		j.WantPacked(text)
		s.Pack()
		j.WantPacked(text)
	})
}

func TestPiecesThatDifferUnderOneNumberAreNotExchanged(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "first").Want(t, 200)
		j.Chunk(1, 0, "other").Want(t, 200)
		j.Finish(0).Want(t, 200)
		s.Pack()
		j.WantPacked("first")
	})
}

func TestALogHasAMarkWhereSomethingIsMissing(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(2, 10, "0123456789").Want(t, 200)
		j.Chunk(5, 143, "end").Want(t, 200)
		j.Chunk(3, 20, "abc").Want(t, 200)
		j.Finish(0).Want(t, 200)
		s.Pack()
		if place := j.Place(); place != "" {
			t.Errorf("the log is %s at once", place)
		}
		s.Advance(9 * time.Minute)
		s.Pack()
		if place := j.Place(); place != "" {
			t.Errorf("the log is %s after nine minutes", place)
		}
		s.Advance(time.Minute)
		s.Pack()
		j.WantPacked("\n[... 10 bytes of the log are missing ...]\n0123456789abc\n[... 120 bytes of the log are missing ...]\nend")
	})
}

func TestTheFirstOfOverlappingPiecesCounts(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(2, 3, "BBBBBB").Want(t, 200)
		j.Chunk(1, 0, "aaaaa").Want(t, 200)
		j.Chunk(4, 5, "xx").Want(t, 200) // inside of another
		j.Chunk(3, 9, "cc").Want(t, 200)
		j.Chunk(5, 9, "dddd").Want(t, 200)
		j.Finish(0).Want(t, 200)
		s.Pack()
		j.WantPacked("aaaaaBBBBccdd")
	})
}

func TestTheLogOfAJobThatWasGivenUpIsPackedLater(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "so far").Want(t, 200)
		j.Finish(-1) // as it is for an agent that is lost, which may still send what it has
		s.Pack()
		if place := j.Place(); place != "" {
			t.Errorf("the log is %s", place)
		}
		j.Chunk(2, 6, ", so good").Want(t, 200)
		s.Advance(10 * time.Minute)
		s.Pack()
		j.WantPacked("so far, so good")
	})
}

func TestASmallLogStaysInTheDatabase(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		s.Logs = logs.New(logs.Options{Core: s.Core, Blobs: s.Blobs, InRows: 20})
		small := s.StartNewJob()
		small.Chunk(1, 0, "eleven byte")
		small.Finish(0).Want(t, 200)
		large := s.StartNewJob()
		large.Chunk(1, 0, "eleven byte")
		large.Chunk(2, 11, "and more of it")
		large.Finish(0).Want(t, 200)
		s.Pack()
		if got := small.Place(); got != string(domain.LogInRows) {
			t.Errorf("the small log is in %q", got)
		}
		if got := large.Place(); got != string(domain.LogInBlob) {
			t.Errorf("the large log is in %q", got)
		}
		if got := small.Read(0, 100); got != "eleven byte" {
			t.Errorf("it reads %q", got)
		}
		if got := large.Read(0, 100); got != "eleven byteand more of it" {
			t.Errorf("it reads %q", got)
		}
		s.Pack() // which finds nothing to do
		if got := small.Read(0, 100); got != "eleven byte" {
			t.Errorf("it reads %q", got)
		}
	})
}

func TestAJobWithoutALogHasNoObject(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Finish(0).Want(t, 200)
		s.Pack()
		if n := s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_logs`); n != "0" {
			t.Errorf("there are %s logs", n)
		}
		if _, err := s.Blobs.Stat(t.Context(), j.Key()); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("an empty log is stored: %v", err)
		}
	})
}

func TestPiecesOfLogsAreRefused(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.NewAgent().AcceptNewJob()
		j.Chunk(1, 0, "early").WantRefusal(t, 422, "This job has no log, as it has not been started")
		j.Send("PUT", "/start", `{}`).Want(t, 200)
		bomb := running.Compress(strings.Repeat("\x00", 256<<20))
		for query, c := range map[string]struct {
			body    string
			status  int
			message string
		}{
			"":                                                                 {running.Compress("x"), 422, "`sequence` is invalid: it must be a whole number"},
			"sequence=0&offset=0&size=1":                                       {running.Compress("x"), 422, "`sequence` is invalid"},
			"sequence=x&offset=0&size=1":                                       {running.Compress("x"), 422, "`sequence` is invalid"},
			"sequence=1&offset=-1&size=1":                                      {running.Compress("x"), 422, "`offset` is invalid"},
			"sequence=1&size=1":                                                {running.Compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=0&size=0":                                       {running.Compress(""), 422, "`size` is invalid: it must be a whole number from 1 to 4194304"},
			"sequence=1&offset=0&size=4194305":                                 {running.Compress("x"), 422, "`size` is invalid"},
			"sequence=1&offset=0&size=1e3":                                     {running.Compress("x"), 422, "`size` is invalid"},
			"sequence=1&offset=0&size=2":                                       {running.Compress("x"), 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=1&a":                                     {running.Compress("xy"), 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=5":                                       {"plain", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&b":                                     {"", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&c":                                     {running.Compress("12345")[:20], 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&d":                                     {running.Compress("12345") + "trailer", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=1048576":                                 {bomb, 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=5&e":                                     {running.Compress(lines(64 << 10)), 400, "The body must be a piece of the log"},
			"sequence=1&offset=0&size=4194304":                                 {strings.Repeat("x", 2<<20+1), 413, "The body is too large: at most 2097152 bytes"},
			"sequence=1&offset=9e18&size=1":                                    {running.Compress("x"), 422, "`offset` is invalid"},
			"sequence=9223372036854775807&offset=0&size=1&f":                   {running.Compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=9223372036854775807&size=1&g":                   {running.Compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=0&size=1&sequence=999999999999999999999999999&": {running.Compress("x"), 200, ""},
		} {
			j.Send("POST", "/chunks?"+query, c.body).WantRefusal(t, c.status, c.message)
		}
		if rows := j.Rows(); rows != "1" {
			t.Errorf("%s pieces are stored", rows)
		}
	})
}

func TestAPieceOfALogNeedsTheTokenOfItsJob(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Chunk(1, 0, "before the end").Want(t, 200)
		j.Finish(0).Want(t, 200)
		other := s.StartNewJob()
		path := "jobs/" + other.ID + "/chunks?sequence=1&offset=0&size=1"
		s.Send("POST", path, j.Token, running.Compress("x")).WantRefusal(t, 403, "This token is for another job")
		for _, token := range []string{"", "pnj_nothing", other.Agent.Session, running.AdminToken} {
			s.Send("POST", path, token, running.Compress("x")).WantRefusal(t, 401, "Authentication required")
			s.Send("POST", "jobs/"+other.ID+"/header_times", token, `{"header_times":{}}`).WantRefusal(t, 401, "Authentication required")
		}
		s.Send("POST", "jobs/"+other.ID+"/header_times", j.Token, `{"header_times":{}}`).WantRefusal(t, 403, "This token is for another job")
		if rows := other.Rows(); rows != "0" {
			t.Errorf("%s pieces are stored", rows)
		}
		j.Chunk(1, 0, "before the end").Want(t, 200) // again
		j.Chunk(2, 14, "just after the end").WantRefusal(t, 401, "The job has ended: it can't add to its log")
		s.Advance(10 * time.Minute)
		j.Chunk(1, 0, "before the end").WantRefusal(t, 401, "Authentication required")
		if rows := j.Rows(); rows != "1" {
			t.Errorf("%s pieces are stored after the end", rows)
		}
		if err := s.Logs.AddLogChunk(t.Context(), running.Admin, other.ID, logs.LogChunk{}); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("a person: %v", err)
		}
	})
}

func TestWhatIsOverTheLimitOfALogIsDropped(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		events := func(j *running.Job) string {
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_events WHERE job_id = $1 AND type = 'LOG_SIZE_LIMIT_EXCEEDED'`, j.ID)
		}
		j := s.StartNewJob()
		j.Chunk(1, domain.MaxLogSize-4, "last").Want(t, 200)
		if n := events(j); n != "0" {
			t.Errorf("%s events before it is too long", n)
		}
		j.Chunk(2, domain.MaxLogSize-1, "over").Want(t, 200)
		j.Chunk(3, domain.MaxLogSize, "and over").Want(t, 200)
		if n, rows := events(j), j.Rows(); n != "1" || rows != "1" {
			t.Errorf("%s events, %s pieces", n, rows)
		}
		// Pieces that say they are all at the beginning are no way around it.
		s.Exec(`UPDATE job_logs SET size = $1 WHERE job_id = $2`, domain.MaxLogSize-600, j.ID)
		j.Chunk(4, 0, "a small one").Want(t, 200)
		j.Chunk(5, 0, "another one").Want(t, 200)
		if rows := j.Rows(); rows != "2" {
			t.Errorf("%s pieces", rows)
		}
		j.Finish(0).Want(t, 200)
		s.Advance(10 * time.Minute)
		s.Pack()
		j.WantPacked("a small one\n[... 1073741809 bytes of the log are missing ...]\nlast")
	})
}

func TestHeaderTimesAreKept(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		j.Send("POST", "/header_times", `{"header_times":{"0":"2026-01-02T03:04:05.123456789Z","1":"2026-01-02T03:04:06Z"}}`).Want(t, 200)
		j.Send("POST", "/header_times", `{"header_times":{"2":"2026-01-02T03:04:07Z","1":"2026-01-02T03:04:06Z","4000000000":"2026-01-02T03:04:07Z"}}`).Want(t, 200)
		j.Send("POST", "/header_times", `{"header_times":{"-1":"2026-01-02T03:04:07Z"}}`).WantRefusal(t, 422, "`header_times` is invalid")
		j.Send("POST", "/header_times", `{"header_times":{"3":"soon"}}`).WantRefusal(t, 422, "`header_times` is invalid")
		j.Send("POST", "/header_times", `{"header_times":[]}`).WantRefusal(t, 400, "`header_times` has the wrong type")
		want := `{"0":"2026-01-02T03:04:05.123456789Z","1":"2026-01-02T03:04:06Z","2":"2026-01-02T03:04:07Z"}`
		if got := s.Text(`SELECT header_times FROM job_logs WHERE job_id = $1`, j.ID); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	})
}

func TestALogOfManyPiecesIsPacked(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		text := lines(3 << 20)
		var sending sync.WaitGroup
		const size = 10 << 10
		for worker := range 3 {
			sending.Go(func() {
				for i := worker; i*size < len(text); i += 3 {
					j.Chunk(i+1, i*size, text[i*size:min((i+1)*size, len(text))]).Want(t, 200)
				}
			})
		}
		sending.Wait()
		j.Finish(0).Want(t, 200)
		s.Pack()
		j.WantPacked(text)
	})
}

// brokenStore is a store of blobs that breaks when an object is stored.
type brokenStore struct {
	blob.Store
	put func(put func() (int64, error)) (int64, error)
}

func (b brokenStore) Put(ctx context.Context, key string, content io.Reader, size int64) (int64, error) {
	return b.put(func() (int64, error) { return b.Store.Put(ctx, key, content, size) })
}

func TestPackingThatIsBrokenOffIsDoneAgain(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		broken := errors.New("killed")
		for name, put := range map[string]func(func() (int64, error)) (int64, error){
			"before the object is stored": func(func() (int64, error)) (int64, error) { return 0, broken },
			"after the object is stored": func(put func() (int64, error)) (int64, error) {
				if _, err := put(); err != nil {
					t.Error(err)
				}
				return 0, broken
			},
		} {
			j := s.StartNewJob()
			j.Chunk(1, 0, "one, ").Want(t, 200)
			j.Chunk(2, 5, "two").Want(t, 200)
			j.Finish(0).Want(t, 200)
			killed := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: brokenStore{s.Blobs, put}})
			if err := killed.PackLogs(t.Context(), running.Operator); !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
			if place, rows := j.Place(), j.Rows(); place != "sealed" || rows != "2" {
				t.Errorf("%s: the log is %s with %s pieces", name, place, rows)
			}
			j.Chunk(3, 8, ", late").Want(t, 200)
			s.Pack()
			j.WantPacked("one, two")
		}
		// While pieces are deleted.
		j := s.StartNewJob()
		for i := range 3 {
			j.Chunk(i+1, i, "x").Want(t, 200)
		}
		j.Finish(0).Want(t, 200)
		s.Pack()
		s.Exec(`UPDATE job_logs SET place = 'packed' WHERE job_id = $1`, j.ID)
		s.Exec(`INSERT INTO job_log_chunks (job_id, sequence, byte_offset, size, content) VALUES ($1, 3, 2, 1, $2)`, j.ID, []byte(running.Compress("x")))
		s.Pack()
		j.WantPacked("xxx")
	})
}

func TestTwoNodesPackOneLog(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		text := lines(400 << 10)
		for i := range 4 {
			j.Chunk(i+1, i*100<<10, text[i*100<<10:(i+1)*100<<10]).Want(t, 200)
		}
		j.Finish(0).Want(t, 200)
		// A node that is about to store the object is overtaken by another one, which deletes the pieces under its hands.
		slow := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: brokenStore{s.Blobs, func(put func() (int64, error)) (int64, error) {
			s.Pack()
			j.WantPacked(text)
			return put()
		}}})
		if err := slow.PackLogs(t.Context(), running.Operator); err != nil {
			t.Error(err)
		}
		j.WantPacked(text)
		// Two at once.
		var jobs []*running.Job
		for range 6 {
			j := s.StartNewJob()
			j.Chunk(1, 0, text[:50<<10]).Want(t, 200)
			j.Finish(0).Want(t, 200)
			jobs = append(jobs, j)
		}
		other := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: s.Blobs})
		var packing sync.WaitGroup
		for _, node := range []*logs.Service{s.Logs, other} {
			packing.Go(func() {
				if err := node.PackLogs(t.Context(), running.Operator); err != nil {
					t.Error(err)
				}
			})
		}
		packing.Wait()
		for _, j := range jobs {
			j.WantPacked(text[:50<<10])
		}
	})
}

func TestOnlyOperatorsPackLogs(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		for _, actor := range []authz.Actor{{}, running.Admin} {
			if err := s.Logs.PackLogs(t.Context(), actor); domain.CodeOf(err) != domain.Forbidden {
				t.Error(err)
			}
		}
	})
}
