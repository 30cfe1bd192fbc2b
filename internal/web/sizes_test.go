package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

// oddNames are names that are hard to lay out: a long one, one that is read from right to left, and one that can't be broken.
var oddNames = map[string]string{
	"long":        "The pump that feeds the turbine of the upper power station, which nobody has looked after",
	"rtl":         "محطة توليد الطاقة الكهرومائية العليا — פרויקט 7",
	"unbreakable": strings.Repeat("Donaudampfschifffahrt", 4),
}

// longNamesInBrowser looks at pages full of odd names, on a phone.
func longNamesInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	token := s.agentToken()
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Do(chromedp.EmulateViewport(phone, 800))
	for slug, name := range oddNames {
		_, err := s.Service.UpdateOwnUser(t.Context(), s.actorOf("admin@example.com"), name)
		s.must(err)
		cluster := s.Post(testkit.AdminToken, "/v2"+acme+"/clusters", map[string]any{"name": name, "description": name}).Want(t, http.StatusCreated).Text("id")
		team := s.Post(testkit.AdminToken, "/v2"+acme+"/teams", map[string]any{"name": name, "description": name}).Want(t, http.StatusCreated).Text("id")
		pipeline := s.pipelineWith(name, slug, fmt.Sprintf(`steps: [{group: %[1]q, steps: [{label: %[1]q, command: %[1]q}, {label: %[1]q, command: x, parallelism: 2}]}, {block: %[1]q, prompt: %[1]q, fields: [{text: %[1]q, key: a, hint: %[1]q}]}]`, name))
		build := s.buildOf(pipeline, strings.ReplaceAll(name, " ", "-"), name)
		agent := s.connectWorker(token, name)
		job := agent.take()
		job.write("--- " + name + "\n" + strings.Repeat(name, 5) + "\n")
		job.annotate("info", "# "+name+"\n\n`"+name+"`\n\n| "+name+" | "+name+" |\n|---|---|\n| "+name+" | "+name+" |\n\n```\n"+strings.Repeat(name, 5)+"\n```")
		job.upload("x", name+"/"+name+".txt")
		s.must(s.Builds.SetMetaData(t.Context(), job.token, builds.Target{Job: job.ID}, map[string]string{name: name}))
		for _, path := range []string{acme, acme + "/clusters", acme + "/clusters/" + cluster, acme + "/teams/" + team, acme + "/pipelines", acme + "/pipelines/" + slug, acme + "/pipelines/" + slug + "/about",
			build, build + "/jobs/" + job.ID, build + "/jobs/" + job.ID + "?env=1", acme + "/agents", acme + "/agents/" + agent.ID, theCluster + "/queues/" + testkit.QueueID, "/account"} {
			if status := tab.Open(path); status != http.StatusOK {
				t.Errorf("%s is %d", path, status)
			}
			tab.Want(name)
			wantNarrow(t, tab, slug+": "+path)
			tab.Check(path)
		}
		job.finish(1)
		s.must(s.Agents.DisconnectAgent(t.Context(), agent.session))
		s.Put(testkit.AdminToken, pipeline+"/builds/1/cancel", nil).Want(t, http.StatusOK)
	}
}

