package web

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/flow"
)

// stepSection is a part of a build: the steps of a group, or steps that are in none.
type stepSection struct {
	Group string // its label
	ID    string // of the group; empty: none
	State stateWords
	Open  bool // the group's steps are shown at first
	Steps []stepEntry
}

// stepEntry is a step with its jobs.
type stepEntry struct {
	Kind  domain.JobType
	ID    string
	Label string
	State stateWords // of several jobs together
	Open  bool
	Jobs  []jobRow // the newest attempts; more than one: they are parallel, or of a matrix
	Left  int      // jobs that are not among them, because they are too many
}

// Total is how many jobs the step has.
func (e stepEntry) Total() int { return len(e.Jobs) + e.Left }

// limitJobs keeps some of the step's jobs: first those that there is something to say of, in the order that they have.
func (e *stepEntry) limitJobs(limit int) {
	e.Left = max(0, len(e.Jobs)-limit)
	for _, class := range []string{goodState, quietState, waitingState} {
		surplus := len(e.Jobs) - limit
		for i := len(e.Jobs) - 1; i >= 0 && surplus > 0; i-- {
			if e.Jobs[i].State.Class == class {
				e.Jobs, surplus = slices.Delete(e.Jobs, i, i+1), surplus-1
			}
		}
	}
	e.Jobs = e.Jobs[:min(len(e.Jobs), limit)]
}

// IsWait reports whether the step is where others wait.
func (e stepEntry) IsWait() bool { return e.Kind == domain.WaitJob }

// jobRow is a job as a build's page shows it.
type jobRow struct {
	*domain.JobView
	Label    string
	State    stateWords
	Why      string
	To       string // its own page, with its log; empty: it has none
	Ran      duration
	Waited   duration
	Prompt   string
	Attempts []jobRow // before this one, the first first

	// Addresses of what the user can do with it; empty: not that.
	Retry, Cancel, Unblock string
	Triggered              string // the address of the build that it created
}

// arrangeSteps puts a build's jobs together as their steps are.
func (c *call) arrangeSteps(b *domain.BuildView, mayBuild bool) (sections []stepSection) {
	perID := make(map[domain.JobID]*domain.JobView, len(b.Jobs))
	for _, j := range b.Jobs {
		perID[j.ID] = j
	}
	places := map[domain.StepID][2]int{} // of steps: section and entry
	groups := map[domain.StepID]int{}
	for _, j := range b.Jobs {
		if j.RetriedByID != nil && perID[*j.RetriedByID] != nil {
			continue // shown with the attempt after it
		}
		row := c.jobRow(b, j, mayBuild)
		for before := j.RetrySourceID; before != nil && perID[*before] != nil; before = perID[*before].RetrySourceID {
			row.Attempts = append(row.Attempts, c.jobRow(b, perID[*before], mayBuild))
		}
		slices.Reverse(row.Attempts)
		if at, known := places[j.StepID]; known {
			entry := &sections[at[0]].Steps[at[1]]
			entry.Jobs = append(entry.Jobs, row)
			continue
		}
		section := findSection(&sections, groups, b, j)
		entry := stepEntry{Kind: j.Type(), ID: string(j.StepID), Label: labelOfStep(j), Jobs: []jobRow{row}}
		sections[section].Steps = append(sections[section].Steps, entry)
		places[j.StepID] = [2]int{section, len(sections[section].Steps) - 1}
	}
	for i := range sections {
		sections[i].summarize()
	}
	return sections
}

// findSection returns the index of the section that a job's step belongs to, which it makes if there is none yet.
func findSection(sections *[]stepSection, groups map[domain.StepID]int, b *domain.BuildView, j *domain.JobView) int {
	if j.Step == nil || j.Step.GroupID == nil {
		if n := len(*sections); n > 0 && (*sections)[n-1].ID == "" {
			return n - 1
		}
		*sections = append(*sections, stepSection{})
		return len(*sections) - 1
	}
	id := *j.Step.GroupID
	if i, known := groups[id]; known {
		return i
	}
	s := stepSection{ID: string(id), Group: "Group"}
	if g := b.Groups[id]; g != nil {
		s.Group = replaceEmoji(cmp.Or(g.Label, textOrEmpty(g.Key), s.Group))
	}
	*sections = append(*sections, s)
	groups[id] = len(*sections) - 1
	return groups[id]
}

// summarize finds out what the steps of a section, and the jobs of its steps, come to together.
func (s *stepSection) summarize() {
	var all []jobRow
	for i := range s.Steps {
		e := &s.Steps[i]
		e.State = summarizeStates(e.Jobs)
		e.Open = e.State.Class != goodState && e.State.Class != waitingState
		all = append(all, e.Jobs...)
	}
	s.State = summarizeStates(all)
	s.Open = s.State.Class != goodState
}

