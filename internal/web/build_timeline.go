package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"penstock/internal/domain"
)

// timelineView is a build's jobs as bars along its time.
type timelineView struct {
	Rows   []timelineRow
	Ticks  []timelineTick
	Breaks []timelineBar // times in which nothing happened, which are drawn short
	Left   int           // jobs that are not drawn, because they are too many
	Idle   int           // jobs that have not begun to wait for an agent yet
	NotRun int           // jobs that have ended without
	Wait   string        // how long the jobs of the critical path waited together
}

// timelineRow is a job, with its earlier attempts.
type timelineRow struct {
	jobRow
	Bars     []timelineBar
	Critical bool
	Words    string // what the bars show
}

// timelineBar is a time, in percent of the width.
type timelineBar struct {
	X, Width string
	Class    string
	Title    string
}

// timelineTick is a mark on the axis.
type timelineTick struct {
	X      string
	Label  string
	Anchor string
}

const (
	maxTimelineRows = 1_000 // jobs that are drawn
	maxTicks        = 5
)

// span is a time that something took.
type span struct{ from, to time.Time }

// jobSpans returns how long a job waited for an agent, took to start, and ran. Those that it has not come to are empty.
func jobSpans(j *domain.JobView, blockedFrom, now time.Time) (waiting, starting, running span) {
	begin := func(at ...*time.Time) (first time.Time) {
		for _, t := range at {
			if t != nil {
				return *t
			}
		}
		return now
	}
	if j.Type() == domain.BlockJob {
		if !blockedFrom.IsZero() && (j.UnblockedAt != nil || !j.State.HasEnded()) {
			waiting = span{blockedFrom, begin(j.UnblockedAt)}
		}
		return waiting.inOrder(), starting, running
	}
	assigned := j.AssignedAt
	if assigned != nil && j.StartedAt != nil && j.StartedAt.Before(*assigned) {
		assigned = j.StartedAt // the agent's clock is behind
	}
	if j.RunnableAt != nil {
		waiting = span{*j.RunnableAt, begin(assigned, j.StartedAt, j.FinishedAt)}
	}
	if assigned != nil {
		starting = span{*assigned, begin(j.StartedAt, j.FinishedAt)}
	}
	if j.StartedAt != nil {
		running = span{*j.StartedAt, begin(j.FinishedAt)}
	}
	return waiting.inOrder(), starting.inOrder(), running.inOrder()
}

// inOrder returns the span, empty if it ends before it begins: clocks differ.
func (s span) inOrder() span {
	if s.to.Before(s.from) {
		s.to = s.from
	}
	return s
}

// timeScale says where a time is on the axis. Long times in which nothing happens are short on it.
type timeScale struct {
	parts []scalePart
	total time.Duration // as drawn
}

type scalePart struct {
	span
	at    time.Duration // where it begins, as drawn
	drawn time.Duration
	idle  bool
}

// newTimeScale makes a scale of all spans.
func newTimeScale(spans []span) (s timeScale) {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s span) bool { return s.from.IsZero() })
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var busy []span
	active := time.Duration(0)
	for _, next := range spans {
		if n := len(busy); n > 0 && !next.from.After(busy[n-1].to) {
			if next.to.After(busy[n-1].to) {
				busy[n-1].to = next.to
			}
			continue
		}
		busy = append(busy, next)
	}
	for _, b := range busy {
		active += b.to.Sub(b.from)
	}
	shortest, short := max(30*time.Second, active/5), max(time.Second, active/25)
	add := func(part span, drawn time.Duration, idle bool) {
		s.parts = append(s.parts, scalePart{part, s.total, drawn, idle})
		s.total += drawn
	}
	for i, b := range busy {
		if i > 0 {
			gap := span{busy[i-1].to, b.from}
			length := gap.to.Sub(gap.from)
			if length >= shortest {
				add(gap, short, true)
			} else {
				add(gap, length, false)
			}
		}
		add(b, b.to.Sub(b.from), false)
	}
	s.total = max(s.total, time.Second)
	return s
}

// at returns where a time is drawn.
func (s *timeScale) at(t time.Time) time.Duration {
	for _, part := range s.parts {
		if t.After(part.to) {
			continue
		}
		into, length := max(0, t.Sub(part.from)), part.to.Sub(part.from)
		if length <= 0 {
			return part.at
		}
		return part.at + time.Duration(float64(into)*float64(part.drawn)/float64(length))
	}
	return s.total
}

func (s *timeScale) percent(d time.Duration) float64 { return 100 * float64(d) / float64(s.total) }

// bar draws a span.
func (s *timeScale) bar(of span, class, title string) timelineBar {
	from, to := s.percent(s.at(of.from)), s.percent(s.at(of.to))
	return timelineBar{fmt.Sprintf("%.3f%%", from), fmt.Sprintf("%.3f%%", max(0.15, to-from)), class, title}
}

