package builds_test

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
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		text := lines(1000)
		for _, piece := range []int{3, 1, 3, 9, 2, 5, 4, 1, 8, 7, 10, 6, 10} {
			j.chunk(piece, 100*(piece-1), text[100*(piece-1):100*piece]).want(200)
		}
		if rows := j.rows(); rows != "10" {
			t.Errorf("%s pieces are stored", rows)
		}
		s.pack()
		if place := j.place(); place != "" {
			t.Errorf("the log of a running job is %s", place)
		}
		j.finish(0)
		s.pack()
		j.wantPacked(text)
		j.chunk(10, 900, text[900:]).want(200) // the answer may have been lost
		j.chunk(11, 1000, "late").want(200)
		j.wantPacked(text)
		s.pack()
		j.wantPacked(text)
	})
}

func TestPiecesThatDifferUnderOneNumberAreNotExchanged(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "first").want(200)
		j.chunk(1, 0, "other").want(200)
		j.finish(0)
		s.pack()
		j.wantPacked("first")
	})
}

func TestALogHasAMarkWhereSomethingIsMissing(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(2, 10, "0123456789").want(200)
		j.chunk(5, 143, "end").want(200)
		j.chunk(3, 20, "abc").want(200)
		j.finish(0)
		s.pack()
		if place := j.place(); place != "" {
			t.Errorf("the log is %s at once", place)
		}
		j.pass(9 * time.Minute)
		s.pack()
		if place := j.place(); place != "" {
			t.Errorf("the log is %s after nine minutes", place)
		}
		j.pass(time.Minute)
		s.pack()
		j.wantPacked("\n[... 10 bytes of the log are missing ...]\n0123456789abc\n[... 120 bytes of the log are missing ...]\nend")
	})
}

func TestTheFirstOfOverlappingPiecesCounts(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(2, 3, "BBBBBB").want(200)
		j.chunk(1, 0, "aaaaa").want(200)
		j.chunk(4, 5, "xx").want(200) // inside of another
		j.chunk(3, 9, "cc").want(200)
		j.chunk(5, 9, "dddd").want(200)
		j.finish(0)
		s.pack()
		j.wantPacked("aaaaaBBBBccdd")
	})
}

func TestTheLogOfAJobThatWasGivenUpIsPackedLater(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "so far").want(200)
		j.finish(-1) // as it is for an agent that is lost, which may still send what it has
		s.pack()
		if place := j.place(); place != "" {
			t.Errorf("the log is %s", place)
		}
		j.chunk(2, 6, ", so good").want(200)
		j.pass(10 * time.Minute)
		s.pack()
		j.wantPacked("so far, so good")
	})
}

func TestASmallLogStaysInTheDatabase(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		s.logs = logs.New(logs.Options{Core: s.core, Blobs: s.blobs, InRows: 20})
		small := s.start()
		small.chunk(1, 0, "eleven byte")
		small.finish(0)
		large := s.start()
		large.chunk(1, 0, "eleven byte")
		large.chunk(2, 11, "and more of it")
		large.finish(0)
		s.pack()
		if got := small.place(); got != string(domain.LogInRows) {
			t.Errorf("the small log is in %q", got)
		}
		if got := large.place(); got != string(domain.LogInBlob) {
			t.Errorf("the large log is in %q", got)
		}
		if got := small.read(0, 100); got != "eleven byte" {
			t.Errorf("it reads %q", got)
		}
		if got := large.read(0, 100); got != "eleven byteand more of it" {
			t.Errorf("it reads %q", got)
		}
		s.pack() // which finds nothing to do
		if got := small.read(0, 100); got != "eleven byte" {
			t.Errorf("it reads %q", got)
		}
	})
}

func TestAJobWithoutALogHasNoObject(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.finish(0)
		s.pack()
		if n := s.text(`SELECT CAST(count(*) AS TEXT) FROM job_logs`); n != "0" {
			t.Errorf("there are %s logs", n)
		}
		if _, err := s.blobs.Stat(t.Context(), j.key()); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("an empty log is stored: %v", err)
		}
	})
}

