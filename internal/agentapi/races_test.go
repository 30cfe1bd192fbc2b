package agentapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// TestManyAgentsAndTwoServers lets agents of two servers on one database run jobs: each runs once, and all end.
func TestManyAgentsAndTwoServers(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := testkit.NewDatabase(t, "postgres")
		var nodes []*running.Server
		for range 2 {
			d, err := db.Open(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			nodes = append(nodes, running.NewNode(t, d, running.Options{Loops: true}))
		}
		nodes[0].Bootstrap()
		token := nodes[0].NewAgentToken(running.Cluster, domain.AgentTokenInput{})
		const builds, jobsEach, agents = 10, 20, 32
		slug := nodes[0].Pipeline(fmt.Sprintf("steps: [{command: c, label: a, parallelism: %d}, wait, {command: c, label: b, parallelism: %d}]", jobsEach/2, jobsEach/2))
		var made []domain.Build
		for range builds {
			made = append(made, nodes[0].Build(slug))
		}
		var finished atomic.Int64
		var runs sync.Map // how often each job was started
		var all sync.WaitGroup
		for i := range agents {
			node := nodes[i%2]
			node.Token = token
			a := node.NewAgent()
			all.Go(func() {
				for round := 0; finished.Load() < builds*jobsEach && round < 5_000 && !t.Failed(); round++ {
					id := a.Ping()
					if id == "" {
						continue
					}
					answer := a.SendAccept(id)
					if answer.Status != http.StatusOK {
						t.Errorf("%s", answer)
						return
					}
					j := a.Accepted(id, answer)
					j.Start().Want(t, http.StatusOK)
					count, _ := runs.LoadOrStore(id, new(atomic.Int64))
					count.(*atomic.Int64).Add(1)
					j.Finish(0).Want(t, http.StatusOK)
					finished.Add(1)
				}
			})
		}
		all.Wait()
		if n := finished.Load(); n != builds*jobsEach {
			t.Errorf("%d jobs ended", n)
		}
		runs.Range(func(id, count any) bool {
			if n := count.(*atomic.Int64).Load(); n != 1 {
				t.Errorf("%s ran %d times", id, n)
			}
			return true
		})
		for _, build := range made {
			nodes[0].WantBuild(build, "passed")
		}
	})
}

// TestCancelWhileAgentsAcceptAndFinish lets builds be canceled at any moment of their job's way: build and job end together, and the agent is free.
func TestCancelWhileAgentsAcceptAndFinish(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		a := w.NewAgent()
		for range 15 {
			build := w.Build(slug)
			id := a.Ping()
			var both sync.WaitGroup
			both.Go(func() {
				if _, err := w.Builds.CancelBuild(t.Context(), running.Admin, domain.BuildRef{ID: build.ID}); err != nil && domain.CodeOf(err) != domain.Invalid {
					t.Error(err)
				}
			})
			both.Go(func() {
				answer := a.SendAccept(id)
				if answer.Status != http.StatusOK {
					answer.Want(t, http.StatusUnprocessableEntity)
					return
				}
				j := a.Accepted(id, answer)
				if j.Start().Status == http.StatusOK {
					j.Finish(0).Want(t, http.StatusOK)
				}
			})
			both.Wait()
			switch state := w.BuildState(build); state {
			case "canceled", "passed":
				want := map[string]string{"canceled": "a=canceled", "passed": "a=finished"}[state]
				w.WantStates(build, want)
			default:
				t.Errorf("the build is %s: %s", state, w.States(build))
			}
			a.WantIdle()
		}
	})
}

func TestManyJobsUploadAtOnce(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		const uploaders = 8
		build := w.BuildOf(fmt.Sprintf("steps: [{command: c, label: up, parallelism: %d}, wait, {command: c, label: last}]", uploaders))
		var all sync.WaitGroup
		for i := range uploaders {
			j := w.NewAgent().StartJobWith("up")
			all.Go(func() {
				for n := range 3 {
					j.Upload(fmt.Sprintf(`{"steps":[{"command":"c","label":"x","key":"k%d-%d"}]}`, i, n)).Want(t, http.StatusOK)
				}
				j.Upload(`{"steps":[{"command":"c","label":"x","key":"same"}]}`) // one of them gets it
				j.Finish(0).Want(t, http.StatusOK)
			})
		}
		all.Wait()
		if n := strings.Count(w.States(build), "x=scheduled"); n != 3*uploaders+1 {
			t.Errorf("%d jobs were uploaded", n)
		}
		a := w.NewAgent()
		for range 3*uploaders + 1 {
			a.RunJob("x", 0)
		}
		a.RunJob("last", 0)
		w.WantBuild(build, "passed")
	})
}
