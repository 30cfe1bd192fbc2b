package builds

import (
	"cmp"
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// BuildPage is a build with what its page shows, of one state of the database.
type BuildPage struct {
	Build       domain.BuildView // with the jobs of the first steps
	StepsLeft   int64            // steps whose jobs are not among them
	Failed      []*domain.JobView
	MayBuild    bool // the actor may cancel, retry and rebuild
	Annotations domain.Paged[*domain.Annotation]
	Artifacts   domain.Paged[*domain.ArtifactView]
	Notices     []domain.Notice // what its configuration asked to be sent, the newest first

	TestReports  []domain.TestReport // those with the most failures first
	Tests        domain.TestStats
	Dependencies []domain.StepDependency // between its steps; read only where it is asked for
}

const (
	noticesOnPage = 100
	reportsOnPage = 30
)

// PageLimits are how much of a build its page shows.
type PageLimits struct {
	Steps                  int // 0: all
	Annotations, Artifacts int64
	Dependencies           bool // what steps wait for is read
}

// failedStates are those of jobs that may be worth another try, as REST names them.
var failedStates = []string{"failed", "timed_out", "canceled", "expired"}

// BuildPage returns what the page of a build shows.
func (s *Service) BuildPage(ctx context.Context, actor authz.Actor, ref domain.BuildRef, limits PageLimits) (
	BuildPage, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (page BuildPage, err error) {
		in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
		if err == nil {
			err = permits(actor, &in, authz.ReadArtifact)
		}
		if err != nil {
			return page, err
		}
		core.LimitReading(tx)
		page.MayBuild = permits(actor, &in, authz.WriteBuild) == nil
		err = tx.Together(
			func() error { return page.readSteps(tx, in.BuildID, limits.Steps) },
			func() (err error) {
				if limits.Dependencies {
					page.Dependencies, err = tx.DependenciesOf(in.BuildID)
				}
				return err
			},
			func() error { return page.readAnnotations(tx, &in, limits.Annotations) },
			func() error { return page.readArtifacts(tx, &in, limits.Artifacts) },
		)
		return page, err
	})
}

func (p *BuildPage) readAnnotations(tx store.Tx, in *core.InBuild, limit int64) (err error) {
	ofBuild := domain.AnnotationFilter{Scopes: []domain.AnnotationScope{domain.ScopeOfBuild}, OnlyHTML: true}
	p.Annotations, err = store.AnnotationsOfBuilds(ofBuild, domain.FirstCreated).ReadShallowPage(tx,
		store.ViewerOf(&in.Identity), string(in.BuildID), domain.Page{Number: 1, Size: limit}, core.MaxListDepth)
	return err
}

// readArtifacts reads the first artifacts, and what the test reports among them say.
func (p *BuildPage) readArtifacts(tx store.Tx, in *core.InBuild, limit int64) (err error) {
	p.Artifacts, err = store.ArtifactsOfBuilds(domain.ArtifactFilter{}).ReadShallowPage(tx,
		store.ViewerOf(&in.Identity), string(in.BuildID), domain.Page{Number: 1, Size: limit}, core.MaxListDepth)
	if err == nil && p.Artifacts.Total > 0 {
		p.TestReports, p.Tests, err = tx.TestReportsOf(in.BuildID, reportsOnPage)
	}
	return err
}

// permits returns why the actor, who was identified, may not do an action with a build.
func permits(actor authz.Actor, in *core.InBuild, action authz.Action) error {
	return cmp.Or(authz.CheckScope(actor, &in.Identity, action), authz.Check(&in.Identity, action, in.Facts))
}

// readSteps reads the build with its notices and the jobs of its first steps, and those that failed of all.
func (p *BuildPage) readSteps(tx store.Tx, id domain.BuildID, limit int) (err error) {
	shown := domain.JobFilter{}
	if limit > 0 {
		last, more, err := tx.StepPosition(id, limit)
		if err != nil {
			return err
		}
		if more {
			shown.UpTo = &last
			if p.StepsLeft, err = tx.CountStepsAfter(id, last); err != nil {
				return err
			}
		}
	}
	if p.Build, err = readBuild(tx, id, BuildParts{Jobs: &shown, Counts: true, Groups: true, MetaData: true,
		Origin: true}); err != nil {
		return err
	}
	if p.Build.Notifications != nil {
		if p.Notices, err = tx.NotificationsOf(id, noticesOnPage); err != nil {
			return err
		}
	}
	p.Failed = p.Build.Jobs
	if p.StepsLeft > 0 {
		rest := p.Build
		if err := tx.AddJobs([]*domain.BuildView{&rest}, domain.JobFilter{ShownStates: failedStates,
			NewestOnly: true}); err != nil {
			return err
		}
		p.Failed = rest.Jobs
	}
	return nil
}
