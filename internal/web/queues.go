package web

import (
	"fmt"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
)

const inQueue = inCluster + "/queues/{queue}"

var queueRoutes = []route{
	{path: inCluster + "/queues", get: showQueues},
	{path: inCluster + "/queues/new", get: newQueue, post: newQueue},
	{path: inQueue, get: showQueue},
	{path: inQueue + "/edit", get: editQueue, post: editQueue},
	{path: inQueue + "/pause", get: pauseQueue, post: pauseQueue},
	{path: inQueue + "/resume", post: resumeQueue},
	{path: inQueue + "/default", post: makeDefaultQueue},
	{path: inQueue + "/delete", get: deleteQueue, post: deleteQueue},
}

type queuesView struct {
	Cluster *domain.ClusterView
	Queues  []queueRow
	List    listFrame
	New     string // empty: the user may make none
}

// queueRow is a queue with what its cluster says of it.
type queueRow struct {
	*domain.QueueView
	Default bool
	To      string // its address
}

func (c *call) queueIn(cluster *domain.ClusterView, q *domain.QueueView) queueRow {
	return queueRow{q, cluster.DefaultQueueID != nil && *cluster.DefaultQueueID == q.ID,
		c.clusterLink("queues", string(q.ID))}
}

// Agents says who serves the queue.
func (q queueRow) Agents() string {
	if q.Hosted == nil {
		return "Self-hosted"
	}
	return "Hosted: " + describeShape(q.Hosted.Shape)
}

// describeShape returns what a machine is: Linux amd64, 2 CPUs, 4 GB.
func describeShape(s domain.InstanceShape) string {
	system := map[string]string{"linux": "Linux", "macos": "macOS"}[s.MachineType]
	return fmt.Sprintf("%s %s, %d CPUs, %d GB", system, s.Architecture, s.CPU, s.Memory)
}

