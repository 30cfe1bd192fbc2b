package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
)

// artifactLooks is how an artifact is shown.
type artifactLooks struct {
	kind string // image, html, json or text; empty: not at all
	mime string // that it is sent with, for images and HTML
	most int64  // bytes that are shown; of a text, the first ones
}

const (
	maxShownImage = 20 << 20
	maxShownHTML  = 10 << 20
	maxShownText  = 1 << 20
	maxReportFile = 50 << 20
)

// Names of files by how they end.
var (
	imageTypes = map[string]string{
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
		".avif": "image/avif", ".bmp": "image/bmp", ".svg": "image/svg+xml",
	}
	textTypes = []string{
		".txt", ".log", ".md", ".csv", ".tsv", ".xml", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".env", ".diff",
		".patch", ".sh", ".go", ".js", ".ts", ".css", ".py", ".rb", ".rs",
		".java", ".c", ".h", ".sql", ".lcov", ".info", ".out", ".ndjson", ".jsonl", ".tap",
	}
)

// looksOf decides how an artifact is shown, by its name: what an agent says of its type is not trusted.
func looksOf(a *domain.Artifact) artifactLooks {
	_, name := a.Split()
	end := strings.ToLower(path.Ext(name))
	switch {
	case imageTypes[end] != "":
		return artifactLooks{"image", imageTypes[end], maxShownImage}
	case end == ".html" || end == ".htm":
		return artifactLooks{"html", "text/html; charset=utf-8", maxShownHTML}
	case end == ".json":
		return artifactLooks{kind: "json", most: maxShownText}
	case slices.Contains(textTypes, end):
		return artifactLooks{kind: "text", most: maxShownText}
	}
	return artifactLooks{}
}

// artifactPage is the page of an artifact.
type artifactPage struct {
	Artifact         *domain.Artifact
	Name, Kind, Size string
	Raw, Download    string // addresses
	Job, JobLabel    string
	Why              string // it is not shown, or not all of it
	Text             string
	looks            artifactLooks
}

// artifactRef names the artifact that the page is about.
func (c *call) artifactRef() domain.ArtifactRef {
	return domain.ArtifactRef{Job: c.job(), ID: c.R.PathValue("artifact")}
}

// framePolicy is contentPolicy for the page that shows a report in a frame.
const framePolicy = contentPolicy + "; frame-src 'self'"

func showArtifact(c *call) (*reply, error) {
	b, _, err := c.readBuild(builds.BuildParts{})
	if err != nil {
		return nil, err
	}
	j, err := c.Builds.Job(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	opened, err := c.Artifacts.OpenArtifact(c.ctx(), c.actor(), c.artifactRef())
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Content.Close() }()
	_, name := opened.Split()
	job := c.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number, "jobs", string(j.ID))
	to := job + "/artifacts/" + string(opened.ID)
	view := artifactPage{Artifact: &opened.Artifact, Name: name, Size: describeSize(opened.FileSize), Job: job,
		JobLabel: numberedLabel(&j), Download: to, Raw: to + "/raw", looks: looksOf(&opened.Artifact)}
	view.Kind = view.looks.kind
	switch {
	case view.Kind == "":
		view.Why = "Files of this kind aren't shown here. You can download it."
	case (view.Kind == "image" || view.Kind == "html") && opened.FileSize > view.looks.most:
		view.Kind, view.Why = "", "The file is too large to be shown here. You can download it."
	case view.Kind == "html":
		c.Header.Set("Content-Security-Policy", framePolicy)
	case view.Kind == "json" || view.Kind == "text":
		if err := view.readText(opened); err != nil {
			return nil, err
		}
	}
	crumbs := c.buildCrumbs(&b, view.JobLabel)
	crumbs[len(crumbs)-1].To = job
	return c.show(page{template: "artifact", Title: cmp.Or(name, "Artifact"), Section: "pipelines",
		Crumbs: append(crumbs, crumb{Label: name}), View: view}), nil
}

// readText reads what is shown of a text.
func (v *artifactPage) readText(opened artifacts.Download) error {
	content, err := io.ReadAll(io.LimitReader(opened.Content, v.looks.most))
	if err != nil {
		return err
	}
	switch {
	case len(content) == 0:
		v.Why = "The file is empty."
	case bytes.IndexByte(content, 0) >= 0:
		v.Why = "The file isn't text. You can download it."
	case opened.FileSize > int64(len(content)):
		v.Why = "The file is large: these are its first " + describeSize(int64(len(content))) + "."
		v.Text = shownText(content)
	case v.Kind == "json":
		v.Text = shownText(spreadJSON(content))
	default:
		v.Text = shownText(content)
	}
	return nil
}

// shownText returns a text without the control sequences of terminals, and what is not text in it.
func shownText(content []byte) string {
	var plain []byte
	for line := range bytes.Lines(content) {
		plain = append(appendPlain(plain, line), '\n')
	}
	return strings.ToValidUTF8(string(plain), "\uFFFD")
}

