package flow

import (
	"cmp"
	"fmt"
	"slices"

	"penstock/internal/steps"
)

// Limits of a build.
const (
	MaxJobs         = 4000 // attempts count
	MaxUploads      = 500
	maxDependencies = 50_000   // of one upload's steps
	maxFilledBytes  = 16 << 20 // of what matrices make of one upload's steps
	maxPosition     = 2000     // bytes of a step's position
)

// Why a job is broken, if its step is not skipped for a reason of its own.
const (
	ConditionalFailed = "conditional_failed"
	BranchMismatch    = "branch_mismatch"
)

// UploadInput is an upload, and what the build has already that it depends on.
type UploadInput struct {
	Pipeline *steps.Pipeline
	Uploader *Uploader // nil: it is the pipeline's own configuration

	Keys    map[string]string // the steps of the build by their keys
	Jobs    int               // attempts that the build has
	Uploads int               // that the build has had

	// The steps of the build, and the dependencies in it that are not satisfied. They may be left out if NeedsBuild says
	// so.
	Steps     []*Step
	OpenEdges []PlannedEdge

	Variables steps.Variables
	Branch    string
	NewID     func() string
	Work      *steps.Work
}

// Uploader is the place of the job that uploads.
type Uploader struct {
	Step     string
	Position string
	Group    *UploaderGroup // nil: it is in none
}

// UploaderGroup is the group that an uploader is in.
type UploaderGroup struct{ ID, Key, Label string }

// Plan is what becomes of an upload. Dependencies in the build that wait for one of its keys are to be joined.
type Plan struct {
	Steps    []PlannedStep     // in their order, a group before its steps
	Keys     map[string]string // the steps that have keys now
	GroupKey string            // what the uploader's group gets, which had none; "": nothing
	Jobs     int

	// What the plan was made for: the keys that were looked for, each with the step of the build that has it or "", and
	// the variables that conditions asked for, with their values.
	SeenKeys      map[string]string
	SeenVariables map[string]any
}

// CheckLimits returns a fault if a build that has so many jobs and uploads cannot take the plan.
func (p *Plan) CheckLimits(jobs, uploads int, isUpload bool) error {
	switch {
	case isUpload && uploads >= MaxUploads:
		return faultf("`pipeline` is invalid: a build takes at most %d uploads", MaxUploads)
	case jobs+p.Jobs > MaxJobs:
		return faultf("`steps` is invalid: the build would have more than %d jobs", MaxJobs)
	}
	return nil
}

// MoveTo places the steps of a plan as those of another upload by the same uploader.
func (p *Plan) MoveTo(uploader string, upload int) {
	prefix := UploadPosition(uploader, upload)
	for i := range p.Steps {
		p.Steps[i].Position = prefix + p.Steps[i].Position[len(prefix):]
	}
}

// PlannedStep is a step of an upload.
type PlannedStep struct {
	ID         string
	Parent     string // the group that it is in, or the uploader's step; "": none
	GroupID    string // the group that it is shown in: the uploader's for the steps of one that merges with it
	Kind       steps.Kind
	Key        string
	Label      string
	Definition steps.Step
	Index      int    // in the upload
	Position   string // sorts the steps of a build, byte by byte
	Jobs       []PlannedJob
	Edges      []PlannedEdge
}

// PlannedJob is a job of a planned step.
type PlannedJob struct {
	ID            string
	ParallelIndex int
	ParallelTotal int               // 0: it is the only one
	Matrix        map[string]string // nil: none
	Definition    steps.Step        // with the values of the matrix filled in
	SoftFail      steps.SoftFail
	State         JobState // Pending or Broken
	BrokenReason  string
}

// PlannedEdge is a dependency, maybe on a key that no step has yet.
type PlannedEdge struct {
	Edge
	OnKey string // "": the step is there
}

// Parts returns a planned step as the machine adds it. The edges are the plan's own.
func (p *PlannedStep) Parts() (s *Step, jobs []*Job, edges []*Edge) {
	s = &Step{ID: p.ID, Parent: p.Parent, Kind: p.Kind}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		job := &Job{ID: j.ID, Step: p.ID, State: j.State, InConcurrencyGroup: j.Definition.ConcurrencyGroup != ""}
		if j.State == Broken {
			job.Outcome = Neutral
		}
		jobs = append(jobs, job)
	}
	for i := range p.Edges {
		edges = append(edges, &p.Edges[i].Edge)
	}
	return s, jobs, edges
}

// isBroken says whether nothing of a step will run.
func (p *PlannedStep) isBroken() bool {
	return len(p.Jobs) > 0 && !slices.ContainsFunc(p.Jobs, func(j PlannedJob) bool { return j.State != Broken })
}

