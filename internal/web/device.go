package web

import "strings"

// sign is a part of a user agent, and what it stands for.
type sign struct{ part, name string }

// The signs of browsers and systems; those that others imitate come last.
var (
	browserSigns = []sign{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systemSigns  = []sign{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"}}
)

// device returns what a user agent most likely is, for people: "Firefox on Linux".
func device(userAgent string) string {
	browser, system := firstSign(userAgent, browserSigns), firstSign(userAgent, systemSigns)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "" || system == "":
		return browser + system
	default:
		return browser + " on " + system
	}
}

func firstSign(text string, signs []sign) string {
	for _, s := range signs {
		if strings.Contains(text, s.part) {
			return s.name
		}
	}
	return ""
}
