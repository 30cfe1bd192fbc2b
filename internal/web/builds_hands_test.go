package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
	"penstock/internal/web"
)

// TestEveryClusterCanBeChosen makes more clusters than a page of any list has.
func TestEveryClusterCanBeChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t, testkit.OpenDB(t, "sqlite"), nil)
	const many = 520
	for i := range many {
		_, err := s.Service.CreateCluster(t.Context(), s.adminToken(), domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.ClusterInput{Name: domain.Some(fmt.Sprintf("Cluster %03d", i))}))
		s.must(err)
	}
	b := s.signedIn("admin@example.com")
	for _, page := range []string{acme + "/new-pipeline", web1 + "/settings", acme + "/settings"} {
		if n := strings.Count(b.get(page).want(t, http.StatusOK, "Cluster 000", "Cluster 519").Body, ">Cluster "); n < many {
			t.Errorf("%s offers %d of %d clusters", page, n, many)
		}
	}
}

// TestBadgesSayHowBuildsGo reads the badge of a pipeline after builds of several branches.
func TestBadgesSayHowBuildsGo(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		pipeline := s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: x}]`)
		s.Patch(testkit.AdminToken, pipeline, map[string]any{"default_branch": "main"}).Want(t, http.StatusOK)
		address := s.Get(testkit.AdminToken, pipeline).Want(t, http.StatusOK).Text("badge_url")
		token := strings.TrimSuffix(address[strings.LastIndex(address, "/")+1:], ".svg")
		want := func(branch string, state domain.BadgeState) {
			t.Helper()
			got, err := s.Service.PipelineBadge(t.Context(), s.adminToken(), token, branch, "")
			s.must(err)
			picture := web.Badge(got, web.BadgeLook{})
			if got != state || !strings.Contains(picture, "build: "+string(state)) || strings.Contains(picture, "Shop") {
				t.Errorf("the badge of %q says %s, want %s: %s", branch, got, state, picture)
			}
		}
		wantStep := func(step string, state domain.BadgeState) {
			t.Helper()
			got, err := s.Service.PipelineBadge(t.Context(), s.adminToken(), token, "", step)
			s.must(err)
			if got != state {
				t.Errorf("the badge of the step %q says %s, want %s", step, got, state)
			}
		}
		wantStep("Test", domain.BadgeUnknown)
		want("", domain.BadgeUnknown)
		s.buildOf(pipeline, "main", "One")
		want("", domain.BadgeUnknown) // it has not ended
		worker.take().finish(0)
		want("", domain.BadgePassing)
		want("main", domain.BadgePassing)
		wantStep("Test", domain.BadgePassing)
		wantStep("Other", domain.BadgeUnknown)
		wantStep("\x00", domain.BadgeUnknown)
		want("feature", domain.BadgeUnknown)
		s.buildOf(pipeline, "feature", "Two")
		worker.take().finish(1)
		want("feature", domain.BadgeFailing)
		want("", domain.BadgePassing)
		s.buildOf(pipeline, "main", "Three")
		worker.take().finish(1)
		want("", domain.BadgeFailing)
		wantStep("Test", domain.BadgeFailing)
		s.buildOf(pipeline, "main", "Four")
		s.Put(testkit.AdminToken, pipeline+"/builds/4/cancel", nil).Want(t, http.StatusOK)
		want("", domain.BadgeFailing) // a canceled build says nothing
		want("\x00", domain.BadgeUnknown)

		// One that waits for a person says what REST shows.
		s.Patch(testkit.AdminToken, pipeline, map[string]any{"configuration": "steps: [{label: A, command: x}, {block: Go}, {label: B, command: y}, {label: C, command: z, depends_on: ~}]"}).Want(t, http.StatusOK)
		s.buildOf(pipeline, "main", "Five")
		worker.take().finish(0)
		want("", domain.BadgeFailing) // it runs, and the last one failed
		worker.take().finish(0)
		want("", domain.BadgePassing)
		s.buildOf(pipeline, "main", "Six")
		worker.take().finish(0)
		worker.take().finish(1)
		want("", domain.BadgeFailing)
		b := s.signedIn("admin@example.com")
		b.get(acme+"/pipelines/shop").want(t, http.StatusOK, "Failed, blocked")
		if list := b.get(acme+"/pipelines/shop?state=failed").want(t, http.StatusOK, "Six").Body; strings.Contains(list, "Five") {
			t.Error("a build that waits for a person is found among those that failed")
		}
	})
}

// retryByKeys signs in, finds a job that failed, reads its log and retries it, without a mouse.
func retryByKeys(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.withPassword("keys@example.com", "a long password")
	worker := s.connectWorker(s.agentToken(), "runner")
	pipeline := s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: make test}]`)
	s.buildOf(pipeline, "main", "Change the cart")
	job := worker.take()
	job.write("+++ Tests\nexpected 3, got 4\n")
	job.finish(1)

	tab := s.tabOf(t, b, "-")
	press := func(keys string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(keys) }
	reach := func(name string) {
		t.Helper()
		for range 80 {
			if chromium.Eval[string](tab, `(document.activeElement?.innerText || document.activeElement?.name || "").trim()`) == name {
				if !chromium.Eval[bool](tab, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
					t.Errorf("it can't be seen that %s has the focus", name)
				}
				return
			}
			tab.Do(press(kb.Tab))
		}
		t.Fatalf("%s: %q can't be reached", tab.Path(), name)
	}
	tab.Open("/")
	tab.Do(press("keys@example.com"), press(kb.Tab), press("a long password"))
	tab.Follow(press(kb.Enter))
	reach("Shop")
	tab.Follow(press(kb.Enter))
	reach("Change the cart")
	tab.Follow(press(kb.Enter))
	tab.Want("Failed", "exit status 1")
	reach("Test")
	tab.Follow(press(kb.Enter))
	tab.Want("expected 3, got 4")
	reach("Retry")
	tab.Follow(press(kb.Enter))
	tab.Want("Job retried.", "1 earlier attempt")
}

