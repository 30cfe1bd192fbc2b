package web

import (
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

const inSchedule = inPipeline + "/schedules/{schedule}"

var scheduleRoutes = []route{
	{path: inPipeline + "/schedules", get: showSchedules},
	{path: inPipeline + "/schedules/new", get: newSchedule, post: newSchedule},
	{path: inPipeline + "/schedules/times", get: showScheduleTimes},
	{path: inSchedule + "/edit", get: editSchedule, post: editSchedule},
	{path: inSchedule + "/delete", get: deleteSchedule, post: deleteSchedule},
}

type schedulesView struct {
	onePipeline
	Schedules []scheduleRow
	List      listFrame
	New       string // empty: it is not for the user
}

type scheduleRow struct {
	*domain.PipelineScheduleView
	To string // address of the schedule, for what can be done with it; empty: nothing
}

func showSchedules(c *call) (*reply, error) {
	var view schedulesView
	var schedules []*domain.PipelineScheduleView
	one, err := c.findPipeline(func(r *read.Snapshot, _ *read.Organization, p *domain.PipelineView) error {
		found, err := r.PipelineSchedulesOf([]*domain.PipelineView{p}, c.requestedPart())
		if err == nil {
			schedules, view.List, err = readList(c, "schedule", "schedules", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.onePipeline = one
	for _, s := range schedules {
		row := scheduleRow{PipelineScheduleView: s}
		if one.Managed {
			row.To = c.pipelineLink(one.Pipeline, "schedules", string(s.ID))
		}
		view.Schedules = append(view.Schedules, row)
	}
	view.List.Empty = emptyState{Title: "No schedules yet", Text: "A schedule creates builds by itself, such as every " +
		"night or every hour."}
	if one.Managed {
		view.New = c.pipelineLink(one.Pipeline, "schedules", "new")
		view.List.Empty.Action, view.List.Empty.To = "New schedule", view.New
	}
	return c.show(c.pipelinePage(one, "schedules", "Schedules", "schedules", view)), nil
}

func scheduleFields(s domain.PipelineSchedule) []field {
	return []field{
		{Name: "label", Label: "Label", Required: true, Value: s.Label, Placeholder: "Nightly", Help: "What it is for."},
		{Name: "cronline", Label: "When", Noun: "This line", Required: true, Code: true, Value: s.Cronline,
			Placeholder: "0 3 * * 1-5 Europe/Berlin",
			Help: "Minute, hour, day of month, month and day of week, then a time zone, UTC if left out. Or @hourly, " +
				"@daily, @weekly, @monthly or @yearly."},
		{Name: "branch", Label: "Branch", Code: true, Value: textOrEmpty(s.Branch),
			Help: "Leave empty for the pipeline's default branch."},
		{Name: "commit", Label: "Commit", Code: true, Value: s.Commit, Placeholder: "HEAD"},
		{Name: "message", Label: "Message", Value: textOrEmpty(s.Message),
			Help: "Shown on its builds. Leave empty for the label."},
		{Name: "env", Label: "Environment variables", Kind: "textarea", Rows: 4, Code: true, Value: formatEnv(s.Env),
			Placeholder: "NAME=value",
			Help:        "One per line. Every member can read them, so keep secrets elsewhere."},
		{Name: "enabled", Label: "Create builds", Kind: "checkbox", Value: checkboxValue(s.Enabled)},
	}
}

func (f *form) scheduleInput() core.Input[domain.PipelineScheduleInput] {
	var faults domain.Faults
	if strings.TrimSpace(f.typed("label")) == "" {
		faults.Add("label", "Label can't be blank")
	}
	in := domain.PipelineScheduleInput{Label: f.typedInput("label"), Cronline: f.typedInput("cronline"),
		Message: f.typedOrNull("message"),
		Commit:  f.typedOrNull("commit"), Branch: f.typedOrNull("branch"), Env: domain.Some(readEnv(f.typed("env"), &faults)),
		Enabled: domain.Some(f.isChecked("enabled"))}
	return core.Sent(in, faults.Err())
}

// scheduleFormView is a schedule's form, with when the line that is typed creates builds.
type scheduleFormView struct {
	onePipeline
	Form          *form
	ScheduleTimes scheduleTimes
}

// scheduleTimes is when a line creates builds.
type scheduleTimes struct {
	Path   string // address of the page that has the times of another line
	Times  []time.Time
	Zone   string
	Reason string // why it cannot be read; empty: it can, or is empty
}

func (c *call) scheduleTimesOf(one onePipeline, line string) scheduleTimes {
	view := scheduleTimes{Path: c.pipelineLink(one.Pipeline, "schedules", "times"), Zone: "UTC"}
	if strings.TrimSpace(line) == "" {
		return view
	}
	times, err := domain.NextCronTimes(line, c.Now(), 5)
	if err != nil {
		view.Reason = err.Error()
		return view
	}
	view.Times = times
	return view
}

// showScheduleTimes shows when a line creates builds: the form asks for it while one types.
func showScheduleTimes(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	view := scheduleFormView{onePipeline: one, ScheduleTimes: c.scheduleTimesOf(one, c.query("cronline"))}
	return c.show(c.pipelinePage(one, "schedule_times", "Next builds", "schedules", view)), nil
}

func (c *call) showScheduleForm(one onePipeline, title string, f *form) *reply {
	view := scheduleFormView{one, f, c.scheduleTimesOf(one, f.typed("cronline"))}
	return c.showForm(f, c.pipelinePage(one, "schedule_form", title, "schedules", view))
}

func newSchedule(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	f := c.newForm("Create schedule", scheduleFields(domain.PipelineSchedule{Commit: "HEAD", Enabled: true})...)
	f.Cancel, f.Guarded, f.Fields[0].Autofocus = c.pipelineLink(one.Pipeline, "schedules"), true, true
	if c.isPost() {
		_, err := c.Starts.CreatePipelineSchedule(c.ctx(), c.actor(), pipelineRef(one.Pipeline), f.scheduleInput())
		if err == nil {
			return c.redirect(f.Cancel, "Schedule created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showScheduleForm(one, "New schedule", f), nil
}

func (c *call) scheduleRef(one onePipeline) domain.PipelineScheduleRef {
	return domain.PipelineScheduleRef{Pipeline: pipelineRef(one.Pipeline), ID: c.R.PathValue("schedule")}
}

// namedSchedule returns the schedule that the address names, and its pipeline, which the user may change.
func (c *call) namedSchedule() (onePipeline, domain.PipelineScheduleView, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return one, domain.PipelineScheduleView{}, err
	}
	schedule, err := c.Starts.PipelineSchedule(c.ctx(), c.actor(), c.scheduleRef(one))
	return one, schedule, err
}

func editSchedule(c *call) (*reply, error) {
	one, schedule, err := c.namedSchedule()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save schedule", scheduleFields(schedule.PipelineSchedule)...)
	f.Cancel, f.Guarded = c.pipelineLink(one.Pipeline, "schedules"), true
	if c.isPost() {
		_, err := c.Starts.UpdatePipelineSchedule(c.ctx(), c.actor(), c.scheduleRef(one), f.scheduleInput(),
			expectUnchanged(f, func(now domain.PipelineScheduleView) []field { return scheduleFields(now.PipelineSchedule) }))
		if err == nil {
			return c.redirect(f.Cancel, "Schedule saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showScheduleForm(one, "Edit schedule", f), nil
}

func deleteSchedule(c *call) (*reply, error) {
	one, schedule, err := c.namedSchedule()
	if err != nil {
		return nil, err
	}
	schedules := c.pipelineLink(one.Pipeline, "schedules")
	return c.confirm(confirmation{
		Title:  "Delete the schedule “" + schedule.Label + "”?",
		Text:   "It creates no more builds. Those it has created stay. This can't be undone.",
		Button: "Delete schedule", Cancel: schedules, Section: "pipelines", Crumbs: c.pipelineCrumbs(one.Pipeline,
			"Delete schedule"),
	}, func() error {
		_, err := c.Starts.DeletePipelineSchedule(c.ctx(), c.actor(), c.scheduleRef(one), nil)
		return err
	}, schedules, "Schedule deleted.")
}