// NeedsBuild says whether PlanUpload needs the steps of the build and its open dependencies, besides those on keys.
func NeedsBuild(p *steps.Pipeline) bool {
	names := func(s steps.Step) bool { return s.ExplicitDependencies }
	return slices.ContainsFunc(p.Steps, func(s steps.Step) bool {
		return names(s) || s.Kind == steps.Group && (s.Key != "" || slices.ContainsFunc(s.Steps, names))
	})
}

// PlanUpload turns an upload into steps, their jobs and what they wait for. It returns a steps.Fault if the build
// cannot take the upload. It fails as steps.Work does, too.
func PlanUpload(in UploadInput) (*Plan, error) {
	p := planner{
		in: in, plan: &Plan{Keys: map[string]string{}, SeenKeys: map[string]string{}}, reasons: map[*steps.Step]string{},
		evaluation: steps.Evaluation{Variables: in.Variables, Work: in.Work},
	}
	if err := p.plan.CheckLimits(in.Jobs, in.Uploads, in.Uploader != nil); err != nil {
		return nil, err
	}
	if err := p.findBrokenReasons(in.Pipeline.Steps, nil); err != nil {
		return nil, err
	}
	p.plan.SeenVariables = p.evaluation.Seen
	if err := p.planSteps(); err != nil {
		return nil, err
	}
	if err := p.plan.CheckLimits(in.Jobs, in.Uploads, in.Uploader != nil); err != nil {
		return nil, err
	}
	if err := p.planEdges(); err != nil {
		return nil, err
	}
	return p.plan, p.refuseCycles()
}

func faultf(format string, args ...any) error { return steps.Fault(fmt.Sprintf(format, args...)) }

// planner plans an upload. A level is the upload's top, or a group.
type planner struct {
	in     UploadInput
	plan   *Plan
	top    []item
	filled int
	edges  int

	evaluation steps.Evaluation
	reasons    map[*steps.Step]string // why no job of a step is to run
	ancestors  map[string]*Step       // of the uploaded steps; nil: not found yet
}

// item is a step of a level.
type item struct {
	definition *steps.Step
	planned    int    // its place in the plan; -1: a group that merges with the uploader's
	children   []item // of a group
	isIgnored  bool   // a wait next to a block
}

func (p *planner) planSteps() error {
	prefix, parent := "", ""
	if up := p.in.Uploader; up != nil {
		prefix, parent = UploadPosition(up.Position, p.in.Uploads), up.Step
	}
	mayMerge := true
	for i := range p.in.Pipeline.Steps {
		definition := &p.in.Pipeline.Steps[i]
		position := stepPosition(prefix, i)
		if definition.Kind != steps.Group {
			if err := p.planStep(&p.top, p.in.Pipeline.Steps, i, PlannedStep{Parent: parent, Position: position}); err != nil {
				return err
			}
			continue
		}
		merges := mayMerge && p.mergesWithUploader(definition)
		mayMerge = false
		group := item{definition: definition, planned: -1}
		below := PlannedStep{Parent: parent}
		if merges {
			below.GroupID = p.in.Uploader.Group.ID
			if err := p.mergeKey(definition.Key); err != nil {
				return err
			}
		} else {
			added, err := p.add(definition, PlannedStep{Parent: parent, Position: position})
			if err != nil {
				return err
			}
			group.planned = added
			below.Parent, below.GroupID = p.plan.Steps[added].ID, p.plan.Steps[added].ID
		}
		for j := range definition.Steps {
			below.Position = stepPosition(position, j)
			if err := p.planStep(&group.children, definition.Steps, j, below); err != nil {
				return err
			}
		}
		p.top = append(p.top, group)
	}
	return nil
}

func (p *planner) mergesWithUploader(group *steps.Step) bool {
	return p.in.Uploader != nil && p.in.Uploader.Group != nil && group.Label != "" &&
		group.Label == p.in.Uploader.Group.Label
}

// mergeKey moves the key of a group that merges to the uploader's group.
func (p *planner) mergeKey(key string) error {
	group := p.in.Uploader.Group
	switch {
	case key == "" || key == group.Key:
		return nil
	case group.Key != "":
		return faultf("`key` is invalid: the group %q has the key %q already", group.Label, group.Key)
	}
	p.plan.GroupKey = key
	return p.reserveKey(key, group.ID)
}

func (p *planner) reserveKey(key, step string) error {
	if key == "" {
		return nil
	}
	if p.findKey(key) != "" || p.plan.Keys[key] != "" {
		return steps.KeyTaken(key)
	}
	p.plan.Keys[key] = step
	return nil
}

// findKey returns the step of the build that has a key, or "", and records that it was looked for.
func (p *planner) findKey(key string) string {
	p.plan.SeenKeys[key] = p.in.Keys[key]
	return p.in.Keys[key]
}