func TestPiecesOfLogsAreRefused(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.accept()
		j.chunk(1, 0, "early").refused(422, "This job has no log, as it has not been started")
		j.call("PUT", "start", `{}`).want(200)
		bomb := compress(strings.Repeat("\x00", 256<<20))
		for query, c := range map[string]struct {
			body    string
			status  int
			message string
		}{
			"":                                                                 {compress("x"), 422, "`sequence` is invalid: it must be a whole number"},
			"sequence=0&offset=0&size=1":                                       {compress("x"), 422, "`sequence` is invalid"},
			"sequence=x&offset=0&size=1":                                       {compress("x"), 422, "`sequence` is invalid"},
			"sequence=1&offset=-1&size=1":                                      {compress("x"), 422, "`offset` is invalid"},
			"sequence=1&size=1":                                                {compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=0&size=0":                                       {compress(""), 422, "`size` is invalid: it must be a whole number from 1 to 4194304"},
			"sequence=1&offset=0&size=4194305":                                 {compress("x"), 422, "`size` is invalid"},
			"sequence=1&offset=0&size=1e3":                                     {compress("x"), 422, "`size` is invalid"},
			"sequence=1&offset=0&size=2":                                       {compress("x"), 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=1&a":                                     {compress("xy"), 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=5":                                       {"plain", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&b":                                     {"", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&c":                                     {compress("12345")[:20], 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=5&d":                                     {compress("12345") + "trailer", 400, "The body must be a piece of the log, compressed with gzip"},
			"sequence=1&offset=0&size=1048576":                                 {bomb, 400, "`size` is not the size of the content"},
			"sequence=1&offset=0&size=5&e":                                     {compress(lines(64 << 10)), 400, "The body must be a piece of the log"},
			"sequence=1&offset=0&size=4194304":                                 {strings.Repeat("x", 2<<20+1), 413, "The body is too large: at most 2097152 bytes"},
			"sequence=1&offset=9e18&size=1":                                    {compress("x"), 422, "`offset` is invalid"},
			"sequence=9223372036854775807&offset=0&size=1&f":                   {compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=9223372036854775807&size=1&g":                   {compress("x"), 422, "`offset` is invalid"},
			"sequence=1&offset=0&size=1&sequence=999999999999999999999999999&": {compress("x"), 200, ""},
		} {
			j.call("POST", "chunks?"+query, c.body).refused(c.status, c.message)
		}
		if rows := j.rows(); rows != "1" {
			t.Errorf("%s pieces are stored", rows)
		}
	})
}

func TestAPieceOfALogNeedsTheTokenOfItsJob(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.chunk(1, 0, "before the end").want(200)
		j.finish(0)
		other := s.start()
		path := "jobs/" + other.id + "/chunks?sequence=1&offset=0&size=1"
		s.send("POST", path, j.token, compress("x")).refused(403, "This token is for another job")
		for _, token := range []string{"", "pnj_nothing", s.session, logAdminToken} {
			s.send("POST", path, token, compress("x")).refused(401, "Authentication required")
			s.send("POST", "jobs/"+other.id+"/header_times", token, `{"header_times":{}}`).refused(401, "Authentication required")
		}
		s.send("POST", "jobs/"+other.id+"/header_times", j.token, `{"header_times":{}}`).refused(403, "This token is for another job")
		if rows := other.rows(); rows != "0" {
			t.Errorf("%s pieces are stored", rows)
		}
		j.chunk(1, 0, "before the end").want(200) // again
		j.chunk(2, 14, "just after the end").refused(401, "The job has ended: it can't add to its log")
		s.exec(`UPDATE job_runs SET token_until = token_until - 600000000 WHERE job_id = $1`, j.id)
		j.chunk(1, 0, "before the end").refused(401, "Authentication required")
		if rows := j.rows(); rows != "1" {
			t.Errorf("%s pieces are stored after the end", rows)
		}
		if err := s.logs.AddLogChunk(t.Context(), logAdmin, other.id, logs.LogChunk{}); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("a person: %v", err)
		}
	})
}

