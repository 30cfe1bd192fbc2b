package service

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// BootstrapResult says what came of those items of a bootstrap file that were never applied before.
type BootstrapResult struct {
	Applied  int               // made
	Existing int               // there already, and left as they are
	Skipped  []bootstrap.Fault // not made, because what they belong to was deleted after it was declared
}

// The kinds of items, as the database remembers them.
const (
	userItem          = "user"
	organizationItem  = "organization"
	memberItem        = "member"
	teamItem          = "team"
	teamMemberItem    = "team_member"
	clusterItem       = "cluster"
	maintainerItem    = "maintainer"
	queueItem         = "queue"
	cacheRegistryItem = "cache_registry"
	pipelineItem      = "pipeline"
	tokenItem         = "token"
	activityItem      = "activity"
)

// bootstrapAttempts is enough to wait about a minute for another node that applies a large file: a transaction
// gives up on a lock after ten seconds.
const bootstrapAttempts = 6

// ApplyBootstrap makes what a bootstrap file declares exist, all of it or nothing. Each item is decided on
// once, ever: it is made; or it is there already and left as it is; or what it belongs to was deleted, and it is
// skipped. Whatever becomes of it later, the same item is not looked at again. Several nodes may apply a file
// at the same time. Operators only.
//
// The error is a *bootstrap.Error if the file is at fault: a text or a policy is not valid, an item that is yet to
// be applied refers to something that neither the file nor the database has or declares an id that is in use, or
// a token is for an organization that its user is not a member of.
func (s *Service) ApplyBootstrap(ctx context.Context, actor authz.Actor, file *bootstrap.File) (BootstrapResult, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return BootstrapResult{}, err
	}
	if faults := checkBootstrap(file, s.clock()); len(faults) > 0 {
		return BootstrapResult{}, &bootstrap.Error{File: file.Name, Faults: faults}
	}
	hashes, err := s.bootstrapPasswords(ctx, file)
	if err != nil {
		return BootstrapResult{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := change(ctx, s, func(tx store.Tx) (BootstrapResult, error) {
			b := bootstrapping{service: s, tx: tx, file: file, hashes: hashes, now: s.clock(), known: map[bootstrap.Reference]string{}}
			err := b.run()
			return b.result, err
		})
		if err == nil || attempt == bootstrapAttempts || !overtaken(err) {
			return result, err
		}
	}
}

// overtaken reports whether an attempt failed because someone else changed what it had looked at, or kept it
// waiting for too long. The next attempt sees what they stored.
func overtaken(err error) bool {
	code := domain.CodeOf(err)
	return code == domain.Invalid || code == domain.Unavailable || errors.Is(err, db.ErrForeignKey)
}

// checkBootstrap finds what is wrong with the file by the domain's rules, which the file's reader does not know.
func checkBootstrap(file *bootstrap.File, now time.Time) (faults []bootstrap.Fault) {
	check := func(at place, build func(*domain.Faults)) {
		var found domain.Faults
		build(&found)
		for _, f := range found {
			faults = append(faults, at.key(f.Field).fault(f.Reason))
		}
	}
	for o := range declaredOrganizations(file) {
		for c := range o.clusters() {
			check(c.at, func(f *domain.Faults) { newCluster(c, "", now, f) })
			for i, q := range c.Queues {
				check(c.at.item("queues", i, q.Line), func(f *domain.Faults) { newQueue(q, "", now, f) })
			}
			for i, r := range c.CacheRegistries {
				check(c.at.item("cache_registries", i, r.Line), func(f *domain.Faults) { newCacheRegistry(r, "", now, f) })
			}
		}
	}
	return faults
}

