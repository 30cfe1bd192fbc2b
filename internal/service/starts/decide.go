package starts

import (
	"regexp"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/steps"
)

// decision is what is to be done about an event.
type decision struct {
	build        *domain.BuildInput // nil: none
	ignored      string             // why there is none, in words
	cancelBranch string             // whose builds are to be canceled; "": none
	skipKnown    bool               // there is to be none if a build of the commit and the branch exists
}

func ignore(why string) decision { return decision{ignored: "ignored: " + why} }

// skipMark matches what in a commit's message says that it is not to be built.
var skipMark = regexp.MustCompile(`(?i)\[(skip[ -](ci|buildkite)|(ci|buildkite)[ -]skip)\]`)

// decide says what is to be done about an event for a pipeline.
func decide(p *domain.Pipeline, e provider.Event) decision {
	var d decision
	switch {
	case e.Kind == provider.Ping:
		return ignore("ping")
	case !isOfRepository(p, e.Repository):
		return ignore("it is about the repository " + e.Repository)
	case p.ArchivedAt != nil:
		return ignore("the pipeline is archived")
	case p.TextSetting("trigger_mode") == "none" || p.TextSetting("trigger_mode") == "deployment":
		return ignore("trigger mode " + p.TextSetting("trigger_mode"))
	}
	switch e.Kind {
	case provider.Push:
		d = decidePush(p, e)
	case provider.TagPush:
		d = decideTag(p, e)
	case provider.BranchDeleted:
		d = ignore("deleted branch")
		if p.Setting("cancel_deleted_branch_builds") {
			d.cancelBranch = e.Branch
		}
	case provider.TagDeleted:
		d = ignore("deleted tag")
	case provider.PullRequest:
		d = decidePullRequest(p, e)
	case provider.MergeGroup:
		d = decideMergeGroup(p, e)
	case provider.MergeGroupDestroyed:
		d = ignore("destroyed merge group")
		if p.Setting("cancel_when_merge_group_destroyed") {
			d.cancelBranch = e.Branch
		}
	default:
		d = ignore("event " + e.Name)
	}
	if d.build != nil {
		d.build.Event = &domain.BuildEvent{Name: e.Name, Action: e.Action, Refspec: refspecOf(e), MergeQueue: e.MergeQueue,
			IsFork: e.Request != nil && e.Request.IsFork}
	}
	return d
}

// isOfRepository reports whether an event is about the pipeline's repository. A host that renames one still delivers
// for it.
func isOfRepository(p *domain.Pipeline, name string) bool {
	at, ok := domain.ParseRepository(p.Repository)
	if !ok || name == "" {
		return true
	}
	path, name := strings.ToLower(at.Path), strings.ToLower(name)
	return path == name || strings.HasSuffix(path, "/"+name)
}

// newBuildOf returns the build that an event is for.
func newBuildOf(e provider.Event) *domain.BuildInput {
	return &domain.BuildInput{Commit: e.Commit, Branch: e.Branch, Tag: e.Tag, Message: cutMessage(e.Message),
		Author: e.Author}
}

// cutMessage returns a message that is no longer than builds may have.
func cutMessage(message string) string {
	message = strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", ""), "")
	if len(message) > domain.MaxBuildMessage {
		message = strings.ToValidUTF8(message[:domain.MaxBuildMessage], "")
	}
	return message
}

func decidePush(p *domain.Pipeline, e provider.Event) decision {
	if skipMark.MatchString(e.Message) {
		return ignore("the commit's message says so")
	}
	d := decision{build: newBuildOf(e), skipKnown: skipsKnown(p, e)}
	if r := e.Request; r != nil && p.Setting("build_pull_requests") { // its branch has a pull request
		if !matchesPullRequestFilter(p, e.Branch) {
			return ignore("pull request branch filter")
		}
		d.build.PullRequest = &r.PullRequest
		return d
	}
	switch filter := p.BranchConfiguration; {
	case !p.Setting("build_branches"):
		return ignore("branches are not built")
	case filter != nil && *filter != "" && !steps.MatchBranches(strings.Fields(*filter), e.Branch):
		return ignore("branch filter")
	}
	return d
}

// skipsKnown says whether a commit is not built that has a build of its branch. A new branch of Gitea comes twice, as
// create and as push.
func skipsKnown(p *domain.Pipeline, e provider.Event) bool {
	return p.Setting("skip_builds_for_existing_commits") || e.Host == domain.Gitea && e.IsNew
}

// matchesPullRequestFilter reports whether pull requests from a branch are built.
func matchesPullRequestFilter(p *domain.Pipeline, branch string) bool {
	filter := strings.Fields(p.TextSetting("pull_request_branch_filter_configuration"))
	return !p.Setting("pull_request_branch_filter_enabled") || len(filter) == 0 || steps.MatchBranches(filter, branch)
}

func decideTag(p *domain.Pipeline, e provider.Event) decision {
	switch {
	case !p.Setting("build_tags"):
		return ignore("tags are not built")
	case skipMark.MatchString(e.Message):
		return ignore("the commit's message says so")
	}
	build := newBuildOf(e)
	build.IgnorePipelineBranchFilters = true
	return decision{build: build, skipKnown: skipsKnown(p, e)}
}

func decideMergeGroup(p *domain.Pipeline, e provider.Event) decision {
	if !p.Setting("build_merge_group_checks_requested") {
		return ignore("merge groups are not built")
	}
	build := newBuildOf(e)
	build.IgnorePipelineBranchFilters = true
	return decision{build: build}
}