// planStep adds a step of a level with its jobs. A wait next to a block is left out, unless others could name it.
func (p *planner) planStep(level *[]item, of []steps.Step, i int, s PlannedStep) error {
	definition := &of[i]
	isBlock := func(j int) bool {
		return j >= 0 && j < len(of) && of[j].Kind == steps.Block && p.reasons[&of[j]] == ""
	}
	isIgnored := definition.Kind == steps.Wait && (isBlock(i-1) || isBlock(i+1))
	if isIgnored && definition.Key == "" {
		return nil
	}
	added, err := p.add(definition, s)
	if err != nil {
		return err
	}
	*level = append(*level, item{definition: definition, planned: added, isIgnored: isIgnored})
	return p.planJobs(&p.plan.Steps[added], p.reasons[definition])
}

func (p *planner) add(definition *steps.Step, s PlannedStep) (planned int, err error) {
	if len(s.Position) > maxPosition {
		return 0, faultf("`pipeline` is invalid: too many jobs in a row uploaded each other")
	}
	s.ID = p.in.NewID()
	s.Kind, s.Key, s.Label, s.Definition, s.Index = definition.Kind, definition.Key, definition.Label, *definition,
		len(p.plan.Steps)
	p.plan.Steps = append(p.plan.Steps, s)
	return s.Index, p.reserveKey(s.Key, s.ID)
}

// findBrokenReasons finds why no job of a step is to run, of all steps of a level. A group's condition and skip are
// those of its steps.
func (p *planner) findBrokenReasons(level []steps.Step, group *steps.Step) error {
	for i := range level {
		s := &level[i]
		reason, err := p.findBrokenReason(s)
		if err != nil {
			return err
		}
		if group != nil && (p.reasons[group] == ConditionalFailed || reason == "" || reason == s.Skip) {
			reason = cmp.Or(p.reasons[group], reason)
		}
		p.reasons[s] = reason
		if err := p.findBrokenReasons(s.Steps, s); err != nil {
			return err
		}
	}
	return nil
}

// findBrokenReason returns why no job of a step is to run, as far as the step says so, or "".
func (p *planner) findBrokenReason(s *steps.Step) (string, error) {
	if s.If != nil {
		if isTrue, err := s.If.Eval(&p.evaluation); err != nil || !isTrue {
			return ConditionalFailed, err
		}
	}
	if len(s.Branches) > 0 {
		if fits, err := p.in.Work.MatchBranches(s.Branches, p.in.Branch); err != nil || !fits {
			return BranchMismatch, err
		}
	}
	return s.Skip, nil
}

func (p *planner) planJobs(s *PlannedStep, brokenReason string) error {
	for _, of := range s.Definition.Jobs() {
		j := PlannedJob{
			ID: p.in.NewID(), ParallelIndex: of.ParallelIndex, ParallelTotal: of.ParallelTotal, Matrix: of.Matrix,
			SoftFail: of.SoftFail,
			State:    Pending, BrokenReason: brokenReason,
		}
		if j.BrokenReason == "" {
			j.BrokenReason = of.Skip
		}
		if j.BrokenReason != "" {
			j.State = Broken
		}
		var err error
		if j.Definition, err = s.Definition.Fill(of.Matrix); err != nil {
			return faultf("`matrix` is invalid: %s", err)
		}
		if s.Definition.Matrix != nil {
			p.filled += countBytes(&j.Definition)
		}
		switch {
		case p.filled > maxFilledBytes:
			return faultf("`matrix` is invalid: the jobs that it makes have more than %d bytes together", maxFilledBytes)
		case len([]rune(j.Definition.ConcurrencyGroup)) > steps.MaxGroupNameLength:
			return faultf("`concurrency_group` is invalid: with the values of `matrix` it is longer than %d characters",
				steps.MaxGroupNameLength)
		}
		s.Jobs = append(s.Jobs, j)
	}
	p.plan.Jobs += len(s.Jobs)
	return nil
}

// countBytes returns how much filling in a matrix can have made of a step.
func countBytes(s *steps.Step) (total int) {
	total = len(s.Command) + len(s.Label) + len(s.ConcurrencyGroup) + len(s.Plugins)
	for _, rule := range s.Agents {
		total += len(rule)
	}
	for name, value := range s.Env {
		total += len(name) + len(value)
	}
	return total
}

// UploadPosition returns what the positions of an upload's steps begin with. They sort behind the uploader's step,
// before what stood behind it, and before the steps of earlier uploads.
func UploadPosition(uploader string, upload int) string {
	return stepPosition(uploader, MaxUploads-1-upload)
}

// stepPosition returns the position of a step of an upload or a group. It is short, as databases bound what they keep
// in an index.
func stepPosition(prefix string, index int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	return prefix + string([]byte{digits[index/len(digits)], digits[index%len(digits)]})
}
