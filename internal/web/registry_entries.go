package web

import (
	"strconv"
	"strings"

	"penstock/internal/domain"
)

var registryEntryRoutes = []route{
	{path: inRegistry + "/entries", get: showRegistryEntries},
	{path: inRegistry + "/entries/{entry}/delete", get: deleteRegistryEntry, post: deleteRegistryEntry},
	{path: inRegistry + "/activity", get: showRegistryActivity},
}

type registryEntriesView struct {
	oneRegistry
	Entries []registryEntry
	Held    string // such as "3 entries, 1.2 MB"
	List    listFrame
}

// registryEntry is a cache entry as its page shows it.
type registryEntry struct {
	*domain.CacheEntryView
	Scope   string // such as {"branch":"main"}; empty: all jobs share it
	KeyText string
	SizeIs  string
	Job     string // the address of the job that saved it; empty: the job is gone
	To      string
}

func showRegistryEntries(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.CacheEntries(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID), c.requestedCursorPage())
	if err != nil {
		return nil, err
	}
	activity, err := c.Service.CacheActivity(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID))
	if err != nil {
		return nil, err
	}
	view := registryEntriesView{oneRegistry: one, List: c.newCursorList("entry", "entries", found.Prev, found.Next)}
	view.Held = countNoun(activity.Entries, "entry", "entries") + ", " + describeBytes(activity.Bytes)
	for i := range found.Items {
		view.Entries = append(view.Entries, c.newRegistryEntry(one, &found.Items[i]))
	}
	view.List.Empty = emptyState{Title: "No cache entries", Text: "Jobs save entries with buildkite-agent cache save."}
	return c.show(one.page(c, "registry_entries", "Entries", "entries", view)), nil
}

func (c *call) newRegistryEntry(one oneRegistry, e *domain.CacheEntryView) registryEntry {
	entry := registryEntry{CacheEntryView: e, KeyText: describeCacheKey(e.Key), SizeIs: describeBytes(e.Size()),
		To: c.clusterLink("registries", string(one.Registry.ID), "entries", string(e.ID))}
	if e.Scopes != (domain.CacheEntry{}).Scopes {
		entry.Scope = e.Scopes.String()
	}
	if e.PipelineSlug != "" {
		entry.Job = c.jobOf(e.PipelineSlug, e.BuildNumber, e.JobID)
	}
	return entry
}

// jobOf is the address of a job's page.
func (c *call) jobOf(pipeline string, build int64, job domain.JobID) string {
	return c.linkToBuild(c.organization(), pipeline, build, "jobs", string(job))
}

// describeCacheKey shows the parts of a key one after the other.
func describeCacheKey(key []domain.CacheKeyPart) string {
	values := make([]string, len(key))
	for i, part := range key {
		values[i] = part.Value
	}
	return strings.Join(values, " · ")
}

// describeBytes shows a size, such as 1.2 MB.
func describeBytes(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	size, unit := float64(n), 0
	for size >= 999.95 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	switch {
	case n == 1:
		return "1 byte"
	case unit == 0:
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + units[unit]
}

func deleteRegistryEntry(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	entry, err := c.Service.CacheEntry(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID), c.R.PathValue("entry"))
	if err != nil {
		return nil, err
	}
	p := one.page(c, "", "Remove entry", "entries", nil)
	list := c.clusterLink("registries", string(one.Registry.ID), "entries")
	return c.confirm(confirmation{
		Title:   "Remove the cache entry “" + describeCacheKey(entry.Key) + "”?",
		Text:    "Jobs can't restore it anymore. Its content stays in the store.",
		Button:  "Remove entry",
		Cancel:  list,
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		return c.Service.DeleteCacheEntry(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID), string(entry.ID))
	}, list, "Cache entry removed.")
}

type registryActivityView struct {
	oneRegistry
	domain.CacheActivity
	Held      string
	Largest   int64 // how many bytes the registry held at most
	Days      []registryDay
	Decisions []registryDecision
}

// registryDay is a day of a registry.
type registryDay struct {
	*domain.CacheStats
	Restores int64
	Rate     int64 // in percent; -1: there were no restores
	SizeIs   string
}

// registryDecision is a decision about a job.
type registryDecision struct {
	*domain.CacheDecision
	KeyText string
	Job     string
}

func showRegistryActivity(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	activity, err := c.Service.CacheActivity(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID))
	if err != nil {
		return nil, err
	}
	view := registryActivityView{oneRegistry: one, CacheActivity: activity, Held: countNoun(activity.Entries, "entry",
		"entries") + ", " + describeBytes(activity.Bytes)}
	for i := range activity.Days {
		f := &activity.Days[i]
		view.Largest = max(view.Largest, f.Bytes)
		view.Days = append(view.Days, registryDay{f, f.Hits + f.Fallbacks + f.Misses, f.HitRate(), describeBytes(f.Bytes)})
	}
	view.Decisions = c.newRegistryDecisions(activity.Decisions)
	return c.show(one.page(c, "registry_activity", "Activity", "activity", view)), nil
}

func (c *call) newRegistryDecisions(decisions []domain.CacheDecision) (shown []registryDecision) {
	for i := range decisions {
		d := &decisions[i]
		shown = append(shown, registryDecision{d, describeCacheKey(d.Key), c.jobOf(d.PipelineSlug, d.BuildNumber, d.JobID)})
	}
	return shown
}