// manyRowsInBrowser looks at pages of which there is very much to show: they stay short, and fit a phone.
func manyRowsInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	token := s.agentToken()
	s.pipelineWith("Busy", "busy", `steps: [{label: Test, command: x}]`)
	broad := s.pipelineWith("Broad", "broad", `steps: [{label: Shard, command: x, parallelism: 250}, {label: Part, command: y, parallelism: 250}]`)
	wide := s.buildOf(broad, "main", "All shards")
	worker := s.connectWorker(token, "agent-0")
	job := worker.take()
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf("reports/part-%04d.txt", i))
	}
	job.announce(paths...)
	for i := range 100 {
		job.annotate("info", fmt.Sprintf("Note %d", i))
	}
	ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "busy"}
	for i := range 1000 {
		_, err := s.Builds.CreateBuild(t.Context(), s.adminToken(), ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: fmt.Sprintf("Build %d", i)}))
		s.must(err)
		_, err = s.Service.CreateQueue(t.Context(), s.adminToken(), testkit.Maintained(), core.Value(domain.QueueInput{Key: domain.Some(fmt.Sprintf("queue-%04d", i))}))
		s.must(err)
		s.connectWorker(token, fmt.Sprintf("agent-%04d", i))
	}
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Do(chromedp.EmulateViewport(phone, 800))
	for path, says := range map[string]string{
		acme + "/pipelines/busy": "of 1,000 builds", acme + "/pipelines/busy?page=34": "of 1,000 builds", wide: "Show 200 more jobs",
		wide + "/jobs/" + job.ID: "800 more are not listed here", acme + "/agents": "of 1,001 agents", theCluster + "/queues": "of 1,001 queues", theCluster + "/queues/" + testkit.QueueID: "Waiting jobs",
	} {
		if status := tab.Open(path); status != http.StatusOK {
			t.Errorf("%s is %d", path, status)
		}
		chromium.Eval[bool](tab, `document.querySelectorAll("details#artifacts").forEach(list => { list.open = true }), true`)
		tab.Want(says)
		wantNarrow(t, tab, path)
		tab.Check(path)
		weight := chromium.Eval[int](tab, `performance.getEntriesByType("navigation")[0].decodedBodySize`)
		rows := chromium.Eval[int](tab, `document.querySelectorAll("tbody tr, .build-row, .annotation, .job").length`)
		if weight > 220_000 || rows > 420 {
			t.Errorf("%s has %d bytes and %d rows", path, weight, rows)
		}
	}
}

// refusedFormsInBrowser looks at forms that were refused, and at who tried too often.
func refusedFormsInBrowser(t *testing.T, b *chromium.Browser) {
	script := axe(t)
	s := newBrowserSite(t)
	s.withPassword("hasty@example.com", "a long password")
	wantAccessible := func(tab *chromium.Tab, page string) {
		t.Helper()
		chromium.Eval[chromedp.Void](tab, script)
		for _, look := range []string{"light", "dark"} {
			tab.Prefer(look)
			for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}`)) {
				t.Errorf("%s: %s: %s", page, look, fault)
			}
		}
		tab.Check(page)
	}
	tab := s.tabOf(t, b, "admin@example.com")
	for path, button := range map[string]string{
		acme + "/clusters/new": "Create cluster", acme + "/new-pipeline": "Create pipeline", theCluster + "/queues/new": "Create queue", theCluster + "/secrets/new": "Create secret",
		theCluster + "/tokens/new": "Create agent token", acme + "/teams/new": "Create team", acme + "/new-portal": "Create portal", "/account/tokens/new": "Create token", "/account/password": "Change password",
	} {
		tab.Open(path)
		if status := tab.Press(button); status != http.StatusUnprocessableEntity {
			t.Errorf("an empty form at %s is %d", path, status)
		}
		wantAccessible(tab, path)
	}
	visitor := s.tabOf(t, b, "-")
	status := 0
	for range 30 {
		visitor.Open("/sign-in")
		visitor.Type("email", "hasty@example.com")
		visitor.Type("password", "wrong")
		if status = visitor.Press("Sign in"); status == http.StatusTooManyRequests {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("whoever tries too often is answered with %d", status)
	}
	wantAccessible(visitor, "too many attempts")
}

// brokenServerInBrowser looks at what a server says that has lost its database.
func brokenServerInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(acme)
	s.must(s.DB.Close())
	if status := tab.Open(acme); status < http.StatusInternalServerError {
		t.Errorf("without a database the page is %d", status)
	}
	chromium.Eval[chromedp.Void](tab, axe(t))
	for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, `{type: "tag", values: ["wcag2a", "wcag2aa"]}`)) {
		t.Error(fault)
	}
	tab.Check("an error")
}