// newTimeline draws a build's jobs along its time.
func (c *call) newTimeline(b *domain.BuildView, plan *buildPlan) (view timelineView) {
	now := c.Now()
	perID := map[domain.JobID]*domain.JobView{}
	for _, j := range b.Jobs {
		perID[j.ID] = j
	}
	type drawnJob struct {
		attempts []*domain.JobView // the newest is the last
		spans    [][3]span
		first    time.Time
	}
	var drawn []drawnJob
	var all []span
	for _, j := range b.Jobs {
		if j.Type() == domain.WaitJob || j.RetriedByID != nil && perID[*j.RetriedByID] != nil {
			continue
		}
		d := drawnJob{attempts: []*domain.JobView{j}}
		for before := j.RetrySourceID; before != nil && perID[*before] != nil; before = perID[*before].RetrySourceID {
			d.attempts = append(d.attempts, perID[*before])
		}
		slices.Reverse(d.attempts)
		for _, attempt := range d.attempts {
			waiting, starting, running := jobSpans(attempt, plan.blockedSince(b, attempt), now)
			d.spans = append(d.spans, [3]span{waiting, starting, running})
			for i, s := range []span{waiting, starting, running} {
				if s.from.IsZero() {
					continue
				}
				if d.first.IsZero() || s.from.Before(d.first) {
					d.first = s.from
				}
				if attempt.Type() != domain.BlockJob || i > 0 { // a person's time is none that the build works
					all = append(all, s)
				}
			}
		}
		if d.first.IsZero() {
			if j.State.HasEnded() {
				view.NotRun++
			} else {
				view.Idle++
			}
			continue
		}
		drawn = append(drawn, d)
	}
	slices.SortStableFunc(drawn, func(a, b drawnJob) int { return a.first.Compare(b.first) })
	if len(drawn) > maxTimelineRows {
		view.Left += len(drawn) - maxTimelineRows
		drawn = drawn[:maxTimelineRows]
	}
	if len(all) == 0 {
		for _, d := range drawn {
			all = append(all, d.spans[0][0])
		}
	}
	scale := newTimeScale(all)
	critical := plan.criticalPath()
	waited := time.Duration(0)
	for _, d := range drawn {
		newest := d.attempts[len(d.attempts)-1]
		row := timelineRow{jobRow: c.jobRow(b, newest, false), Critical: critical[newest.ID]}
		var words []string
		for i, attempt := range d.attempts {
			state := describeJobState(&attempt.Job)
			if len(d.attempts) > 1 {
				words = append(words, fmt.Sprintf("attempt %d", i+1))
			}
			for part, what := range [...]struct{ class, word string }{{"waiting", "waited"}, {"starting", "started for"},
				{state.Class, "ran"}} {
				of := d.spans[i][part]
				if of.from.IsZero() || of.to.Before(of.from) {
					continue
				}
				said := what.word + " " + duration{Length: of.to.Sub(of.from)}.String()
				if attempt.Type() == domain.BlockJob {
					said = "waited " + duration{Length: of.to.Sub(of.from)}.String() + " for a person"
				}
				row.Bars = append(row.Bars, scale.bar(of, what.class, upperFirst(said)+barState(part, state)))
				if of.to.Sub(of.from) >= 500*time.Millisecond || part == 2 {
					words = append(words, said)
				}
				if part < 2 && critical[attempt.ID] {
					waited += of.to.Sub(of.from)
				}
			}
		}
		row.Words = strings.Join(words, ", ")
		view.Rows = append(view.Rows, row)
	}
	for _, part := range scale.parts {
		if part.idle {
			view.Breaks = append(view.Breaks, scale.bar(part.span, "idle", "Nothing ran for "+
				duration{Length: part.to.Sub(part.from)}.String()))
		}
	}
	view.Ticks = scale.ticks()
	if waited >= time.Second {
		view.Wait = duration{Length: waited}.String()
	}
	return view
}

// barState names the state that a job came to, for the bar that shows its run.
func barState(part int, state stateWords) string {
	if part < 2 {
		return ""
	}
	return ": " + strings.ToLower(state.Label)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// blockedSince returns since when a block step waits for a person; zero: it does not yet, or is none.
func (p *buildPlan) blockedSince(b *domain.BuildView, j *domain.JobView) (since time.Time) {
	if j.Type() != domain.BlockJob || j.UnblockedAt == nil && describeJobState(&j.Job).Class != blockedState {
		return since
	}
	since = b.CreatedAt
	for _, on := range p.before[j.StepID] {
		if latest := p.latestOf(on); latest != nil && endOf(latest).After(since) {
			since = *endOf(latest)
		}
	}
	if j.UnblockedAt != nil && since.After(*j.UnblockedAt) {
		since = *j.UnblockedAt
	}
	return since
}

// ticks returns a few round times since the beginning, on an axis that is not broken; otherwise its beginning and its
// end.
func (s *timeScale) ticks() (ticks []timelineTick) {
	if len(s.parts) == 0 {
		return nil
	}
	begin := s.parts[0].from
	length := s.parts[len(s.parts)-1].to.Sub(begin)
	step := time.Duration(cmp.Or(int64(durationScale(length.Seconds(), maxTicks).step), 1)) * time.Second
	for at := time.Duration(0); at <= length && len(ticks) < 2*maxTicks; at += step {
		x := s.percent(s.at(begin.Add(at)))
		if n := len(ticks); n > 0 && x-lastTick(ticks) < 8 {
			continue
		}
		anchor := "middle"
		if x < 2 {
			anchor = "start"
		} else if x > 97 {
			anchor = "end"
		}
		ticks = append(ticks, timelineTick{fmt.Sprintf("%.2f%%", x), shortDuration(at), anchor})
	}
	return ticks
}

func lastTick(ticks []timelineTick) (x float64) {
	_, _ = fmt.Sscanf(ticks[len(ticks)-1].X, "%f", &x)
	return x
}
