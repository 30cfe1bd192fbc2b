package graph

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

// build returns the build that a member of the input names. What is no build's id names none that exists.
func (c change) build(name string) domain.BuildRef {
	return domain.BuildRef{ID: cmp.Or(globalID[domain.BuildID]("Build", c.input.String(name)), nobody)}
}

// job returns the job of a type that a member of the input names.
func (c change) job(name, typeName string) domain.JobRef {
	job := c.thing(name, typeName, domain.JobThing)
	return domain.JobRef{Organization: domain.OrganizationRef{Of: job}, ID: job.ID}
}

func buildField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.BuildID { return p.build }, (*read.Snapshot).Builds)
}

func jobField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.JobID { return p.job }, (*read.Snapshot).Jobs)
}

func bindBuildMutations(b *gql.Builder) {
	mutation(b, "buildCreate", "BuildCreatePayload", func(c change) (*payload, error) {
		pipeline := c.thing("pipelineID", "Pipeline", domain.PipelineThing)
		ref := domain.PipelineRef{Organization: domain.OrganizationRef{Of: pipeline}, ID: domain.PipelineID(pipeline.ID)}
		made, err := c.builds.CreateBuild(c.ctx, c.actor, ref, domain.SourceAPI, core.Sent(buildInput(c.input)))
		return &payload{build: made.ID}, err
	})
	buildField(b, "BuildCreatePayload.build")
	mutation(b, "buildCancel", "BuildCancelPayload", func(c change) (*payload, error) {
		canceled, err := c.builds.CancelBuild(c.ctx, c.actor, c.build("id"))
		return &payload{build: canceled.ID}, err
	})
	buildField(b, "BuildCancelPayload.build")
	mutation(b, "buildRebuild", "BuildRebuildPayload", func(c change) (*payload, error) {
		repeated := c.build("id")
		made, err := c.builds.RebuildBuild(c.ctx, c.actor, repeated, domain.SourceAPI)
		return &payload{build: repeated.ID, rebuild: made.ID}, err
	})
	buildField(b, "BuildRebuildPayload.build")
	bindReference(b, "BuildRebuildPayload.rebuild", func(p *payload) domain.BuildID {
		return p.rebuild
	}, (*read.Snapshot).Builds)
	mutation(b, "buildRetryFailedJobs", "BuildRetryFailedJobsPayload", func(c change) (*payload, error) {
		states := core.Sent(listArg(c.input, "states", lowerEnum[string]), checkLists(c.input))
		changed, retried, err := c.builds.RetryFailedJobs(c.ctx, c.actor, c.build("id"), states)
		return &payload{build: changed.ID, count: int64(retried)}, err
	})
	buildField(b, "BuildRetryFailedJobsPayload.build")
	bindInt(b, "BuildRetryFailedJobsPayload.retriedJobsCount", func(p *payload) int64 { return p.count })
}

// buildInput reads what a build is created with.
func buildInput(input gql.Args) (domain.BuildInput, error) {
	in := domain.BuildInput{Commit: input.String("commit"), Branch: input.String("branch"),
		Message: input.String("message")}
	if author := input.Object("author"); author != nil {
		in.Author = domain.Author{Name: author.String("name"), Email: author.String("email")}
	}
	var faults domain.Faults
	if lines := input.List("env"); len(lines) > 0 {
		in.Env = make(map[string]string, len(lines))
		for _, line := range lines {
			name, value, isVariable := strings.Cut(line.(string), "=")
			if !isVariable {
				faults.Add("env", "Env must be a list of NAME=value")
				break
			}
			in.Env[name] = value
		}
	}
	if items := input.List("metaData"); len(items) > 0 {
		in.MetaData = make(map[string]string, len(items))
		for _, item := range items {
			pair := item.(gql.Args)
			in.MetaData[pair.String("key")] = pair.String("value")
		}
	}
	return in, faults.Err()
}

func bindJobMutations(b *gql.Builder) {
	mutation(b, "jobTypeCommandCancel", "JobTypeCommandCancelPayload", func(c change) (*payload, error) {
		canceled, err := c.builds.CancelJob(c.ctx, c.actor, c.job("id", "JobTypeCommand"))
		return &payload{job: canceled.ID}, err
	})
	jobField(b, "JobTypeCommandCancelPayload.jobTypeCommand")
	mutation(b, "jobTypeCommandRetry", "JobTypeCommandRetryPayload", func(c change) (*payload, error) {
		retried := c.job("id", "JobTypeCommand")
		attempt, err := c.builds.RetryJob(c.ctx, c.actor, retried)
		return &payload{job: domain.JobID(retried.ID), attempt: attempt.ID}, err
	})
	jobField(b, "JobTypeCommandRetryPayload.jobTypeCommand")
	bindReference(b, "JobTypeCommandRetryPayload.retriedInJobTypeCommand", func(p *payload) domain.JobID {
		return p.attempt
	}, (*read.Snapshot).Jobs)
	mutation(b, "jobTypeBlockUnblock", "JobTypeBlockUnblockPayload", func(c change) (*payload, error) {
		fields, err := readFields(c.input)
		if err != nil {
			return nil, err
		}
		unblocked, err := c.builds.UnblockJob(c.ctx, c.actor, c.job("id", "JobTypeBlock"),
			builds.UnblockInput{Fields: fields})
		return &payload{job: unblocked.ID}, err
	})
	jobField(b, "JobTypeBlockUnblockPayload.jobTypeBlock")
}

// readFields reads what a person filled in: a JSON object with a text, or a list of texts, for each field. Texts of a
// list are stored as lines.
func readFields(input gql.Args) (map[string]string, error) {
	text := input.String("fields")
	if text == "" {
		return nil, nil
	}
	malformed := domain.NewError(domain.Malformed, "`fields` must be a JSON object with a text, or a list of texts, for "+
		"each field")
	var given map[string]jsontext.Value
	if json.Unmarshal([]byte(text), &given) != nil {
		return nil, malformed
	}
	fields := make(map[string]string, len(given))
	for key, value := range given {
		var one string
		var several []string
		switch {
		case value.Kind() == '"' && json.Unmarshal(value, &one) == nil:
		case value.Kind() == '[' && json.Unmarshal(value, &several) == nil:
			one = strings.Join(several, "\n")
		default:
			return nil, malformed
		}
		fields[key] = one
	}
	return fields, nil
}