func showQueues(c *call) (*reply, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err != nil {
		return nil, err
	}
	found, err := c.Service.Queues(c.ctx(), c.actor(), c.cluster(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := queuesView{Cluster: &cluster, List: c.newList("queue", "queues", found.Total, len(found.Items))}
	for i := range found.Items {
		view.Queues = append(view.Queues, c.queueIn(&cluster, &found.Items[i]))
	}
	if cluster.Managed {
		view.New = c.clusterLink("queues", "new")
	}
	view.List.Empty = emptyState{"No queues yet", "Jobs wait in a queue until one of its agents picks them up.",
		"New queue", view.New}
	return c.replyWithCluster(&cluster, "queues", "Queues", "queues", view)
}

const shapeField = "hosted_agents.instance_shape"

// agentsField asks whose agents a new queue has.
func agentsField() field {
	agents := []option{{Label: "Self-hosted: agents you run"}}
	for _, shape := range domain.InstanceShapes {
		agents = append(agents, option{Value: shape.Name, Label: "Hosted: " + describeShape(shape)})
	}
	return field{Name: shapeField, Label: "Agents", Kind: "select", Options: agents,
		Help: "You can't switch between self-hosted and hosted later."}
}

func newQueue(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	fields := []field{{Name: "key", Label: "Key", Required: true, Autofocus: true, Code: true, Placeholder: "linux-large",
		Help: "Pipelines and agents refer to the queue by its key: letters, digits, hyphens and underscores. You can't " +
			"change it later."}}
	usual := domain.NewQueue(domain.QueueInput{}, cluster.ID, time.Time{}, &domain.Faults{})
	fields = append(fields, settingFields(domain.SettingsOfQueues, &usual)...)
	if c.HostedAgents {
		fields = append(fields, agentsField())
	}
	if cluster.DefaultQueueID == nil {
		fields = append(fields, field{Name: "make_default", Label: "Make this the default queue", Kind: "checkbox",
			Value: "on", Help: "Jobs without a queue go here. The cluster has no default queue yet."})
	}
	f := c.newForm("Create queue", fields...)
	f.Cancel = c.clusterLink("queues")
	if c.isPost() {
		input := domain.QueueInput{Key: f.typedInput("key")}
		var faults domain.Faults
		readSettings(f, domain.SettingsOfQueues, &input, &faults)
		if f.typed(shapeField) != "" {
			input.Hosted = domain.Some(domain.HostedAgentsInput{InstanceShape: f.typedInput(shapeField)})
		}
		made, err := c.Service.CreateQueue(c.ctx(), c.actor(), c.cluster(), core.Sent(input, faults.Err()))
		if err == nil && f.isChecked("make_default") {
			_, err = c.Service.UpdateCluster(c.ctx(), c.actor(), c.cluster(),
				inputOf(domain.ClusterPatch{DefaultQueueID: domain.Some(string(made.ID))}), nil)
		}
		if err == nil {
			return c.redirect(c.clusterLink("queues"), "Queue "+made.Key+" created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "queues", "Queues", "form", "New queue", formView{Form: f})), nil
}

type queueView struct {
	Cluster *domain.ClusterView
	Queue   queueRow

	// What only the queue's own page shows.
	Figures queueFigures
	History queueHistory
	Stacks  []builds.StackView
	Command string // that starts an agent for it
}

// findQueue finds the queue that the page is about. If it is to be changed, the user must manage its cluster.
func (c *call) findQueue(toChange bool) (view queueView, err error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err := requirePermission(err, cluster.Managed || !toChange); err != nil {
		return view, err
	}
	found, err := c.Service.Queue(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("queue"))
	return queueView{Cluster: &cluster, Queue: c.queueIn(&cluster, &found)}, err
}

// below is a page below the queue's own.
func (v queueView) below(c *call, template, title string, view any) page {
	p := c.pageBelowTab(v.Cluster, "queues", "Queues", template, title, view)
	last := len(p.Crumbs) - 1
	p.Crumbs = append(p.Crumbs[:last:last], crumb{v.Queue.Key, v.Queue.To}, crumb{Label: title})
	return p
}

func showQueue(c *call) (*reply, error) {
	view, err := c.findQueue(false)
	if err != nil {
		return nil, err
	}
	if view.Figures, err = c.readQueueFigures(view.Queue.ID); err != nil {
		return nil, err
	}
	if view.History, err = c.readHistory(); err != nil {
		return nil, err
	}
	if view.Stacks, err = c.Builds.StacksOfQueue(c.ctx(), c.actor(), c.cluster(), string(view.Queue.ID)); err != nil {
		return nil, err
	}
	view.Command = c.startCommand("TOKEN") + " --tags queue=" + view.Queue.Key
	p := c.pageBelowTab(view.Cluster, "queues", "Queues", "queue", view.Queue.Key, view)
	p.Reloads = 15
	return c.show(p), nil
}

// platformField is the field of a hosted queue's platform settings; the domain's faults name it as one.
const platformField = "hosted_agents.platform_settings"

// hostedFields are the fields of a hosted queue's machines.
func hostedFields(hosted *domain.HostedAgents) (fields []field) {
	shapes := field{Name: shapeField, Label: "Machines", Kind: "select", Value: hosted.Shape.Name}
	for _, shape := range domain.InstanceShapes {
		if shape.MachineType == hosted.Shape.MachineType {
			shapes.Options = append(shapes.Options, option{Value: shape.Name, Label: describeShape(shape)})
		}
	}
	if hosted.Shape.MachineType == "linux" {
		return []field{shapes, {Name: platformField, Label: "Agent image", Code: true,
			Value: textOrEmpty(hosted.AgentImageRef),
			Help:  "The container image agents run in. Leave empty for the default."}}
	}
	versions := field{Name: "macos_version", Label: "macOS", Kind: "select", Value: textOrEmpty(hosted.MacOSVersion),
		Options: []option{{Label: "Default"}}}
	for _, version := range domain.MacOSVersions {
		versions.Options = append(versions.Options, option{Value: version, Label: version})
	}
	return []field{shapes, versions, {Name: platformField, Label: "Xcode", Code: true,
		Value: textOrEmpty(hosted.XcodeVersion),
		Help:  "Leave empty for the default version."}}
}

// hostedInput is what the form asks of a hosted queue's machines.
func (f *form) hostedInput(hosted *domain.HostedAgents) (in domain.Optional[domain.HostedAgentsInput]) {
	switch {
	case hosted == nil:
		return in
	case hosted.Shape.MachineType == "linux":
		return domain.Some(domain.HostedAgentsInput{InstanceShape: f.typedInput(shapeField),
			AgentImageRef: f.typedOrNull(platformField)})
	default:
		return domain.Some(domain.HostedAgentsInput{InstanceShape: f.typedInput(shapeField),
			MacOSVersion: f.typedOrNull("macos_version"), XcodeVersion: f.typedOrNull(platformField)})
	}
}

// queueFields are the fields of what can be changed of a queue.
func queueFields(q domain.QueueView) []field {
	fields := settingFields(domain.SettingsOfQueues, &q.Queue)
	if q.Hosted != nil {
		fields = append(fields, hostedFields(q.Hosted)...)
	}
	return fields
}

func editQueue(c *call) (*reply, error) {
	view, err := c.findQueue(true)
	if err != nil {
		return nil, err
	}
	q := view.Queue
	f := c.editForm("Save queue", queueFields(*q.QueueView)...)
	f.Cancel = view.Queue.To
	if c.isPost() {
		input := domain.QueueInput{Hosted: f.hostedInput(q.Hosted)}
		var faults domain.Faults
		readSettings(f, domain.SettingsOfQueues, &input, &faults)
		_, err := c.Service.UpdateQueue(c.ctx(), c.actor(), c.cluster(), string(q.ID), core.Sent(input, faults.Err()),
			expectUnchanged(f, queueFields))
		if err == nil {
			return c.redirect(view.Queue.To, "Queue saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, view.below(c, "form", "Edit "+q.Key, formView{Form: f})), nil
}

func pauseQueue(c *call) (*reply, error) {
	view, err := c.findQueue(true)
	if err != nil {
		return nil, err
	}
	f := c.newForm("Pause queue", field{Name: "dispatch_paused_note", Label: "Note", Kind: "textarea", Rows: 2,
		Autofocus: true,
		Help:      "Shown to everyone who sees the queue. Say why it's paused."})
	f.Cancel = view.Queue.To
	if c.isPost() {
		_, err := c.Service.PauseQueue(c.ctx(), c.actor(), c.cluster(), string(view.Queue.ID),
			inputOf(f.typedOrNull("dispatch_paused_note")))
		if err == nil {
			return c.redirect(c.clusterLink("queues"), "Queue "+view.Queue.Key+" paused."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, view.below(c, "form", "Pause "+view.Queue.Key,
		formView{Intro: "A paused queue dispatches no jobs. Jobs that are already running continue.", Form: f})), nil
}

func resumeQueue(c *call) (*reply, error) {
	resumed, err := c.Service.ResumeQueue(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("queue"))
	if err != nil {
		return nil, err
	}
	return c.redirect(c.clusterLink("queues"), "Queue "+resumed.Key+" resumed."), nil
}

func makeDefaultQueue(c *call) (*reply, error) {
	view, err := c.findQueue(true)
	if err != nil {
		return nil, err
	}
	_, err = c.Service.UpdateCluster(c.ctx(), c.actor(), c.cluster(),
		inputOf(domain.ClusterPatch{DefaultQueueID: domain.Some(string(view.Queue.ID))}), nil)
	if err != nil {
		return nil, err
	}
	return c.redirect(c.clusterLink("queues"), view.Queue.Key+" is now the default queue."), nil
}

func deleteQueue(c *call) (*reply, error) {
	view, err := c.findQueue(true)
	if err != nil {
		return nil, err
	}
	q := view.Queue
	var items []string
	if q.Default {
		items = append(items, "This is the cluster's default queue. The cluster will have no default.")
	}
	if q.Hosted != nil && view.Cluster.HostedQueuesCount == 1 {
		items = append(items, "This is the cluster's last queue with hosted agents. The git mirror and container cache "+
			"turn off.")
	}
	p := view.below(c, "", "Delete", nil)
	return c.confirm(confirmation{
		Title:   "Delete the queue “" + q.Key + "”?",
		Text:    "Its agents get no more jobs. This can't be undone.",
		Items:   items,
		Button:  "Delete queue",
		Cancel:  view.Queue.To,
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error { return c.Service.DeleteQueue(c.ctx(), c.actor(), c.cluster(), string(q.ID), nil) },
		c.clusterLink("queues"), "Queue "+q.Key+" deleted.")
}
