package domain

import "slices"

// A setting of a pipeline is a field of one of these two structs and an entry of one of the two lists below. The tags
// say what REST and audit events call it, and what it means.

// buildSettings say of which branches there are builds, and what a new build does with older ones.
type buildSettings[Flag, Line any] struct {
	DefaultBranch                   Line `json:"default_branch" doc:"The branch that is built when none is named." input:"At most 255 characters. Null for none."`
	BranchConfiguration             Line `json:"branch_configuration" doc:"Patterns of the branches that are built." input:"Separated by spaces. Null for all."`
	SkipQueuedBranchBuilds          Flag `json:"skip_queued_branch_builds" nullable:"false" doc:"Whether a new build of a branch skips those that wait."`
	SkipQueuedBranchBuildsFilter    Line `json:"skip_queued_branch_builds_filter" doc:"Patterns of the branches for which this holds." input:"Null for all."`
	CancelRunningBranchBuilds       Flag `json:"cancel_running_branch_builds" nullable:"false" doc:"Whether a new build of a branch cancels those that run."`
	CancelRunningBranchBuildsFilter Line `json:"cancel_running_branch_builds_filter" doc:"Patterns of the branches for which this holds." input:"Null for all."`
	AllowRebuilds                   Flag `json:"allow_rebuilds" nullable:"false" doc:"Whether builds can be run again." input:"A new pipeline allows it unless this is false."`
}

// jobSettings say how long the jobs of a pipeline may take. They are not shown with its builds.
type jobSettings[Minutes any] struct {
	DefaultCommandStepTimeout   Minutes `json:"default_command_step_timeout" doc:"How many minutes a command may run if its step says nothing." input:"Null or 0 for no limit; 0 is kept."`
	MaximumCommandStepTimeout   Minutes `json:"maximum_command_step_timeout" doc:"How many minutes a command may run at most." input:"Null or 0 for no limit; 0 is kept."`
	ScheduledJobExpiryInMinutes Minutes `json:"scheduled_job_expiry_in_minutes" doc:"How many minutes a job waits for an agent before it expires, if the organization's limit does not come first." input:"Null or 0 for that limit alone; 0 is kept."`
}

// PipelineBuildSettings are the settings of a pipeline that are about its builds.
type PipelineBuildSettings = buildSettings[bool, *string]

// PipelineBuildSettingsInput is what a caller sends to make or change them.
type PipelineBuildSettingsInput = buildSettings[Optional[bool], Optional[string]]

// PipelineJobSettings are the settings of a pipeline that are about its jobs.
type PipelineJobSettings = jobSettings[*int64]

// PipelineJobSettingsInput is what a caller sends to make or change them.
type PipelineJobSettingsInput = jobSettings[Optional[int64]]

// BuildSettingsOfPipelines describes the fields of PipelineBuildSettings.
var BuildSettingsOfPipelines = []Setting[Pipeline, PipelineInput]{
	{
		Name: "default_branch", GraphQL: "defaultBranch", MaxLength: maxBranch,
		FormLabel: "Default branch", Placeholder: "main",
		Line:   func(p *Pipeline) **string { return &p.DefaultBranch },
		LineIn: func(in *PipelineInput) *Optional[string] { return &in.DefaultBranch },
	},
	{
		Name: "branch_configuration", GraphQL: "branchConfiguration", MaxLength: maxPatterns,
		FormLabel: "Branches to build", Placeholder: "main release/*", Help: branchPatternsHelp,
		Line:   func(p *Pipeline) **string { return &p.BranchConfiguration },
		LineIn: func(in *PipelineInput) *Optional[string] { return &in.BranchConfiguration },
	},
	{
		Name: "skip_queued_branch_builds", GraphQL: "skipIntermediateBuilds",
		FormLabel: "Skip queued builds when a newer build of the branch starts",
		Flag:      func(p *Pipeline) *bool { return &p.SkipQueuedBranchBuilds },
		FlagIn:    func(in *PipelineInput) *Optional[bool] { return &in.SkipQueuedBranchBuilds },
	},
	{
		Name: "skip_queued_branch_builds_filter", GraphQL: "skipIntermediateBuildsBranchFilter", MaxLength: maxPatterns,
		FormLabel: "Only skip on these branches", Placeholder: "!main", Help: branchPatternsHelp,
		Line:   func(p *Pipeline) **string { return &p.SkipQueuedBranchBuildsFilter },
		LineIn: func(in *PipelineInput) *Optional[string] { return &in.SkipQueuedBranchBuildsFilter },
	},
	{
		Name: "cancel_running_branch_builds", GraphQL: "cancelIntermediateBuilds",
		FormLabel: "Cancel running builds when a newer build of the branch starts",
		Flag:      func(p *Pipeline) *bool { return &p.CancelRunningBranchBuilds },
		FlagIn:    func(in *PipelineInput) *Optional[bool] { return &in.CancelRunningBranchBuilds },
	},
	{
		Name: "cancel_running_branch_builds_filter", GraphQL: "cancelIntermediateBuildsBranchFilter", MaxLength: maxPatterns,
		FormLabel: "Only cancel on these branches", Placeholder: "!main", Help: branchPatternsHelp,
		Line:   func(p *Pipeline) **string { return &p.CancelRunningBranchBuildsFilter },
		LineIn: func(in *PipelineInput) *Optional[string] { return &in.CancelRunningBranchBuildsFilter },
	},
	{
		Name: "allow_rebuilds", GraphQL: "allowRebuilds", Default: true,
		FormLabel: "Allow rebuilds",
		Flag:      func(p *Pipeline) *bool { return &p.AllowRebuilds },
		FlagIn:    func(in *PipelineInput) *Optional[bool] { return &in.AllowRebuilds },
	},
}

// JobSettingsOfPipelines describes the fields of PipelineJobSettings.
var JobSettingsOfPipelines = []Setting[Pipeline, PipelineInput]{
	{
		Name: "default_command_step_timeout", GraphQL: "defaultTimeoutInMinutes",
		FormLabel: "Default timeout", Help: "In minutes, for steps that don't set one. Leave empty for no timeout.",
		Minutes:   func(p *Pipeline) **int64 { return &p.DefaultCommandStepTimeout },
		MinutesIn: func(in *PipelineInput) *Optional[int64] { return &in.DefaultCommandStepTimeout },
	},
	{
		Name: "maximum_command_step_timeout", GraphQL: "maximumTimeoutInMinutes",
		FormLabel: "Maximum timeout", Help: "In minutes. The longest a command may run. Leave empty for no maximum.",
		Minutes:   func(p *Pipeline) **int64 { return &p.MaximumCommandStepTimeout },
		MinutesIn: func(in *PipelineInput) *Optional[int64] { return &in.MaximumCommandStepTimeout },
	},
	{
		Name: "scheduled_job_expiry_in_minutes", GraphQL: "scheduledJobExpiryInMinutes",
		FormLabel: "Job expiry",
		Help:      "In minutes. The longest a job waits for an agent. Leave empty for the organization's limit.",
		Minutes:   func(p *Pipeline) **int64 { return &p.ScheduledJobExpiryInMinutes },
		MinutesIn: func(in *PipelineInput) *Optional[int64] { return &in.ScheduledJobExpiryInMinutes },
	},
}

// PipelineSettings describes all of them, in the order in which forms have them.
var PipelineSettings = slices.Concat(BuildSettingsOfPipelines, JobSettingsOfPipelines)

const branchPatternsHelp = "Patterns, separated by spaces. Leave empty for all branches."
