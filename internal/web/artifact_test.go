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
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/view":                 {path: "/acme-inc/web/builds/7/jobs/x/artifacts/y/view", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}/raw":                  {path: "/acme-inc/web/builds/7/jobs/x/artifacts/y/raw", says: "No "},
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
			raw := b.get(files[path]+"/raw").want(t, http.StatusOK)
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
