package builds_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit/running"
)

// pipelineOf creates a pipeline with a configuration.
func pipelineOf(s *running.Server, configuration string) domain.PipelineRef {
	s.T.Helper()
	in := domain.PipelineInput{Name: domain.Some("p" + domain.NewID[string]()), Repository: domain.Some("https://example.com/acme/web.git"),
		ClusterID: domain.Some(running.Cluster), Configuration: domain.Some(configuration)}
	in.DefaultBranch = domain.Some("main")
	p, err := s.Service.CreatePipeline(s.T.Context(), running.Admin, running.Organization, core.Value(in))
	if err != nil {
		s.T.Fatal(err)
	}
	return domain.PipelineRef{Organization: running.Organization, Slug: p.Slug}
}

func buildOf(s *running.Server, p domain.PipelineRef, metaData map[string]string) (domain.BuildView, error) {
	return s.Builds.CreateBuild(s.T.Context(), running.Admin, p, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change", MetaData: metaData}))
}

// manySteps is a configuration with so many steps of all kinds, one of them in each of so many queues.
func manySteps(n int) string {
	var b strings.Builder
	b.WriteString("steps:\n")
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "  - {command: make, key: k%d, agents: {queue: q%d}}\n", i, i)
		case 1:
			fmt.Fprintf(&b, "  - {command: make, depends_on: k%d, concurrency: 1000, concurrency_group: g}\n", i-1)
		case 2:
			b.WriteString("  - wait\n")
		case 3:
			b.WriteString("  - {group: g, steps: [{command: make, if: 'build.branch == \"main\"'}, {command: make, matrix: [a, b]}]}\n")
		case 4:
			b.WriteString("  - {block: Go on, branches: main}\n")
		}
	}
	return b.String()
}

// On PostgreSQL each statement is a round trip, or a part of one.
func TestTheStatementsOfANewBuildDoNotGrowWithItsSteps(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		count := func(steps, metaData int) int64 {
			p := pipelineOf(s, manySteps(steps))
			values := map[string]string{}
			for i := range metaData {
				values[fmt.Sprint("key", i)] = "value"
			}
			before := s.DB.Statements()
			if _, err := buildOf(s, p, values); err != nil {
				t.Fatal(err)
			}
			return s.DB.Statements() - before
		}
		count(5, 1) // what is found out once
		few, many := count(5, 1), count(200, 50)
		t.Logf("%d statements for 5 steps, %d for 200", few, many)
		switch {
		case s.DB.Engine() == "postgres" && (many > few || many > 30):
			t.Errorf("%d statements for 200 steps, %d for 5", many, few)
		case many > 2000: // a row each
			t.Errorf("%d statements for 200 steps", many)
		}
	})
}

// Which of two steps runs depends on the build's number, which is not known before the build is stored.
func TestStepsThatDependOnTheNumberFitIt(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		p := pipelineOf(s, `steps:
  - {command: make, label: even, if: 'build.env("BUILDKITE_BUILD_NUMBER") =~ /[02468]$$/'}
  - {command: make, label: odd, if: 'build.env("BUILDKITE_BUILD_NUMBER") =~ /[13579]$$/'}
`)
		const n = 24
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				if _, err := buildOf(s, p, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		right := s.Text(`SELECT CAST(count(*) AS TEXT) FROM jobs j JOIN builds b ON b.id = j.build_id JOIN job_runs r ON r.job_id = j.id JOIN build_steps st ON st.id = j.step_id
			WHERE r.state = 'scheduled' AND st.label = CASE b.number % 2 WHEN 0 THEN 'even' ELSE 'odd' END`)
		wrong := s.Text(`SELECT CAST(count(*) AS TEXT) FROM jobs j JOIN builds b ON b.id = j.build_id JOIN job_runs r ON r.job_id = j.id JOIN build_steps st ON st.id = j.step_id
			WHERE r.state = 'scheduled' AND st.label <> CASE b.number % 2 WHEN 0 THEN 'even' ELSE 'odd' END`)
		if right != fmt.Sprint(n) || wrong != "0" {
			t.Errorf("%s steps are right for their build's number, and %s wrong, of %d builds", right, wrong, n)
		}
	})
}

// The configuration changes after a build was planned and before it is stored.
func TestABuildHasTheStepsOfThePipelineAsItIsWhenTheBuildIsStored(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		p := pipelineOf(s, "steps: [{command: make, label: before}]")
		made := make(chan error, 1)
		err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE pipelines SET configuration = $1 WHERE slug = $2`, "steps: [{command: make, label: after}]", p.Slug); err != nil {
				return err
			}
			before := s.DB.Statements()
			go func() {
				_, err := buildOf(s, p, nil)
				made <- err
			}()
			for s.DB.Statements() < before+4 && t.Context().Err() == nil { // until it has read what it is planned for
				runtime.Gosched()
				if s.DB.Engine() == "sqlite" && s.DB.Statements() >= before+3 {
					break // it waits for this write
				}
			}
			return nil
		})
		if err == nil {
			err = <-made
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Text(`SELECT label FROM build_steps`); got != "after" {
			t.Errorf("the build has the step %q", got)
		}
	})
}

// A plan that takes too much work is refused with a message for its author, and leaves nothing behind.
func TestABuildWhoseStepsTakeTooMuchWorkIsRefused(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		var b strings.Builder
		b.WriteString("steps:\n")
		for i := range 400 {
			fmt.Fprintf(&b, "  - {command: make, if: 'build.message =~ /(a|aa)+b%d$$/'}\n", i)
		}
		p := pipelineOf(s, b.String())
		_, err := s.Builds.CreateBuild(t.Context(), running.Admin, p, domain.SourceAPI,
			core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: strings.Repeat("a", 60_000)}))
		if domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), "too much work") {
			t.Error(err)
		}
		if made := s.Text(`SELECT CAST(count(*) AS TEXT) FROM builds`); made != "0" {
			t.Errorf("%s builds were made", made)
		}
		if _, err := buildOf(s, p, nil); err != nil {
			t.Errorf("with a short message: %v", err)
		}
	})
}
