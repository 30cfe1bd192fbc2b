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
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
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

func (w *world) openStream(agentID, token string) *stream {
	w.t.Helper()
	client := connect.NewClient[streamRequest, streamMessage](&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, w.url+agentapi.StreamPath, connect.WithGRPC(), connect.WithCodec(wireCodec{}))
	ctx, cancel := context.WithCancel(context.Background())
	s := &stream{t: w.t, messages: make(chan streamMessage, 100), ended: make(chan error, 1), cancel: cancel}
	w.t.Cleanup(cancel)
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

func (a *fakeAgent) openStream() *stream {
	a.w.t.Helper()
	return a.w.openStream(a.id, a.session)
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

// acceptJob accepts and starts a job that a stream has told.
func (a *fakeAgent) acceptJob(id string) *takenJob {
	a.w.t.Helper()
	answer := a.sendAccept(id).Want(a.w.t, http.StatusOK)
	j := &takenJob{a, id, answer.Text("token"), answer}
	j.start().Want(a.w.t, http.StatusOK)
	return j
}

func TestStreamsTellOfJobs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		s := a.openStream()
		s.want("resume")
		slug := w.pipeline("steps: [{command: c, label: a}, {command: c, label: b}]")
		build := w.build(slug)
		first := a.acceptJob(s.want("job"))
		s.wantNothing() // one job at a time
		first.finish(0).Want(t, http.StatusOK)
		second := a.acceptJob(s.want("job")) // the server sends the next one by itself
		if second.id == first.id {
			t.Error("the same job twice")
		}
		w.cancel(build)
		second.finish(-1).Want(t, http.StatusOK)
		// One whose accept is refused, since it was canceled, is followed by another.
		build = w.build(slug)
		refused := s.want("job")
		w.cancel(build)
		a.sendAccept(refused).Want(t, http.StatusUnprocessableEntity)
		w.build(slug)
		third := s.want("job")
		last := a.acceptJob(third)
		s.cancel()
		s.wantEnd(connect.CodeCanceled)
		last.finish(0).Want(t, http.StatusOK)
		a.post("disconnect", nil).Want(t, http.StatusOK)
		// A job that is there already comes with the stream.
		b := w.newAgent()
		waiting := b.openStream()
		waiting.want("resume")
		waiting.want("job")
		// Not accepted, it is told again in the next stream.
		waiting.cancel()
		again := b.openStream()
		again.want("resume")
		b.acceptJob(again.want("job"))
	})
}

func TestStreamsTellAgainOfJobsThatWereNotTaken(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		s := a.openStream()
		s.want("resume")
		w.buildOf("steps: [{command: c, label: a}]")
		id := s.want("job")
		for range 2 {
			testkit.Change(t, w.db, `UPDATE job_runs SET assigned_at = assigned_at - 30000000`)
			w.lapse()
			if again := s.want("job"); again != id {
				t.Errorf("another job: %s", again)
			}
		}
		testkit.Change(t, w.db, `UPDATE job_runs SET assigned_at = assigned_at - 30000000`)
		w.lapse()
		w.newAgent().run("a", 0) // the first had its chances
		s.wantNothing()
	})
}

func TestStreamsTellOfPauses(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		slug := w.pipeline("steps: [{command: c, label: a}]")
		w.build(slug)
		a := w.newAgent()
		s := a.openStream()
		s.want("resume")
		j := a.acceptJob(s.want("job"))
		w.send("POST", "pause", j.token, map[string]any{"note": "a look"}).Want(t, http.StatusOK)
		if reason := s.want("pause"); reason != "This agent is paused: a look" {
			t.Errorf("the reason is %q", reason)
		}
		late := a.openStream()
		late.want("pause") // the present state first
		late.cancel()
		w.send("POST", "resume", j.token, nil).Want(t, http.StatusOK)
		s.want("resume")
		w.build(slug)
		s.wantNothing()
		w.send("POST", "pause", j.token, nil).Want(t, http.StatusOK)
		s.want("pause")
		j.finish(0).Want(t, http.StatusOK)
		w.send("POST", "resume", j.token, nil).Want(t, http.StatusUnauthorized)
		s.wantNothing()
		a.post("stop", nil).Want(t, http.StatusOK)
		s.want("disconnect")
		a.post("disconnect", nil).Want(t, http.StatusOK)
		s.wantEnd(connect.CodeUnauthenticated)
	})
}

func TestStreamsThatAreRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a, b := w.newAgent(), w.newAgent()
		w.openStream(b.id, a.session).wantEnd(connect.CodePermissionDenied)
		w.openStream("", a.session).wantEnd(connect.CodePermissionDenied)
		w.openStream("\x00", a.session).wantEnd(connect.CodePermissionDenied)
		for _, token := range []string{"", "x", w.token, adminToken, string(domain.SessionTokenKind) + "x"} {
			w.openStream(a.id, token).wantEnd(connect.CodeUnauthenticated)
		}
		w.buildOf("steps: [{command: c, label: a}]")
		w.openStream(a.id, a.take().token).wantEnd(connect.CodeUnauthenticated)

		// A token that is revoked ends streams, and nothing is given to them meanwhile.
		s := b.openStream()
		s.want("resume")
		testkit.Change(t, w.db, `DELETE FROM cluster_agent_tokens`)
		build := w.buildOf("steps: [{command: c, label: x}]")
		w.openStream(b.id, b.session).wantEnd(connect.CodeUnauthenticated)
		w.waker.Publish("agent:" + b.id)
		s.wantEnd(connect.CodeUnauthenticated)
		w.wantStates(build, "x=scheduled")
		// What is not a message of a stream.
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+agentapi.StreamPath, http.NoBody)
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
	eachWorldWith(t, options{streamLength: time.Second}, func(t *testing.T, w *world) {
		a := w.newAgent()
		s := a.openStream()
		s.want("resume")
		s.wantEnd(connect.CodeDeadlineExceeded)
	})
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		s := a.openStream()
		s.want("resume")
		close(w.closing)
		s.wantEnd(connect.CodeUnavailable)
	})
}

func TestALostAgentComesBackWithAStream(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		if err := w.agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = seen_at - 190000000`)
		w.lapse()
		w.buildOf("steps: [{command: c, label: a}]")
		s := a.openStream()
		s.want("resume")
		a.acceptJob(s.want("job"))
	})
}

func TestTwoStreamsOfOneAgent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		one, two := a.openStream(), a.openStream()
		one.want("resume")
		two.want("resume")
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		var id string
		select {
		case m := <-one.messages:
			id = m.text
		case m := <-two.messages:
			id = m.text
		case <-time.After(streamPatience):
			t.Fatal("no job came")
		}
		j := a.acceptJob(id)
		w.wantStates(build, "a=running b=scheduled")
		j.finish(0).Want(t, http.StatusOK)
		until(t, "the agent gets the next job", func() bool { return w.job(build, "b").State == "assigned" })
	})
}

func TestTheBestAgentGetsTheJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		queue := w.text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, clusterID)
		var streams []*stream
		var agents []*fakeAgent
		for _, priority := range []string{"", "1", "5", "-1"} {
			body := registration()
			body["priority"] = priority
			a := w.newAgentWith(body)
			agents = append(agents, a)
			s := a.openStream()
			s.want("resume")
			streams = append(streams, s)
		}
		if _, err := w.service.PauseQueue(t.Context(), admin, clusterRef(clusterID), queue, core.Value(domain.Optional[string]{})); err != nil {
			t.Fatal(err)
		}
		slug := w.pipeline("steps: [{command: c, label: a}]")
		build := w.build(slug)
		for _, s := range streams {
			s.wantNothing()
		}
		w.wantStates(build, "a=scheduled")
		if _, err := w.service.ResumeQueue(t.Context(), admin, clusterRef(clusterID), queue); err != nil {
			t.Fatal(err)
		}
		w.waker.Publish("queue:" + queue)
		streams[2].want("job")
		for _, i := range []int{1, 3, 0} {
			build = w.build(slug)
			until(t, "the job is given to somebody", func() bool { return w.job(build, "a").State == "assigned" })
			if got := w.job(build, "a").Agent; got != agents[i].id {
				t.Errorf("agent %d does not get the job, but %s of %v", i, got, agents)
			}
			streams[i].want("job")
		}
	})
}

// TestAnAgentThatMissedAnOfferComesAfterOthers has one that is connected, but busy with what the server does not know of, until it accepts a job again.
func TestAnAgentThatMissedAnOfferComesAfterOthers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		newAgent := func(priority string) (*fakeAgent, *stream) {
			body := registration()
			body["priority"] = priority
			a := w.newAgentWith(body)
			s := a.openStream()
			s.want("resume")
			return a, s
		}
		wantMissed := func(want string) {
			t.Helper()
			if missed := w.text(`SELECT COALESCE(max(id), 'nobody') FROM agents WHERE missed_offer`); missed != want {
				t.Errorf("%s counts as who missed an offer, not %s", missed, want)
			}
		}
		busy, busyStream := newAgent("5")
		other, otherStream := newAgent("1")
		slug := w.pipeline("steps: [{command: c, label: a}]")
		w.build(slug)
		first := busyStream.want("job")
		testkit.Change(t, w.db, `UPDATE job_runs SET assigned_at = assigned_at - 30000000`)
		w.lapse()
		if id := otherStream.want("job"); id != first {
			t.Fatalf("the job that was not accepted is offered as %s", id)
		}
		wantMissed(busy.id)
		held := other.acceptJob(first)
		wantMissed(busy.id)
		w.build(slug) // nobody else is idle
		j := busy.acceptJob(busyStream.want("job"))
		wantMissed("nobody")
		j.finish(0).Want(t, http.StatusOK)
		held.finish(0).Want(t, http.StatusOK)
	})
}
