package web

// PagePatterns returns the patterns of all pages that can be asked for.
func PagePatterns() (patterns []string) {
	for _, r := range routes() {
		if r.get != nil {
			patterns = append(patterns, r.path)
		}
	}
	return patterns
}
