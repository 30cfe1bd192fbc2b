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
)

// TestManyAgentsAndTwoServers lets agents of two servers on one database run jobs: each runs once, and all end.
func TestManyAgentsAndTwoServers(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		database := testkit.NewDatabase(t, "postgres")
		var nodes []*world
		for range 2 {
			d, err := db.Open(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			nodes = append(nodes, newNode(t, d, options{loops: true}))
		}
		nodes[0].bootstrap(fixture)
		token := nodes[0].newAgentToken(clusterID, domain.AgentTokenInput{})
		const builds, jobsEach, agents = 10, 20, 32
		slug := nodes[0].pipeline(fmt.Sprintf("steps: [{command: c, label: a, parallelism: %d}, wait, {command: c, label: b, parallelism: %d}]", jobsEach/2, jobsEach/2))
		var made []domain.Build
		for range builds {
			made = append(made, nodes[0].build(slug))
		}
		var finished atomic.Int64
		var runs sync.Map // how often each job was started
		var all sync.WaitGroup
		for i := range agents {
			node := nodes[i%2]
			node.token = token
			a := node.newAgent()
			all.Go(func() {
				for round := 0; finished.Load() < builds*jobsEach && round < 5_000 && !t.Failed(); round++ {
					id := a.ping()
					if id == "" {
						continue
					}
					answer := a.sendAccept(id)
					if answer.Status != http.StatusOK {
						t.Errorf("%s", answer)
						return
					}
					j := &takenJob{a, id, answer.Text("token"), answer}
					j.start().Want(t, http.StatusOK)
					count, _ := runs.LoadOrStore(id, new(atomic.Int64))
					count.(*atomic.Int64).Add(1)
					j.finish(0).Want(t, http.StatusOK)
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
			nodes[0].wantBuild(build, "passed")
		}
	})
}

// TestCancelWhileAgentsAcceptAndFinish lets builds be canceled at any moment of their job's way: build and job end together, and the agent is free.
func TestCancelWhileAgentsAcceptAndFinish(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		slug := w.pipeline("steps: [{command: c, label: a}]")
		a := w.newAgent()
		for range 15 {
			build := w.build(slug)
			id := a.ping()
			var both sync.WaitGroup
			both.Go(func() {
				if _, err := w.builds.CancelBuild(t.Context(), admin, domain.BuildRef{ID: build.ID}); err != nil && domain.CodeOf(err) != domain.Invalid {
					t.Error(err)
				}
			})
			both.Go(func() {
				answer := a.sendAccept(id)
				if answer.Status != http.StatusOK {
					answer.Want(t, http.StatusUnprocessableEntity)
					return
				}
				j := &takenJob{a, id, answer.Text("token"), answer}
				if j.start().Status == http.StatusOK {
					j.finish(0).Want(t, http.StatusOK)
				}
			})
			both.Wait()
			switch state := w.buildState(build); state {
			case "canceled", "passed":
				want := map[string]string{"canceled": "a=canceled", "passed": "a=finished"}[state]
				w.wantStates(build, want)
			default:
				t.Errorf("the build is %s: %s", state, w.states(build))
			}
			a.wantIdle()
		}
	})
}

func TestManyJobsUploadAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const uploaders = 8
		build := w.buildOf(fmt.Sprintf("steps: [{command: c, label: up, parallelism: %d}, wait, {command: c, label: last}]", uploaders))
		var all sync.WaitGroup
		for i := range uploaders {
			j := w.newAgent().takeLabel("up")
			all.Go(func() {
				for n := range 3 {
					j.upload(fmt.Sprintf(`{"steps":[{"command":"c","label":"x","key":"k%d-%d"}]}`, i, n)).Want(t, http.StatusOK)
				}
				j.upload(`{"steps":[{"command":"c","label":"x","key":"same"}]}`) // one of them gets it
				j.finish(0).Want(t, http.StatusOK)
			})
		}
		all.Wait()
		if n := strings.Count(w.states(build), "x=scheduled"); n != 3*uploaders+1 {
			t.Errorf("%d jobs were uploaded", n)
		}
		a := w.newAgent()
		for range 3*uploaders + 1 {
			a.run("x", 0)
		}
		a.run("last", 0)
		w.wantBuild(build, "passed")
	})
}
