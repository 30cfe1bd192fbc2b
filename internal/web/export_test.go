package web

// PagePatterns returns the patterns of all pages that can be asked for.
func PagePatterns() (patterns []string) {
	for _, r := range allRoutes() {
		if r.get != nil {
			patterns = append(patterns, r.path)
		}
	}
	return patterns
}

// NewWithoutAssets is New for a binary that was built without make assets.
func NewWithoutAssets(o Options) *Site {
	s := New(o)
	for _, name := range []string{"console.js", "console.css", "licenses.txt", "htmx.min.js"} {
		delete(s.assets.files, name)
	}
	return s
}
