package rest

import (
	"maps"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) pipelineEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/pipelines", Operation: "listPipelines",
			Summary: "Lists an organization's pipelines, by name, archived ones too.",
			Scope:   domain.ScopeReadPipelines, Answer: []pipelineAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: []endpoint.QueryParameter{
				{Name: "name", Doc: "Only pipelines whose name has this in it, in any case."},
				{Name: "repository", Doc: "Only pipelines whose repository has this in it, in any case."},
			},
			Handle: func(c *endpoint.Call) (any, error) {
				query, _ := c.Query() // paged reports one that can't be read
				filter := domain.PipelineFilter{Name: query.Get("name"), RepositoryPart: query.Get("repository")}
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PipelineView], error) {
					return a.Service.Pipelines(c.Context(), c.Actor(), c.Path("org"), filter, page)
				}, a.showPipeline)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/pipelines", Operation: "createPipeline",
			Summary: "Creates a pipeline.",
			Scope:   domain.ScopeWritePipelines, Body: pipelineBody{}, Answer: pipelineAnswer{}, Status: http.StatusCreated,
			Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.CreatePipeline(c.Context(), c.Actor(), organizationRef(c), readBody(c, pipelineBody.input))
				return a.showPipeline(p), err
			},
		},
		{
			Method: http.MethodGet, Path: inPipeline, Operation: "getPipeline", Summary: "Gets a pipeline.",
			Scope: domain.ScopeReadPipelines, Answer: pipelineAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.Pipeline(c.Context(), c.Actor(), pipelineRef(c))
				return a.showPipeline(p), err
			},
		},
		{
			Method: http.MethodPatch, Path: inPipeline, Operation: "updatePipeline", Summary: "Changes a pipeline. Another " +
				"name makes another slug, unless one is given. The old one finds the pipeline until another pipeline takes it.",
			Scope: domain.ScopeWritePipelines, Body: pipelineBody{}, Answer: pipelineAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.UpdatePipeline(c.Context(), c.Actor(), pipelineRef(c),
					readBody(c, pipelineBody.input), requireMatch(c, a.showPipeline))
				return a.showPipeline(p), err
			},
		},
		{
			Method: http.MethodDelete, Path: inPipeline, Operation: "deletePipeline", Summary: "Deletes a pipeline.",
			Scope: domain.ScopeWritePipelines, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.DeletePipeline(c.Context(), c.Actor(), pipelineRef(c), requireMatch(c, a.showPipeline))
				return nil, err
			},
		},
		{
			Method: http.MethodPost, Path: inPipeline + "/archive", Operation: "archivePipeline",
			Summary: "Archives a pipeline. An archived pipeline does not keep its cluster from being deleted.",
			Scope:   domain.ScopeWritePipelines, Answer: pipelineAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.ArchivePipeline(c.Context(), c.Actor(), pipelineRef(c))
				return a.showPipeline(p), err
			},
		},
		{
			Method: http.MethodPost, Path: inPipeline + "/unarchive", Operation: "unarchivePipeline",
			Summary: "Takes a pipeline out of the archive.",
			Scope:   domain.ScopeWritePipelines, Answer: pipelineAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.UnarchivePipeline(c.Context(), c.Actor(), pipelineRef(c))
				return a.showPipeline(p), err
			},
		},
	}
}

func pipelineRef(c *endpoint.Call) domain.PipelineRef {
	return domain.PipelineRef{Organization: organizationRef(c), Slug: c.Path("pipeline")}
}

