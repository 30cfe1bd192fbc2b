package read

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Builds returns builds.
func (r *Snapshot) Builds(ids []domain.BuildID) ([]*domain.BuildView, error) {
	return findVisible(r, store.BuildRows, ids)
}

// BuildByNumber returns a build of a pipeline; nil if the caller sees none of that number.
func (r *Snapshot) BuildByNumber(organization, pipeline string, number int64) (*domain.BuildView, error) {
	o, err := r.OrganizationBySlug(organization)
	if err != nil || o == nil {
		return nil, err
	}
	id, found, err := r.tx.PipelineIDBySlug(o.ID, core.LookupSlug(pipeline))
	if err != nil || !found {
		return nil, err
	}
	build, found, err := r.tx.BuildIDByNumber(id, number)
	if err != nil || !found {
		return nil, err
	}
	return only(r.Builds([]domain.BuildID{build}))
}

// Jobs returns jobs.
func (r *Snapshot) Jobs(ids []domain.JobID) ([]*domain.JobView, error) {
	return findVisible(r, store.JobRows, ids)
}

// JobEvents returns what happened to jobs.
func (r *Snapshot) JobEvents(ids []string) ([]*domain.JobEventView, error) {
	found, err := r.tx.JobsOfEvents(distinct(ids))
	if err != nil {
		return nil, err
	}
	jobs, err := r.Jobs(found)
	if err != nil {
		return nil, err
	}
	visible := slices.DeleteFunc(jobs, func(j *domain.JobView) bool { return j == nil })
	pages, err := store.EventsOfJobs().Read(r.tx, r.viewer(), textsOf(distinct(jobIDs(visible))),
		store.Range{Limit: math.MaxInt})
	if err != nil {
		return nil, err
	}
	perID := map[string]*domain.JobEventView{}
	for _, e := range slices.Concat(pages...) {
		perID[e.ID] = e
	}
	return inOrder(ids, perID), nil
}

// Agents returns agents, those that are gone too.
func (r *Snapshot) Agents(ids []domain.AgentID) ([]*domain.AgentView, error) {
	return findVisible(r, store.AgentRows, ids)
}

// BuildsOfPipelines returns the builds of pipelines, the newest first.
func (r *Snapshot) BuildsOfPipelines(pipelines []*domain.PipelineView, filter domain.BuildFilter, part ConnectionPart) (
	[]*Connection[*domain.BuildView], error) {
	if err := filter.Check(); err != nil {
		return nil, err
	}
	return connect(r, store.BuildsOfPipelines(filter), pipelineIDs(pipelines), part)
}

// maxEntered is how many organizations builds of users are looked for in.
const maxEntered = 500

// BuildsOfUsers returns the builds that users created in organizations that the caller may use, the newest first.
func (r *Snapshot) BuildsOfUsers(users []*domain.User, filter domain.BuildFilter, part ConnectionPart) (
	[]*Connection[*domain.BuildView], error) {
	if err := filter.Check(); err != nil {
		return nil, err
	}
	suspended, err := r.suspendedOrganizations()
	if err != nil {
		return nil, err
	}
	list := store.AccessibleOrganizations(r.actor.Credential, &r.caller, suspended)
	caller := cmp.Or(string(r.caller.Portal.ID), string(r.caller.User.ID))
	memberships, err := list.Read(r.tx, r.viewer(), []string{caller}, store.Range{Limit: maxEntered})
	if err != nil {
		return nil, err
	}
	organizations, err := r.Admitted(memberships[0])
	if err != nil {
		return nil, err
	}
	organizations = slices.DeleteFunc(organizations,
		func(o *Organization) bool { return o == nil || !o.may(authz.ReadBuild, authz.Facts{}) })
	ids := make([]domain.UserID, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	return connect(r, store.BuildsOfUsers(permittedOrganizations(organizations, authz.ReadBuild), filter), ids, part)
}

// JobsOfOrganizations returns the jobs of organizations.
func (r *Snapshot) JobsOfOrganizations(organizations []*Organization, search domain.JobSearch, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.JobView], error) {
	return connect(r, store.JobsOfOrganizations(search, order), permittedOrganizations(organizations, authz.ReadBuild),
		part)
}