// bootstrapPasswords returns the hashes of the passwords of users yet to be applied, by the users' keys. It
// takes long, and would hold up every other write inside the transaction.
func (s *Service) bootstrapPasswords(ctx context.Context, file *bootstrap.File) (map[string]string, error) {
	applied, err := view(ctx, s, func(tx store.Tx) (map[string]bool, error) {
		applied := map[string]bool{}
		for _, u := range file.Users {
			var err error
			if applied[userKey(u)], err = tx.BootstrapItemApplied(userItem, userKey(u)); err != nil {
				return nil, err
			}
		}
		return applied, nil
	})
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	var faults []bootstrap.Fault
	for i, u := range file.Users {
		if applied[userKey(u)] {
			continue
		}
		var found domain.Faults
		if hashes[userKey(u)], err = hashPassword(u.Password, &found); err != nil {
			return nil, err
		}
		for _, f := range found {
			faults = append(faults, place{}.item("users", i, u.Line).key(f.Field).fault(f.Reason))
		}
	}
	if len(faults) > 0 {
		return nil, &bootstrap.Error{File: file.Name, Faults: faults}
	}
	return hashes, nil
}

// bootstrapping is one attempt to apply a file, in one transaction.
type bootstrapping struct {
	service *Service
	tx      store.Tx
	file    *bootstrap.File
	hashes  map[string]string // of the users' passwords, by userKey
	now     time.Time

	known  map[bootstrap.Reference]string // the ids of what was referred to, by references without their places
	newly  []newlyDeclared
	faults []bootstrap.Fault
	result BootstrapResult
}

// newlyDeclared is an organization that was never applied before.
type newlyDeclared struct {
	declaredOrganization
	stored domain.Organization
	made   bool // by this attempt, rather than there already
}

// run applies what the file declares: what is referred to first, so that a later step finds it.
func (b *bootstrapping) run() error {
	for _, step := range []func() error{
		b.users,
		b.organizations,
		b.billingParents,
		b.inEachOrganization(b.members),
		b.inEachOrganization(b.teams),
		b.inEachOrganization(b.teamMembers),
		b.inEachCluster(b.cluster),
		b.inEachCluster(b.maintainers),
		b.inEachCluster(b.queues),
		b.inEachCluster(b.cacheRegistries),
		b.defaultClusters,
		b.inEachOrganization(b.pipelines),
		b.tokens,
		b.activity,
	} {
		if err := step(); err != nil {
			return err
		}
		if len(b.faults) > 0 {
			return &bootstrap.Error{File: b.file.Name, Faults: b.faults}
		}
	}
	return nil
}

func (b *bootstrapping) inEachOrganization(step func(declaredOrganization) error) func() error {
	return func() error {
		for o := range declaredOrganizations(b.file) {
			if err := step(o); err != nil {
				return err
			}
		}
		return nil
	}
}

