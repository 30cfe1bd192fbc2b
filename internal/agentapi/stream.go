package agentapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"

	"penstock/internal/authz"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/httpcall"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/wake"
)

// StreamPath is where agents wait for messages: at the host's root, whatever the base URL's path is.
const StreamPath = "/agentedge.v1.AgentEdgeService/StreamPings"

const (
	streamLength = 50 * time.Second // agents close a stream after 60; unless Options say otherwise
	lookEvery    = 20 * time.Second // at an agent's situation, also if nothing was published
	sendTimeout  = 10 * time.Second
)

// pingRequest is what an agent asks a stream with.
type pingRequest struct{ agentID string }

// pingMessage is a message for an agent: one of its parts. The numbers are those of its fields.
type pingMessage struct {
	field protowire.Number
	text  string // a reason, or the id of a job
}

const (
	fieldResume      protowire.Number = 2
	fieldPause       protowire.Number = 3
	fieldDisconnect  protowire.Number = 4
	fieldJobAssigned protowire.Number = 5
)

// codec reads and writes the messages of streams in the binary form of protocol buffers. All their fields have the
// number 1.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(message any) ([]byte, error) {
	m, ok := message.(*pingMessage)
	if !ok {
		return nil, errors.New("not a message of a stream")
	}
	var inner []byte
	if m.text != "" {
		inner = appendText(nil, m.text)
	}
	if m.field == fieldJobAssigned { // the job is a message itself
		inner = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, m.field, protowire.BytesType), inner), nil
}

func appendText(to []byte, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, 1, protowire.BytesType), text)
}

func (codec) Unmarshal(data []byte, message any) error {
	m, ok := message.(*pingRequest)
	if !ok {
		return errors.New("not a message of a stream")
	}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if number == 1 && kind == protowire.BytesType {
			text, n := protowire.ConsumeString(data)
			if n < 0 {
				return protowire.ParseError(n)
			}
			m.agentID, data = text, data[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, data); n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
	}
	return nil
}

// maxRequest is the size of a stream's request, which has an agent's id.
const maxRequest = 4 << 10

// streamEndpoints has the streams. They know who asks before they wait for the rest of the request: strangers can keep
// no place. Agents speak Connect or gRPC there, which both answer errors in their own way.
func (a *API) streamEndpoints() []endpoint.Endpoint {
	stream := connect.NewServerStreamHandler(StreamPath, a.streamPings, connect.WithCodec(codec{}),
		connect.WithReadMaxBytes(maxRequest))
	refusal := connect.NewErrorWriter()
	media := []string{"application/connect+proto", "application/grpc+proto"}
	return []endpoint.Endpoint{{
		Method: http.MethodPost, Path: StreamPath, Operation: "streamPings",
		Summary: "Tells an agent what to do as soon as it is known, in a stream of messages.", Needs: needsSession,
		Media: media, Texts: media, Status: http.StatusOK,
		Raw: func(c *endpoint.Call) {
			c.RecordStatus(http.StatusOK)
			body, err := readStreamRequest(c)
			if err != nil {
				c.Header.Set("Connection", "close") // the rest of the request is not waited for
				_ = refusal.Write(c.W, c.R, streamError(err))
				return
			}
			c.R.Body = io.NopCloser(bytes.NewReader(body))
			stream.ServeHTTP(c.W, c.R.WithContext(context.WithValue(c.Context(), callKey{}, c)))
		},
	}}
}

func readStreamRequest(c *endpoint.Call) ([]byte, error) {
	if err := c.Identify(); err != nil {
		return nil, err
	}
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Now().Add(sendTimeout))
	return c.ReadBody(maxRequest)
}

// callKey finds the call in the context of a stream.
type callKey struct{}

