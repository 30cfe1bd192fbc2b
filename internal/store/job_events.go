package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

// usualEvents are what happens to every job. They are stored in job_runs.events, by the statement that changes the job;
// all others, and those that earlier releases stored, are rows of job_events.
var usualEvents = map[flow.JobEvent]bool{flow.EventScheduled: true, flow.EventAssigned: true, flow.EventAccepted: true,
	flow.EventStarted: true, flow.EventFinished: true}

// eventsOfLastAgent are usual events after which a job is not assigned again: their agent is that of the run.
var eventsOfLastAgent = map[flow.JobEvent]bool{flow.EventStarted: true, flow.EventFinished: true}

// newEvents are events that are not stored yet.
type newEvents struct {
	usual map[domain.JobID]string // for job_runs.events
	rows  []domain.JobEvent
}

func newEventsOf(events []domain.JobEvent) newEvents {
	made := newEvents{usual: make(map[domain.JobID]string, len(events))}
	for _, e := range events {
		switch before := made.usual[e.JobID]; {
		case !usualEvents[e.Type]:
			made.rows = append(made.rows, e)
		case before != "":
			made.usual[e.JobID] = before + "," + formatUsualEvent(e)
		default:
			made.usual[e.JobID] = formatUsualEvent(e)
		}
	}
	return made
}

// formatUsualEvent returns the stored form of a usual event: its type, its time, the agent and the user. What is absent
// is "-", or left out at the end.
func formatUsualEvent(e domain.JobEvent) string {
	text := string(e.Type) + " " + strconv.FormatInt(db.Micros(e.At), 10)
	hasAgent := e.AgentID != nil && !eventsOfLastAgent[e.Type]
	switch {
	case hasAgent:
		text += " " + string(*e.AgentID)
	case e.UserID != nil:
		text += " -"
	}
	if e.UserID != nil {
		text += " " + string(*e.UserID)
	}
	return text
}

// remove returns the usual events of a job, which are stored with it.
func (n newEvents) remove(job domain.JobID) (text string, found bool) {
	text, found = n.usual[job]
	delete(n.usual, job)
	return text, found
}

// InsertJobEvents stores what happened to jobs that do not change otherwise.
func (tx Tx) InsertJobEvents(events []domain.JobEvent) error {
	return tx.insertEvents(newEventsOf(events))
}

func (tx Tx) insertEvents(events newEvents) error {
	appended := db.RowSet{Table: "job_runs", Columns: []string{"job_id", "events"}, Appended: "events"}
	for _, job := range slices.Sorted(maps.Keys(events.usual)) {
		appended.Rows = append(appended.Rows, []any{string(job), events.usual[job]})
	}
	if err := tx.UpdateSet(tx.Later, appended); err != nil {
		return err
	}
	rows := make([][]any, len(events.rows))
	for i, e := range events.rows {
		rows[i] = []any{domain.NewIDAt[string](e.At), string(e.JobID), string(e.Type), db.Micros(e.At), textOrNull(e.AgentID),
			textOrNull(e.UserID), textOrNull(e.Detail)}
	}
	return tx.InsertSet(tx.Later, db.RowSet{Table: "job_events", Columns: []string{"id", "job_id", "type", "at",
		"agent_id", "user_id", "detail"}, Rows: rows})
}

// EventList lists what happened to jobs, the first first. A job has few events: all of them are read, and put in order.
type EventList struct{ order List[*domain.JobEventView] }

// EventsOfJobs lists what happened to jobs.
func EventsOfJobs() EventList {
	rows := Rows[*domain.JobEventView]{id: textKey(`id`, func(e *domain.JobEventView) string { return e.ID })}
	l := newList(rows, "events of a job", `job_id`, `jobs`)
	l.sortBy(timeKey(`at`, func(e *domain.JobEventView) time.Time { return e.At }),
		Key[*domain.JobEventView]{value: func(e *domain.JobEventView) any { return rankInMoment(e.Type) }, isNumber: true})
	return EventList{l}
}

// rankInMoment orders what one change records of a job: it waited for a slot before it was scheduled, and is retried
// after it has finished.
func rankInMoment(event flow.JobEvent) int64 {
	switch {
	case event == flow.EventLimited:
		return 0
	case usualEvents[event]:
		return 1
	}
	return 2
}

