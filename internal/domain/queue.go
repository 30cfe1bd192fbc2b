package domain

import (
	"slices"
	"strings"
	"time"
)

// Queue is a queue of a cluster: agents take jobs from it.
type Queue struct {
	ID        QueueID
	ClusterID ClusterID
	Key       string
	QueueSettings
	Paused    *Pause
	Hosted    *HostedAgents
	CreatedAt time.Time
}

// Pause says since when and why no jobs of a queue are dispatched.
type Pause struct {
	At   time.Time
	Note *string
}

// HostedAgents says which machines serve a hosted queue.
type HostedAgents struct {
	Shape         InstanceShape
	AgentImageRef *string // linux
	MacOSVersion  *string // macos; chosen here where the caller leaves it open, and kept
	XcodeVersion  *string // macos
}

// QueueInput is what a caller sends to make or change a queue.
type QueueInput struct {
	Key Optional[string]
	QueueSettingsInput
	Hosted Optional[HostedAgentsInput]
}

// HostedAgentsInput is what a caller sends about a queue's hosted agents.
type HostedAgentsInput struct {
	InstanceShape Optional[string]
	AgentImageRef Optional[string]
	MacOSVersion  Optional[string]
	XcodeVersion  Optional[string]
}

// QueueKeyTaken is the fault of a queue whose key another queue of the cluster has.
const QueueKeyTaken = "Key has already been taken"

// Refusals to pause and to resume.
const (
	QueueAlreadyPaused = "Cluster queue is already paused"
	QueueNotPaused     = "Cluster queue is not paused"
)

// NewQueue returns the queue that the input describes.
func NewQueue(in QueueInput, cluster ClusterID, now time.Time, faults *Faults) Queue {
	q := Queue{ID: NewID[QueueID](), ClusterID: cluster, Key: in.Key.Value, CreatedAt: now}
	setDefaults(SettingsOfQueues, &q)
	in.Key.requireIn("key", "Key", faults)
	if in.Key.HasValue() {
		CheckQueueKey("key", in.Key.Value, faults)
	}
	if in.Hosted.HasValue() {
		q.Hosted = &HostedAgents{}
		in.Hosted.Value.InstanceShape.requireIn("hosted_agents.instance_shape", "Instance shape", faults)
	}
	LeaveOutNulls(SettingsOfQueues, &in)
	q.apply(in, faults)
	return q
}

// Apply makes the changes of the input.
func (q *Queue) Apply(in QueueInput, faults *Faults) {
	if in.Key.Given && in.Key.Value != q.Key {
		faults.Add("key", "Key can't be changed")
	}
	if in.Hosted.Given && in.Hosted.HasValue() != (q.Hosted != nil) {
		faults.Add("hosted_agents", "Hosted agents can't be added to or removed from a queue")
		return
	}
	q.apply(in, faults)
}

func (q *Queue) apply(in QueueInput, faults *Faults) {
	applySettings(SettingsOfQueues, &in, q, faults)
	if in.Hosted.HasValue() && q.Hosted != nil {
		q.Hosted = q.Hosted.applied(in.Hosted.Value, faults)
	}
}

func (h HostedAgents) applied(in HostedAgentsInput, faults *Faults) *HostedAgents {
	if in.InstanceShape.HasValue() {
		shape, ok := InstanceShapeByName(in.InstanceShape.Value)
		if !ok {
			faults.Add("hosted_agents.instance_shape", "Instance shape must be one of "+InstanceShapeNames())
			return &h
		}
		if h.Shape.MachineType != "" && h.Shape.MachineType != shape.MachineType {
			faults.Add("hosted_agents.instance_shape", "Instance shape can't change between linux and macos")
		}
		h.Shape = shape
	}
	setting := func(field, machineType string, given Optional[string], target **string) {
		if given.HasValue() && given.Value == "" { // clients send it for none
			given = Null[string]()
		}
		if given.HasValue() && h.Shape.MachineType != "" && h.Shape.MachineType != machineType {
			faults.Add("hosted_agents.platform_settings", field+" can only be set on "+machineType+" queues")
			return
		}
		CheckText("hosted_agents.platform_settings", field, given.Value, 500, faults)
		given.ApplyTo(target)
	}
	setting("agent_image_ref", "linux", in.AgentImageRef, &h.AgentImageRef)
	setting("xcode_version", "macos", in.XcodeVersion, &h.XcodeVersion)
	if in.MacOSVersion.HasValue() && !slices.Contains(MacOSVersions, in.MacOSVersion.Value) {
		faults.Add("hosted_agents.platform_settings", "macos_version must be one of "+strings.Join(MacOSVersions, ", "))
	}
	setting("macos_version", "macos", in.MacOSVersion.UnlessNull(), &h.MacOSVersion)
	if h.Shape.MachineType == "macos" && h.MacOSVersion == nil {
		version := usualMacOSVersion
		h.MacOSVersion = &version
	}
	return &h
}

// CheckPauseNote returns the note that a caller sent with a pause.
func CheckPauseNote(note Optional[string], faults *Faults) *string {
	if note.HasValue() {
		note.Value = CheckText("dispatch_paused_note", "Note", note.Value, maxDescription, faults)
	}
	return note.Ptr()
}
