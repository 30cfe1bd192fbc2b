package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

// hostileReport tries what a script could do with the session of who reads it.
const hostileReport = `<!doctype html><title>x</title><body><p id="out">nothing</p><script>
const said = [];
const note = (name, run) => { try { said.push(name + "=" + run()); } catch (e) { said.push(name + " refused"); } };
note("cookie", () => document.cookie);
note("parent", () => parent.document.title);
note("storage", () => localStorage.length);
if (top !== self) note("top", () => { top.location = "/sign-in"; return "went"; });
note("popup", () => String(open("/account")));
fetch("/account").then((a) => said.push("fetch=" + a.status), () => said.push("fetch refused")).then(() => { document.getElementById("out").textContent = said.join("; "); parent.postMessage(said.join("; "), "*"); });
</script><img src="/avatars/x.svg"><form action="/sign-out" method="post"><button>Go</button></form></body>`

var _ = addPages(map[string]pageCase{
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/view": {path: "/acme-inc/web/builds/7/jobs/x/artifacts/y/view", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/raw":  {path: "/acme-inc/web/builds/7/jobs/x/artifacts/y/raw", says: "No "},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/files/{ticket}/{path...}": {
		path: "/acme-inc/web/builds/7/jobs/x/artifacts/y/files/z/index.html", says: "This address is not valid"},
	inOrganizationPath + "/pipelines/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/files/{ticket}/{path...}": {
		path: acme + "/pipelines/web/builds/7/jobs/x/artifacts/y/files/z/index.html", says: "This address is not valid"},
	inOrganizationPath + "/pipelines/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/view": {path: acme + "/pipelines/web/builds/7/jobs/x/artifacts/y/view", says: "No build found"},
	inOrganizationPath + "/pipelines/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/raw":  {path: acme + "/pipelines/web/builds/7/jobs/x/artifacts/y/raw", says: "No "},
})

// withArtifacts makes a build of two jobs that have stored files, and returns its address and those of the files.
func (s *site) withArtifacts(t *testing.T) (build string, files map[string]string) {
	t.Helper()
	worker := s.connectWorker(s.agentToken(), "runner")
	build = s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: Compile, command: x}, {label: Test, command: y}]`), "main", "Files")
	first := worker.take()
	first.upload("hello\n\x1b[31mred\x1b[0m "+attack, "out/build.log")
	first.upload("x", "dist/shop.tar.gz")
	first.finish(0)
	second := worker.take()
	second.upload(`{"b":[1,{}, "a\"b"],"a":{"c":null}}`, "report.json")
	second.upload(hostileReport, "coverage/index.html")
	second.upload(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="alert(1)"><script>alert(1)</script><rect width="10" height="10"/></svg>`, "a-plot.svg")
	second.upload("\x00\x01", "odd.txt")
	second.upload(strings.Repeat("line\n", 300_000), "long.txt")
	second.finish(0)
	files = map[string]string{}
	for _, found := range regexp.MustCompile(`href="([^"]*/artifacts/[0-9a-f-]{36})(?:/view)?"><code>([^<]*)</code>`).FindAllStringSubmatch(s.signedIn("admin@example.com").get(build).Body, -1) {
		files[found[2]] = found[1]
	}
	return build, files
}

func TestArtifactsAreListedByJobAndShown(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build, files := s.withArtifacts(t)
		b := s.signedIn("member@example.com")
		list := b.get(build).want(t, http.StatusOK, "Artifacts", ">Compile</a></h3>", ">Test</a></h3>")
		checkMarkup(t, list)
		var places []int
		for _, text := range []string{">Compile</a></h3>", "dist/shop.tar.gz<", "out/build.log<", ">Test</a></h3>", "a-plot.svg<", "coverage/index.html<", "report.json<"} {
			places = append(places, strings.Index(list.Body, text))
		}
		for i := 1; i < len(places); i++ {
			if places[i] < places[i-1] {
				t.Errorf("artifacts are not listed by job and path: %v", places)
			}
		}
		for path, says := range map[string]string{
			"out/build.log": "red ", "report.json": "&#34;b&#34;: [\n    1,\n    {},\n    &#34;a\\&#34;b&#34;\n  ],", "coverage/index.html": `sandbox="allow-scripts"`, "a-plot.svg": `<img src="`,
			"odd.txt": "isn&#39;t text", "long.txt": "these are its first 1.0 MB", "dist/shop.tar.gz": "aren&#39;t shown here",
		} {
			shown := b.get(files[path]+"/view").want(t, http.StatusOK, says, path)
			checkMarkup(t, shown)
			if policy := shown.Header.Get("Content-Security-Policy"); strings.Contains(policy, "frame-src") != strings.HasSuffix(path, ".html") {
				t.Errorf("the page of %s has the policy %s", path, policy)
			}
		}
		b.get(files["out/build.log"]+"/view").wantHarmless(t, 1)
		for path, kind := range map[string]string{"coverage/index.html": "text/html; charset=utf-8", "a-plot.svg": "image/svg+xml"} {
			raw := b.get(files[path] + "/raw")
			if to := raw.Header.Get("Location"); to != "" {
				raw = s.browser().get(to)
			}
			raw.want(t, http.StatusOK)
			policy := raw.Header.Get("Content-Security-Policy")
			if raw.Header.Get("Content-Type") != kind || !strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'") || strings.Contains(policy, "allow-same-origin") || raw.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s is sent with %v", path, raw.Header)
			}
		}
		b.get(files["out/build.log"]+"/raw").want(t, http.StatusNotFound)
		b.get(files["dist/shop.tar.gz"]+"/raw").want(t, http.StatusNotFound)
		outsider := s.signedIn("outsider@example.com")
		for _, below := range []string{"/view", "/raw", ""} {
			outsider.get(files["coverage/index.html"]+below).want(t, http.StatusNotFound)
		}
		testkit.Exec(t, s.DB, `UPDATE artifacts SET upload_destination = 's3://elsewhere' WHERE path = 'report.json'`)
		b.get(files["report.json"]+"/view").want(t, http.StatusNotFound, "in another store")
	})
}

