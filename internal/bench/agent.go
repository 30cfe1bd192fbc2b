package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/domain"
)

// agent is an agent that runs nothing: a client that does as little as it can, on one connection.
type agent struct {
	net.Conn
	in       *bufio.Reader
	address  string
	id       string
	session  string
	job      string // that it has started last
	jobToken string
}

// agentWire returns a request of an agent as it goes over the wire.
func agentWire(method, path, token, body string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: penstock\r\nAuthorization: Token " + token + "\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func dialAgent(ctx context.Context, address string) (*agent, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &agent{Conn: conn, in: bufio.NewReader(conn), address: address}, nil
}

// call sends a request and returns the answer's body.
func (a *agent) call(method, path, token, body string) (string, error) {
	if _, err := io.WriteString(a, agentWire(method, path, token, body)); err != nil {
		return "", err
	}
	resp, err := http.ReadResponse(a.in, nil)
	if err != nil {
		return "", err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return string(answer), err
}

// textIn returns the text that a JSON object has under a name; "" for none.
func textIn(object, name string) string {
	_, rest, _ := strings.Cut(object, `"`+name+`":"`)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}

func (a *agent) register(token string) error {
	answer, err := a.call(http.MethodPost, "/v3/register", token, `{"name":"","hostname":"builder","os":"linux","arch":"amd64","version":"3.138.1","build":"1","meta_data":["queue=default"],"pid":1}`)
	if err != nil {
		return err
	}
	a.id, a.session = textIn(answer, "id"), textIn(answer, "access_token")
	_, err = a.call(http.MethodPost, "/v3/connect", a.session, "")
	return err
}

func (a *agent) disconnect() error {
	_, err := a.call(http.MethodPost, "/v3/disconnect", a.session, "")
	return err
}

// ping returns the job that the agent is to run; "" for none.
func (a *agent) ping() (string, error) {
	answer, err := a.call(http.MethodGet, "/v3/ping", a.session, "")
	return textIn(answer, "id"), err
}

func (a *agent) startJob(job string) error {
	answer, err := a.call(http.MethodPut, "/v3/jobs/"+job+"/accept", a.session, "")
	if err != nil {
		return err
	}
	a.job, a.jobToken = job, textIn(answer, "token")
	_, err = a.call(http.MethodPut, "/v3/jobs/"+job+"/start", a.jobToken, `{"started_at":"2026-01-01T00:00:00Z"}`)
	return err
}

func (a *agent) finishJob(job string) error {
	_, err := a.call(http.MethodPut, "/v3/jobs/"+job+"/finish", a.jobToken, `{"exit_status":"0","finished_at":"2026-01-01T00:00:00Z","chunks_failed_count":0}`)
	return err
}

func (a *agent) runJob(job string) error {
	if err := a.startJob(job); err != nil {
		return err
	}
	return a.finishJob(job)
}

// jobLog is the log of a small job, packed.
var jobLog = sync.OnceValues(func() (packed string, err error) {
	var b bytes.Buffer
	out := gzip.NewWriter(&b)
	_, err = io.WriteString(out, strings.Repeat("x", jobLogSize))
	err = errors.Join(err, out.Close())
	return b.String(), err
})

const jobLogSize = 2_000 // bytes

// runJobWithLog is runJob with a heartbeat, a look at the state of the job, and its log.
func (a *agent) runJobWithLog(job string) error {
	log, err := jobLog()
	if err == nil {
		err = a.startJob(job)
	}
	for _, call := range []struct{ method, path, token, body string }{
		{http.MethodPost, "/v3/heartbeat", a.session, `{"sent_at":"2026-01-01T00:00:00Z"}`},
		{http.MethodGet, "/v3/jobs/" + job, a.jobToken, ""},
		{http.MethodPost, fmt.Sprintf("/v3/jobs/%s/chunks?sequence=1&offset=0&size=%d", job, jobLogSize), a.jobToken, log},
	} {
		if err == nil {
			_, err = a.call(call.method, call.path, call.token, call.body)
		}
	}
	return errors.Join(err, a.finishJob(job))
}

func (a *agent) upload(job, document string) error {
	_, err := a.call(http.MethodPost, "/v3/jobs/"+job+"/pipelines", a.jobToken, `{"uuid":"`+domain.NewID[string]()+`","pipeline":`+document+`}`)
	return err
}

// errStreamEnded means that the server has ended a stream, which is then opened again.
var errStreamEnded = errors.New("the stream has ended")

// stream waits for messages on a connection of its own until ctx is done, and calls fn with each job.
func (a *agent) stream(ctx context.Context, opened func(), fn func(job string) error) error {
	var first sync.Once
	for {
		s, err := openStream(ctx, a.address, a.id, a.session)
		if err != nil {
			return unlessDone(ctx, err)
		}
		end := context.AfterFunc(ctx, func() { _ = s.Close() })
		for err == nil {
			var job string
			if job, err = s.next(); err == nil {
				first.Do(opened)
			}
			if err == nil && job != "" {
				err = fn(job)
			}
		}
		end()
		_ = s.Close()
		if ctx.Err() != nil || !errors.Is(err, errStreamEnded) {
			return unlessDone(ctx, err)
		}
	}
}

// unlessDone returns err, or nil once ctx is done.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the end was wanted
	}
	return err
}

// messages is a stream of messages to an agent.
type messages struct {
	net.Conn
	body io.Reader
}

const (
	envelopeSize = 5           // a byte of flags and a length, before each message
	endFlag      = 2           // of the last one
	jobField     = 5<<3 | 2    // the field of a message that has a job
	streamTime   = time.Minute // in which a server must send something
)

// openStream asks for the messages to an agent.
func openStream(ctx context.Context, address, id, session string) (*messages, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	request := string([]byte{1<<3 | 2, byte(len(id))}) + id
	request = string(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request)))) + request
	_, err = io.WriteString(conn, "POST "+agentapi.StreamPath+" HTTP/1.1\r\nHost: penstock\r\nAuthorization: Token "+session+
		"\r\nContent-Type: application/connect+proto\r\nConnect-Protocol-Version: 1\r\nContent-Length: "+strconv.Itoa(len(request))+"\r\n\r\n"+request)
	var resp *http.Response
	if err == nil {
		resp, err = http.ReadResponse(bufio.NewReaderSize(conn, 512), nil) //nolint:bodyclose // closing the connection is enough
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &messages{conn, resp.Body}, nil
}

// next returns the job that the next message is about; "" if it is about none.
func (s *messages) next() (job string, err error) {
	var head [envelopeSize]byte
	if _, err := io.ReadFull(s.body, head[:]); err != nil {
		return "", err
	}
	message := make([]byte, binary.BigEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(s.body, message); err != nil {
		return "", err
	}
	switch {
	case head[0]&endFlag != 0 && strings.Contains(string(message), "deadline_exceeded"):
		return "", errStreamEnded
	case head[0]&endFlag != 0:
		return "", errors.New(string(message))
	case len(message) < 36 || message[0] != jobField:
		return "", nil
	}
	return string(message[len(message)-36:]), nil // the id is what it ends with
}
