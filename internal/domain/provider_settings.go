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
	providerFlagPattern    = regexp.MustCompile(`^(build|cancel|ignore|prefix|prevent|publish|separate|skip|use)_|_enabled$`)
	providerTexts          = []string{
		"filter_condition", "issue_comment_command_word", "issue_comment_match_mode", "pull_request_branch_filter_configuration",
		"review_comment_command_word", "review_comment_match_mode", "trigger_mode",
	}
	providerChoices = map[string][]string{
		"trigger_mode":              {"code", "deployment", "fork", "none"},
		"issue_comment_match_mode":  {"exact", "contains"},
		"review_comment_match_mode": {"exact", "contains"},
	}
)

// applyProviderSettings changes the settings that are given and leaves the others as they are. Null takes a setting away, or, instead of
// the object, all of them.
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
		case value == nil:
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

// checkProviderRepository lets a client send back what it read, of the old repository or of the new one: the name follows from the address.
func (p *Pipeline) checkProviderRepository(given any, repository Optional[string], faults *Faults) {
	for _, address := range []string{p.Repository, strings.TrimSpace(repository.Value)} {
		if provider := (&Pipeline{Repository: address}).Provider(); provider != nil && given == any(provider.Repository) {
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
	case isText && choices != nil && !slices.Contains(choices, text):
		faults.Add(field, label+" must be one of "+strings.Join(choices, ", "))
	case isText && name == "pull_request_branch_filter_configuration":
		CheckLine(field, label, text, maxPatterns, faults)
	case isText:
		CheckText(field, label, text, maxPatterns, faults)
	}
}
