package web

import (
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	streamLength = 5 * time.Minute  // then browsers open another one, so that who may not see the build any more hears nothing
	lookEvery    = 15 * time.Second // also if nothing was told
	gatherTime   = 250 * time.Millisecond
	sendTimeout  = 10 * time.Second
)

// streamChanges tells a browser when the build that the page is about may have changed. It never says what: the browser asks for the page again.
func streamChanges(c *call) (*reply, error) {
	changed, stop, err := c.Builds.WatchBuild(c.ctx(), c.actor(), c.build())
	if err != nil {
		return nil, err
	}
	return &reply{stream: func() {
		defer stop()
		c.Header.Set("Content-Type", "text/event-stream")
		c.Header.Set("X-Accel-Buffering", "no")
		c.NoteStatus(http.StatusOK)
		c.W.WriteHeader(http.StatusOK)
		c.WaitForEvents()
		c.sendChanges(changed)
	}}, nil
}

func (c *call) sendChanges(changed <-chan struct{}) {
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
	look := time.NewTicker(lookEvery + rand.N(lookEvery/5))
	defer look.Stop()
	// The first tells of what has changed since the page was made.
	for err := send("retry: 1500\n\n"); err == nil; err = send("event: changed\ndata: 1\n\n") {
		select {
		case <-c.ctx().Done():
			return
		case <-c.Closing:
			return
		case <-end.C:
			return
		case <-look.C:
		case <-changed:
			// What follows at once is told together with it.
			select {
			case <-c.ctx().Done():
				return
			case <-time.After(gatherTime):
			}
		}
	}
}
