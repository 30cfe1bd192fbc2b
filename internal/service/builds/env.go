package builds

import (
	"cmp"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// surroundings reads what the variables of jobs say besides the jobs themselves. Jobs of one batch share what they have
// in common.
type surroundings struct {
	tx          store.Tx
	contexts    map[domain.BuildID]store.JobContext
	teams       map[peopleOfBuild]store.JobTeams
	cacheStores map[cacheRegistryName]string
}

type peopleOfBuild struct {
	creator, unblocker domain.UserID
	pipeline           domain.PipelineID
}

type cacheRegistryName struct {
	cluster domain.ClusterID
	slug    string
}

// surroundingsOf reads what the builds belong to.
func surroundingsOf(tx store.Tx, builds ...domain.BuildID) (*surroundings, error) {
	contexts, err := tx.JobContexts(builds)
	return &surroundings{tx: tx, contexts: contexts, teams: map[peopleOfBuild]store.JobTeams{},
		cacheStores: map[cacheRegistryName]string{}}, err
}

func (in *surroundings) teamsOf(x store.JobContext) (store.JobTeams, error) {
	people := peopleOfBuild{x.Creator.ID, x.Unblocker.ID, x.PipelineID}
	if teams, known := in.teams[people]; known {
		return teams, nil
	}
	teams, err := in.tx.JobTeams(x)
	in.teams[people] = teams
	return teams, err
}

func (in *surroundings) cacheStoreOf(cluster domain.ClusterID, slug string) (string, error) {
	name := cacheRegistryName{cluster, slug}
	if address, known := in.cacheStores[name]; known {
		return address, nil
	}
	address, err := in.tx.CacheStoreOf(cluster, slug)
	in.cacheStores[name] = address
	return address, err
}

// environment returns the variables that an agent is given for a job. Later ones win: the pipeline's, the build's,
// those of uploads, the step's, and those that say what is run.
func (s *Service) environment(in *surroundings, agent store.AgentSession, j domain.Job, b domain.Build,
	step domain.Step) (map[string]string, error) {
	x := in.contexts[b.ID]
	definition, err := step.Definition.Fill(j.Matrix)
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, layer := range []map[string]string{x.PipelineEnv, b.Env, j.UploadEnv, definition.Env} {
		maps.Copy(env, layer)
	}
	maps.Copy(env, buildVariables(s.baseURL, b, x))
	addJobVariables(env, j, step, definition)
	addCheckoutVariables(env, b, definition.Checkout)
	addAgentVariables(env, agent)
	err = in.tx.Together(
		func() error { return addPeopleVariables(in, env, b, x) },
		func() error { return addComputeVariables(in.tx, env, agent, j) },
		func() error { return addCacheVariables(in, env, b) },
		func() error { return addGroupVariables(in.tx, env, step) },
	)
	return env, err
}

// buildVariables say which build it is.
func buildVariables(baseURL string, b domain.Build, x store.JobContext) map[string]string {
	env := map[string]string{
		"CI":                                "true",
		"BUILDKITE":                         "true",
		"BUILDKITE_BUILD_ID":                string(b.ID),
		"BUILDKITE_BUILD_NUMBER":            strconv.FormatInt(b.Number, 10),
		"BUILDKITE_BUILD_URL":               baseURL + domain.BuildPath(x.OrganizationSlug, x.PipelineSlug, b.Number),
		"BUILDKITE_ORGANIZATION_ID":         string(x.OrganizationID),
		"BUILDKITE_ORGANIZATION_SLUG":       x.OrganizationSlug,
		"BUILDKITE_PIPELINE_ID":             string(x.PipelineID),
		"BUILDKITE_PIPELINE_SLUG":           x.PipelineSlug,
		"BUILDKITE_PIPELINE_NAME":           x.PipelineName,
		"BUILDKITE_PIPELINE_DEFAULT_BRANCH": x.DefaultBranch,
		"BUILDKITE_PIPELINE_PROVIDER":       "git",
		"BUILDKITE_REPO":                    x.Repository,
		"BUILDKITE_COMMIT":                  b.Commit,
		"BUILDKITE_BRANCH":                  b.Branch,
		"BUILDKITE_TAG":                     b.Tag,
		"BUILDKITE_MESSAGE":                 b.Message,
		"BUILDKITE_SOURCE":                  string(b.Source),
		"BUILDKITE_CLUSTER_NAME":            x.ClusterName,
		"BUILDKITE_CLUSTER_ID":              "",
		"BUILDKITE_COMPUTE_TYPE":            "self-hosted",
		"BUILDKITE_REBUILT_FROM_BUILD_ID":   "", "BUILDKITE_REBUILT_FROM_BUILD_NUMBER": "",
		"BUILDKITE_TRIGGERED_FROM_BUILD_ID": string(x.TriggeredFromBuild), "BUILDKITE_TRIGGERED_FROM_BUILD_NUMBER": "",
		"BUILDKITE_TRIGGERED_FROM_BUILD_PIPELINE_SLUG": x.TriggeredFromSlug,
		"BUILDKITE_PULL_REQUEST":                       "false",
		"BUILDKITE_PULL_REQUEST_BASE_BRANCH":           "",
		"BUILDKITE_PULL_REQUEST_REPO":                  "",
		"BUILDKITE_PULL_REQUEST_LABELS":                "",
	}
	if provider := (&domain.Pipeline{Repository: x.Repository}).Provider(); provider != nil {
		env["BUILDKITE_PIPELINE_PROVIDER"] = provider.ID
	}
	if x.ProviderKind != "" {
		env["BUILDKITE_PIPELINE_PROVIDER"] = string(x.ProviderKind)
	}
	addEventVariables(env, b.Event)
	if b.ClusterID != nil {
		env["BUILDKITE_CLUSTER_ID"] = string(*b.ClusterID)
	}
	if b.RebuiltFromID != nil {
		env["BUILDKITE_REBUILT_FROM_BUILD_ID"] = string(*b.RebuiltFromID)
		env["BUILDKITE_REBUILT_FROM_BUILD_NUMBER"] = strconv.FormatInt(x.RebuiltFromNumber, 10)
	}
	if x.TriggeredFromNumber > 0 {
		env["BUILDKITE_TRIGGERED_FROM_BUILD_NUMBER"] = strconv.FormatInt(x.TriggeredFromNumber, 10)
	}
	if p := b.PullRequest; p != nil {
		env["BUILDKITE_PULL_REQUEST"] = p.ID
		env["BUILDKITE_PULL_REQUEST_BASE_BRANCH"] = p.Base
		env["BUILDKITE_PULL_REQUEST_REPO"] = p.Repository
		env["BUILDKITE_PULL_REQUEST_LABELS"] = strings.Join(p.Labels, ",")
		if p.Draft {
			env["BUILDKITE_PULL_REQUEST_DRAFT"] = "true"
		}
	}
	if x.HasResolvedCommit && domain.IsFullCommit(b.Commit) {
		env["BUILDKITE_COMMIT_RESOLVED"] = "true"
	}
	return env
}

// addEventVariables say what was delivered that the build was made for.
func addEventVariables(env map[string]string, e *domain.BuildEvent) {
	if e == nil {
		return
	}
	env["BUILDKITE_GITHUB_EVENT"], env["BUILDKITE_GITHUB_ACTION"] = e.Name, e.Action
	if e.Refspec != "" {
		env["BUILDKITE_REFSPEC"] = e.Refspec
	}
	if q := e.MergeQueue; q != nil {
		env["BUILDKITE_MERGE_QUEUE_BASE_BRANCH"], env["BUILDKITE_MERGE_QUEUE_BASE_COMMIT"] = q.BaseBranch, q.BaseCommit
	}
}

// addJobVariables say which job it is.
func addJobVariables(env map[string]string, j domain.Job, step domain.Step, definition steps.Step) {
	env["BUILDKITE_JOB_ID"] = string(j.ID)
	env["BUILDKITE_STEP_ID"] = string(step.ID)
	env["BUILDKITE_STEP_KEY"] = text(step.Key)
	env["BUILDKITE_LABEL"] = j.Label
	env["BUILDKITE_COMMAND"] = j.Command
	env["BUILDKITE_RETRY_COUNT"] = strconv.FormatInt(j.RetriesCount, 10)
	env["BUILDKITE_TIMEOUT"] = "false"
	if j.Timeout != nil {
		env["BUILDKITE_TIMEOUT"] = strconv.FormatInt(*j.Timeout, 10)
	}
	if definition.ArtifactPaths != "" {
		env["BUILDKITE_ARTIFACT_PATHS"] = definition.ArtifactPaths
	}
	if definition.Plugins != nil {
		env["BUILDKITE_PLUGINS"] = string(definition.Plugins)
	}
	if definition.Image != "" {
		env["BUILDKITE_IMAGE"] = definition.Image
	}
	if j.ParallelTotal > 0 {
		env["BUILDKITE_PARALLEL_JOB"] = strconv.FormatInt(j.ParallelIndex, 10)
		env["BUILDKITE_PARALLEL_JOB_COUNT"] = strconv.FormatInt(j.ParallelTotal, 10)
	}
}

func text[S ~string](value *S) string {
	if value == nil {
		return ""
	}
	return string(*value)
}

// addCheckoutVariables say how to get the code.
func addCheckoutVariables(env map[string]string, b domain.Build, c steps.Checkout) {
	if b.CleanCheckout {
		env["BUILDKITE_CLEAN_CHECKOUT"] = "true"
	}
	setFlag := func(name string, flag *bool) {
		if flag != nil {
			env[name] = strconv.FormatBool(*flag)
		}
	}
	setText := func(name, value string) {
		if value != "" {
			env[name] = value
		}
	}
	setFlag("BUILDKITE_SKIP_CHECKOUT", c.Skip)
	setFlag("BUILDKITE_GIT_SUBMODULES", c.Submodules)
	setFlag("BUILDKITE_GIT_LFS_ENABLED", c.LFS)
	clone, fetch := c.CloneFlags, c.FetchFlags
	if c.Depth != nil {
		depth := "--depth=" + strconv.Itoa(*c.Depth)
		clone, fetch = strings.TrimSpace(clone+" "+depth), strings.TrimSpace(fetch+" "+depth)
	}
	setText("BUILDKITE_GIT_CLONE_FLAGS", clone)
	setText("BUILDKITE_GIT_FETCH_FLAGS", fetch)
	setText("BUILDKITE_GIT_CHECKOUT_FLAGS", c.CheckoutFlags)
	setText("BUILDKITE_GIT_CLEAN_FLAGS", c.CleanFlags)
	setText("BUILDKITE_GIT_SPARSE_CHECKOUT_PATHS", strings.Join(c.SparsePaths, ","))
	setText("BUILDKITE_GIT_COMMIT_VERIFICATION", c.CommitVerification)
}

// addPeopleVariables say who is behind the build.
func addPeopleVariables(in *surroundings, env map[string]string, b domain.Build, x store.JobContext) error {
	teams, err := in.teamsOf(x)
	if err != nil {
		return err
	}
	env["BUILDKITE_BUILD_AUTHOR"], env["BUILDKITE_BUILD_AUTHOR_EMAIL"] = b.Author.Name, b.Author.Email
	env["BUILDKITE_BUILD_CREATOR"], env["BUILDKITE_BUILD_CREATOR_EMAIL"] = x.Creator.Name, x.Creator.Email
	env["BUILDKITE_BUILD_CREATOR_TEAMS"] = strings.Join(teams.Creator, ":")
	env["BUILDKITE_PIPELINE_TEAMS"] = strings.Join(teams.Pipeline, ":")
	if u := x.Unblocker; u.ID != "" {
		env["BUILDKITE_UNBLOCKER"], env["BUILDKITE_UNBLOCKER_EMAIL"], env["BUILDKITE_UNBLOCKER_ID"] = u.Name, u.Email,
			string(u.ID)
		env["BUILDKITE_UNBLOCKER_TEAMS"] = strings.Join(teams.Unblocker, ":")
	}
	return nil
}

// addGroupVariables say which group the step is in.
func addGroupVariables(tx store.Tx, env map[string]string, step domain.Step) error {
	if step.GroupID == nil {
		return nil
	}
	group, _, err := tx.Step(*step.GroupID)
	env["BUILDKITE_GROUP_ID"], env["BUILDKITE_GROUP_KEY"], env["BUILDKITE_GROUP_LABEL"] = string(group.ID),
		text(group.Key), group.Label
	return err
}

// addComputeVariables say whose machines the queue of the job has.
func addComputeVariables(tx store.Tx, env map[string]string, agent store.AgentSession, j domain.Job) error {
	if j.QueueID == nil {
		return nil
	}
	isHosted := agent.QueueHosted
	if agent.Queue == nil || *agent.Queue != *j.QueueID { // it has acquired the job, or there is none
		queue, _, err := tx.QueueByID(*j.QueueID)
		if err != nil {
			return err
		}
		isHosted = queue.Hosted
	}
	if isHosted {
		env["BUILDKITE_COMPUTE_TYPE"] = "hosted"
	}
	return nil
}

// cacheStoreVariable says where the agent stores cache entries.
const cacheStoreVariable = "BUILDKITE_AGENT_CACHE_STORE_URL"

// addCacheVariables say where the entries are of the cache registry that the job uses: the one that it names, or else
// its cluster's default one. What the job itself says stays.
func addCacheVariables(in *surroundings, env map[string]string, b domain.Build) error {
	slug := cmp.Or(env["BUILDKITE_AGENT_CACHE_REGISTRY"], domain.DefaultCacheRegistryRef)
	if _, isSet := env[cacheStoreVariable]; isSet || b.ClusterID == nil || !domain.ValidText(slug) {
		return nil
	}
	address, err := in.cacheStoreOf(*b.ClusterID, slug)
	if address != "" {
		env[cacheStoreVariable] = address
	}
	return err
}

var notInVariable = regexp.MustCompile(`[^A-Z0-9_]`)

// addAgentVariables say which agent runs the job.
func addAgentVariables(env map[string]string, agent store.AgentSession) {
	env["BUILDKITE_AGENT_ID"], env["BUILDKITE_AGENT_NAME"] = string(agent.Agent), agent.Name
	for _, tag := range agent.Tags {
		name, value, _ := strings.Cut(tag, "=")
		env["BUILDKITE_AGENT_META_DATA_"+notInVariable.ReplaceAllString(strings.ToUpper(name), "_")] = value
	}
}