type pipelineBody struct {
	Name                              domain.Optional[string]            `json:"name" required:"create" doc:"1 to 255 characters. The slug comes from it, unless you give one."`
	Slug                              domain.Optional[string]            `json:"slug" doc:"The pipeline's name in URLs: 1 to 100 of a-z and 0-9, with single hyphens inside, unique in the organization. If null, it comes from the name. The old one finds the pipeline until another pipeline takes it."`
	Description                       domain.Optional[string]            `json:"description" doc:"At most 10,000 characters. Null for none."`
	Repository                        domain.Optional[string]            `json:"repository" required:"create" doc:"The address of the repository, at most 2,000 characters. Jobs get it as it is, and members can read the environment of a job, so keep secrets elsewhere."`
	ClusterID                         domain.Optional[string]            `json:"cluster_id" doc:"A cluster of the organization. Null or empty for none; for a new pipeline, left out too, for the organization's default cluster."`
	Configuration                     domain.Optional[string]            `json:"configuration" doc:"The steps, in YAML, at most 256 KiB. Null for none."`
	Steps                             domain.Optional[[]jsontext.Value]  `json:"steps" doc:"The steps as a list, instead of a configuration, which is made of them. They are kept as they are given. They can't replace a configuration that has more than steps."`
	Visibility                        domain.Optional[string]            `json:"visibility" nullable:"false" enum:"private,public" doc:"Who can see the pipeline: members of the organization, or everybody. For now, only members can see public ones, too."`
	Tags                              domain.Optional[[]string]          `json:"tags" doc:"At most 50 tags of at most 100 characters. Null for none."`
	Emoji                             domain.Optional[string]            `json:"emoji" doc:"An emoji's name between colons, such as :rocket:. Null for none."`
	Color                             domain.Optional[string]            `json:"color" pattern:"^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$" doc:"# and 3 or 6 hexadecimal digits. Null for none."`
	Env                               domain.Optional[map[string]string] `json:"env" doc:"At most 200 environment variables for builds, of 64 KiB in all. They replace the existing ones. Null for none. Jobs get them, and members can read the environment of a job, so keep secrets elsewhere."`
	domain.PipelineBuildSettingsInput `json:",inline"`
	domain.PipelineJobSettingsInput   `json:",inline"`
	ProviderSettings                  domain.Optional[jsontext.Value]    `json:"provider_settings" schema:"ProviderSettings" doc:"Settings for the service that hosts the repository, by their names. Those that are left out stay as they are; null takes one away, and so does an empty match mode. They are kept as they are given; an empty trigger_mode means code."`
	CloneMirrorURL                    domain.Optional[string]            `json:"clone_mirror_url" doc:"An address that agents clone from first, at most 2,000 characters, without credentials, ? and #. Null or empty for none."`
	PipelineTemplateUUID              domain.Optional[string]            `json:"pipeline_template_uuid" doc:"A pipeline template whose steps the pipeline is to follow. Its configuration can't be changed then. Null or empty for none."`
	Teams                             domain.Optional[map[string]string] `json:"teams" doc:"Only for a new pipeline: at most 100 teams of the organization, by their UUIDs, with the access that they are to have: read_only, build_and_read or manage_build_and_read."`
	TeamUUIDs                         domain.Optional[[]string]          `json:"team_uuids" doc:"Only for a new pipeline: at most 100 teams of the organization that are to manage it."`
}

func (b pipelineBody) input() domain.PipelineInput {
	return domain.PipelineInput{
		Name:                       b.Name,
		Slug:                       b.Slug,
		Repository:                 b.Repository,
		ClusterID:                  b.ClusterID,
		Configuration:              b.Configuration,
		Steps:                      b.Steps,
		Visibility:                 b.Visibility,
		Tags:                       b.Tags,
		LookInput:                  domain.LookInput{Description: b.Description, Emoji: b.Emoji, Color: b.Color},
		Env:                        b.Env,
		PipelineBuildSettingsInput: b.PipelineBuildSettingsInput,
		PipelineJobSettingsInput:   b.PipelineJobSettingsInput,
		ProviderSettings: domain.Optional[[]byte]{Value: b.ProviderSettings.Value,
			Given: b.ProviderSettings.Given, Null: b.ProviderSettings.Null},
		CloneMirrorURL:     b.CloneMirrorURL,
		PipelineTemplateID: b.PipelineTemplateUUID,
		Teams:              b.teams(),
	}
}

func (b pipelineBody) teams() (teams domain.Optional[[]domain.PipelineTeamInput]) {
	if !b.TeamUUIDs.HasValue() && !b.Teams.HasValue() {
		return teams
	}
	teams.Given = true
	for _, id := range b.TeamUUIDs.Value {
		teams.Value = append(teams.Value, domain.PipelineTeamInput{ID: id, AccessLevel: domain.PipelineManageBuildAndRead})
	}
	for _, id := range slices.Sorted(maps.Keys(b.Teams.Value)) {
		teams.Value = append(teams.Value, domain.PipelineTeamInput{ID: id,
			AccessLevel: domain.PipelineAccessLevel(b.Teams.Value[id])})
	}
	return teams
}

