package agentapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"

	"penstock/internal/agentapi"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// streamRequest and streamMessage are what agents and the server send each other in a stream.
type streamRequest struct{ agentID string }

type streamMessage struct {
	action string // "resume", "pause", "disconnect" or "job"
	text   string // a reason, or the id of a job
}

// wireCodec reads and writes them as an agent does, in protocol buffers.
type wireCodec struct{}

func (wireCodec) Name() string { return "proto" }

func (wireCodec) Marshal(message any) ([]byte, error) {
	return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), message.(*streamRequest).agentID), nil
}

func (wireCodec) Unmarshal(data []byte, message any) error {
	m := message.(*streamMessage)
	number, inner, err := readField(data)
	if err != nil {
		return err
	}
	m.action = map[protowire.Number]string{2: "resume", 3: "pause", 4: "disconnect", 5: "job"}[number]
	if m.action == "job" {
		if _, inner, err = readField(inner); err != nil {
			return err
		}
	}
	if len(inner) > 0 {
		_, inner, err = readField(inner)
	}
	m.text = string(inner)
	return err
}

func readField(data []byte) (protowire.Number, []byte, error) {
	number, kind, n := protowire.ConsumeTag(data)
	if n < 0 || kind != protowire.BytesType {
		return 0, nil, errors.New("not a field with bytes")
	}
	inner, n := protowire.ConsumeBytes(data[n:])
	if n < 0 {
		return 0, nil, protowire.ParseError(n)
	}
	return number, inner, nil
}

// stream is a stream of an agent, read in the background.
type stream struct {
	t        *testing.T
	messages chan streamMessage
	ended    chan error
	cancel   context.CancelFunc
}

func openStream(w *running.Server, agentID, token string) *stream {
	w.T.Helper()
	client := connect.NewClient[streamRequest, streamMessage](&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, w.URL+agentapi.StreamPath, connect.WithGRPC(), connect.WithCodec(wireCodec{}))
	ctx, cancel := context.WithCancel(context.Background())
	s := &stream{t: w.T, messages: make(chan streamMessage, 100), ended: make(chan error, 1), cancel: cancel}
	w.T.Cleanup(cancel)
	request := connect.NewRequest(&streamRequest{agentID})
	request.Header().Set("Authorization", "Token "+token)
	go func() {
		in, err := client.CallServerStream(ctx, request)
		if err != nil {
			s.ended <- err
			return
		}
		for in.Receive() {
			s.messages <- *in.Msg()
		}
		err = in.Err()
		_ = in.Close()
		s.ended <- err
	}()
	return s
}

// openStreamOf opens a stream of an agent, with its token.
func openStreamOf(a *running.Agent) *stream {
	a.S.T.Helper()
	return openStream(a.S, a.ID, a.Session)
}

const streamPatience = 30 * time.Second

// want returns the text of the next message, which must have an action.
func (s *stream) want(action string) string {
	s.t.Helper()
	select {
	case m := <-s.messages:
		if m.action != action {
			s.t.Fatalf("the agent is told %v, not %s", m, action)
		}
		return m.text
	case err := <-s.ended:
		s.t.Fatalf("the stream ended, and no %s came: %v", action, err)
	case <-time.After(streamPatience):
		s.t.Fatalf("no %s came", action)
	}
	return ""
}

// wantEnd checks how the stream ends. Messages before that are left out.
func (s *stream) wantEnd(code connect.Code) {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if connect.CodeOf(err) != code {
			s.t.Errorf("the stream ended with %v, not %v", err, code)
		}
	case <-time.After(streamPatience):
		s.t.Error("the stream does not end")
	}
}

// wantNothing checks that nothing has come so far.
func (s *stream) wantNothing() {
	s.t.Helper()
	select {
	case m := <-s.messages:
		s.t.Errorf("the agent is told %v", m)
	default:
	}
}