func TestWhatIsOverTheLimitOfALogIsDropped(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		events := func(j *loggedJob) string {
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM job_events WHERE job_id = $1 AND type = 'LOG_SIZE_LIMIT_EXCEEDED'`, j.id)
		}
		j := s.start()
		j.chunk(1, domain.MaxLogSize-4, "last").want(200)
		if n := events(j); n != "0" {
			t.Errorf("%s events before it is too long", n)
		}
		j.chunk(2, domain.MaxLogSize-1, "over").want(200)
		j.chunk(3, domain.MaxLogSize, "and over").want(200)
		if n, rows := events(j), j.rows(); n != "1" || rows != "1" {
			t.Errorf("%s events, %s pieces", n, rows)
		}
		// Pieces that say they are all at the beginning are no way around it.
		s.exec(`UPDATE job_logs SET size = $1 WHERE job_id = $2`, domain.MaxLogSize-600, j.id)
		j.chunk(4, 0, "a small one").want(200)
		j.chunk(5, 0, "another one").want(200)
		if rows := j.rows(); rows != "2" {
			t.Errorf("%s pieces", rows)
		}
		j.finish(0)
		j.pass(10 * time.Minute)
		s.pack()
		j.wantPacked("a small one\n[... 1073741809 bytes of the log are missing ...]\nlast")
	})
}

func TestHeaderTimesAreKept(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		j.call("POST", "header_times", `{"header_times":{"0":"2026-01-02T03:04:05.123456789Z","1":"2026-01-02T03:04:06Z"}}`).want(200)
		j.call("POST", "header_times", `{"header_times":{"2":"2026-01-02T03:04:07Z","1":"2026-01-02T03:04:06Z","4000000000":"2026-01-02T03:04:07Z"}}`).want(200)
		j.call("POST", "header_times", `{"header_times":{"-1":"2026-01-02T03:04:07Z"}}`).refused(422, "`header_times` is invalid")
		j.call("POST", "header_times", `{"header_times":{"3":"soon"}}`).refused(422, "`header_times` is invalid")
		j.call("POST", "header_times", `{"header_times":[]}`).refused(400, "`header_times` has the wrong type")
		want := `{"0":"2026-01-02T03:04:05.123456789Z","1":"2026-01-02T03:04:06Z","2":"2026-01-02T03:04:07Z"}`
		if got := s.text(`SELECT header_times FROM job_logs WHERE job_id = $1`, j.id); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	})
}

func TestALogOfManyPiecesIsPacked(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		text := lines(3 << 20)
		var sending sync.WaitGroup
		const size = 10 << 10
		for worker := range 3 {
			sending.Go(func() {
				for i := worker; i*size < len(text); i += 3 {
					j.chunk(i+1, i*size, text[i*size:min((i+1)*size, len(text))]).want(200)
				}
			})
		}
		sending.Wait()
		j.finish(0)
		s.pack()
		j.wantPacked(text)
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
	eachLogServer(t, func(t *testing.T, s *logServer) {
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
			j := s.start()
			j.chunk(1, 0, "one, ").want(200)
			j.chunk(2, 5, "two").want(200)
			j.finish(0)
			killed := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: brokenStore{s.blobs, put}})
			if err := killed.PackLogs(t.Context(), logOperator); !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
			if place, rows := j.place(), j.rows(); place != "sealed" || rows != "2" {
				t.Errorf("%s: the log is %s with %s pieces", name, place, rows)
			}
			j.chunk(3, 8, ", late").want(200)
			s.pack()
			j.wantPacked("one, two")
		}
		// While pieces are deleted.
		j := s.start()
		for i := range 3 {
			j.chunk(i+1, i, "x").want(200)
		}
		j.finish(0)
		s.pack()
		s.exec(`UPDATE job_logs SET place = 'packed' WHERE job_id = $1`, j.id)
		s.exec(`INSERT INTO job_log_chunks (job_id, sequence, byte_offset, size, content) VALUES ($1, 3, 2, 1, $2)`, j.id, []byte(compress("x")))
		s.pack()
		j.wantPacked("xxx")
	})
}

func TestTwoNodesPackOneLog(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		text := lines(400 << 10)
		for i := range 4 {
			j.chunk(i+1, i*100<<10, text[i*100<<10:(i+1)*100<<10]).want(200)
		}
		j.finish(0)
		// A node that is about to store the object is overtaken by another one, which deletes the pieces under its hands.
		slow := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: brokenStore{s.openBlobs(), func(put func() (int64, error)) (int64, error) {
			s.pack()
			j.wantPacked(text)
			return put()
		}}})
		if err := slow.PackLogs(t.Context(), logOperator); err != nil {
			t.Error(err)
		}
		j.wantPacked(text)
		// Two at once.
		var jobs []*loggedJob
		for range 6 {
			j := s.start()
			j.chunk(1, 0, text[:50<<10]).want(200)
			j.finish(0)
			jobs = append(jobs, j)
		}
		other := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: s.openBlobs()})
		var packing sync.WaitGroup
		for _, node := range []*logs.Service{s.logs, other} {
			packing.Go(func() {
				if err := node.PackLogs(t.Context(), logOperator); err != nil {
					t.Error(err)
				}
			})
		}
		packing.Wait()
		for _, j := range jobs {
			j.wantPacked(text[:50<<10])
		}
	})
}

func TestOnlyOperatorsPackLogs(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		for _, actor := range []authz.Actor{{}, logAdmin} {
			if err := s.logs.PackLogs(t.Context(), actor); domain.CodeOf(err) != domain.Forbidden {
				t.Error(err)
			}
		}
	})
}