// spreadJSON returns a JSON text with a line for each value, or as it is if that would be much more, or if it is none.
func spreadJSON(source []byte) []byte {
	if !json.Valid(source) {
		return source
	}
	const most = 2 * maxShownText
	var out []byte
	depth, inText := 0, false
	breakLine := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ', ' ')
		}
	}
	for i := 0; i < len(source) && len(out) <= most; i++ {
		b := source[i]
		switch {
		case inText:
			out = append(out, b)
			switch b {
			case '\\':
				i++
				out = append(out, source[i])
			case '"':
				inText = false
			}
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
		case b == '"':
			inText, out = true, append(out, b)
		case b == '{' || b == '[':
			out = append(out, b)
			if next := bytes.TrimLeft(source[i+1:min(len(source), i+64)], " \t\r\n"); len(next) > 0 &&
				(next[0] == '}' || next[0] == ']') {
				continue
			}
			depth++
			breakLine()
		case b == '}' || b == ']':
			if last := out[len(out)-1]; last != '{' && last != '[' {
				depth--
				breakLine()
			}
			out = append(out, b)
		case b == ',':
			out = append(out, b)
			breakLine()
		case b == ':':
			out = append(out, b, ' ')
		default:
			out = append(out, b)
		}
	}
	if len(out) > most {
		return source
	}
	return out
}

// rawPolicy is what a picture or a report of a job may do: it belongs to no site, so that its scripts have no session,
// and it loads nothing but what it carries and, of a report, what its job has stored beside it.
func rawPolicy(sources string) string {
	return "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'" + sources +
		"; style-src 'unsafe-inline'" + sources + "; img-src data: blob:" + sources +
		"; font-src data:" + sources + "; media-src data: blob:" + sources + "; connect-src" + cmp.Or(sources, " 'none'") +
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
}

// plainHost is what a request may call this server for a policy to name it.
var plainHost = regexp.MustCompile(`^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?$`)

// reportSources returns where the files of a report are, for its policy: by the base URL, and by the name that the
// browser has called this server by.
func (c *call) reportSources() (sources string) {
	below := c.linkToArtifact("files", c.R.PathValue("ticket")) + "/"
	base, _ := url.Parse(c.BaseURL) // which New has parsed
	sources = " " + base.Scheme + "://" + base.Host + below
	if c.R.Host != base.Host && plainHost.MatchString(c.R.Host) {
		sources += " " + base.Scheme + "://" + c.R.Host + below
	}
	return sources
}

// linkToArtifact returns an address below that of the artifact that the page is about.
func (c *call) linkToArtifact(segments ...string) string {
	return c.buildsLink(append([]string{c.R.PathValue("number"), "jobs", c.R.PathValue("job"), "artifacts",
		c.R.PathValue("artifact")}, segments...)...)
}

// sendArtifact answers with the content of a picture, for the page that shows it, or leads to a report: a report is
// read with a ticket, because it has no session when it loads the files beside it.
func sendArtifact(c *call) (*reply, error) {
	opened, err := c.Artifacts.OpenArtifact(c.ctx(), c.actor(), c.artifactRef())
	if err != nil {
		return nil, err
	}
	looks := looksOf(&opened.Artifact)
	if looks.mime == "" || opened.FileSize > looks.most {
		_ = opened.Content.Close()
		return nil, domain.NewError(domain.NotFound, "This artifact can only be downloaded.")
	}
	if looks.kind != "html" || !fs.ValidPath(opened.SlashedPath()) { // such as ../index.html, which no address has
		return c.sendFile(opened, looks.mime, rawPolicy("")), nil
	}
	_ = opened.Content.Close()
	ticket, name, err := c.Artifacts.ReportTicket(c.ctx(), c.actor(), c.artifactRef())
	if err != nil {
		return nil, err
	}
	return c.redirect(c.linkToArtifact(append([]string{"files", ticket}, strings.Split(name, "/")...)...), ""), nil
}

// reportTypes are those of files that reports are made of, besides pictures, by how their names end.
var reportTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".map": "application/json",
	".txt": "text/plain; charset=utf-8", ".log": "text/plain; charset=utf-8",
	".csv": "text/csv; charset=utf-8", ".xml": "text/xml; charset=utf-8", ".woff": "font/woff", ".woff2": "font/woff2",
	".ttf": "font/ttf", ".otf": "font/otf",
	".ico": "image/x-icon", ".webm": "video/webm", ".mp4": "video/mp4", ".wasm": "application/wasm",
}

// sendReportFile answers with a report, or with a file that its job has stored beside it.
func sendReportFile(c *call) (*reply, error) {
	name := c.R.PathValue("path")
	opened, err := c.Artifacts.OpenReportFile(c.ctx(), c.actor(), c.R.PathValue("job"), c.R.PathValue("ticket"), name)
	if err != nil {
		return nil, err
	}
	if opened.FileSize > maxReportFile {
		_ = opened.Content.Close()
		return nil, domain.NewError(domain.NotFound, "This artifact can only be downloaded.")
	}
	end := strings.ToLower(path.Ext(name))
	c.Header.Del("Set-Cookie")                       // a file that comes without cookies changes none
	c.Header.Set("Access-Control-Allow-Origin", "*") // a report is of no origin, and its address is secret
	c.Header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return c.sendFile(opened, cmp.Or(imageTypes[end], reportTypes[end], "application/octet-stream"),
		rawPolicy(c.reportSources())), nil
}

// sendFile answers with what a job has stored, under a policy that lets it do no harm.
func (c *call) sendFile(opened artifacts.Download, mime, policy string) *reply {
	return &reply{stream: func() {
		defer func() { _ = opened.Content.Close() }()
		out, err := c.OpenAnswer()
		if err != nil {
			c.write(c.replyToError(err))
			return
		}
		c.Header.Set("Content-Type", mime)
		c.Header.Set("Content-Length", strconv.FormatInt(opened.FileSize, 10))
		c.Header.Set("Content-Security-Policy", policy)
		c.Header.Set("X-Frame-Options", "SAMEORIGIN")
		c.Header.Set("Referrer-Policy", "no-referrer")
		c.RecordStatus(http.StatusOK)
		_, _ = io.Copy(out, opened.Content) // a caller who goes away is seen by what is missing
	}}
}
