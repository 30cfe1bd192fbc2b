package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	pipelineColumns = `p.id, p.organization_id, p.slug, p.name, p.description, p.repository, p.cluster_id, p.configuration, p.default_branch,
		p.branch_configuration, p.visibility, p.tags, p.emoji, p.color, p.env, p.skip_queued_branch_builds, p.skip_queued_branch_builds_filter,
		p.cancel_running_branch_builds, p.cancel_running_branch_builds_filter, p.default_command_step_timeout, p.maximum_command_step_timeout,
		p.allow_rebuilds, p.next_build_number, p.created_at, p.archived_at, ` + creatorColumns + `, ab.id, ab.name, ab.email, ab.created_at`
	pipelineUsers = `LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by`
)

// managesPipeline returns the condition that a user, whose id the argument is in SQL, manages a pipeline p: they made it, or a team of
// theirs has manage access to it.
func managesPipeline(user string) string {
	return `(p.created_by = ` + user + ` OR EXISTS (SELECT 1 FROM team_pipelines tp
		JOIN team_members tm ON tm.team_id = tp.team_id AND tm.user_id = ` + user + `
		WHERE tp.pipeline_id = p.id AND tp.access_level = '` + string(domain.PipelineManageBuildAndRead) + `'))`
}

func scanPipeline(r *db.Row) domain.PipelineView {
	p := domain.PipelineView{Pipeline: domain.Pipeline{
		ID:                  domain.PipelineID(r.Text()),
		OrganizationID:      domain.OrganizationID(r.Text()),
		Slug:                r.Text(),
		Name:                r.Text(),
		Description:         r.NullText(),
		Repository:          r.Text(),
		ClusterID:           nullID[domain.ClusterID](r),
		Configuration:       r.Text(),
		DefaultBranch:       r.NullText(),
		BranchConfiguration: r.NullText(),
		Visibility:          domain.PipelineVisibility(r.Text()),
		Tags:                scanJSON[[]string](r),
		Emoji:               r.NullText(),
		Color:               r.NullText(),
		Env:                 scanJSON[map[string]string](r),

		SkipQueuedBranchBuilds:          r.Bool(),
		SkipQueuedBranchBuildsFilter:    r.NullText(),
		CancelRunningBranchBuilds:       r.Bool(),
		CancelRunningBranchBuildsFilter: r.NullText(),
		DefaultCommandStepTimeout:       nullInt(r),
		MaximumCommandStepTimeout:       nullInt(r),
		AllowRebuilds:                   r.Bool(),
		NextBuildNumber:                 r.Int(),
		CreatedAt:                       r.Time(),
		ArchivedAt:                      r.NullTime(),
	}}
	p.CreatedBy = scanNullUser(r)
	p.ArchivedBy = scanNullUser(r)
	return p
}

// scanJSON reads JSON that toJSON wrote; an empty list or object is nil.
func scanJSON[T any](r *db.Row) (v T) {
	if text := r.Text(); len(text) > len("[]") {
		_ = json.Unmarshal([]byte(text), &v)
	}
	return v
}

func toJSON(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	return string(text), err
}

func nullInt(r *db.Row) *int64 {
	if r.Null() {
		r.Skip(1)
		return nil
	}
	n := r.Int()
	return &n
}

// InPipeline is what a request about a pipeline depends on.
type InPipeline struct {
	authz.Identity
	Facts    authz.Facts
	Pipeline domain.PipelineView // zero when the organization has no such pipeline
}

func inPipelineBy(column string) [len(identities)]string {
	return perCredential(func(identity identitySQL) string {
		return `SELECT ` + identity.columns + `, ` + managesPipeline(`t.user_id`) + `, ` + pipelineColumns + ` FROM ` + identity.tables + `
			LEFT JOIN pipelines p ON p.organization_id = o.id AND ` + column + ` = $3 ` + pipelineUsers + `
			WHERE t.hash = $1`
	})
}

