package domain

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

const (
	maxProviderSettings     = 100
	maxProviderSettingsText = 64 << 10 // bytes
)

// How settings are called, and which of them are flags. Those that neither list has may be flags or texts.
var (
	providerSettingPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,99}$`)
	providerFlagPattern    = regexp.MustCompile(
		`^(build|cancel|ignore|prefix|prevent|publish|separate|skip|use)_|_enabled$`)
	providerTexts = []string{
		"filter_condition", "issue_comment_command_word", "issue_comment_match_mode",
		"pull_request_branch_filter_configuration",
		"review_comment_command_word", "review_comment_match_mode", "trigger_mode",
	}
	providerChoices = map[string][]string{
		"trigger_mode":              {"code", "deployment", "fork", "none"},
		"issue_comment_match_mode":  {"exact", "contains"},
		"review_comment_match_mode": {"exact", "contains"},
	}
)

// defaultProviderSettings are the settings where they are not given. Flags that are not among them are false then, and
// texts absent.
var defaultProviderSettings = map[string]any{
	"build_branches":                                true,
	"build_pull_requests":                           true,
	"issue_comment_command_word":                    "/bk",
	"issue_comment_match_mode":                      "exact",
	"prefix_pull_request_fork_branch_names":         true,
	"publish_commit_status":                         true,
	"review_comment_command_word":                   "/bk",
	"review_comment_match_mode":                     "exact",
	"skip_builds_for_closed_pull_requests":          true,
	"skip_pull_request_builds_for_existing_commits": true,
	"trigger_mode":                                  "code",
}

// shownProviderSettings are those that are always shown, by the service that hosts the repository.
var shownProviderSettings = map[string][]string{
	"github": {"build_pull_request_forks", "build_pull_requests", "build_tags", "publish_commit_status",
		"publish_commit_status_per_step", "trigger_mode"},
	"gitlab":    {"build_branches", "build_pull_requests", "build_tags", "publish_commit_status"},
	"bitbucket": {"build_pull_requests", "build_tags", "publish_commit_status", "publish_commit_status_per_step"},

	"github_enterprise": {"build_pull_request_forks", "build_pull_requests", "build_tags", "publish_commit_status",
		"publish_commit_status_per_step", "trigger_mode"},
	"bitbucket_server": {"build_branches", "build_pull_requests", "build_tags", "publish_commit_status"},
	"gitea": {"build_branches", "build_pull_request_forks", "build_pull_requests", "build_tags",
		"publish_commit_status", "publish_commit_status_per_step"},
}

// ProviderFlag returns whether a setting of the service that hosts the repository is on.
func (p *Pipeline) ProviderFlag(name string) bool {
	if on, given := p.ProviderSettings[name].(bool); given {
		return on
	}
	on, _ := defaultProviderSettings[name].(bool)
	return on
}

// ProviderText returns a setting of the service that hosts the repository; nil if it has none.
func (p *Pipeline) ProviderText(name string) *string {
	text, given := p.ProviderSettings[name].(string)
	if !given {
		text, given = defaultProviderSettings[name].(string)
	}
	if !given {
		return nil
	}
	return &text
}

func (p *Pipeline) showProviderSettings(provider *Provider) map[string]any {
	settings := map[string]any{}
	if provider != nil {
		for _, name := range shownProviderSettings[provider.ID] {
			if settings[name] = defaultProviderSettings[name]; settings[name] == nil {
				settings[name] = false
			}
		}
		settings["repository"] = provider.Repository
	}
	maps.Copy(settings, p.ProviderSettings)
	return settings
}

// applyProviderSettings changes the settings that are given and leaves the others as they are. Null takes a setting
// away, or, instead of the object, all of them. So does an empty text where one of several is to be chosen, which
// clients send for what they have no value for; an empty trigger mode is kept, because they look for it again, and
// means the default.
func (p *Pipeline) applyProviderSettings(in PipelineInput, faults *Faults) {
	const field = "provider_settings"
	given := in.ProviderSettings
	switch {
	case given.Null:
		p.ProviderSettings = nil
		return
	case !given.Given:
		return
	case len(given.Value) > maxProviderSettingsText:
		faults.Add(field, "Provider settings are too long (maximum is 64 KiB)")
		return
	}
	var changes map[string]any
	if err := json.Unmarshal(given.Value, &changes); err != nil {
		faults.Add(field, "Provider settings must be an object of texts, true and false")
		return
	}
	settings := map[string]any{} // a new one: others may look at the old map
	maps.Copy(settings, p.ProviderSettings)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		switch value := changes[name]; {
		case name == "repository":
			p.checkProviderRepository(value, in.Repository, faults)
		case value == nil, value == "" && providerChoices[name] != nil && name != "trigger_mode":
			delete(settings, name)
		default:
			checkProviderSetting(field, name, value, faults)
			settings[name] = value
		}
	}
	if len(settings) > maxProviderSettings {
		faults.Add(field, "Provider settings are too many (maximum is 100)")
	}
	if p.ProviderSettings = settings; len(settings) == 0 {
		p.ProviderSettings = nil
	}
}

// checkProviderRepository lets a client send back what it read, of the old repository or of the new one: the name
// follows from the address.
func (p *Pipeline) checkProviderRepository(given any, repository Optional[string], faults *Faults) {
	for _, address := range []string{p.Repository, strings.TrimSpace(repository.Value)} {
		name, _ := given.(string)
		at, ok := ParseRepository(address)
		if ok && name != "" && (at.Path == name || strings.HasSuffix(at.Path, "/"+name)) {
			return
		}
	}
	if given != nil {
		faults.Add("provider_settings", "Provider settings can't change the repository")
	}
}

func checkProviderSetting(field, name string, value any, faults *Faults) {
	if !providerSettingPattern.MatchString(name) {
		faults.Add(field, "Provider settings must have names of 1 to 100 of a-z, 0-9 and _")
		return
	}
	label := "provider_settings." + name
	text, isText := value.(string)
	_, isFlag := value.(bool)
	choices := providerChoices[name]
	switch {
	case slices.Contains(providerTexts, name) && !isText:
		faults.Add(field, label+" must be a string")
	case providerFlagPattern.MatchString(name) && !isFlag:
		faults.Add(field, label+" must be true or false")
	case !isText && !isFlag:
		faults.Add(field, label+" must be a string, true or false")
	case isText && text != "" && choices != nil && !slices.Contains(choices, text):
		faults.Add(field, label+" must be one of "+strings.Join(choices, ", "))
	case isText && name == "pull_request_branch_filter_configuration":
		CheckLine(field, label, text, maxPatterns, faults)
	case isText:
		CheckText(field, label, text, maxPatterns, faults)
	}
}
