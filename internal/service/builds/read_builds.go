package builds

import (
	"context"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// BuildParts says what is to be read along with builds.
type BuildParts struct {
	Jobs     *domain.JobFilter // nil: no jobs
	Counts   bool              // how many jobs are in which state
	Groups   bool              // that the steps of the jobs are in
	MetaData bool
	Origin   bool // the build whose branch a triggered one counts as
}

// What is read at most for one answer.
const (
	maxMergedDepth = 10_000 // builds of a list of several organizations' that can be read by pages
	maxListedJobs  = 8_000  // of all builds of a page; one build has less
	maxEntered     = 500    // organizations whose builds are listed together
)

var errTooManyListed = domain.NewError(domain.Malformed, "The builds of this page have too many jobs. Ask for fewer "+
	"with per_page, or leave their jobs out with exclude_jobs")

// Builds returns a page of those builds that the filter chooses of all organizations that the actor's token reaches,
// the newest first.
func (s *Service) Builds(ctx context.Context, actor authz.Actor, filter domain.BuildFilter, parts BuildParts,
	page domain.Page) (domain.Paged[*domain.BuildView], error) {
	if err := s.recordAll(ctx, actor, authz.ReadBuild); err != nil {
		return domain.Paged[*domain.BuildView]{}, err
	}
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (listed domain.Paged[*domain.BuildView],
		err error) {
		organizations, err := s.enterAll(tx, actor, authz.ReadBuild)
		if err != nil {
			return listed, err
		}
		if err := filter.Check(); err != nil {
			return listed, err
		}
		core.LimitReading(tx)
		listed, err = store.BuildsOfOrganizations(filter, true).ReadMergedPage(tx, store.Viewer{}, organizations, page,
			maxMergedDepth)
		if err != nil {
			return listed, err
		}
		ids := make([]string, len(listed.Items))
		for i, b := range listed.Items {
			ids[i] = string(b.ID)
		}
		found, err := store.BuildRows.Find(tx, store.Viewer{}, ids)
		if err != nil {
			return listed, err
		}
		for _, f := range found {
			listed.Items[slices.Index(ids, f.ID)] = f.Thing
		}
		return listed, addParts(tx, listed.Items, parts)
	})
}

// identitiesOf returns what the actor is in each organization that they have access to.
func (s *Service) identitiesOf(tx store.Tx, actor authz.Actor, action authz.Action) (
	identities []authz.Identity, err error) {
	caller, err := s.core.EnterAlone(tx, actor, action)
	if err != nil {
		return nil, err
	}
	list := store.AccessibleOrganizations(actor.Credential, &caller, nil)
	pages, err := list.Read(tx, store.ViewerOf(&caller), []string{string(caller.User.ID)}, store.Range{Limit: maxEntered})
	if err != nil {
		return nil, err
	}
	for _, m := range pages[0] {
		id := caller
		id.Organization, id.Role, id.Granted = m.Organization, m.Role, true
		identities = append(identities, id)
	}
	return identities, nil
}

// recordAll stores that the actor uses all organizations that they have access to.
func (s *Service) recordAll(ctx context.Context, actor authz.Actor, action authz.Action) error {
	identities, err := core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) ([]authz.Identity, error) {
		return s.identitiesOf(tx, actor, action)
	})
	if err != nil {
		return err
	}
	for i := range identities {
		id := &identities[i]
		if !s.core.Belongs(actor, id) {
			continue
		}
		if err := core.NotifyEntry(ctx, id.Organization.ID); err != nil {
			return err
		}
		if err := s.core.RecordActivity(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// enterAll returns the organizations in which the actor may do the action.
func (s *Service) enterAll(tx store.Tx, actor authz.Actor, action authz.Action) (entered []string, err error) {
	identities, err := s.identitiesOf(tx, actor, action)
	for i := range identities {
		id := &identities[i]
		if s.core.CheckIdentity(actor, id, true, action) == nil && authz.Check(id, action, authz.Facts{}) == nil {
			entered = append(entered, string(id.Organization.ID))
		}
	}
	return entered, err
}

// OrganizationBuilds returns a page of those of an organization's builds that the filter chooses, the newest first.
func (s *Service) OrganizationBuilds(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	filter domain.BuildFilter,
	parts BuildParts, page domain.Page) (domain.Paged[*domain.BuildView], error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (paged domain.Paged[*domain.BuildView],
		err error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadBuild)
		if err != nil {
			return paged, err
		}
		if err := filter.Check(); err != nil {
			return paged, err
		}
		return readBuilds(tx, &id, store.BuildsOfOrganizations(filter, false), string(id.Organization.ID), filter.Text, parts,
			page)
	})
}