// Cursor returns the position of an event of a job, as an opaque text.
func (l EventList) Cursor(job string, e *domain.JobEventView) string { return l.order.Cursor(job, e) }

// Position returns the position that a cursor of a job's events stands for; nil for none.
//
// Returns Malformed for a cursor that is not the list's own.
func (l EventList) Position(job, cursor string) (Position, error) {
	return l.order.Position(job, cursor)
}

// compare says whether an event lies before, at or behind a position.
func (l EventList) compare(e *domain.JobEventView, position Position) int {
	return l.order.comparePositions(l.order.positionOf(e), position)
}

// Read returns, for each job, a part of its events.
func (l EventList) Read(tx Tx, _ Viewer, jobs []string, part Range) ([][]*domain.JobEventView, error) {
	pages, err := l.readAll(tx, jobs)
	for i, events := range pages {
		events = slices.DeleteFunc(events, func(e *domain.JobEventView) bool {
			return part.After != nil && l.compare(e, part.After) <= 0 ||
				part.Before != nil && l.compare(e, part.Before) >= 0
		})
		over := max(0, len(events)-int(part.Limit))
		if part.FromEnd {
			pages[i] = events[over:]
		} else {
			pages[i] = events[:len(events)-over]
		}
	}
	return pages, err
}

// Count returns how many events each job has.
func (l EventList) Count(tx Tx, _ Viewer, jobs []string) ([]int64, error) {
	pages, err := l.readAll(tx, jobs)
	counts := make([]int64, len(pages))
	for i, events := range pages {
		counts[i] = int64(len(events))
	}
	return counts, err
}

// BoundCount returns the count: it is not bounded.
func (l EventList) BoundCount(counted int64) (count int64, isBounded bool) { return counted, false }

// Reaches reports whether an event lies at a position or beyond: behind it, or before it.
func (l EventList) Reaches(tx Tx, _ Viewer, job string, position Position, before bool) (bool, error) {
	pages, err := l.readAll(tx, []string{job})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(pages[0], func(e *domain.JobEventView) bool {
		if before {
			return l.compare(e, position) <= 0
		}
		return l.compare(e, position) >= 0
	}), nil
}

func (l EventList) readAll(tx Tx, jobs []string) ([][]*domain.JobEventView, error) {
	pages, indexes := make([][]*domain.JobEventView, len(jobs)), indexOf(jobs)
	err := eachChunk(jobs, func(some []string) error {
		runs, err := tx.eventRuns(some)
		if err != nil {
			return err
		}
		perJob := make(map[domain.JobID]*eventRun, len(runs))
		for i := range runs {
			perJob[runs[i].JobID] = &runs[i]
			events, err := runs[i].usualEvents()
			if err != nil {
				return err
			}
			pages[indexes[string(runs[i].JobID)]] = events
		}
		var c columns
		return tx.run(clauseOf(`SELECT `+jobEvent.columns+` FROM job_events je WHERE ?`, oneOf(`je.job_id`, some)),
			func(r *db.Row) error {
				e := new(domain.JobEventView)
				c.row = r
				jobEvent.read(&c, &e.JobEvent)
				if run := perJob[e.JobID]; run != nil {
					run.complete(e)
					at := indexes[string(e.JobID)]
					pages[at] = append(pages[at], e)
				}
				return c.err
			})
	})
	for _, events := range pages {
		slices.SortFunc(events, l.order.compareItems)
	}
	return pages, err
}

var jobEvent = selecting(func(c *columns, e *domain.JobEvent) {
	mapText(c, "je.id", &e.ID)
	mapText(c, "je.job_id", &e.JobID)
	mapText(c, "je.type", &e.Type)
	mapTime(c, "je.at", &e.At)
	mapNullText(c, "je.agent_id", &e.AgentID)
	mapNullText(c, "je.user_id", &e.UserID)
	mapNullText(c, "je.detail", &e.Detail)
})

// eventRun is what events say of the job that they happened to.
type eventRun struct {
	domain.JobEventView
	events *string
}