// JobsOfPipelines returns the jobs of pipelines.
func (r *Snapshot) JobsOfPipelines(pipelines []*domain.PipelineView, search domain.JobSearch, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.JobView], error) {
	return connect(r, store.JobsOfPipelines(search, order), pipelineIDs(pipelines), part)
}

// JobsOfBuilds returns the jobs of builds.
func (r *Snapshot) JobsOfBuilds(builds []*domain.BuildView, search domain.JobSearch, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.JobView], error) {
	return connect(r, store.JobsSearchedInBuilds(search, order), buildIDs(builds), part)
}

// JobsOfAgents returns the jobs that agents have run, or run.
func (r *Snapshot) JobsOfAgents(agents []*domain.AgentView, search domain.JobSearch, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.JobView], error) {
	ids := make([]domain.AgentID, len(agents))
	for i, a := range agents {
		ids[i] = a.ID
	}
	return connect(r, store.JobsOfAgents(search, order), ids, part)
}

// AgentsOf returns the agents of organizations that are connected, the newest first.
func (r *Snapshot) AgentsOf(organizations []*Organization, search domain.AgentSearch, part ConnectionPart) (
	[]*Connection[*domain.AgentView], error) {
	return connect(r, store.ConnectedAgents(search, r.core.Now()), permittedOrganizations(organizations, authz.ReadAgent),
		part)
}

// MetaDataOf returns the meta-data of builds, by key: up to MaxMetaDataPage at once.
func (r *Snapshot) MetaDataOf(builds []*domain.BuildView, part ConnectionPart) (
	[]*Connection[*domain.MetaDataItem], error) {
	part.max = MaxMetaDataPage
	return connect(r, store.MetaDataOf(), buildIDs(builds), part)
}

// Annotations returns annotations. Whoever sees a build sees what is shown with it and with its jobs.
func (r *Snapshot) Annotations(ids []domain.AnnotationID) ([]*domain.Annotation, error) {
	return findVisible(r, store.AnnotationRows, ids)
}

// AnnotationsOfBuilds returns the annotations of builds and of their jobs.
func (r *Snapshot) AnnotationsOfBuilds(builds []*domain.BuildView, filter domain.AnnotationFilter, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.Annotation], error) {
	return connect(r, store.AnnotationsOfBuilds(filter, order), buildIDs(builds), part)
}

// AnnotationsOfJobs returns the annotations that are shown with jobs.
func (r *Snapshot) AnnotationsOfJobs(jobs []*domain.JobView, filter domain.AnnotationFilter, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.Annotation], error) {
	return connect(r, store.AnnotationsOfJobs(filter, order), jobIDs(jobs), part)
}

// Artifacts returns artifacts, those that are gone too.
func (r *Snapshot) Artifacts(ids []domain.ArtifactID) ([]*domain.ArtifactView, error) {
	return findVisible(r, store.ArtifactRows, ids)
}

// ArtifactsOfJobs returns the artifacts of jobs, by their paths: up to all of a job's at once.
func (r *Snapshot) ArtifactsOfJobs(jobs []*domain.JobView, filter domain.ArtifactFilter, part ConnectionPart) (
	[]*Connection[*domain.ArtifactView], error) {
	if err := filter.Check(); err != nil {
		return nil, err
	}
	part.max = domain.MaxArtifactsOfJob
	return connect(r, store.ArtifactsOfJobs(filter), jobIDs(jobs), part)
}

func buildIDs(builds []*domain.BuildView) []domain.BuildID {
	ids := make([]domain.BuildID, len(builds))
	for i, b := range builds {
		ids[i] = b.ID
	}
	return ids
}

// EventsOfJobs returns what happened to jobs, the first first.
func (r *Snapshot) EventsOfJobs(jobs []*domain.JobView, part ConnectionPart) (
	[]*Connection[*domain.JobEventView], error) {
	return connect(r, store.EventsOfJobs(), jobIDs(jobs), part)
}