// streamPings sends an agent what it is to do: the present state first, then what changes.
func (a *API) streamPings(ctx context.Context, request *connect.Request[pingRequest],
	out *connect.ServerStream[pingMessage]) error {
	c, _ := ctx.Value(callKey{}).(*endpoint.Call)
	actor := c.Actor()
	// before the first look, so that nothing is missed
	changes := a.Waker.Subscribe(core.AgentTopic(domain.AgentID(request.Msg.agentID)))
	defer changes.Close()
	situation, err := a.Builds.AgentStatus(ctx, actor)
	if err != nil {
		return streamError(err)
	}
	if string(situation.Agent) != request.Msg.agentID {
		return connect.NewError(connect.CodePermissionDenied, errors.New("this token is for another agent"))
	}
	c.WaitForEvents()
	s := &pingStream{api: a, actor: actor, out: out, control: http.NewResponseController(c.W)}
	defer s.leave()
	return s.run(ctx, situation, changes)
}

// streamError is an error as agents understand it: those of their token end streaming, all others are tried again.
func streamError(err error) error {
	code := connect.CodeUnavailable
	switch domain.CodeOf(err) {
	case domain.Unauthenticated:
		code = connect.CodeUnauthenticated
	case domain.Forbidden:
		code = connect.CodePermissionDenied
	}
	if domain.CodeOf(err) == 0 {
		err = errors.New(httpcall.InternalMessage) //nolint:staticcheck // sentences for people
	}
	return connect.NewError(code, err)
}

// pingStream is a stream of messages to one agent.
type pingStream struct {
	api     *API
	actor   authz.Actor
	out     *connect.ServerStream[pingMessage]
	control *http.ResponseController
	told    pingMessage      // the last state that it was sent
	job     domain.JobID     // the last job that it was sent
	waiter  *dispatch.Waiter // nil: it does not wait for a job
}

func (s *pingStream) leave() {
	if s.waiter != nil {
		s.waiter.Leave()
		s.waiter = nil
	}
}

func (s *pingStream) run(ctx context.Context, situation builds.AgentStatus, changes *wake.Subscription) error {
	end := time.NewTimer(s.api.StreamLength - rand.N(s.api.StreamLength/10))
	defer end.Stop()
	look := time.NewTicker(lookEvery + rand.N(5*time.Second))
	defer look.Stop()
	for {
		if err := s.sendStatus(situation); err != nil {
			return err
		}
		var jobs <-chan domain.JobID
		if s.waiter != nil {
			jobs = s.waiter.Jobs()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.api.Closing:
			return connect.NewError(connect.CodeUnavailable, errors.New("the server stops"))
		case <-end.C:
			return connect.NewError(connect.CodeDeadlineExceeded, errors.New("open the stream again"))
		case job := <-jobs:
			s.waiter = nil
			if err := s.sendJob(job); err != nil {
				return err
			}
			situation.Queue, situation.Ping = nil, builds.Ping{Job: job}
			continue
		case <-changes.C:
		case <-look.C:
		}
		var err error
		if situation, err = s.api.Builds.AgentStatus(ctx, s.actor); err != nil {
			return streamError(err)
		}
	}
}

// sendStatus sends what has changed, and lets the agent wait for a job if it may have one.
func (s *pingStream) sendStatus(situation builds.AgentStatus) error {
	state := pingMessage{field: fieldResume}
	switch situation.Ping.Action {
	case builds.ActionDisconnect:
		state = pingMessage{fieldDisconnect, situation.Ping.Message}
	case builds.ActionPause:
		state = pingMessage{fieldPause, situation.Ping.Message}
	}
	if state != s.told {
		if err := s.send(&state); err != nil {
			return err
		}
		s.told = state
	}
	if situation.Ping.Job != "" && situation.Ping.Job != s.job {
		s.leave() // who waits may have been assigned the same job
		return s.sendJob(situation.Ping.Job)
	}
	switch {
	case situation.Queue == nil:
		s.leave()
	case s.waiter == nil:
		s.job = ""
		s.waiter = s.api.Dispatcher.Wait(s.actor, situation)
	}
	return nil
}

func (s *pingStream) sendJob(job domain.JobID) error {
	s.job = job
	return s.send(&pingMessage{fieldJobAssigned, string(job)})
}

func (s *pingStream) send(m *pingMessage) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(streamLength + sendTimeout))
	return s.out.Send(m)
}