func TestStreamsTellOfJobs(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		s := openStreamOf(a)
		s.want("resume")
		slug := w.Pipeline("steps: [{command: c, label: a}, {command: c, label: b}]")
		build := w.Build(slug)
		first := a.Start(s.want("job"))
		s.wantNothing() // one job at a time
		first.Finish(0).Want(t, http.StatusOK)
		second := a.Start(s.want("job")) // the server sends the next one by itself
		if second.ID == first.ID {
			t.Error("the same job twice")
		}
		w.Cancel(build)
		second.Finish(-1).Want(t, http.StatusOK)
		// One whose accept is refused, since it was canceled, is followed by another.
		build = w.Build(slug)
		refused := s.want("job")
		w.Cancel(build)
		a.SendAccept(refused).Want(t, http.StatusUnprocessableEntity)
		w.Build(slug)
		third := s.want("job")
		last := a.Start(third)
		s.cancel()
		s.wantEnd(connect.CodeCanceled)
		last.Finish(0).Want(t, http.StatusOK)
		a.Post("disconnect", nil).Want(t, http.StatusOK)
		// A job that is there already comes with the stream.
		b := w.NewAgent()
		waiting := openStreamOf(b)
		waiting.want("resume")
		waiting.want("job")
		// Not accepted, it is told again in the next stream.
		waiting.cancel()
		again := openStreamOf(b)
		again.want("resume")
		b.Start(again.want("job"))
	})
}

func TestStreamsTellAgainOfJobsThatWereNotTaken(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		s := openStreamOf(a)
		s.want("resume")
		w.BuildOf("steps: [{command: c, label: a}]")
		id := s.want("job")
		for range 2 {
			w.Advance(domain.AssignedFor)
			w.EndOverdue()
			if again := s.want("job"); again != id {
				t.Errorf("another job: %s", again)
			}
		}
		w.Advance(domain.AssignedFor)
		w.EndOverdue()
		w.NewAgent().RunJob("a", 0) // the first had its chances
		s.wantNothing()
	})
}

func TestStreamsTellOfPauses(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		w.Build(slug)
		a := w.NewAgent()
		s := openStreamOf(a)
		s.want("resume")
		j := a.Start(s.want("job"))
		w.Send("POST", "pause", j.Token, map[string]any{"note": "a look"}).Want(t, http.StatusOK)
		if reason := s.want("pause"); reason != "This agent is paused: a look" {
			t.Errorf("the reason is %q", reason)
		}
		late := openStreamOf(a)
		late.want("pause") // the present state first
		late.cancel()
		w.Send("POST", "resume", j.Token, nil).Want(t, http.StatusOK)
		s.want("resume")
		w.Build(slug)
		s.wantNothing()
		w.Send("POST", "pause", j.Token, nil).Want(t, http.StatusOK)
		s.want("pause")
		j.Finish(0).Want(t, http.StatusOK)
		w.Send("POST", "resume", j.Token, nil).Want(t, http.StatusUnauthorized)
		s.wantNothing()
		a.Post("stop", nil).Want(t, http.StatusOK)
		s.want("disconnect")
		a.Post("disconnect", nil).Want(t, http.StatusOK)
		s.wantEnd(connect.CodeUnauthenticated)
	})
}

func TestStreamsThatAreRefused(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a, b := w.NewAgent(), w.NewAgent()
		openStream(w, b.ID, a.Session).wantEnd(connect.CodePermissionDenied)
		openStream(w, "", a.Session).wantEnd(connect.CodePermissionDenied)
		openStream(w, "\x00", a.Session).wantEnd(connect.CodePermissionDenied)
		for _, token := range []string{"", "x", w.Token, running.AdminToken, string(domain.SessionTokenKind) + "x"} {
			openStream(w, a.ID, token).wantEnd(connect.CodeUnauthenticated)
		}
		w.BuildOf("steps: [{command: c, label: a}]")
		openStream(w, a.ID, a.StartJob().Token).wantEnd(connect.CodeUnauthenticated)

		// A token that is revoked ends streams, and nothing is given to them meanwhile.
		s := openStreamOf(b)
		s.want("resume")
		testkit.Change(t, w.DB, `DELETE FROM cluster_agent_tokens`)
		build := w.BuildOf("steps: [{command: c, label: x}]")
		openStream(w, b.ID, b.Session).wantEnd(connect.CodeUnauthenticated)
		w.Waker.Publish("agent:" + b.ID)
		s.wantEnd(connect.CodeUnauthenticated)
		w.WantStates(build, "x=scheduled")
		// What is not a message of a stream.
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+agentapi.StreamPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("a request without a token: %d", response.StatusCode)
		}
	})
}