var eventRunColumns = selecting(func(c *columns, r *eventRun) {
	mapText(c, "jr.job_id", &r.JobID)
	mapNullText(c, "jr.agent_id", &r.AgentID)
	mapNullInt(c, "jr.exit_status", &r.ExitStatus)
	mapNullText(c, "jr.signal", &r.Signal)
	mapNullText(c, "jr.signal_reason", &r.SignalReason)
	mapNullText(c, "jr.retried_by_id", &r.RetriedByID)
	mapNullText(c, "jr.detail", &r.JobDetail)
	mapNullText(c, "jr.events", &r.events)
})

func (tx Tx) eventRuns(jobs []string) ([]eventRun, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT `+eventRunColumns.columns+` FROM job_runs jr WHERE ?`, oneOf(`jr.job_id`, jobs)))
	return selectAll(tx, eventRunColumns.read, sql, a.values...)
}

// complete adds to an event what the job has of it.
func (r *eventRun) complete(e *domain.JobEventView) {
	event := e.JobEvent
	*e = r.JobEventView
	e.JobEvent = event
}

// usualEvents returns the events that are stored with the run.
func (r *eventRun) usualEvents() (events []*domain.JobEventView, err error) {
	if r.events == nil {
		return nil, nil
	}
	for i, text := range strings.Split(*r.events, ",") {
		e := r.JobEventView
		if e.JobEvent, err = r.parseUsualEvent(text); err != nil {
			return nil, err
		}
		e.ID = usualEventID(r.JobID, i)
		events = append(events, &e)
	}
	return events, nil
}

func (r *eventRun) parseUsualEvent(text string) (domain.JobEvent, error) {
	fields := append(strings.Split(text, " "), "-", "-")
	micros, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || len(fields) < 4 {
		return domain.JobEvent{}, fmt.Errorf("an event of job %s is stored as %q", r.JobID, text)
	}
	e := domain.JobEvent{JobID: r.JobID, Type: flow.JobEvent(fields[0]), At: time.UnixMicro(micros).UTC()}
	if eventsOfLastAgent[e.Type] {
		e.AgentID = r.AgentID
	} else if agent := domain.AgentID(fields[2]); agent != "-" {
		e.AgentID = &agent
	}
	if user := domain.UserID(fields[3]); user != "-" {
		e.UserID = &user
	}
	return e, nil
}

// The id of a usual event is made of its job's and its place among the job's events: a UUID of version 8, whose last
// four digits are the place, where the job's is of version 7. Event ids of other versions are those of rows.
const (
	versionAt      = 14
	eventVersion   = "8"
	jobVersion     = "7"
	placeAt        = 32
	placeDigits    = "%04x"
	firstJobDigits = "0000"
	lastJobDigits  = "ffff"
)

func usualEventID(job domain.JobID, place int) string {
	id := string(job)
	return id[:versionAt] + eventVersion + id[versionAt+1:placeAt] + fmt.Sprintf(placeDigits, place)
}

// JobsOfEvents returns the jobs that events with these ids happened to, if there are such events.
func (tx Tx) JobsOfEvents(ids []string) (jobs []domain.JobID, err error) {
	isUsual := func(id string) bool { return id[versionAt:versionAt+1] == eventVersion }
	isRow := func(id string) bool { return !isUsual(id) }
	add := func(sql string, condition clause) error {
		return tx.run(clauseOf(sql, condition), func(r *db.Row) error {
			jobs = append(jobs, domain.JobID(r.Text()))
			return nil
		})
	}
	err = eachChunk(slices.DeleteFunc(slices.Clone(ids), isRow), func(some []string) error {
		return add(`SELECT id FROM jobs WHERE ?`, anyOf(some, func(id string) clause {
			job := id[:versionAt] + jobVersion + id[versionAt+1:placeAt]
			return clauseOf(`id BETWEEN ? AND ?`, job+firstJobDigits, job+lastJobDigits)
		}))
	})
	if err != nil {
		return nil, err
	}
	err = eachChunk(slices.DeleteFunc(slices.Clone(ids), isUsual), func(some []string) error {
		return add(`SELECT job_id FROM job_events WHERE ?`, oneOf(`id`, some))
	})
	return jobs, err
}
