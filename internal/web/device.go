package web

import "strings"

// agentPart is a part of a user agent, and what it stands for.
type agentPart struct{ part, name string }

// The signs of browsers and systems; those that others imitate come last.
var (
	browserSigns = []agentPart{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}, {"curl/", "curl"}}
	systemSigns = []agentPart{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"}}
)

// describeDevice returns what a user agent most likely is, for people: "Firefox on Linux".
func describeDevice(userAgent string) string {
	browser, system := findAgentPart(userAgent, browserSigns), findAgentPart(userAgent, systemSigns)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "" || system == "":
		return browser + system
	default:
		return browser + " on " + system
	}
}

func findAgentPart(text string, signs []agentPart) string {
	for _, s := range signs {
		if strings.Contains(text, s.part) {
			return s.name
		}
	}
	return ""
}