// pipelineSummary is what a pipeline shows of itself everywhere, in its builds too.
type pipelineSummary struct {
	ID                           domain.PipelineID         `json:"id" format:"uuid" doc:"The pipeline's UUID."`
	GraphQLID                    string                    `json:"graphql_id" doc:"The pipeline's ID in the GraphQL API."`
	URL                          string                    `json:"url" format:"uri" doc:"The pipeline in this API."`
	WebURL                       string                    `json:"web_url" format:"uri" doc:"The pipeline in the web interface."`
	Name                         string                    `json:"name" doc:"The pipeline's name."`
	Slug                         string                    `json:"slug" doc:"The pipeline's name in URLs. Unique in the organization."`
	Description                  *string                   `json:"description" doc:"What the pipeline is for."`
	Repository                   string                    `json:"repository" doc:"The address of the repository. Credentials in it are replaced by *** for those who may not change the pipeline, and for tokens without the write_pipelines scope."`
	ClusterID                    *domain.ClusterID         `json:"cluster_id" format:"uuid" doc:"The cluster that the pipeline belongs to."`
	ClusterURL                   *string                   `json:"cluster_url" format:"uri" doc:"That cluster in this API."`
	Visibility                   domain.PipelineVisibility `json:"visibility" enum:"private,public" doc:"Who can see the pipeline: members of the organization, or everybody. For now, only members can see public ones, too."`
	Tags                         []string                  `json:"tags" doc:"The pipeline's tags."`
	Emoji                        *string                   `json:"emoji" doc:"An emoji's name between colons."`
	Color                        *string                   `json:"color" doc:"# and 3 or 6 hexadecimal digits."`
	domain.PipelineBuildSettings `json:",inline"`
	BuildsURL                    string              `json:"builds_url" format:"uri" doc:"The pipeline's builds in this API."`
	BadgeURL                     string              `json:"badge_url" format:"uri" doc:"An image with the state of the pipeline's latest build. Anyone who knows the URL can see it."`
	CreatedAt                    endpoint.Timestamp  `json:"created_at" doc:"When the pipeline was created."`
	ArchivedAt                   *endpoint.Timestamp `json:"archived_at" doc:"When the pipeline was archived. Null if it is not."`
}

type pipelineAnswer struct {
	pipelineSummary            `json:",inline"`
	Configuration              *string        `json:"configuration" doc:"The steps, in YAML. Null for a large one in a list that would be too large otherwise."`
	Steps                      jsontext.Value `json:"steps" schema:"PipelineSteps" doc:"The steps as they were given as a list, or a summary of those of the configuration. Empty where that is null."`
	Env                        *sortedTexts   `json:"env" doc:"Environment variables for builds. Null for those who may not change the pipeline, for tokens without the write_pipelines scope, and where the configuration is null."`
	domain.PipelineJobSettings `json:",inline"`
	Provider                   providerAnswer             `json:"provider" doc:"The service that hosts the repository."`
	CloneMirrorURL             *string                    `json:"clone_mirror_url" doc:"An address that agents clone from first."`
	PipelineTemplateUUID       *domain.PipelineTemplateID `json:"pipeline_template_uuid" format:"uuid" doc:"The pipeline template that the pipeline follows. Null for none."`
	ScheduledBuildsCount       int64                      `json:"scheduled_builds_count" doc:"How many builds have not started."`
	RunningBuildsCount         int64                      `json:"running_builds_count" doc:"How many builds have started and not ended. Those that are blocked are not among them."`
	ScheduledJobsCount         int64                      `json:"scheduled_jobs_count" doc:"How many command jobs wait for an agent."`
	RunningJobsCount           int64                      `json:"running_jobs_count" doc:"How many command jobs an agent has."`
	WaitingJobsCount           int64                      `json:"waiting_jobs_count" doc:"How many command jobs of builds that are not blocked wait for other steps, a person, or their turn in a concurrency group."`
	CreatedBy                  *userAnswer                `json:"created_by" doc:"Who created the pipeline. Null if they are gone."`
	ArchivedBy                 *userAnswer                `json:"archived_by" doc:"Who archived the pipeline. Null if it is not archived, or they are gone."`
}

type providerAnswer struct {
	ID         string         `json:"id" enum:"github,github_enterprise,gitlab,bitbucket,bitbucket_server,gitea,unknown" doc:"Which service it is: known by addresses on github.com, gitlab.com and bitbucket.org."`
	WebhookURL string         `json:"webhook_url" doc:"Where the service is to deliver events. Whoever knows the address can deliver. Empty for those who may not change the pipeline, and for tokens without the write_pipelines scope."`
	Settings   jsontext.Value `json:"settings" schema:"ProviderSettings" doc:"The settings as they were given, the defaults of some others, and what the repository is called there, such as acme/web."`
}

// builtPipelineAnswer is what a build shows of its pipeline: not its steps and its environment, which can be long.
type builtPipelineAnswer struct {
	pipelineSummary `json:",inline"`
	Provider        builtProviderAnswer `json:"provider" doc:"The service that hosts the repository."`
}

