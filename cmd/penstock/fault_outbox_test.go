package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// eventLedger has what a webhook has heard of builds, in the order in which it came.
type eventLedger struct {
	mutex sync.Mutex
	first []string       // events, each when it came for the first time
	times map[string]int // how often each came
}

func (l *eventLedger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var said struct {
		Event string
		Build struct{ Number int }
	}
	if err != nil || json.Unmarshal(text, &said) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	key := fmt.Sprintf("%d %s", said.Build.Number, said.Event)
	if l.times[key]++; l.times[key] == 1 {
		l.first = append(l.first, key)
	}
}

func (l *eventLedger) has(key string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.times[key] > 0
}

// TestFaultOutboxUnderKills kills the server again and again while builds are created: the webhook hears of each build that was acknowledged at least once, in
// order, and none is lost.
func TestFaultOutboxUnderKills(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		heard := &eventLedger{times: map[string]int{}}
		hook := httptest.NewServer(heard)
		t.Cleanup(hook.Close)
		file := write(t, "bootstrap.yaml", strings.Replace(bootstrapFile, "scopes: [", "scopes: [write_notification_services, write_pipelines, read_builds, write_builds, ", 1))
		environment := []string{"TOKEN=" + testToken, "PENSTOCK_OUTBOUND_ALLOW=127.0.0.0/8"}
		args := append(with("serve --bootstrap", file), database...)
		as := []string{"Authorization", "Bearer " + testToken, "Content-Type", "application/json"}
		server := start(t, environment, args...)
		must := func(path, body string) {
			t.Helper()
			if status, answer := server.send(http.MethodPost, "/v2/organizations/acme-inc"+path, body, as...); status != http.StatusCreated {
				t.Fatalf("%s: %d %s", path, status, answer)
			}
		}
		must("/pipelines", `{"name": "Told", "repository": "r", "configuration": "steps: [{block: Go on}]"}`)
		must("/services", `{"provider": "webhook", "settings": {"url": "`+hook.URL+`", "events": ["build.scheduled", "build.finished"]}}`)

		acknowledged, kills := []int{}, rounds(4, 25)
		for range kills {
			stop, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				for goesOn(stop, 0) {
					number, ok := createToldBuild(t, server.url, as)
					if ok {
						acknowledged = append(acknowledged, number)
					}
				}
			}()
			<-time.After(time.Duration(100+rand.IntN(700)) * time.Millisecond)
			server.signal(syscall.SIGKILL)
			server.wait()
			close(stop)
			<-done
			if !longFaults {
				endLeases(t, database)
			}
			server = start(t, environment, args...)
		}
		must("/pipelines/told/builds", `{"commit": "HEAD", "branch": "main", "message": "The last"}`)
		status, body := server.get("/v2/organizations/acme-inc/pipelines/told/builds?per_page=1", testToken)
		last := decode[[]struct{ Number int }](t, body)
		if status != http.StatusOK || len(last) != 1 {
			t.Fatalf("%d %s", status, body)
		}
		final := fmt.Sprintf("%d build.finished", last[0].Number)
		for deadline := time.Now().Add(3 * time.Minute); !heard.has(final); <-time.After(20 * time.Millisecond) { // the lease of a killed server ends after a minute
			if time.Now().After(deadline) {
				t.Fatalf("the last event did not come; %d came", len(heard.first))
			}
		}
		heard.mutex.Lock()
		defer heard.mutex.Unlock()
		again := 0
		for number := range last[0].Number { // what was not acknowledged may have been created too
			for _, event := range []string{"build.scheduled", "build.finished"} {
				again += max(heard.times[fmt.Sprintf("%d %s", number+1, event)]-1, 0)
			}
		}
		lost := 0
		for _, number := range acknowledged {
			for _, event := range []string{"build.scheduled", "build.finished"} {
				if heard.times[fmt.Sprintf("%d %s", number, event)] == 0 {
					lost++
				}
			}
		}
		wrong, before := 0, 0
		for _, key := range heard.first {
			var number int
			var event string
			if _, err := fmt.Sscanf(key, "%d %s", &number, &event); err != nil {
				t.Fatal(err)
			}
			place := number * 2
			if event == "build.finished" {
				place++
			}
			if place < before {
				wrong++
			}
			before = place
		}
		t.Logf("%d kills, %d builds acknowledged, %d events came, %d of them again, %d lost, %d out of order", kills, len(acknowledged), len(heard.first), again, lost, wrong)
		if lost > 0 || wrong > 0 || len(acknowledged) == 0 {
			t.Errorf("%d events lost, %d out of order, of %d builds", lost, wrong, len(acknowledged))
		}
		server.stop()
	})
}

// createToldBuild creates a build, and reports whether that was acknowledged.
func createToldBuild(t *testing.T, url string, header []string) (number int, ok bool) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v2/organizations/acme-inc/pipelines/told/builds", strings.NewReader(`{"commit": "HEAD", "branch": "main"}`))
	if err != nil {
		return 0, false
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, false
	}
	defer func() { _ = answer.Body.Close() }()
	var made struct{ Number int }
	if answer.StatusCode != http.StatusCreated || json.NewDecoder(answer.Body).Decode(&made) != nil {
		return 0, false
	}
	return made.Number, true
}

// endLeases lets the leases of a killed server end at once, so that the next one sends, and is killed amid that.
func endLeases(t *testing.T, database []string) {
	t.Helper()
	o := db.Options{Dir: database[1]}
	if database[0] == "--database" {
		o = db.Options{URL: database[1]}
	}
	withDatabase(t, o, func(d *db.DB) { testkit.Exec(t, d, `UPDATE notice_targets SET lease_until = 0`) })
}
