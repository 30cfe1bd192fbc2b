package web

import (
	"regexp"
	"slices"
	"strconv"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/read"
)

const inAgent = inOrganization + "/agents/{agent}"

var agentRoutes = []route{
	{path: inOrganization + "/agents", get: showAgents},
	{path: inOrganization + "/agents/events", get: streamAgents},
	{path: inAgent, get: showAgent},
	{path: inAgent + "/pause", get: pauseAgent, post: pauseAgent},
	{path: inAgent + "/resume", post: resumeAgent},
	{path: inAgent + "/stop", get: stopAgent, post: stopAgent},
}

// agentRow is an agent as pages show it.
type agentRow struct {
	*domain.AgentView
	To      string
	State   stateWords
	Paused  bool
	JobTo   string // the page of the job that it has; empty: none
	JobName string
	Managed bool // the user may pause and stop it
}

// Connected reports whether the agent can be paused and stopped.
func (a agentRow) Connected() bool { return a.AgentView.State == flow.AgentConnected }

func (c *call) agentRow(a *domain.AgentView) agentRow {
	row := agentRow{AgentView: a, To: c.organizationLink("agents", string(a.ID)), Paused: a.IsPaused(c.Now())}
	if j := a.Job; j != nil {
		row.JobTo, row.JobName = c.linkToBuild(j.OrganizationSlug, j.PipelineSlug, j.BuildNumber, "jobs", string(j.ID)),
			labelOfJob(j)
	}
	switch a.State {
	case flow.AgentConnected:
		switch {
		case a.Job != nil:
			row.State = stateWords{"Busy", activeState}
		case row.Paused:
			row.State = stateWords{"Paused", blockedState}
		default:
			row.State = stateWords{"Idle", goodState}
		}
	case flow.AgentStopping:
		row.State = stateWords{"Stopping", quietState}
	case flow.AgentLost:
		row.State = stateWords{"Lost", badState}
	case flow.AgentStopped:
		row.State = stateWords{"Stopped", quietState}
	case flow.AgentDisconnected:
		row.State = stateWords{"Disconnected", quietState}
	default:
		row.State = stateWords{"Never connected", quietState}
	}
	return row
}

var prettyName = regexp.MustCompile(`PRETTY_NAME="([^"]*)"`)

// System is the name of the agent's operating system, of which agents send all that is known.
func (a agentRow) System() string {
	if found := prettyName.FindStringSubmatch(a.OS); found != nil {
		return found[1]
	}
	return a.OS
}

// permitAgents says which agents the user may pause and stop.
func (c *call) permitAgents(rows []agentRow) error {
	agents := make([]*domain.AgentView, len(rows))
	for i := range rows {
		agents[i] = rows[i].AgentView
	}
	return c.readOrganization(func(r *read.Snapshot, _ *read.Organization) error {
		permitted, err := r.AgentPermitted(agents, authz.WriteAgent)
		for i := range permitted {
			rows[i].Managed = permitted[i]
		}
		return err
	})
}

type agentsView struct {
	Agents  []agentRow
	List    listFrame
	State   string
	Queue   string // its key
	Command string
	Events  string // address of the stream of changes
}

// startCommand is how an agent is started that has a token, and no configuration file. Its jobs run below the current
// directory.
func (s *Site) startCommand(token string) string {
	return "buildkite-agent start --token " + token + " --endpoint " + s.BaseURL + "/v3 --build-path builds"
}

// States are those that agents can be filtered by.
func (agentsView) States() []option {
	return []option{{Value: "", Label: "All states"}, {Value: "idle", Label: "Without a job"},
		{Value: "busy", Label: "With a job"}}
}