// PipelineBuilds returns a page of those of a pipeline's builds that the filter chooses, the newest first.
func (s *Service) PipelineBuilds(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	filter domain.BuildFilter,
	parts BuildParts, page domain.Page) (domain.Paged[*domain.BuildView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (paged domain.Paged[*domain.BuildView],
		err error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return paged, err
		}
		if err := filter.Check(); err != nil {
			return paged, err
		}
		return readBuilds(tx, &in.Identity, store.BuildsOfPipelines(filter), string(in.Pipeline.ID), filter.Text, parts, page)
	})
}

// readBuilds reads a page of a parent's list. A text leaves those of its newest builds that have it in their message.
func readBuilds(tx store.Tx, caller *authz.Identity, list store.List[*domain.BuildView], parent, text string,
	parts BuildParts, page domain.Page) (paged domain.Paged[*domain.BuildView], err error) {
	core.LimitReading(tx)
	if text != "" {
		if list, err = tx.SearchMessages(store.ViewerOf(caller), list, parent, text); err != nil {
			return paged, err
		}
	}
	paged, err = list.ReadShallowPage(tx, store.ViewerOf(caller), parent, page, core.MaxListDepth)
	if err != nil {
		return paged, err
	}
	return paged, addParts(tx, paged.Items, parts)
}

// addParts reads what is shown along with builds, each part in one statement for all of them.
func addParts(tx store.Tx, views []*domain.BuildView, parts BuildParts) error {
	if len(views) == 0 {
		return nil
	}
	var adding []func() error
	if parts.MetaData {
		adding = append(adding, func() error { return tx.AddMetaData(views) })
	}
	if parts.Origin {
		adding = append(adding, func() error { return addOrigins(tx, views) })
	}
	if parts.Counts {
		adding = append(adding, func() error { return tx.AddJobCounts(views) })
	}
	if parts.Jobs != nil {
		adding = append(adding, func() error { return addJobs(tx, views, *parts.Jobs, parts.Groups) })
	}
	return tx.Together(adding...)
}

// addJobs reads the jobs of builds and, if they are wanted, the groups that their steps are in.
func addJobs(tx store.Tx, views []*domain.BuildView, filter domain.JobFilter, groups bool) error {
	jobs := int64(0)
	for _, v := range views {
		jobs += v.JobsMade
	}
	if jobs > maxListedJobs && len(views) > 1 {
		return errTooManyListed
	}
	if err := tx.AddJobs(views, filter); err != nil || !groups {
		return err
	}
	return addGroups(tx, views)
}

// addOrigins reads which builds those are whose branch builds count as.
func addOrigins(tx store.Tx, views []*domain.BuildView) (err error) {
	for _, v := range views {
		if v.CountsAsAnother() {
			if v.OriginBuild, err = tx.BuildLink(v.Origin.BuildID); err != nil {
				return err
			}
		}
	}
	return nil
}

// addGroups reads the groups that the steps of builds' jobs are in.
func addGroups(tx store.Tx, views []*domain.BuildView) error {
	var ids []string
	for _, v := range views {
		for _, j := range v.Jobs {
			if j.Step != nil && j.Step.GroupID != nil && !slices.Contains(ids, string(*j.Step.GroupID)) {
				ids = append(ids, string(*j.Step.GroupID))
			}
		}
	}
	groups, err := tx.StepViews(ids)
	for _, v := range views {
		v.Groups = groups
	}
	return err
}

// Build returns a build.
func (s *Service) Build(ctx context.Context, actor authz.Actor, ref domain.BuildRef, parts BuildParts) (
	domain.BuildView, error) {
	return s.viewBuild(ctx, actor, ref, parts, authz.ReadBuild)
}

// ChangedBuild returns a build to who may change it, and has.
func (s *Service) ChangedBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef) (domain.BuildView, error) {
	return s.viewBuild(ctx, actor, ref, changedParts, authz.WriteBuild)
}

// changedParts is what is shown of a build that was made or changed.
var changedParts = BuildParts{Jobs: &domain.JobFilter{NewestOnly: true}, Counts: true, MetaData: true}

func (s *Service) viewBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef, parts BuildParts,
	action authz.Action) (domain.BuildView, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (domain.BuildView, error) {
		in, err := s.core.InBuild(tx, actor, ref, action)
		if err != nil {
			return domain.BuildView{}, err
		}
		core.LimitReading(tx)
		return readBuild(tx, in.BuildID, parts)
	})
}

func readBuild(tx store.Tx, id domain.BuildID, parts BuildParts) (domain.BuildView, error) {
	v, found, err := tx.BuildView(id)
	if err == nil && !found {
		err = core.ErrNoBuild
	}
	if err != nil {
		return *v, err
	}
	err = addParts(tx, []*domain.BuildView{v}, parts)
	return *v, err
}