// reportFiles are a report of several files, as a job stores them.
var reportFiles = map[string]string{
	"report/index.html": `<!doctype html><title>x</title><link rel="stylesheet" href="style.css"><h1>Report</h1><img src="img/a.svg"><script src="data.js"></script>
<script type="module" src="part.mjs"></script><script src="/assets/x.js"></script>
<script>addEventListener("load", async () => {
	const said = ["data=" + window.data, "module=" + window.part, "color=" + getComputedStyle(document.querySelector("h1")).color, "image=" + document.querySelector("img").naturalWidth];
	const ask = async (name, address) => { try { said.push(name + "=" + (await (await fetch(address)).text()).trim()); } catch { said.push(name + " refused"); } };
	await ask("json", "../numbers.json");
	await ask("account", "/account");
	try { said.push("cookie=" + document.cookie); } catch { said.push("cookie refused"); }
	try { said.push("storage=" + localStorage.length); } catch { said.push("storage refused"); }
	parent.postMessage(said.join("; "), "*");
});</script>`,
	"report/style.css": "h1 { color: rgb(1, 2, 3) }", "report/data.js": "window.data = 7", "report/part.mjs": "window.part = 8", "numbers.json": "[9]",
	"report/img/a.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="alert(1)"><script>alert(1)</script><rect width="10" height="10"/></svg>`,
	`win\index.html`:   `<link rel="stylesheet" href="a.css">`, `win\a.css`: "p {}", "../odd.html": "odd", "report/data.bin": "\x00",
}

// withReport makes a build whose job has stored a report, and returns the addresses of its files and of the job.
func (s *site) withReport(t *testing.T, worker *worker, slug string) (files map[string]string, job string) {
	t.Helper()
	build := s.buildOf(s.pipelineWith(slug, slug, `steps: [{label: Report, command: x}]`), "main", "Report")
	done := worker.take()
	for path, content := range reportFiles {
		done.upload(content, path)
	}
	done.finish(0)
	files = map[string]string{}
	for _, found := range regexp.MustCompile(`href="([^"]*/artifacts/[0-9a-f-]{36})(?:/view)?"><code>([^<]*)</code>`).FindAllStringSubmatch(s.signedIn("admin@example.com").get(build).Body, -1) {
		files[found[2]] = found[1]
	}
	return files, build + "/jobs/" + done.ID
}

