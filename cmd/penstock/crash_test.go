package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestAcknowledgedWritesSurviveKill9 kills the server in the middle of writes, several times on one database, and reads
// back every write that it had acknowledged.
func TestAcknowledgedWritesSurviveKill9(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		environment, args := bootstrapped(t, database)
		acknowledged := map[string]string{} // id → name
		for round := range 3 {
			server := start(t, environment, args...)
			created := writeUntilKilled(t, server, round)
			if len(created) == 0 {
				t.Fatal("nothing was acknowledged before the kill")
			}
			for id, name := range created {
				acknowledged[id] = name
			}
		}
		server := start(t, environment, args...)
		for id, name := range acknowledged {
			status, body := server.get(clusters+"/"+id, testToken)
			got := decode[struct {
				Name     string `json:"name"`
				Registry string `json:"default_cache_registry_url"`
			}](t, body)
			if status != http.StatusOK || got.Name != name {
				t.Errorf("%s was acknowledged and is %d %s", name, status, body)
				continue
			}
			if status, body := server.get(strings.TrimPrefix(got.Registry, server.url), testToken); status != http.StatusOK {
				t.Errorf("the default registry of %s is %d %s", name, status, body)
			}
		}
		checkListLength(t, server)
		server.stop()
	})
}

// writeUntilKilled creates clusters from several connections, kills the server after a while, and returns those that were
// acknowledged.
func writeUntilKilled(t *testing.T, server *process, round int) map[string]string {
	t.Helper()
	var (
		wg      sync.WaitGroup
		mutex   sync.Mutex
		created = map[string]string{}
		enough  atomic.Int64
	)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	for writer := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("Cluster %d-%d-%d", round, writer, i)
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+clusters, strings.NewReader(`{"name": "`+name+`"}`))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+testToken)
				req.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(req)
				if err != nil {
					return // the server was killed
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil {
					return // in the middle of an answer
				}
				var cluster struct {
					ID string `json:"id"`
				}
				if resp.StatusCode != http.StatusCreated || json.Unmarshal(body, &cluster) != nil {
					t.Errorf("%s: %s", resp.Status, body)
					return
				}
				mutex.Lock()
				created[cluster.ID] = name
				mutex.Unlock()
				if enough.Add(1) == 100 {
					server.signal(syscall.SIGKILL)
				}
			}
		})
	}
	wg.Wait()
	server.wait()
	return created
}

// checkListLength checks that the counter that pages rely on counts the clusters that there are.
func checkListLength(t *testing.T, server *process) {
	t.Helper()
	for page := 1; ; page++ {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s%s?per_page=100&page=%d", server.url, clusters, page), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+testToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		list := decode[[]any](t, string(body))
		more := strings.Contains(resp.Header.Get("Link"), `rel="next"`)
		if len(list) == 0 || more && len(list) != 100 {
			t.Errorf("page %d has %d clusters, and there is a next page: %v", page, len(list), more)
		}
		if !more {
			return
		}
	}
}
