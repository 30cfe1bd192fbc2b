package web

import "strings"

// device returns what a user agent most likely is, for people: "Firefox on Linux".
func device(userAgent string) string {
	browser := firstNamed(userAgent, "Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "Chrome/", "Chrome", "Safari/", "Safari", "curl/", "curl")
	system := firstNamed(userAgent, "Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS X", "macOS", "Linux", "Linux")
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "":
		return system
	case system == "":
		return browser
	default:
		return browser + " on " + system
	}
}

// firstNamed returns the name that belongs to the first sign, of pairs of signs and names, that text has.
func firstNamed(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if strings.Contains(text, pairs[i]) {
			return pairs[i+1]
		}
	}
	return ""
}