// TestReportsLoadFilesBesideThem reads a report of several files, as a page does that has no session, and what else could be tried with its address.
func TestReportsLoadFilesBesideThem(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		files, job := s.withReport(t, worker, "shop")
		_, other := s.withReport(t, worker, "other")
		b, visitor := s.signedIn("member@example.com"), s.browser()
		to := b.get(files["report/index.html"]+"/raw").want(t, http.StatusSeeOther).Header.Get("Location")
		below, found := strings.CutSuffix(to, "report/index.html")
		if !found || !strings.HasPrefix(below, files["report/index.html"]+"/files/") {
			t.Fatalf("the report is at %s", to)
		}
		for path, kind := range map[string]string{
			"report/index.html": "text/html; charset=utf-8", "report/style.css": "text/css; charset=utf-8", "report/data.js": "text/javascript; charset=utf-8",
			"report/img/a.svg": "image/svg+xml", "numbers.json": "application/json", "report/data.bin": "application/octet-stream", "win/a.css": "text/css; charset=utf-8",
		} {
			a := visitor.get(below+path).want(t, http.StatusOK)
			policy := a.Header.Get("Content-Security-Policy")
			if a.Header.Get("Content-Type") != kind || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Access-Control-Allow-Credentials") != "" || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s is sent with %v", path, a.Header)
			}
			if !strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' "+s.URL+below+"; ") || strings.Contains(policy, "allow-same-origin") || strings.Contains(policy, "'self';") {
				t.Errorf("%s is sent with the policy %s", path, policy)
			}
			if want := reportFiles[path]; want != "" && a.Body != want {
				t.Errorf("%s is %q", path, a.Body)
			}
		}
		for _, none := range []string{"", "report/", "report/none.css", "REPORT/style.css", "report/%00", "report/%FF", "report%5Cstyle.css", "win%5Ca.css", "*", "report/*", strings.Repeat("x/", 400)} {
			visitor.get(below+none).want(t, http.StatusNotFound)
		}
		for _, above := range []string{"../../raw", "../../../../../../../../account", "%2e%2e/%2e%2e/raw", "..%2f..%2f..%2fetc%2fpasswd", "report/../../../../x"} {
			if a := visitor.get(below + above); a.Status < 300 || strings.Contains(a.Header.Get("Location"), "/files/") && visitor.get(a.Header.Get("Location")).Status == http.StatusOK {
				t.Errorf("%s is answered with %d", above, a.Status)
			}
		}
		ticket := strings.Split(strings.TrimPrefix(below, files["report/index.html"]+"/files/"), "/")[0]
		for _, bad := range []string{"x", ticket + "x", ticket[:len(ticket)-2] + "AA", strings.ToUpper(ticket)} {
			visitor.get(strings.Replace(below, ticket, bad, 1)+"report/style.css").want(t, http.StatusForbidden, "This address is not valid")
		}
		visitor.get(other+"/artifacts/x/files/"+ticket+"/report/style.css").want(t, http.StatusForbidden)
		s.signedIn("outsider@example.com").get(files["report/index.html"]+"/raw").want(t, http.StatusNotFound)
		visitor.get(files["report/index.html"]+"/raw").want(t, http.StatusSeeOther) // to sign in
		b.get(files["../odd.html"]+"/raw").want(t, http.StatusOK, "odd")
		windows := b.get(files[`win\index.html`]+"/raw").want(t, http.StatusSeeOther).Header.Get("Location")
		visitor.get(windows).want(t, http.StatusOK, "a.css")
		testkit.Exec(t, s.DB, `UPDATE artifacts SET upload_destination = 's3://elsewhere' WHERE path = 'report/data.js'`)
		visitor.get(below+"report/data.js").want(t, http.StatusNotFound)
		testkit.Exec(t, s.DB, `UPDATE artifacts SET state = 'deleted' WHERE path = 'report/style.css'`)
		visitor.get(below+"report/style.css").want(t, http.StatusNotFound)
		checkMarkup(t, b.get(job))
	})
}

// reportOfFiles opens a report of several files: they are loaded, and nothing else is.
func reportOfFiles(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	files, _ := s.withReport(t, s.connectWorker(s.agentToken(), "runner"), "shop")
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(files["report/index.html"] + "/view")
	said := chromium.Eval[string](tab, `new Promise((done) => { addEventListener("message", (e) => done(e.data + " from " + e.origin)); const f = document.querySelector("iframe"); f.src = f.src; })`)
	if said != "data=7; module=8; color=rgb(1, 2, 3); image=10; json=[9]; account refused; cookie refused; storage refused from null" {
		t.Errorf("the report says %s", said)
	}
	tab.Forget() // what it tried
}

// reportsStayApart opens a hostile report, beside Penstock's page and alone: its scripts have nothing of the session.
func reportsStayApart(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	_, files := s.withArtifacts(t)
	tab := s.tabOf(t, b, "admin@example.com")
	const want = "cookie refused; parent refused; storage refused; top refused; popup=null; fetch refused"
	tab.Open(files["coverage/index.html"] + "/view")
	said := chromium.Eval[string](tab, `new Promise((done) => { addEventListener("message", (e) => done(e.data + " from " + e.origin)); const f = document.querySelector("iframe"); f.src = f.src; })`)
	if said != want+" from null" {
		t.Errorf("in the page, the report says %s", said)
	}
	if path := tab.Path(); !strings.HasSuffix(path, "/view") {
		t.Errorf("the report has led to %s", path)
	}
	tab.Open(files["coverage/index.html"] + "/raw")
	tab.WaitFor("#out", "fetch refused")
	if said := chromium.Eval[string](tab, `document.getElementById("out").textContent`); strings.Contains(said, "cookie=") || strings.Contains(said, "storage=") || strings.Contains(said, "fetch=") {
		t.Errorf("alone, the report says %s", said)
	}
	tab.Forget() // what it tried
	tab.Open(files["a-plot.svg"] + "/view")
	if width := chromium.Eval[int](tab, `document.querySelector(".shown-file img").naturalWidth`); width != 10 {
		t.Errorf("the picture is %d wide", width)
	}
}
