package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// JobContext is what a job knows of what it belongs to.
type JobContext struct {
	BuildID             domain.BuildID
	OrganizationID      domain.OrganizationID
	OrganizationSlug    string
	PipelineID          domain.PipelineID
	PipelineSlug        string
	PipelineName        string
	Repository          string
	DefaultBranch       string
	PipelineEnv         map[string]string
	ProviderKind        domain.ProviderKind // "": the repository is at no host that the organization is connected with
	ClusterName         string
	Creator             domain.User // zero: nobody
	RebuiltFromNumber   int64       // 0: none
	TriggeredFromBuild  domain.BuildID
	TriggeredFromNumber int64
	TriggeredFromSlug   string
	HasResolvedCommit   bool        // the first checkout has stored the commit
	Unblocker           domain.User // who unblocked a job of the build last; zero: nobody
}

var jobContext = selecting(func(c *columns, x *JobContext) {
	mapText(c, "b.id", &x.BuildID)
	mapText(c, "o.id", &x.OrganizationID)
	mapText(c, "o.slug", &x.OrganizationSlug)
	mapText(c, "p.id", &x.PipelineID)
	mapText(c, "p.slug", &x.PipelineSlug)
	mapText(c, "p.name", &x.PipelineName)
	mapText(c, "p.repository", &x.Repository)
	mapText(c, "p.default_branch", &x.DefaultBranch)
	mapJSON(c, "p.env", &x.PipelineEnv)
	mapText(c, "(SELECT rc.kind FROM repository_connections rc WHERE rc.id = p.connection_id)", &x.ProviderKind)
	mapText(c, "c.name", &x.ClusterName)
	mapText(c, "cb.id", &x.Creator.ID)
	mapText(c, "cb.name", &x.Creator.Name)
	mapText(c, "cb.email", &x.Creator.Email)
	mapInt(c, "COALESCE(rb.number, 0)", &x.RebuiltFromNumber)
	mapText(c, "tb.id", &x.TriggeredFromBuild)
	mapInt(c, "COALESCE(tb.number, 0)", &x.TriggeredFromNumber)
	mapText(c, "tpi.slug", &x.TriggeredFromSlug)
	mapBool(c, "EXISTS (SELECT 1 FROM build_meta_data md WHERE md.build_id = b.id AND md.key = 'buildkite:git:commit')",
		&x.HasResolvedCommit)
	mapText(c, "ub.id", &x.Unblocker.ID)
	mapText(c, "ub.name", &x.Unblocker.Name)
	mapText(c, "ub.email", &x.Unblocker.Email)
})

// JobContext returns what the jobs of a build know of what it belongs to.
func (tx Tx) JobContext(build domain.BuildID) (JobContext, error) {
	found, err := tx.JobContexts([]domain.BuildID{build})
	return found[build], err
}

// JobContexts is JobContext for several builds.
func (tx Tx) JobContexts(builds []domain.BuildID) (map[domain.BuildID]JobContext, error) {
	found := make(map[domain.BuildID]JobContext, len(builds))
	err := eachChunk(builds, func(some []domain.BuildID) error {
		var a arguments
		contexts, err := selectAll(tx, jobContext.read, a.write(jobContextsOf(some)), a.values...)
		for _, x := range contexts {
			found[x.BuildID] = x
		}
		return err
	})
	return found, err
}

func jobContextsOf(builds []domain.BuildID) clause {
	return clauseOf(selectJobContexts+` WHERE ?`, oneOf(`b.id`, builds))
}

var selectJobContexts = `SELECT ` + jobContext.columns + ` FROM builds b
	JOIN pipelines p ON p.id = b.pipeline_id JOIN organizations o ON o.id = b.organization_id
	LEFT JOIN clusters c ON c.id = b.cluster_id
	LEFT JOIN users cb ON cb.id = b.creator_id
	LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id
	LEFT JOIN jobs tj ON tj.id = b.triggered_from_id
	LEFT JOIN builds tb ON tb.id = tj.build_id
	LEFT JOIN pipelines tpi ON tpi.id = tb.pipeline_id
	LEFT JOIN users ub ON ub.id = (SELECT uj.unblocked_by FROM job_runs uj WHERE uj.build_id = b.id
	AND uj.unblocked_by IS NOT NULL ORDER BY uj.unblocked_at DESC LIMIT 1)`

// VisibleTeamsOfUser returns the slugs of the visible teams of an organization that a user is in.
func (tx Tx) VisibleTeamsOfUser(organization domain.OrganizationID, user domain.UserID) ([]string, error) {
	return all(tx, scanID[string], `SELECT te.slug FROM team_members tm JOIN teams te ON te.id = tm.team_id
		WHERE tm.organization_id = $1 AND tm.user_id = $2 AND te.privacy = 'visible' ORDER BY te.slug`, organization, user)
}

// TeamsOfUser returns the slugs and the ids of the teams of an organization that a user is in.
func (tx Tx) TeamsOfUser(organization domain.OrganizationID, user domain.UserID) ([]string, error) {
	var names []string
	err := tx.Query(
		`SELECT te.slug, te.id FROM team_members tm JOIN teams te ON te.id = tm.team_id WHERE tm.organization_id = $1
			AND tm.user_id = $2`,
		func(r *db.Row) error {
			names = append(names, r.Text(), r.Text())
			return nil
		}, organization, user)
	return names, err
}

// JobTeams are the visible teams that a job knows of.
type JobTeams struct{ Creator, Pipeline, Unblocker []string }

// JobTeams returns the slugs of the visible teams that the people of a build are in, and of those that have access to
// its pipeline.
func (tx Tx) JobTeams(x JobContext) (t JobTeams, err error) {
	lists := map[string]*[]string{"creator": &t.Creator, "pipeline": &t.Pipeline, "unblocker": &t.Unblocker}
	err = tx.Query(jobTeams, func(r *db.Row) error {
		list := lists[r.Text()]
		*list = append(*list, r.Text())
		return nil
	}, x.OrganizationID, x.Creator.ID, x.Unblocker.ID, x.PipelineID)
	return t, err
}

const jobTeams = `SELECT 'creator', te.slug FROM team_members tm JOIN teams te ON te.id = tm.team_id
		WHERE tm.organization_id = $1 AND tm.user_id = $2 AND te.privacy = 'visible'
	UNION ALL SELECT 'unblocker', te.slug FROM team_members tm JOIN teams te ON te.id = tm.team_id
		WHERE tm.organization_id = $1 AND tm.user_id = $3 AND te.privacy = 'visible'
	UNION ALL SELECT 'pipeline', te.slug FROM team_pipelines tp JOIN teams te ON te.id = tp.team_id
		WHERE tp.pipeline_id = $4 AND te.privacy = 'visible'
	ORDER BY 1, 2`
