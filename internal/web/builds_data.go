package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"penstock/internal/domain"
)

const (
	inArtifact = inJob + "/artifacts/{artifact}"
	inReport   = inArtifact + "/files/{ticket}"
)

var artifactRoutes = []route{
	{path: inArtifact, get: downloadArtifact},
	{path: inArtifact + "/view", get: showArtifact},
	{path: inArtifact + "/raw", get: sendArtifact},
	{path: inReport + "/{path...}", get: sendReportFile, open: true}, // for who has a ticket
}

// annotationView is a text that a job has put beside its build, or beside itself.
type annotationView struct {
	ID     domain.AnnotationID
	Number int    // among those that are shown
	Class  string // of its style
	HTML   template.HTML
}

const (
	annotationsShown   = 100
	annotationBytes    = 4 << 20 // of all that are shown, as HTML: the largest can be
	artifactsShown     = 200
	annotationStyle    = "note"
	annotationTooLarge = "<p>This annotation is too long to be shown with the others.</p>"
)

var annotationClasses = map[string]string{"info": activeState, "warning": softState, "error": badState,
	"success": goodState}

// showAnnotations returns annotations as they are shown: what matters most first.
func showAnnotations(found domain.Paged[*domain.Annotation], err error) (views []annotationView, _ error) {
	slices.SortStableFunc(found.Items, func(a, b *domain.Annotation) int { return cmp.Compare(b.Priority, a.Priority) })
	left := annotationBytes
	for _, a := range found.Items {
		v := annotationView{ID: a.ID, Number: len(views) + 1, Class: cmp.Or(annotationClasses[a.Style], annotationStyle),
			HTML: annotationTooLarge}
		if html := a.ShownHTML(); len(html) <= left {
			left -= len(html)
			v.HTML = template.HTML(replaceEmojiInHTML(html)) //nolint:gosec // which is harmless, and emoji are too
		}
		views = append(views, v)
	}
	return views, err
}

// artifactRow is a file that a job has stored.
type artifactRow struct {
	*domain.ArtifactView
	To   string // where it is downloaded; empty: it cannot be
	View string // where it is shown; empty: it is not
	Size string
}

// artifactGroup is the artifacts of a job, by their paths.
type artifactGroup struct {
	Job  string // its label
	To   string // its page
	Rows []artifactRow
}

// artifactsView is the list of a build's or a job's artifacts.
type artifactsView struct {
	Groups []artifactGroup
	Listed int64
	Total  int64
	OfJob  bool // all are of the job that the page is about
}

// Left is how many are not listed.
func (v artifactsView) Left() int64 { return v.Total - v.Listed }

// Open reports whether the list is shown at first: it is short.
func (v artifactsView) Open() bool { return v.Total <= 20 }

// showArtifacts returns artifacts by the jobs that stored them, in the order of the jobs.
func (c *call) showArtifacts(found domain.Paged[*domain.ArtifactView], jobs []*domain.JobView,
	err error) (view artifactsView, _ error) {
	view.Total, view.Listed = found.Total, int64(len(found.Items))
	places, labels := map[domain.JobID]int{}, map[domain.JobID]string{}
	for i, j := range jobs {
		places[j.ID], labels[j.ID] = i, numberedLabel(j)
	}
	items := slices.Clone(found.Items)
	placeOf := func(id domain.JobID) int {
		if at, known := places[id]; known {
			return at
		}
		return len(jobs)
	}
	slices.SortStableFunc(items, func(a, b *domain.ArtifactView) int {
		return cmp.Or(cmp.Compare(placeOf(a.JobID), placeOf(b.JobID)), cmp.Compare(a.JobID, b.JobID),
			cmp.Compare(a.Path, b.Path))
	})
	var last domain.JobID
	for _, a := range items {
		job := c.linkToBuild(a.OrganizationSlug, a.PipelineSlug, a.BuildNumber, "jobs", string(a.JobID))
		if len(view.Groups) == 0 || a.JobID != last {
			view.Groups, last = append(view.Groups, artifactGroup{Job: cmp.Or(labels[a.JobID], "Job"), To: job}), a.JobID
		}
		row := artifactRow{ArtifactView: a, Size: describeSize(a.FileSize)}
		if a.State == domain.ArtifactFinished {
			row.To = job + "/artifacts/" + string(a.ID)
			if a.IsOurs() && looksOf(&a.Artifact).kind != "" {
				row.View = row.To + "/view"
			}
		}
		group := &view.Groups[len(view.Groups)-1]
		group.Rows = append(group.Rows, row)
	}
	return view, err
}

// describeSize returns a number of bytes in words: 1.5 MB.
func describeSize(bytes int64) string {
	const step = 1000
	if bytes < step {
		return fmt.Sprint(bytes, " B")
	}
	size, unit := float64(bytes)/step, 0
	for size >= step && unit < 3 {
		size, unit = size/step, unit+1
	}
	return fmt.Sprintf("%.1f %cB", size, "kMGT"[unit])
}

// downloadArtifact leads to the content of an artifact.
func downloadArtifact(c *call) (*reply, error) {
	address, err := c.Artifacts.DownloadArtifact(c.ctx(), c.actor(), domain.ArtifactRef{Job: c.job(),
		ID: c.R.PathValue("artifact")})
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusSeeOther, to: address}, nil
}
