package builds_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// TestEventsOfAJobAreReadFromBothPlaces has a job with events that every job has, which are stored with it, and one
// more in a row of its own.
func TestEventsOfAJobAreReadFromBothPlaces(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		row := domain.NewID[string]()
		testkit.Exec(t, s.DB, `INSERT INTO job_events (id, job_id, type, at, detail) SELECT $1, job_id, 'STACK_NOTIFICATION', accepted_at + 1, 'late' FROM job_runs WHERE job_id = $2`,
			row, j.ID)
		j.Finish(3).Want(t, 200)
		for _, e := range testkit.JobEvents(t, s.DB, j.ID) {
			if other := map[flow.JobEvent]string{flow.EventScheduled: "LIMITED", flow.EventFinished: "RETRIED"}[e.Type]; other != "" { // of the same change
				testkit.Exec(t, s.DB, `INSERT INTO job_events (id, job_id, type, at) VALUES ($1, $2, $3, $4)`, domain.NewID[string](), j.ID, other, db.Micros(e.At))
			}
		}
		events := testkit.JobEvents(t, s.DB, j.ID)
		agent := s.Text(`SELECT agent_id FROM job_runs WHERE job_id = $1`, j.ID)
		var got []string
		for _, e := range events {
			text := string(e.Type)
			if e.AgentID != nil {
				text += " by " + strings.ReplaceAll(string(*e.AgentID), agent, "the agent")
			}
			if e.Detail != nil {
				text += ": " + *e.Detail
			}
			got = append(got, text)
			if _, ok := domain.ParseID[string](e.ID); !ok || string(e.JobID) != j.ID || e.ExitStatus == nil || *e.ExitStatus != 3 {
				t.Errorf("%+v", e)
			}
		}
		want := "LIMITED, SCHEDULED, ASSIGNED by the agent, ACCEPTED by the agent, STACK_NOTIFICATION: late, STARTED by the agent, FINISHED by the agent, RETRIED"
		if strings.Join(got, ", ") != want {
			t.Fatalf("%v", got)
		}

		list := store.EventsOfJobs()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			reader := store.Tx{Tx: tx}
			for i, e := range events {
				cursor, err := list.Position(j.ID, list.Cursor(j.ID, e))
				must(err)
				for _, part := range []struct {
					store.Range
					want []*domain.JobEventView
				}{
					{store.Range{After: cursor, Limit: math.MaxInt}, events[i+1:]},
					{store.Range{Before: cursor, Limit: math.MaxInt}, events[:i]},
					{store.Range{After: cursor, Limit: 1}, events[i+1:][:min(1, len(events)-i-1)]},
					{store.Range{Before: cursor, Limit: 1, FromEnd: true}, events[:i][max(0, i-1):]},
				} {
					pages, err := list.Read(reader, store.Viewer{}, []string{j.ID}, part.Range)
					must(err)
					if !slices.EqualFunc(pages[0], part.want, func(a, b *domain.JobEventView) bool { return a.ID == b.ID }) {
						t.Errorf("%+v: %d events, not %d", part.Range, len(pages[0]), len(part.want))
					}
				}
				for _, before := range []bool{true, false} {
					reaches, err := list.Reaches(reader, store.Viewer{}, j.ID, cursor, before)
					must(err)
					if !reaches {
						t.Errorf("nothing lies at event %d", i)
					}
				}
				jobs, err := reader.JobsOfEvents([]string{e.ID})
				must(err)
				if fmt.Sprint(jobs) != fmt.Sprint([]string{j.ID}) {
					t.Errorf("event %d happened to %v", i, jobs)
				}
			}
			counts, err := list.Count(reader, store.Viewer{}, []string{j.ID, domain.NewID[string]()})
			must(err)
			if fmt.Sprint(counts) != "[8 0]" {
				t.Errorf("counted %v", counts)
			}
			beyond, err := list.Position(j.ID, list.Cursor(j.ID, events[len(events)-1]))
			must(err)
			beyond[1] = beyond[1].(int64) + 1
			reaches, err := list.Reaches(reader, store.Viewer{}, j.ID, beyond, false)
			must(err)
			if reaches {
				t.Error("something lies behind the last event")
			}
			jobs, err := reader.JobsOfEvents([]string{domain.NewID[string](), "00000000-0000-8000-8000-000000000000"})
			must(err)
			if len(jobs) != 0 {
				t.Errorf("events that are not there happened to %v", jobs)
			}
			return nil
		})
		must(err)
		if rows := s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_events WHERE job_id = $1`, j.ID); rows != "3" {
			t.Errorf("%s rows, and three were stored", rows)
		}
	})
}
