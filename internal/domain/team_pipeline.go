package domain

import "time"

// PipelineAccessLevel is what the members of a team may do with a pipeline.
type PipelineAccessLevel string

// The levels.
const (
	PipelineReadOnly           PipelineAccessLevel = "read_only"
	PipelineBuildAndRead       PipelineAccessLevel = "build_and_read"
	PipelineManageBuildAndRead PipelineAccessLevel = "manage_build_and_read"
)

func (l PipelineAccessLevel) isKnown() bool {
	return l == PipelineReadOnly || l == PipelineBuildAndRead || l == PipelineManageBuildAndRead
}

// TeamPipeline is a team's access to a pipeline.
type TeamPipeline struct {
	ID             TeamPipelineID
	OrganizationID OrganizationID
	TeamID         TeamID
	PipelineID     PipelineID
	AccessLevel    PipelineAccessLevel
	CreatedAt      time.Time
}

// TeamPipelineInput is what a caller sends to grant a team access to a pipeline, or to change that.
type TeamPipelineInput struct {
	PipelineID  Optional[string] // only to grant access
	AccessLevel Optional[string]
}

// Reasons why a team cannot get access to a pipeline.
const (
	NoSuchTeamPipeline   = "Pipeline must be one of the organization"
	RepeatedTeamPipeline = "Pipeline has already been added to the team"
)

// NewTeamPipeline returns the access that the input describes: read only, unless it says otherwise. The caller
// checks that the pipeline is one of the organization's.
func NewTeamPipeline(in TeamPipelineInput, t Team, now time.Time, faults *Faults) TeamPipeline {
	in.PipelineID.requireIn("pipeline_id", "Pipeline", faults)
	pipeline, ok := ParseID[PipelineID](in.PipelineID.Value)
	if in.PipelineID.HasValue() && !ok {
		faults.Add("pipeline_id", NoSuchTeamPipeline)
	}
	p := TeamPipeline{
		ID:             NewID[TeamPipelineID](),
		OrganizationID: t.OrganizationID,
		TeamID:         t.ID,
		PipelineID:     pipeline,
		AccessLevel:    PipelineReadOnly,
		CreatedAt:      now,
	}
	p.Apply(TeamPipelineInput{AccessLevel: in.AccessLevel.UnlessNull()}, faults)
	return p
}

// Apply makes the changes of the input. The pipeline stays.
func (p *TeamPipeline) Apply(in TeamPipelineInput, faults *Faults) {
	if !in.AccessLevel.Given {
		return
	}
	if p.AccessLevel = PipelineAccessLevel(in.AccessLevel.Value); !p.AccessLevel.isKnown() {
		faults.Add("access_level", "Access level must be read_only, build_and_read or manage_build_and_read")
	}
}