func showAgents(c *call) (*reply, error) {
	view := agentsView{State: c.query("state"), Queue: c.query("queue"), Command: c.startCommand("TOKEN"),
		Events: c.organizationLink("agents", "events")}
	filter := domain.AgentFilter{Text: c.query("search"), QueueKey: view.Queue}
	isTrue, isFalse := true, false
	switch view.State {
	case "busy":
		filter.Running = &isTrue
	case "idle":
		filter.Running = &isFalse
	default:
		view.State = ""
	}
	found, err := c.Agents.Agents(c.ctx(), c.actor(), c.organizationRef(), filter, c.requestedPage())
	if err != nil {
		return nil, err
	}
	view.List = c.newList("agent", "agents", found.Total, len(found.Items))
	for _, a := range found.Items {
		view.Agents = append(view.Agents, c.agentRow(a))
	}
	if err := c.permitAgents(view.Agents); err != nil {
		return nil, err
	}
	view.List.Empty = emptyState{"No agents are connected", "Agents run your jobs. An agent connects to a cluster with " +
		"one of its agent tokens.", "Choose a cluster", c.organizationLink("clusters")}
	if view.State+view.Queue != "" {
		view.List.Empty = emptyState{"No agents found", "No agents match these filters.", "Show all agents",
			c.organizationLink("agents")}
	}
	return c.show(page{template: "agents", Title: "Agents", Section: "agents", Crumbs: []crumb{{Label: "Agents"}},
		View: view, Reloads: 15}), nil
}

type oneAgentView struct {
	Agent  agentRow
	Queue  string // address; empty: it has none
	Events string // address of the stream of changes
}

func (c *call) agent() domain.AgentRef {
	return domain.AgentRef{Organization: c.organizationRef(), ID: c.R.PathValue("agent")}
}

// findAgent finds the agent that the page is about. If it is to be changed, the user must manage it.
func (c *call) findAgent(toChange bool) (agentRow, error) {
	a, err := c.Agents.Agent(c.ctx(), c.actor(), c.agent())
	if err != nil {
		return agentRow{}, err
	}
	rows := []agentRow{c.agentRow(&a)}
	err = c.permitAgents(rows)
	return rows[0], requirePermission(err, rows[0].Managed || !toChange)
}

func (c *call) agentPage(a agentRow, template, last string, view any) page {
	p := page{template: template, Title: a.Name, Section: "agents",
		Crumbs: []crumb{{"Agents", c.organizationLink("agents")}, {Label: a.Name}}, View: view}
	if last != "" {
		p.Title = last
		p.Crumbs[1].To = a.To
		p.Crumbs = append(p.Crumbs, crumb{Label: last})
	}
	return p
}

func showAgent(c *call) (*reply, error) {
	a, err := c.findAgent(false)
	if err != nil {
		return nil, err
	}
	view := oneAgentView{Agent: a, Events: c.organizationLink("agents", "events")}
	if a.QueueID != nil {
		view.Queue = c.organizationLink("clusters", string(a.ClusterID), "queues", string(*a.QueueID))
	}
	p := c.agentPage(a, "agent", "", view)
	if a.AgentView.State == flow.AgentConnected || a.AgentView.State == flow.AgentStopping {
		p.Reloads = 15
	}
	return c.show(p), nil
}