// requestSettings are the settings by which what happens to a pull request, besides new commits, is built.
var requestSettings = map[provider.PullRequestAction]string{
	provider.ReadyForReview:   "build_pull_request_ready_for_review",
	provider.ConvertedToDraft: "build_pull_request_converted_to_draft",
	provider.Labeled:          "build_pull_request_labels_changed",
	provider.Unlabeled:        "build_pull_request_labels_changed",
	provider.Reopened:         "build_pull_request_reopened",
	provider.Edited:           "build_pull_request_edited",
	provider.BaseChanged:      "build_pull_request_base_branch_changed",
	provider.ReviewRequested:  "build_pull_request_review_requested",
	provider.Dequeued:         "build_pull_request_dequeued",
}

func decidePullRequest(p *domain.Pipeline, e provider.Event) decision {
	r := e.Request
	if why := whyNotPullRequest(p, e); why != "" {
		return ignore(why)
	}
	build := newBuildOf(e)
	build.PullRequest = &r.PullRequest
	if r.IsFork && r.ForkOwner != "" && p.Setting("prefix_pull_request_fork_branch_names") {
		build.Branch = r.ForkOwner + ":" + build.Branch
	}
	hasNewCommit := r.Action == provider.Opened || r.Action == provider.Synchronized
	return decision{build: build, skipKnown: hasNewCommit && p.Setting("skip_pull_request_builds_for_existing_commits")}
}

// whyNotPullRequest returns why an event of a pull request is not built; "" if it is.
func whyNotPullRequest(p *domain.Pipeline, e provider.Event) string {
	r := e.Request
	setting, isFurther := requestSettings[r.Action]
	isWanted := p.Setting(setting) || r.Action == provider.BaseChanged && p.Setting("build_pull_request_edited")
	switch {
	case !p.Setting("build_pull_requests"):
		return "pull requests are not built"
	case r.IsClosed && r.Action != provider.Dequeued || r.Action == provider.Closed:
		return "the pull request is closed"
	case p.TextSetting("trigger_mode") == "fork" && !r.IsFork:
		return "only forks are built"
	case r.IsFork && !p.Setting("build_pull_request_forks"):
		return "forks are not built"
	case skipMark.MatchString(r.Title):
		return "the pull request's title says so"
	case p.Setting("ignore_default_branch_pull_requests") && p.DefaultBranch != nil && *p.DefaultBranch == e.Branch &&
		!r.IsFork:
		return "pull requests from the default branch are not built"
	case !matchesPullRequestFilter(p, e.Branch):
		return "pull request branch filter"
	case isFurther && !isWanted:
		return "pull requests that are " + strings.ReplaceAll(string(r.Action), "_", " ") + " are not built"
	case r.Action == provider.Synchronized && !r.IsFork:
		return "the push of these commits is built"
	case r.Action == "":
		return "action " + e.Action
	}
	return ""
}

// applyFilter ignores a build for which the pipeline's filter condition does not hold. Its work is bounded.
func applyFilter(work *steps.Work, p *domain.Pipeline, organization domain.Organization, d decision) decision {
	source := strings.TrimSpace(p.TextSetting("filter_condition"))
	if d.build == nil || !p.Setting("filter_enabled") || source == "" {
		return d
	}
	filter, err := work.ParseCondition(source)
	if err != nil {
		return ignore("the filter condition cannot be read: " + err.Error())
	}
	holds, err := filter.Eval(&steps.Evaluation{Variables: variablesOf(p, organization, d.build), Work: work})
	switch {
	case err != nil:
		return ignore("the filter condition cannot be evaluated: " + err.Error())
	case !holds:
		return ignore("filter condition")
	}
	return d
}

// refspecOf returns what agents fetch for a pull request, where they do not find out by themselves.
func refspecOf(e provider.Event) string {
	if e.Request == nil {
		return ""
	}
	switch e.Host {
	case domain.Gitea:
		return "refs/pull/" + e.Request.ID + "/head"
	case domain.GitLab:
		return "refs/merge-requests/" + e.Request.ID + "/head"
	}
	return ""
}

// variablesOf returns what a filter condition sees of a build that is not made yet.
func variablesOf(p *domain.Pipeline, organization domain.Organization, in *domain.BuildInput) steps.Variables {
	orNil := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	values := map[string]any{
		"build.author.name": orNil(in.Author.Name), "build.author.email": orNil(in.Author.Email), "build.branch": in.Branch,
		"build.commit":  in.Commit,
		"build.message": orNil(in.Message), "build.source": string(domain.SourceWebhook), "build.tag": orNil(in.Tag),
		"build.source_event": in.Event.Name, "build.source_action": orNil(in.Event.Action),
		"pipeline.id": string(p.ID), "pipeline.slug": p.Slug, "pipeline.repository": p.Repository,
		"organization.id": string(organization.ID), "organization.slug": organization.Slug,
	}
	if p.DefaultBranch != nil {
		values["pipeline.default_branch"] = orNil(*p.DefaultBranch)
	}
	if r := in.PullRequest; r != nil {
		values["build.pull_request.id"], values["build.pull_request.base_branch"] = r.ID, orNil(r.Base)
		values["build.pull_request.repository"], values["build.pull_request.repository.fork"] = orNil(r.Repository),
			in.Event.IsFork
		values["build.pull_request.draft"], values["build.pull_request.labels"] = r.Draft, r.Labels
	}
	if q := in.Event.MergeQueue; q != nil {
		values["build.merge_queue.base_branch"], values["build.merge_queue.base_commit"] = q.BaseBranch, q.BaseCommit
	}
	return steps.Variables{Values: values, Env: p.Env}
}