func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{StreamLength: time.Second}, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		s := openStreamOf(a)
		s.want("resume")
		s.wantEnd(connect.CodeDeadlineExceeded)
	})
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		s := openStreamOf(a)
		s.want("resume")
		close(w.Closing)
		s.wantEnd(connect.CodeUnavailable)
	})
}

func TestALostAgentComesBackWithAStream(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		w.AdvanceWatching(190 * time.Second)
		w.EndOverdue()
		w.BuildOf("steps: [{command: c, label: a}]")
		s := openStreamOf(a)
		s.want("resume")
		a.Start(s.want("job"))
	})
}

func TestTwoStreamsOfOneAgent(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		one, two := openStreamOf(a), openStreamOf(a)
		one.want("resume")
		two.want("resume")
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		var id string
		select {
		case m := <-one.messages:
			id = m.text
		case m := <-two.messages:
			id = m.text
		case <-time.After(streamPatience):
			t.Fatal("no job came")
		}
		j := a.Start(id)
		w.WantStates(build, "a=running b=scheduled")
		j.Finish(0).Want(t, http.StatusOK)
		running.Until(t, "the agent gets the next job", func() bool { return w.Job(build, "b").State == "assigned" })
	})
}

func TestTheBestAgentGetsTheJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		queue := w.Text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, running.Cluster)
		var streams []*stream
		var agents []*running.Agent
		for _, priority := range []string{"", "1", "5", "-1"} {
			body := running.Registration()
			body["priority"] = priority
			a := w.NewAgentWith(body)
			agents = append(agents, a)
			s := openStreamOf(a)
			s.want("resume")
			streams = append(streams, s)
		}
		if _, err := w.Service.PauseQueue(t.Context(), running.Admin, running.ClusterRef(running.Cluster), queue, core.Value(domain.Optional[string]{})); err != nil {
			t.Fatal(err)
		}
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		build := w.Build(slug)
		for _, s := range streams {
			s.wantNothing()
		}
		w.WantStates(build, "a=scheduled")
		if _, err := w.Service.ResumeQueue(t.Context(), running.Admin, running.ClusterRef(running.Cluster), queue); err != nil {
			t.Fatal(err)
		}
		w.Waker.Publish("queue:" + queue)
		streams[2].want("job")
		for _, i := range []int{1, 3, 0} {
			build = w.Build(slug)
			running.Until(t, "the job is given to somebody", func() bool { return w.Job(build, "a").State == "assigned" })
			if got := w.Job(build, "a").Agent; got != agents[i].ID {
				t.Errorf("agent %d does not get the job, but %s of %v", i, got, agents)
			}
			streams[i].want("job")
		}
	})
}

// TestAnAgentThatMissedAnOfferComesAfterOthers has one that is connected, but busy with what the server does not know of, until it accepts a job again.
func TestAnAgentThatMissedAnOfferComesAfterOthers(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		newAgent := func(priority string) (*running.Agent, *stream) {
			body := running.Registration()
			body["priority"] = priority
			a := w.NewAgentWith(body)
			s := openStreamOf(a)
			s.want("resume")
			return a, s
		}
		wantMissed := func(want string) {
			t.Helper()
			if missed := w.Text(`SELECT COALESCE(max(id), 'nobody') FROM agents WHERE missed_offer`); missed != want {
				t.Errorf("%s counts as who missed an offer, not %s", missed, want)
			}
		}
		busy, busyStream := newAgent("5")
		other, otherStream := newAgent("1")
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		w.Build(slug)
		first := busyStream.want("job")
		w.Advance(domain.AssignedFor)
		w.EndOverdue()
		if id := otherStream.want("job"); id != first {
			t.Fatalf("the job that was not accepted is offered as %s", id)
		}
		wantMissed(busy.ID)
		held := other.Start(first)
		wantMissed(busy.ID)
		w.Build(slug) // nobody else is idle
		j := busy.Start(busyStream.want("job"))
		wantMissed("nobody")
		j.Finish(0).Want(t, http.StatusOK)
		held.Finish(0).Want(t, http.StatusOK)
	})
}
