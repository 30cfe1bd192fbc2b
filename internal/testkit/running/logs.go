package running

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"penstock/internal/service/logs"
	"penstock/internal/testkit"
)

// Compress compresses a text as agents compress logs.
func Compress(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// Chunk sends a piece of the log.
func (j *Job) Chunk(sequence, offset int, text string) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Send(http.MethodPost, fmt.Sprintf("/chunks?sequence=%d&offset=%d&size=%d", sequence, offset, len(text)), Compress(text))
}

// Pack packs logs.
func (s *Server) Pack() {
	s.T.Helper()
	if err := s.Logs.PackLogs(s.T.Context(), Operator); err != nil {
		s.T.Fatal(err)
	}
}

// Place returns where the log is.
func (j *Job) Place() string {
	j.Agent.S.T.Helper()
	return j.Agent.S.Text(`SELECT place FROM job_logs WHERE job_id = $1`, j.ID)
}

// Rows returns how many pieces of the log are in the database.
func (j *Job) Rows() string {
	j.Agent.S.T.Helper()
	return j.Agent.S.Text(`SELECT CAST(count(*) AS TEXT) FROM job_log_chunks WHERE job_id = $1`, j.ID)
}

// Key returns the key of the object that is the log.
func (j *Job) Key() string {
	j.Agent.S.T.Helper()
	return "logs/" + j.Agent.S.Text(`SELECT organization_id FROM jobs WHERE id = $1`, j.ID) + "/" + j.ID
}

// Object returns the log as the object that it is.
func (j *Job) Object() string {
	j.Agent.S.T.Helper()
	content, err := j.Agent.S.Blobs.Get(context.Background(), j.Key(), 0, -1)
	if err != nil {
		j.Agent.S.T.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil {
		j.Agent.S.T.Fatal(err)
	}
	return string(text)
}

// WantPacked checks that the log is an object with that text, and nothing else.
func (j *Job) WantPacked(text string) {
	j.Agent.S.T.Helper()
	if place, rows := j.Place(), j.Rows(); place != "blob" || rows != "0" {
		j.Agent.S.T.Errorf("the log is in %q, with %s rows", place, rows)
		return
	}
	if got := j.Object(); got != text {
		j.Agent.S.T.Errorf("the log has %d bytes, not %d: %.200q", len(got), len(text), got)
	}
	if size := j.Agent.S.Text(`SELECT CAST(size AS TEXT) FROM job_logs WHERE job_id = $1`, j.ID); size != fmt.Sprint(len(text)) {
		j.Agent.S.T.Errorf("its size is said to be %s", size)
	}
}

// Read returns a part of the log, as people read it; a length of -1 is all the rest.
func (j *Job) Read(from, length int64) string {
	j.Agent.S.T.Helper()
	log, err := j.Agent.S.Logs.ReadLog(context.Background(), Admin, j.Ref())
	if err != nil {
		j.Agent.S.T.Fatal(err)
	}
	if length < 0 {
		length = log.Size
	}
	return ReadPart(j.Agent.S.T, log, from, length)
}

// ReadPart returns a part of a log.
func ReadPart(t *testing.T, log *logs.Log, from, length int64) string {
	t.Helper()
	in, err := log.Open(context.Background(), from, length)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