func pauseAgent(c *call) (*reply, error) {
	a, err := c.findAgent(true)
	if err != nil {
		return nil, err
	}
	f := c.newForm("Pause agent",
		field{Name: "note", Label: "Note", Kind: "textarea", Rows: 2, Autofocus: true, Help: "Why you're pausing it."},
		field{Name: "timeout_in_minutes", Label: "For how many minutes", Kind: "number",
			Value: strconv.Itoa(domain.DefaultPauseMinutes), Help: "After that, it gets jobs again."})
	f.Cancel = a.To
	if c.isPost() {
		var faults domain.Faults
		pause := domain.AgentPause{Note: f.typedOrNull("note"), TimeoutInMinutes: f.typedNumber("timeout_in_minutes",
			&faults)}
		err := faults.Err()
		if err == nil {
			_, err = c.Agents.PauseManagedAgent(c.ctx(), c.actor(), c.agent(), inputOf(pause))
		}
		if err == nil {
			return c.redirect(a.To, "Agent paused."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.agentPage(a, "form", "Pause the agent",
		formView{Intro: "A paused agent gets no new jobs. A job that is already running continues.", Form: f})), nil
}

func resumeAgent(c *call) (*reply, error) {
	if _, err := c.Agents.ResumeManagedAgent(c.ctx(), c.actor(), c.agent()); err != nil {
		return nil, err
	}
	return c.redirect(c.organizationLink("agents", c.R.PathValue("agent")), "Agent resumed."), nil
}

func stopAgent(c *call) (*reply, error) {
	a, err := c.findAgent(true)
	if err != nil {
		return nil, err
	}
	f := c.newForm("Stop agent", field{Name: "force", Label: "Its job", Kind: "radio", Value: "no", Options: []option{
		{"no", "Let it finish", "It gets no other job."}, {"yes", "Cancel it", "The agent stops at once."},
	}})
	f.Cancel, f.Danger = a.To, true
	if c.isPost() {
		_, err := c.Agents.StopManagedAgent(c.ctx(), c.actor(), c.agent(), inputOf(domain.Some(f.typed("force") == "yes")))
		if err == nil {
			return c.redirect(a.To, "The agent is stopping."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.agentPage(a, "form", "Stop the agent",
		formView{Intro: "The agent's process ends. To use it again, start it where it runs.", Form: f})), nil
}

// queueFigures is how things go in a queue.
type queueFigures struct {
	Waiting, Running int64
	Idle, Busy       int64
	WaitingJobs      []queuedJob // the oldest first
	RunningJobs      []queuedJob
	Longest          duration // that a job has waited
	Events           string   // address of the stream of changes
}

// queuedJob is a job in a queue.
type queuedJob struct {
	jobRow
	BuildTo string
}

var (
	waitingInQueue = []flow.JobState{flow.Scheduled, flow.Reserved}
	takenFromQueue = []flow.JobState{flow.Assigned, flow.Accepted, flow.Running, flow.Canceling, flow.TimingOut}
)

const queuedShown = 20

// readQueueFigures reads how things go in a queue.
func (c *call) readQueueFigures(id domain.QueueID) (f queueFigures, err error) {
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		f = queueFigures{Events: c.organizationLink("agents", "events")}
		organizations := []*read.Organization{o}
		size, isTrue, isFalse := int64(queuedShown), true, false
		for _, jobs := range []struct {
			states []flow.JobState
			count  *int64
			rows   *[]queuedJob
		}{{waitingInQueue, &f.Waiting, &f.WaitingJobs}, {takenFromQueue, &f.Running, &f.RunningJobs}} {
			found, err := r.JobsOfOrganizations(organizations, domain.JobSearch{States: jobs.states,
				Queues: []domain.QueueID{id}}, domain.RecentlyCreated, read.ConnectionPart{Last: &size})
			if err != nil {
				return err
			}
			items, err := found[0].Items()
			if err != nil {
				return err
			}
			if *jobs.count, err = found[0].Count(); err != nil {
				return err
			}
			if _, err := r.StepsOfJobs(items); err != nil {
				return err
			}
			for _, j := range slices.Backward(items) {
				*jobs.rows = append(*jobs.rows, c.queuedJob(j))
			}
		}
		for _, agents := range []struct {
			running *bool
			count   *int64
		}{{&isTrue, &f.Busy}, {&isFalse, &f.Idle}} {
			found, err := r.AgentsOf(organizations, domain.AgentSearch{Queues: []domain.QueueID{id}, Running: agents.running},
				read.ConnectionPart{First: &size})
			if err != nil {
				return err
			}
			if *agents.count, err = found[0].Count(); err != nil {
				return err
			}
		}
		return nil
	})
	for _, j := range f.WaitingJobs {
		if j.Waited.Length >= f.Longest.Length {
			f.Longest = j.Waited
		}
	}
	return f, err
}

func (c *call) queuedJob(j *domain.JobView) queuedJob {
	row := jobRow{JobView: j, Label: labelOfJob(j), State: describeJobState(&j.Job), Why: explainJob(j),
		Ran: durationOf(j.StartedAt, j.FinishedAt, c.Now()),
		To:  c.linkToBuild(j.OrganizationSlug, j.PipelineSlug, j.BuildNumber, "jobs", string(j.ID))}
	if j.RunnableAt != nil {
		row.Waited = durationOf(j.RunnableAt, j.StartedAt, c.Now())
	}
	return queuedJob{row, c.linkToBuild(j.OrganizationSlug, j.PipelineSlug, j.BuildNumber)}
}
