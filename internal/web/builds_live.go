package web

import (
	"cmp"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"penstock/internal/service/core"
)

const (
	streamLength = 5 * time.Minute  // then browsers open another one
	lookEvery    = 15 * time.Second // also if nothing was sent; whether the browser may still watch is looked up then
	sendTimeout  = 10 * time.Second

	gatherTime     = 250 * time.Millisecond
	listGatherTime = time.Second // lists change with each of their things
)

// streamBuild notifies a browser when the build that the page is about may have changed.
func streamBuild(c *call) (*reply, error) {
	return c.stream(gatherTime, func() (core.Watch, error) { return c.Builds.WatchBuild(c.ctx(), c.actor(), c.build()) })
}

// streamPipelineBuilds notifies a browser when the builds of the pipeline that the page is about may have changed.
func streamPipelineBuilds(c *call) (*reply, error) {
	return c.stream(listGatherTime, func() (core.Watch, error) {
		return c.Builds.WatchPipelineBuilds(c.ctx(), c.actor(), c.pipelineOfBuild())
	})
}

// streamOrganizationBuilds notifies a browser when the organization's builds may have changed.
func streamOrganizationBuilds(c *call) (*reply, error) {
	return c.stream(listGatherTime, func() (core.Watch, error) {
		return c.Builds.WatchOrganizationBuilds(c.ctx(), c.actor(), c.organizationRef())
	})
}

// streamAgents notifies a browser when the organization's agents, or what waits for them, may have changed.
func streamAgents(c *call) (*reply, error) {
	return c.stream(listGatherTime, func() (core.Watch, error) {
		return c.Agents.WatchAgents(c.ctx(), c.actor(), c.organizationRef())
	})
}

// stream answers with a stream of changes of what watch watches. It never says what has changed: the browser asks for
// the page again. What changes within the time gather is sent together. Who may not watch any more, or has signed out,
// is sent nothing more after lookEvery.
func (c *call) stream(gather time.Duration, watch func() (core.Watch, error)) (*reply, error) {
	w, err := watch()
	if err != nil {
		return nil, err
	}
	mayWatch := func() bool {
		again, err := watch()
		if err == nil {
			again.Stop()
		}
		return err == nil
	}
	return &reply{stream: func() {
		defer w.Stop()
		c.Header.Set("Content-Type", "text/event-stream")
		c.Header.Set("X-Accel-Buffering", "no")
		c.RecordStatus(http.StatusOK)
		c.W.WriteHeader(http.StatusOK)
		c.WaitForEvents()
		c.sendChanges(w.Changed, gather, mayWatch)
	}}, nil
}

func (c *call) sendChanges(changed <-chan struct{}, gather time.Duration, mayWatch func() bool) {
	control := http.NewResponseController(c.W)
	send := func(text string) error {
		_ = control.SetWriteDeadline(time.Now().Add(sendTimeout))
		if _, err := io.WriteString(c.W, text); err != nil {
			return err
		}
		return control.Flush()
	}
	end := time.NewTimer(streamLength + rand.N(streamLength/10))
	defer end.Stop()
	every := cmp.Or(c.LookEvery, lookEvery)
	look := time.NewTicker(every + rand.N(every/5))
	defer look.Stop()
	// The first says what has changed since the page was made.
	for err := send("retry: 1500\n\n"); err == nil; err = send("event: changed\ndata: 1\n\n") {
		select {
		case <-c.ctx().Done():
			return
		case <-c.Closing:
			return
		case <-end.C:
			return
		case <-look.C:
			if !mayWatch() {
				return
			}
		case <-changed:
			// What follows at once is sent together with it.
			select {
			case <-c.ctx().Done():
				return
			case <-time.After(gather):
			}
		}
	}
}