// builtProviderAnswer is what a build shows of the service that hosts its repository: not the address of its webhook.
type builtProviderAnswer struct {
	ID       string         `json:"id" enum:"github,github_enterprise,gitlab,bitbucket,bitbucket_server,gitea,unknown" doc:"Which service it is."`
	Settings jsontext.Value `json:"settings" schema:"ProviderSettings" doc:"The settings as they were given, the defaults of some others, and what the repository is called there."`
}

// sortedTexts is an object of strings, always written in the same order.
type sortedTexts map[string]string

// size returns how many bytes the names and the values have.
func (t sortedTexts) size() (bytes int) {
	for name, value := range t {
		bytes += len(name) + len(value)
	}
	return bytes
}

// MarshalJSONTo writes the object.
func (t sortedTexts) MarshalJSONTo(out *jsontext.Encoder) error {
	return json.MarshalEncode(out, map[string]string(t), json.Deterministic(true))
}

func (a *API) summarizePipeline(v domain.PipelineView) pipelineSummary {
	url := a.pipelineURL(v.OrganizationSlug, v.Slug)
	summary := pipelineSummary{
		ID:                    v.ID,
		GraphQLID:             domain.GraphQLID("Pipeline", v.ID),
		URL:                   url,
		WebURL:                a.BaseURL + "/organizations/" + v.OrganizationSlug + "/pipelines/" + v.Slug,
		Name:                  v.Name,
		Slug:                  v.Slug,
		Description:           v.Description,
		Repository:            v.ShownRepository(),
		ClusterID:             v.ClusterID,
		Visibility:            v.Visibility,
		Tags:                  v.Tags,
		Emoji:                 v.Emoji,
		Color:                 v.Color,
		PipelineBuildSettings: v.PipelineBuildSettings,
		BuildsURL:             url + "/builds",
		BadgeURL:              a.BaseURL + "/badges/" + v.BadgeToken + ".svg",
		CreatedAt:             endpoint.Timestamp(v.CreatedAt),
		ArchivedAt:            endpoint.NullTimestamp(v.ArchivedAt),
	}
	if v.ClusterID != nil {
		cluster := a.clusterURL(v.OrganizationSlug, *v.ClusterID)
		summary.ClusterURL = &cluster
	}
	return summary
}

func (a *API) showPipeline(v domain.PipelineView) pipelineAnswer {
	answer := pipelineAnswer{
		pipelineSummary:      a.summarizePipeline(v),
		Configuration:        &v.Configuration,
		Steps:                v.ShownSteps(),
		PipelineJobSettings:  v.PipelineJobSettings,
		Provider:             a.showProvider(v),
		CloneMirrorURL:       v.CloneMirrorURL,
		PipelineTemplateUUID: v.TemplateID,
		ScheduledBuildsCount: v.Activity.ScheduledBuilds,
		RunningBuildsCount:   v.Activity.RunningBuilds,
		ScheduledJobsCount:   v.Activity.ScheduledJobs,
		RunningJobsCount:     v.Activity.RunningJobs,
		WaitingJobsCount:     v.Activity.WaitingJobs,
		CreatedBy:            a.showUser(v.CreatedBy),
		ArchivedBy:           a.showUser(v.ArchivedBy),
	}
	if v.Writable {
		env := sortedTexts(v.Env)
		answer.Env = &env
	}
	return answer
}

// showBuiltPipeline returns the pipeline of a build.
func (a *API) showBuiltPipeline(v domain.PipelineView) *builtPipelineAnswer {
	provider := a.showProvider(v)
	return &builtPipelineAnswer{a.summarizePipeline(v), builtProviderAnswer{provider.ID, provider.Settings}}
}

// maxListedSteps is how many bytes of steps and environment a pipeline shows in a list that would be too large
// otherwise.
const maxListedSteps = 8 << 10

// Shorten leaves out steps and environment that are large.
func (p *pipelineAnswer) Shorten() {
	size := len(*p.Configuration) + len(p.Steps)
	if p.Env != nil {
		size += p.Env.size()
	}
	if size > maxListedSteps {
		p.Configuration, p.Steps, p.Env = nil, jsontext.Value("[]"), nil
	}
}

func (a *API) showProvider(v domain.PipelineView) providerAnswer {
	answer := providerAnswer{ID: "unknown"}
	if provider := v.Provider(); provider != nil {
		answer.ID = provider.ID
	}
	if v.Writable {
		answer.WebhookURL = a.BaseURL + "/deliver/" + v.WebhookToken.Reveal()
	}
	// texts and flags: it cannot fail
	answer.Settings, _ = json.Marshal(v.ShownProviderSettings(), json.Deterministic(true))
	return answer
}