var selectInPipelineBySlug, selectInPipelineByID = inPipelineBy(`p.slug`), inPipelineBy(`p.id`)

// InPipeline returns the identity that a credential proves together with the pipeline of its organization that has the id, or,
// if that is "", the slug.
func (tx Tx) InPipeline(c authz.Credential, organization, slug string, id domain.PipelineID) (InPipeline, bool, error) {
	sql, key := selectInPipelineBySlug, slug
	if id != "" {
		sql, key = selectInPipelineByID, string(id)
	}
	return one(tx, func(r *db.Row) InPipeline {
		in := InPipeline{Identity: scanIdentity(r, c)}
		in.Facts.ManagesPipeline = r.Bool()
		in.Pipeline = scanPipeline(r)
		in.Pipeline.OrganizationSlug = in.Organization.Slug
		return in
	}, sql[c.Kind], c.Hash, organization, key)
}

// Pipelines returns a page of those of the pipelines of the caller's organization that the filter chooses, by name.
func (tx Tx) Pipelines(caller *CountedIdentity, filter domain.PipelineFilter, page domain.Page) (paged domain.Paged[domain.PipelineView], err error) {
	organization := caller.Organization
	where, args := `p.organization_id = $1`, []any{organization.ID}
	contains := func(column, part string) {
		args = append(args, "%"+likeEscapes.Replace(part)+"%")
		where += fmt.Sprintf(` AND %s LIKE $%d ESCAPE '\'`, column, len(args))
	}
	if filter.Name != "" {
		contains("p.name_key", domain.SortKey(filter.Name))
	}
	if filter.Repository != "" {
		contains("lower(p.repository)", domain.LowerASCII(filter.Repository))
	}
	filtered := len(args) > 1
	if paged.Total = caller.Counts.Pipelines; filtered {
		paged.Total, _, err = one(tx, (*db.Row).Int, `SELECT count(*) FROM pipelines p WHERE `+where, args...)
	}
	direction, size, offset := nearer(page, paged.Total)
	if err != nil || size <= 0 {
		return paged, err
	}
	order := ` ORDER BY p.name_key` + direction + `, p.id` + direction
	limited := fmt.Sprintf(` WHERE %s%s%s OFFSET $%d`, where, order, limit(size), len(args)+1)
	rows := `FROM pipelines p ` + pipelineUsers + limited
	if filtered || offset > 0 {
		// What is passed over is passed over in an index; only the page's own rows are read.
		rows = `FROM (SELECT p.id FROM pipelines p` + limited + `) page JOIN pipelines p ON p.id = page.id ` + pipelineUsers + order
	}
	paged.Items, err = all(tx, func(r *db.Row) domain.PipelineView {
		p := scanPipeline(r)
		p.OrganizationSlug = organization.Slug
		return p
	}, `SELECT `+pipelineColumns+` `+rows, append(args, offset)...)
	if direction != `` {
		slices.Reverse(paged.Items)
	}
	return paged, err
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// HasPipeline reports whether an organization has a pipeline with that slug.
func (tx Tx) HasPipeline(organization domain.OrganizationID, slug string) (bool, error) {
	return tx.has(`SELECT 1 FROM pipelines WHERE organization_id = $1 AND slug = $2`, organization, slug)
}

// InsertPipeline stores a new pipeline; the transaction has locked its cluster. It returns an Invalid error if its slug is
// taken.
func (tx Tx) InsertPipeline(p domain.Pipeline, by domain.UserID) error {
	tags, env, err := pipelineLists(p)
	if err != nil {
		return err
	}
	err = tx.exec(`INSERT INTO pipelines (id, organization_id, slug, name, name_key, description, repository, cluster_id, configuration,
			default_branch, branch_configuration, visibility, tags, emoji, color, env,
			skip_queued_branch_builds, skip_queued_branch_builds_filter, cancel_running_branch_builds, cancel_running_branch_builds_filter,
			default_command_step_timeout, maximum_command_step_timeout, allow_rebuilds, next_build_number, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`,
		p.ID, p.OrganizationID, p.Slug, p.Name, domain.SortKey(p.Name), p.Description, p.Repository, p.ClusterID, p.Configuration,
		p.DefaultBranch, p.BranchConfiguration, p.Visibility, tags, p.Emoji, p.Color, env,
		p.SkipQueuedBranchBuilds, p.SkipQueuedBranchBuildsFilter, p.CancelRunningBranchBuilds, p.CancelRunningBranchBuildsFilter,
		p.DefaultCommandStepTimeout, p.MaximumCommandStepTimeout, p.AllowRebuilds, p.NextBuildNumber, db.Micros(p.CreatedAt), nullUser(by))
	if err != nil {
		return taken(err, "slug", domain.SlugTaken)
	}
	return tx.addToCounts(p.OrganizationID, domain.OrganizationCounts{Pipelines: 1})
}

// UpdatePipeline stores the pipeline's changed state; the transaction has locked the cluster that it is newly assigned to.
// WasArchived says whether it was archived until now. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdatePipeline(p domain.PipelineView, wasArchived bool) error {
	tags, env, err := pipelineLists(p.Pipeline)
	if err != nil {
		return err
	}
	var archivedAt, archivedBy any
	if p.ArchivedAt != nil {
		archivedAt = db.Micros(*p.ArchivedAt)
	}
	if p.ArchivedBy != nil {
		archivedBy = p.ArchivedBy.ID
	}
	err = tx.exec(`UPDATE pipelines SET slug = $2, name = $3, name_key = $4, description = $5, repository = $6, cluster_id = $7, configuration = $8,
			default_branch = $9, branch_configuration = $10, visibility = $11, tags = $12, emoji = $13, color = $14, env = $15,
			skip_queued_branch_builds = $16, skip_queued_branch_builds_filter = $17,
			cancel_running_branch_builds = $18, cancel_running_branch_builds_filter = $19,
			default_command_step_timeout = $20, maximum_command_step_timeout = $21, allow_rebuilds = $22, archived_at = $23, archived_by = $24, next_build_number = $25
		WHERE id = $1`, p.ID, p.Slug, p.Name, domain.SortKey(p.Name), p.Description, p.Repository, p.ClusterID, p.Configuration,
		p.DefaultBranch, p.BranchConfiguration, p.Visibility, tags, p.Emoji, p.Color, env,
		p.SkipQueuedBranchBuilds, p.SkipQueuedBranchBuildsFilter, p.CancelRunningBranchBuilds, p.CancelRunningBranchBuildsFilter,
		p.DefaultCommandStepTimeout, p.MaximumCommandStepTimeout, p.AllowRebuilds, archivedAt, archivedBy, p.NextBuildNumber)
	if err != nil || (p.ArchivedAt != nil) == wasArchived {
		return taken(err, "slug", domain.SlugTaken)
	}
	change := domain.OrganizationCounts{ArchivedPipelines: 1}
	if wasArchived {
		change.ArchivedPipelines = -1
	}
	return tx.addToCounts(p.OrganizationID, change)
}

func pipelineLists(p domain.Pipeline) (tags, env string, err error) {
	if tags, err = toJSON(p.Tags); err == nil {
		env, err = toJSON(p.Env)
	}
	return tags, env, err
}

// DeletePipeline deletes a pipeline with its teams' access to it.
func (tx Tx) DeletePipeline(p domain.Pipeline) error {
	if err := tx.exec(`DELETE FROM pipelines WHERE id = $1`, p.ID); err != nil {
		return err
	}
	change := domain.OrganizationCounts{Pipelines: -1}
	if p.ArchivedAt != nil {
		change.ArchivedPipelines = -1
	}
	return tx.addToCounts(p.OrganizationID, change)
}