func jobIDs(jobs []*domain.JobView) []domain.JobID {
	ids := make([]domain.JobID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// StepsOfJobs returns the steps that jobs are of. The jobs keep them.
func (r *Snapshot) StepsOfJobs(jobs []*domain.JobView) ([]*domain.StepView, error) {
	var unknown []domain.StepID
	for _, j := range jobs {
		if j.Step == nil {
			unknown = append(unknown, j.StepID)
		}
	}
	if len(unknown) > 0 {
		found, err := r.tx.StepViews(textsOf(distinct(unknown)))
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			if j.Step == nil {
				j.Step = found[j.StepID]
			}
		}
	}
	steps := make([]*domain.StepView, len(jobs))
	for i, j := range jobs {
		steps[i] = j.Step
	}
	return steps, nil
}

// DependenciesOf returns what steps wait for.
func (r *Snapshot) DependenciesOf(steps []*domain.StepView, part ConnectionPart) (
	[]*Connection[*domain.DependencyView], error) {
	ids := make([]domain.StepID, len(steps))
	for i, s := range steps {
		ids[i] = s.ID
	}
	return connect(r, store.DependenciesOfSteps(), ids, part)
}

// RetriersOf returns who ran jobs again; nil for a job that nobody did.
func (r *Snapshot) RetriersOf(jobs []*domain.JobView) ([]*domain.User, error) {
	var retried []domain.JobID
	for _, j := range jobs {
		if j.RetriedByID != nil {
			retried = append(retried, j.ID)
		}
	}
	retriers, err := r.tx.RetriersOf(distinct(retried))
	if err != nil {
		return nil, err
	}
	ids := make([]domain.UserID, len(jobs))
	for i, j := range jobs {
		ids[i] = retriers[j.ID]
	}
	return r.Users(ids)
}

// maxEnvs is of how many jobs the environment is read at most: each takes several statements.
const maxEnvs = 100

// EnvOfJobs returns the environment variables of jobs, such as A=1, by their names. Jobs that no agent runs have none.
//
// Returns Invalid if the snapshot is asked for those of more than 100 jobs.
func (r *Snapshot) EnvOfJobs(jobs []*domain.JobView) ([][]string, error) {
	if r.envs += len(jobs); r.envs > maxEnvs {
		return nil, domain.NewError(domain.Invalid, "The environment of at most 100 jobs can be read at once")
	}
	allowed, err := permitted(r, jobs, authz.ReadJobEnv, func(j *domain.JobView) (domain.OrganizationID, authz.Facts) {
		return j.OrganizationID, authz.Facts{}
	})
	if err != nil {
		return nil, err
	}
	all := make([][]string, len(jobs))
	for i, j := range jobs {
		if !allowed[i] {
			continue
		}
		env, err := r.core.JobEnv(r.tx, j.ID)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			all[i] = append(all[i], name+"="+env[name])
		}
	}
	return all, nil
}

// JobsWithAgents returns the jobs that agents have now; nil for an agent without one.
func (r *Snapshot) JobsWithAgents(agents []*domain.AgentView) ([]*domain.JobView, error) {
	if err := r.tx.AddAgentJobs(agents); err != nil {
		return nil, err
	}
	perID := make(map[domain.AgentID]*domain.JobView, len(agents))
	for _, a := range agents {
		if a.Job != nil { // an agent may be there twice
			perID[a.ID] = a.Job
		}
	}
	jobs := make([]*domain.JobView, len(agents))
	for i, a := range agents {
		jobs[i] = perID[a.ID]
	}
	return jobs, nil
}

// ArePaused reports which agents are paused now.
func (r *Snapshot) ArePaused(agents []*domain.AgentView) ([]bool, error) {
	now := r.core.Now()
	flags := make([]bool, len(agents))
	for i, a := range agents {
		flags[i] = a.IsPaused(now)
	}
	return flags, nil
}