// summarizeStates returns what jobs come to together: the worst of it, and how many there are.
func summarizeStates(jobs []jobRow) stateWords {
	counts := map[string]int{}
	for _, j := range jobs {
		if j.Type() != domain.WaitJob {
			counts[j.State.Class]++
		}
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	for _, kind := range []struct{ class, word string }{
		{badState, "failed"}, {blockedState, "blocked"}, {activeState, "running"}, {waitingState, "waiting"},
		{softState, "soft failed"},
		{quietState, "not run"}, {goodState, "passed"},
	} {
		if n := counts[kind.class]; n == total {
			return stateWords{strings.ToUpper(kind.word[:1]) + kind.word[1:], kind.class}
		} else if n > 0 {
			return stateWords{fmt.Sprintf("%d of %d %s", n, total, kind.word), kind.class}
		}
	}
	return stateWords{"Passed", goodState}
}

// limitJobs leaves some of the jobs to each step.
func limitJobs(sections []stepSection) []stepSection {
	for i := range sections {
		for j := range sections[i].Steps {
			sections[i].Steps[j].limitJobs(maxJobsOfStep)
		}
	}
	return sections
}

// matrixPlaces are where the values of a matrix stand in a label.
var matrixPlaces = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// labelOfStep returns what a step is called.
func labelOfStep(j *domain.JobView) string {
	if j.Step != nil && j.Step.Label != "" {
		label := matrixPlaces.ReplaceAllString(j.Step.Label, "")
		if j.ParallelTotal > 0 { // it numbers its jobs
			label = strings.NewReplacer("%n", "…", "%N", "…", "%t", strconv.FormatInt(j.ParallelTotal, 10)).Replace(label)
		}
		return replaceEmoji(strings.TrimSpace(label))
	}
	return labelOfJob(j)
}

// labelOfJob returns what a job is called: its label, or what it does.
func labelOfJob(j *domain.JobView) string {
	switch {
	case j.Label != "":
		return replaceEmoji(j.Label)
	case j.Type() == domain.WaitJob:
		return "Wait"
	case j.Type() == domain.BlockJob:
		return "Continue?"
	case j.Type() == domain.TriggerJob && j.Step != nil:
		return "Trigger " + j.Step.Definition.Trigger
	case j.Command != "":
		return firstLine(j.Command)
	}
	return cmp.Or(textOrEmpty(j.StepKey), "Command")
}

// numberedLabel returns what a job is called, with its number among parallel ones.
func numberedLabel(j *domain.JobView) string {
	label := labelOfJob(j)
	if j.ParallelTotal > 0 && (j.Step == nil || j.Label == j.Step.Label) { // other labels have a number already
		label = fmt.Sprintf("%s %d/%d", label, j.ParallelIndex+1, j.ParallelTotal)
	}
	return label
}

func (c *call) jobRow(b *domain.BuildView, j *domain.JobView, mayBuild bool) jobRow {
	row := jobRow{JobView: j, Label: numberedLabel(j), State: describeJobState(&j.Job), Why: explainJob(j),
		Ran: durationOf(j.StartedAt, j.FinishedAt, c.Now())}
	at := func(below ...string) string {
		return c.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number, append([]string{"jobs", string(j.ID)},
			below...)...)
	}
	switch j.Type() {
	case domain.CommandJob:
		row.To = at()
		if j.RunnableAt != nil {
			row.Waited = durationOf(j.RunnableAt, j.StartedAt, c.Now())
		}
		if mayBuild && isRetryable(b, j) {
			row.Retry = at("retry")
		}
		if mayBuild && !j.State.HasEnded() && j.State != flow.Canceling {
			row.Cancel = at("cancel")
		}
	case domain.BlockJob:
		if j.Step != nil {
			row.Prompt = j.Step.Definition.Prompt
		}
		if j.State == flow.Blocked && !b.Fate.Canceled && (mayBuild || j.Step != nil &&
			len(j.Step.Definition.AllowedTeams) > 0) {
			row.Unblock = at("unblock")
		}
	case domain.TriggerJob:
		if t := j.TriggeredBuild; t != nil {
			row.Triggered = c.linkToBuild(t.OrganizationSlug, t.PipelineSlug, t.Number)
		}
	}
	return row
}

// MatrixValues are the values of the matrix that the job has and its label does not say, in words.
func (j jobRow) MatrixValues() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(j.Matrix)) {
		switch value := j.Matrix[name]; {
		case strings.Contains(j.Label, value):
		case name == "":
			words = append(words, value)
		default:
			words = append(words, name+": "+value)
		}
	}
	return strings.Join(words, ", ")
}

// isRetryable reports whether a job is one that people can run again. The service decides it.
func isRetryable(b *domain.BuildView, j *domain.JobView) bool {
	if j.Type() != domain.CommandJob || b.Fate.Canceled || j.RetriedByID != nil || j.Step == nil ||
		j.Step.Definition.Retry.Manual.Forbidden {
		return false
	}
	switch j.State {
	case flow.Finished, flow.TimedOut:
		return j.ShownState() != "passed" || j.Step.Definition.Retry.Manual.PermitOnPassed
	case flow.Canceled, flow.Expired:
		return true
	}
	return false
}