// buildsByHand does all that can be done with builds with JavaScript off, on a phone.
func buildsByHand(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	worker := s.connectWorker(s.agentToken(), "runner")
	s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: make test}, {block: "Ship it?", fields: [{text: Version, key: version}, {select: Channel, key: channel, options: [{label: Beta, value: beta}, {label: Stable, value: stable}]}]}, {label: Ship, command: make ship}]`)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.AllowScripts(false)
	tab.Do(chromedp.EmulateViewport(phone, 800))
	tab.Open(acme + "/pipelines/shop")
	tab.Press("New build")
	tab.Type("message", "Change the cart")
	tab.Press("Create build")
	tab.Want("Change the cart", "Waiting for an agent")
	build := tab.Path()
	job := worker.take()
	job.write("--- Begin\nfirst words\n+++ Tests\nexpected 3, got 4\n")
	job.finish(1)
	tab.Open(build)
	tab.Want("exit status 1")
	tab.Press("Test")
	tab.Want("expected 3, got 4")
	tab.Do(chromedp.Click(chromedp.CSS("#G1 > summary")))
	tab.Press("Show 1 line")
	tab.Want("first words")
	tab.Type("search", "EXPECTED")
	tab.Follow(chromedp.KeyEvent(kb.Enter))
	tab.Want("1 line with “EXPECTED”")
	tab.Press("Retry")
	tab.Want("Job retried.")
	worker.take().finish(0)
	tab.Open(build)
	tab.Want("Waiting to be unblocked")
	tab.Press("Unblock Ship it?")
	if status := tab.Press("Continue"); status != http.StatusUnprocessableEntity {
		t.Errorf("a block without the fields that it asks for is %d", status)
	}
	tab.Type("unblock_version", "1.2.3")
	chromium.Eval[string](tab, `document.querySelector("[name=unblock_channel]").value = "stable"`)
	tab.Press("Continue")
	tab.Want("Job unblocked.")
	job = worker.take()
	tab.Open(build)
	tab.Want("Running")
	tab.Press("Cancel…")
	tab.Press("Cancel build")
	tab.Want("Build canceled.")
	job.finish(1) // as the agent was told to
	tab.Open(build)
	tab.Want("Canceled")
	tab.Press("Rebuild")
	tab.Want("rebuilt from", "#2")
	wantNarrow(t, tab, build)
}
