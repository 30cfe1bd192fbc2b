package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// JobContext is what a job is told of what it belongs to.
type JobContext struct {
	OrganizationID      domain.OrganizationID
	OrganizationSlug    string
	PipelineID          domain.PipelineID
	PipelineSlug        string
	PipelineName        string
	Repository          string
	DefaultBranch       string
	PipelineEnv         map[string]string
	ClusterName         string
	QueueHosted         bool
	Creator             domain.User // zero: nobody
	RebuiltFromNumber   int64       // 0: none
	TriggeredFromBuild  domain.BuildID
	TriggeredFromNumber int64
	TriggeredFromSlug   string
	HasResolvedCommit   bool // the first checkout has stored the commit
}

var jobContext = selecting(func(c *columns, x *JobContext) {
	mapText(c, "o.id", &x.OrganizationID)
	mapText(c, "o.slug", &x.OrganizationSlug)
	mapText(c, "p.id", &x.PipelineID)
	mapText(c, "p.slug", &x.PipelineSlug)
	mapText(c, "p.name", &x.PipelineName)
	mapText(c, "p.repository", &x.Repository)
	mapText(c, "p.default_branch", &x.DefaultBranch)
	mapJSON(c, "p.env", &x.PipelineEnv)
	mapText(c, "c.name", &x.ClusterName)
	mapText(c, "cb.id", &x.Creator.ID)
	mapText(c, "cb.name", &x.Creator.Name)
	mapText(c, "cb.email", &x.Creator.Email)
	mapInt(c, "COALESCE(rb.number, 0)", &x.RebuiltFromNumber)
	mapText(c, "tb.id", &x.TriggeredFromBuild)
	mapInt(c, "COALESCE(tb.number, 0)", &x.TriggeredFromNumber)
	mapText(c, "tpi.slug", &x.TriggeredFromSlug)
	mapBool(c, "EXISTS (SELECT 1 FROM build_meta_data md WHERE md.build_id = b.id AND md.key = 'buildkite:git:commit')", &x.HasResolvedCommit)
})

// JobContext returns what the jobs of a build are told of what it belongs to.
func (tx Tx) JobContext(build domain.BuildID) (JobContext, error) {
	x, _, err := selectOne(tx, jobContext.read, `SELECT `+jobContext.columns+` FROM builds b
		JOIN pipelines p ON p.id = b.pipeline_id JOIN organizations o ON o.id = b.organization_id
		LEFT JOIN clusters c ON c.id = b.cluster_id
		LEFT JOIN users cb ON cb.id = b.creator_id
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id
		LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tpi ON tpi.id = tb.pipeline_id
		WHERE b.id = $1`, build)
	return x, err
}

// VisibleTeamsOfUser returns the slugs of the visible teams of an organization that a user is in.
func (tx Tx) VisibleTeamsOfUser(organization domain.OrganizationID, user domain.UserID) ([]string, error) {
	return all(tx, scanID[string], `SELECT te.slug FROM team_members tm JOIN teams te ON te.id = tm.team_id
		WHERE tm.organization_id = $1 AND tm.user_id = $2 AND te.privacy = 'visible' ORDER BY te.slug`, organization, user)
}

// TeamsOfUser returns the slugs and the ids of the teams of an organization that a user is in.
func (tx Tx) TeamsOfUser(organization domain.OrganizationID, user domain.UserID) ([]string, error) {
	var names []string
	err := tx.Query(`SELECT te.slug, te.id FROM team_members tm JOIN teams te ON te.id = tm.team_id WHERE tm.organization_id = $1 AND tm.user_id = $2`,
		func(r *db.Row) error {
			names = append(names, r.Text(), r.Text())
			return nil
		}, organization, user)
	return names, err
}

// VisibleTeamsOfPipeline returns the slugs of the visible teams that have access to a pipeline.
func (tx Tx) VisibleTeamsOfPipeline(pipeline domain.PipelineID) ([]string, error) {
	return all(tx, scanID[string], `SELECT te.slug FROM team_pipelines tp JOIN teams te ON te.id = tp.team_id
		WHERE tp.pipeline_id = $1 AND te.privacy = 'visible' ORDER BY te.slug`, pipeline)
}

// Unblocker is who unblocked the last block before a job.
type Unblocker struct {
	ID, Name, Email string
}

// LastUnblocker returns who unblocked a job of a build last.
func (tx Tx) LastUnblocker(build domain.BuildID) (Unblocker, bool, error) {
	return one(tx, func(r *db.Row) Unblocker { return Unblocker{r.Text(), r.Text(), r.Text()} },
		`SELECT u.id, u.name, u.email FROM jobs j JOIN users u ON u.id = j.unblocked_by WHERE j.build_id = $1 AND j.unblocked_by IS NOT NULL ORDER BY j.unblocked_at DESC LIMIT 1`, build)
}