func (b *bootstrapping) inEachCluster(step func(declaredCluster) error) func() error {
	return b.inEachOrganization(func(o declaredOrganization) error {
		for c := range o.clusters() {
			if err := step(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// item applies one declared item unless that was done before. The function given to it reports whether it made
// something, rather than found it there.
func (b *bootstrapping) item(kind, key string, at place, apply func() (made bool, err error)) error {
	first, err := b.tx.ClaimBootstrapItem(kind, key, b.now)
	if err != nil || !first {
		return err
	}
	made, err := apply()
	switch {
	case err != nil:
		return b.note(at, err)
	case made:
		b.result.Applied++
	default:
		b.result.Existing++
	}
	return nil
}

// record stores the event of an item that was made in an organization.
func (b *bootstrapping) record(organization domain.OrganizationID, event domain.AuditEventType, subject domain.AuditSubject, facts any) error {
	return b.service.record(b.tx, byOperator(organization), event, subject, nil, facts)
}

// refusal is why something that the file declares cannot be made. It is one of the file's faults, unless what is
// missing was deleted after the file declared it.
type refusal struct {
	fault   bootstrap.Fault
	deleted bool
}

func (r *refusal) Error() string { return r.fault.Reason }

// note keeps err for later if it is a refusal, and otherwise returns it with the place.
func (b *bootstrapping) note(at place, err error) error {
	r, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil:
	case !refused:
		return fmt.Errorf("%s:%d: %s: %w", b.file.Name, at.line, at.path, err)
	case r.deleted:
		b.result.Skipped = append(b.result.Skipped, r.fault)
	default:
		b.faults = append(b.faults, r.fault)
	}
	return nil
}

func (b *bootstrapping) users() error {
	for i, u := range b.file.Users {
		at := place{}.item("users", i, u.Line)
		err := b.item(userItem, userKey(u), at, func() (bool, error) {
			_, exists, err := b.tx.UserByEmail(u.Email)
			if err != nil || exists {
				return false, err
			}
			user := domain.User{Email: u.Email, Name: u.Name, CreatedAt: b.now}
			if user.ID, err = chosenID(b, at, u.ID); err != nil {
				return false, err
			}
			return true, b.tx.InsertUser(user, b.hashes[userKey(u)])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) organizations() error {
	return b.inEachOrganization(func(o declaredOrganization) error {
		return b.item(organizationItem, o.Slug, o.at, func() (bool, error) {
			stored, exists, err := b.tx.OrganizationBySlug(o.Slug)
			if err == nil && !exists {
				stored, err = b.makeOrganization(o)
			}
			if err != nil {
				return false, err
			}
			b.newly = append(b.newly, newlyDeclared{o, stored, !exists})
			return !exists, nil
		})
	})()
}

// makeOrganization makes an organization without what may refer to later items: its billing parent and its
// default cluster, which belong to its event nonetheless.
func (b *bootstrapping) makeOrganization(o declaredOrganization) (made domain.Organization, err error) {
	made = domain.NewOrganization(o.Slug, o.Name, b.now)
	if made.ID, err = chosenID(b, o.at, o.ID); err != nil {
		return made, err
	}
	made.Plan = o.Subscription.Plan
	if !o.Subscription.Anchor.IsZero() {
		made.BillingAnchor = o.Subscription.Anchor.Format(domain.DateLayout)
	}
	given, settings := o.Settings, &made.Settings
	if given.ClusterWrites.Given {
		settings.ClusterWrites = given.ClusterWrites.Value
	}
	if given.MaintainersCanDestroyCacheRegistries.Given {
		settings.MaintainersCanDestroyCacheRegistries = given.MaintainersCanDestroyCacheRegistries.Value
	}
	if given.MembersCanCreatePipelines.Given {
		settings.MembersCanCreatePipelines = given.MembersCanCreatePipelines.Value
	}
	settings.AllowedAPIIPAddresses = given.AllowedAPIIPAddresses.Value
	settings.RevokeInactiveTokensAfterDays = given.RevokeInactiveTokensAfterDays.Value
	settings.AuditRetentionDays = given.AuditRetentionDays.Value
	if err := b.tx.InsertOrganization(made); err != nil {
		return made, err
	}
	return made, b.record(made.ID, domain.OrganizationCreated, organizationSubject(made), factsOfOrganization(made))
}

func (b *bootstrapping) billingParents() error {
	for _, o := range b.newly {
		if o.BillingParent == "" {
			continue
		}
		at := o.at.key("billing_parent")
		if err := b.note(at, b.billingParent(at, o)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) billingParent(at place, o newlyDeclared) error {
	if _, err := b.organization(at, o.BillingParent); err != nil || !o.made {
		return err
	}
	var faults domain.Faults
	if err := setBillingParent(b.tx, &o.stored, o.BillingParent, &faults); err != nil {
		return err
	}
	if len(faults) > 0 {
		return at.refusal(faults[0].Reason)
	}
	return b.tx.UpdateBilling(o.stored) // a new organization has no activity yet that could be counted
}

func (b *bootstrapping) members(o declaredOrganization) error {
	for i, m := range o.Members {
		at := o.at.item("members", i, m.Line)
		err := b.item(memberItem, itemKey(o.Slug, m.User), at, func() (bool, error) {
			organization, err := b.organization(at, o.Slug)
			if err != nil {
				return false, err
			}
			id, err := b.user(at.key("user"), m.User)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.IsMember(organization, id)
			if err != nil || exists {
				return false, err
			}
			by, err := b.creator(o)
			if err != nil {
				return false, err
			}
			user, _, err := b.tx.UserByEmail(m.User)
			if err != nil {
				return false, err
			}
			return true, b.service.join(b.tx, domain.NewMember(organization, id, m.Role, b.now, new(domain.Faults)), user, by)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) teams(o declaredOrganization) error {
	for i, t := range o.Teams {
		at := o.at.item("teams", i, t.Line)
		err := b.item(teamItem, itemKey(o.Slug, t.Slug), at, func() (bool, error) {
			organization, err := b.organization(at, o.Slug)
			if err != nil {
				return false, err
			}
			_, exists, err := b.tx.TeamIDBySlug(o.Slug, t.Slug)
			if err != nil || exists {
				return false, err
			}
			team := domain.NewTeam(domain.TeamInput{Name: domain.Some(t.Name)}, organization, b.now, new(domain.Faults))
			team.Slug = t.Slug
			if team.ID, err = chosenID(b, at, t.ID); err != nil {
				return false, err
			}
			by, err := b.creator(o)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertTeam(team, by); err != nil {
				return false, err
			}
			return true, b.record(organization, domain.TeamCreated, teamSubject(team), factsOfTeam(team))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) teamMembers(o declaredOrganization) error {
	for i, t := range o.Teams {
		team := o.at.item("teams", i, t.Line)
		for i, m := range t.Members {
			at := team.item("members", i, m.Line)
			err := b.item(teamMemberItem, itemKey(o.Slug, t.Slug, m.User), at, func() (bool, error) {
				return b.teamMember(at, o, t, m)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bootstrapping) teamMember(at place, o declaredOrganization, t bootstrap.Team, m bootstrap.TeamMember) (_ bool, err error) {
	member := domain.TeamMember{ID: domain.NewID[domain.TeamMemberID](), Role: domain.TeamRole(m.Role), CreatedAt: b.now}
	if member.OrganizationID, err = b.organization(at, o.Slug); err != nil {
		return false, err
	}
	if member.TeamID, err = b.team(at, o.Slug, t.Slug); err != nil {
		return false, err
	}
	if member.UserID, err = b.member(at.key("user"), o.Slug, m.User); err != nil {
		return false, err
	}
	exists, err := b.tx.IsTeamMember(member.TeamID, member.UserID)
	if err != nil || exists {
		return false, err
	}
	by, err := b.creator(o)
	if err != nil {
		return false, err
	}
	made, err := b.tx.InsertTeamMember(member, by)
	if err != nil {
		return false, err
	}
	return true, b.record(member.OrganizationID, domain.TeamMemberCreated, teamMemberSubject(made), factsOfTeamMember(member))
}

func (b *bootstrapping) cluster(c declaredCluster) error {
	return b.item(clusterItem, itemKey(c.of.Slug, c.Name), c.at, func() (bool, error) {
		organization, err := b.organization(c.at, c.of.Slug)
		if err != nil {
			return false, err
		}
		_, exists, err := b.tx.ClusterIDByName(c.of.Slug, c.Name)
		if err != nil || exists {
			return false, err
		}
		cluster := newCluster(c, organization, b.now, new(domain.Faults))
		if cluster.ID, err = chosenID(b, c.at, c.ID); err != nil {
			return false, err
		}
		registry, err := b.firstCacheRegistry(c, &cluster)
		if err != nil {
			return false, err
		}
		by, err := b.creator(c.of)
		if err != nil {
			return false, err
		}
		if err := b.tx.InsertCluster(cluster, registry, by); err != nil {
			return false, err
		}
		return true, b.record(organization, domain.ClusterCreated, clusterSubject(cluster), factsOfCluster(cluster))
	})
}

// firstCacheRegistry returns the registry that a new cluster has from the start, as the file describes it if it
// does.
func (b *bootstrapping) firstCacheRegistry(c declaredCluster, cluster *domain.Cluster) (domain.CacheRegistry, error) {
	registry := domain.DefaultCacheRegistry(*cluster)
	i := slices.IndexFunc(c.CacheRegistries, func(r bootstrap.CacheRegistry) bool { return r.Slug == registry.Slug })
	if i < 0 {
		return registry, nil
	}
	r := c.CacheRegistries[i]
	at := c.at.item("cache_registries", i, r.Line)
	err := b.item(cacheRegistryItem, itemKey(c.of.Slug, c.Name, r.Slug), at, func() (bool, error) {
		chosen, err := chosenID(b, at, r.ID)
		if err != nil {
			return false, err
		}
		registry = newCacheRegistry(r, cluster.ID, b.now, new(domain.Faults))
		registry.ID, cluster.DefaultCacheRegistryID = chosen, chosen
		return true, nil
	})
	return registry, err
}

func (b *bootstrapping) maintainers(c declaredCluster) error {
	for i, m := range c.Maintainers {
		at := c.at.item("maintainers", i, m.Line)
		err := b.item(maintainerItem, itemKey(c.of.Slug, c.Name, m.User, m.Team), at, func() (bool, error) {
			cluster, err := b.lockCluster(at, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			grant, err := b.grant(at, c.of, m)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasMaintainer(cluster.ID, grant)
			if err != nil || exists {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			made, err := b.tx.InsertMaintainer(cluster, grant, by, b.now)
			if err != nil {
				return false, err
			}
			return true, b.record(cluster.OrganizationID, domain.ClusterPermissionCreated, maintainerSubject(made), factsOfMaintainer(made))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) grant(at place, o declaredOrganization, m bootstrap.Maintainer) (domain.MaintainerGrant, error) {
	if m.Team != "" {
		team, err := b.team(at.key("team"), o.Slug, m.Team)
		return domain.MaintainerGrant{Team: &team}, err
	}
	user, err := b.member(at.key("user"), o.Slug, m.User)
	return domain.MaintainerGrant{User: &user}, err
}

func (b *bootstrapping) queues(c declaredCluster) error {
	for i, q := range c.Queues {
		at := c.at.item("queues", i, q.Line)
		err := b.item(queueItem, itemKey(c.of.Slug, c.Name, q.Key), at, func() (bool, error) {
			cluster, err := b.lockCluster(at, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasQueueKey(cluster.ID, q.Key)
			if err != nil || exists {
				return false, err
			}
			queue := newQueue(q, cluster.ID, b.now, new(domain.Faults))
			if queue.ID, err = chosenID(b, at, q.ID); err != nil {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertQueue(queue, by); err != nil {
				return false, err
			}
			cluster.QueueAdded(queue)
			if q.Default {
				cluster.DefaultQueueID = &queue.ID
			}
			if err := b.tx.UpdateCluster(cluster); err != nil {
				return false, err
			}
			return true, b.record(cluster.OrganizationID, domain.ClusterQueueCreated, queueSubject(queue), factsOfQueue(queue))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) cacheRegistries(c declaredCluster) error {
	for i, r := range c.CacheRegistries {
		at := c.at.item("cache_registries", i, r.Line)
		err := b.item(cacheRegistryItem, itemKey(c.of.Slug, c.Name, r.Slug), at, func() (bool, error) {
			cluster, err := b.lockCluster(at, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasCacheRegistrySlug(cluster.ID, r.Slug)
			if err != nil || exists {
				return false, err
			}
			registry := newCacheRegistry(r, cluster.ID, b.now, new(domain.Faults))
			if registry.ID, err = chosenID(b, at, r.ID); err != nil {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertCacheRegistry(registry, by); err != nil {
				return false, err
			}
			if r.Default {
				cluster.DefaultCacheRegistryID = registry.ID
				if err := b.tx.UpdateCluster(cluster); err != nil {
					return false, err
				}
			}
			return true, b.record(cluster.OrganizationID, domain.CacheRegistryCreated, cacheRegistrySubject(registry), factsOfCacheRegistry(registry))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) defaultClusters() error {
	for _, o := range b.newly {
		if !o.Settings.DefaultCluster.HasValue() {
			continue
		}
		at := o.at.key("settings").key("default_cluster")
		cluster, err := b.clusterID(at, o.Slug, o.Settings.DefaultCluster.Value)
		if err == nil && o.made {
			err = b.tx.SetDefaultCluster(o.stored.ID, &cluster)
		}
		if err := b.note(at, err); err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) pipelines(o declaredOrganization) error {
	for i, p := range o.Pipelines {
		at := o.at.item("pipelines", i, p.Line)
		err := b.item(pipelineItem, itemKey(o.Slug, p.Slug), at, func() (bool, error) {
			return b.pipeline(at, o, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) pipeline(at place, o declaredOrganization, p bootstrap.Pipeline) (made bool, err error) {
	organization, err := b.organization(at, o.Slug)
	if err != nil {
		return false, err
	}
	pipeline := newPipeline(p, organization, b.now, new(domain.Faults))
	if p.Cluster != "" {
		cluster, err := b.lockCluster(at.key("cluster"), o.Slug, p.Cluster)
		if err != nil {
			return false, err
		}
		pipeline.ClusterID = &cluster.ID
	}
	exists, err := b.tx.HasPipeline(pipeline.OrganizationID, p.Slug)
	if err != nil || exists {
		return false, err
	}
	if pipeline.ID, err = chosenID(b, at, p.ID); err != nil {
		return false, err
	}
	by, err := b.creator(o)
	if err != nil {
		return false, err
	}
	if err := b.tx.InsertPipeline(pipeline, by); err != nil {
		return false, err
	}
	return true, b.record(organization, domain.PipelineCreated, pipelineSubject(pipeline), factsOfPipeline(pipeline))
}

func (b *bootstrapping) tokens() error {
	for i, t := range b.file.Tokens {
		at := place{}.item("tokens", i, t.Line)
		hash := domain.HashToken(t.Value.Reveal())
		if err := b.item(tokenItem, hash, at, func() (bool, error) { return b.token(at, t, hash) }); err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrapping) token(at place, t bootstrap.Token, hash string) (made bool, err error) {
	user, err := b.user(at.key("user"), t.User)
	if err != nil {
		return false, err
	}
	var granted []domain.OrganizationID
	for i, slug := range t.Organizations {
		at := at.item("organizations", i, t.Line)
		organization, err := b.organization(at, slug)
		if err == nil {
			_, err = b.member(at, slug, t.User)
		}
		if err != nil {
			return false, evenIfDeleted(err)
		}
		granted = append(granted, organization)
	}
	_, exists, err := b.tx.APITokenByHash(hash)
	if err != nil || exists {
		return false, err
	}
	token := domain.APIToken{ID: domain.NewID[domain.APITokenID](), Description: t.Description, Scopes: t.Scopes, CreatedAt: b.now}
	if err := b.tx.InsertAPIToken(token, hash, user, granted); err != nil {
		return false, err
	}
	return true, b.service.recordCreation(b.tx, byOperator(""), token, user)
}

// evenIfDeleted makes a refusal a fault also if what is missing was deleted: a token without one of its
// organizations would be another token, and an operator who adds one for somebody who has left must know.
func evenIfDeleted(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return &refusal{fault: r.fault}
	}
	return err
}

func (b *bootstrapping) activity() error {
	for i, a := range b.file.Activity {
		at := place{}.item("activity", i, a.Line)
		err := b.item(activityItem, itemKey(a.Organization, a.User, a.On.Format(domain.DateLayout)), at, func() (bool, error) {
			organization, err := b.organization(at.key("organization"), a.Organization)
			if err != nil {
				return false, err
			}
			user, err := b.user(at.key("user"), a.User)
			if err != nil {
				return false, err
			}
			return b.tx.InsertActivity(organization, user, a.On)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// creator returns the organization's first declared administrator, or nobody if there is none.
func (b *bootstrapping) creator(o declaredOrganization) (domain.UserID, error) {
	i := slices.IndexFunc(o.Members, func(m bootstrap.Member) bool { return m.Role == domain.RoleAdmin })
	if i < 0 {
		return "", nil
	}
	id, err := b.user(o.at, o.Members[i].User)
	if _, gone := errors.AsType[*refusal](err); gone {
		return "", nil
	}
	return id, err
}

// lockCluster returns the cluster that items belong to, as it is now, and keeps others from changing it.
func (b *bootstrapping) lockCluster(at place, organization, name string) (domain.Cluster, error) {
	id, err := b.clusterID(at, organization, name)
	if err != nil {
		return domain.Cluster{}, err
	}
	cluster, found, err := b.tx.LockCluster(id)
	if err == nil && !found {
		err = b.missing(at, bootstrap.Reference{Kind: bootstrap.ToCluster, Organization: organization, Value: name})
	}
	return cluster, err
}

func (b *bootstrapping) user(at place, email string) (domain.UserID, error) {
	return find(b, at, bootstrap.Reference{Kind: bootstrap.ToUser, Value: email}, func() (domain.UserID, bool, error) {
		user, found, err := b.tx.UserByEmail(email)
		return user.ID, found, err
	})
}

func (b *bootstrapping) organization(at place, slug string) (domain.OrganizationID, error) {
	return find(b, at, bootstrap.Reference{Kind: bootstrap.ToOrganization, Value: slug}, func() (domain.OrganizationID, bool, error) {
		o, found, err := b.tx.OrganizationBySlug(slug)
		return o.ID, found, err
	})
}

func (b *bootstrapping) member(at place, organization, email string) (domain.UserID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToMember, Organization: organization, Value: email}
	return find(b, at, target, func() (domain.UserID, bool, error) {
		user, found, err := b.tx.MemberByEmail(organization, email)
		return user.ID, found, err
	})
}

func (b *bootstrapping) team(at place, organization, slug string) (domain.TeamID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToTeam, Organization: organization, Value: slug}
	return find(b, at, target, func() (domain.TeamID, bool, error) { return b.tx.TeamIDBySlug(organization, slug) })
}

func (b *bootstrapping) clusterID(at place, organization, name string) (domain.ClusterID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToCluster, Organization: organization, Value: name}
	return find(b, at, target, func() (domain.ClusterID, bool, error) { return b.tx.ClusterIDByName(organization, name) })
}

// find returns the id of what the file refers to at a place, and a refusal if it is not there.
func find[T ~string](b *bootstrapping, at place, target bootstrap.Reference, look func() (T, bool, error)) (T, error) {
	if id, ok := b.known[target]; ok {
		return T(id), nil
	}
	id, found, err := look()
	if err == nil && !found {
		err = b.missing(at, target)
	}
	if err != nil {
		return "", err
	}
	b.known[target] = string(id)
	return id, nil
}

// missing returns the refusal of a reference to what is not there. What the file declares was there once.
func (b *bootstrapping) missing(at place, target bootstrap.Reference) error {
	for _, reference := range b.file.Unresolved {
		if reference.Path == at.path && reference.Kind == target.Kind {
			return &refusal{fault: reference.Fault()}
		}
	}
	target.Line, target.Path = at.line, at.path
	return &refusal{fault: target.Fault(), deleted: true}
}

// chosenID returns the id that an item declares, or a new one if it declares none.
func chosenID[T ~string](b *bootstrapping, at place, declared T) (T, error) {
	if declared == "" {
		return domain.NewID[T](), nil
	}
	taken, err := b.tx.IDTaken(declared)
	if err == nil && taken {
		err = at.key("id").refusal("is already used")
	}
	return declared, err
}

func newCluster(c declaredCluster, organization domain.OrganizationID, now time.Time, faults *domain.Faults) domain.Cluster {
	cluster, _ := domain.NewCluster(domain.ClusterInput{
		Name: domain.Some(c.Name), Description: c.Description, Emoji: c.Emoji, Color: c.Color,
	}, organization, now, faults)
	return cluster
}

func newQueue(q bootstrap.Queue, cluster domain.ClusterID, now time.Time, faults *domain.Faults) domain.Queue {
	in := domain.QueueInput{Key: domain.Some(q.Key)}
	if q.InstanceShape != "" {
		in.Hosted = domain.Some(domain.HostedAgentsInput{InstanceShape: domain.Some(q.InstanceShape)})
	}
	return domain.NewQueue(in, cluster, now, faults)
}

func newCacheRegistry(r bootstrap.CacheRegistry, cluster domain.ClusterID, now time.Time, faults *domain.Faults) domain.CacheRegistry {
	in := domain.CacheRegistryInput{Name: domain.Some(r.Name), Description: r.Description, Emoji: r.Emoji, Color: r.Color}
	if r.Policy != nil {
		in.Policy = domain.Some(r.Policy)
	}
	return domain.NewCacheRegistry(in, cluster, now, faults)
}

// newPipeline returns the pipeline with the slug that it declares, whatever its name.
func newPipeline(p bootstrap.Pipeline, organization domain.OrganizationID, now time.Time, faults *domain.Faults) domain.Pipeline {
	pipeline := domain.NewPipeline(domain.PipelineInput{Name: domain.Some(p.Name), Repository: domain.Some(p.Repository)}, organization, now, faults)
	pipeline.Slug = p.Slug
	return pipeline
}

// place is where in the file something is declared.
type place struct {
	line int
	path string
}

// item returns the place of an item of the list under a key of p.
func (p place) item(key string, index, line int) place {
	at := p.key(fmt.Sprintf("%s[%d]", key, index))
	at.line = line
	return at
}

// key returns the place of a key of p.
func (p place) key(key string) place {
	return place{p.line, strings.TrimPrefix(p.path+"."+key, ".")}
}

func (p place) fault(reason string) bootstrap.Fault {
	return bootstrap.Fault{Line: p.line, Path: p.path, Reason: reason}
}

func (p place) refusal(reason string) error { return &refusal{fault: p.fault(reason)} }

// declaredOrganization is an organization and where it is declared.
type declaredOrganization struct {
	*bootstrap.Organization
	at place
}

// declaredCluster is a cluster and where it is declared.
type declaredCluster struct {
	*bootstrap.Cluster
	of declaredOrganization
	at place
}

func declaredOrganizations(file *bootstrap.File) iter.Seq[declaredOrganization] {
	return func(yield func(declaredOrganization) bool) {
		for i := range file.Organizations {
			o := &file.Organizations[i]
			if !yield(declaredOrganization{o, place{}.item("organizations", i, o.Line)}) {
				return
			}
		}
	}
}

func (o declaredOrganization) clusters() iter.Seq[declaredCluster] {
	return func(yield func(declaredCluster) bool) {
		for i := range o.Clusters {
			c := &o.Clusters[i]
			if !yield(declaredCluster{c, o, o.at.item("clusters", i, c.Line)}) {
				return
			}
		}
	}
}

func userKey(u bootstrap.User) string { return domain.EmailKey(u.Email) }

// itemKey joins the names that an item is recognised by, so that no two items have the same key.
func itemKey(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = keyEscapes.Replace(name)
	}
	return strings.Join(escaped, "/")
}

var keyEscapes = strings.NewReplacer("%", "%25", "/", "%2F")
