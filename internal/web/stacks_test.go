package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestStacksOnPages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b, token := s.signedIn("member@example.com"), s.agentToken()
		queue := theCluster + "/queues/" + testkit.QueueID
		if strings.Contains(b.get(queue).want(t, http.StatusOK).Body, "Stacks</h2>") {
			t.Error("a queue without stacks shows some")
		}
		register := func(key string) {
			t.Helper()
			_, _, err := s.Builds.RegisterStack(t.Context(), token, domain.StackInput{Key: key, Type: "kubernetes", QueueKey: "_default", Metadata: map[string]string{"about": attack}})
			s.must(err)
		}
		register("k8s-prod")
		register("k8s-old")
		s.must(s.Builds.DeregisterStack(t.Context(), token, "k8s-old"))
		shown := b.get(queue).want(t, http.StatusOK)
		for _, part := range []string{"Stacks", "k8s-prod", "kubernetes", "connected", "k8s-old", "disconnected"} {
			if !strings.Contains(shown.Body, part) {
				t.Errorf("the page of the queue does not show %s", part)
			}
		}
		shown.wantHarmless(t, 2)

		pipeline := s.pipelineWith("Fleet", "fleet", "steps: [{label: Pod, command: make}]")
		build := s.buildOf(pipeline, "main", "A build")
		job := s.jobIn(t, pipeline, 1, "Pod")
		page := build + "/jobs/" + job
		if strings.Contains(b.get(page).want(t, http.StatusOK).Body, "Starting an agent") {
			t.Error("a job that no stack speaks of shows what one said")
		}
		_, err := s.Builds.ReserveJobs(t.Context(), token, "k8s-prod", []string{job}, time.Minute)
		s.must(err)
		_, err = s.Builds.NotifyOfJobs(t.Context(), token, "k8s-prod", []domain.StackNotification{{Job: job, Detail: "Pulling the image"}, {Job: job, Detail: attack}})
		s.must(err)
		waiting := b.get(page).want(t, http.StatusOK)
		if text := waiting.Body; !strings.Contains(text, "Starting an agent") || !strings.Contains(text, "Pulling the image") {
			t.Errorf("the page of the job is %s", text)
		}
		waiting.wantHarmless(t, 1)
		s.must(s.Builds.FinishStackJob(t.Context(), token, "k8s-prod", job, -1, "No such image"))
		if text := b.get(page).want(t, http.StatusOK).Body; strings.Contains(text, "Starting an agent") || !strings.Contains(text, "No such image") {
			t.Errorf("after its end the page of the job is %s", text)
		}
	})
}
