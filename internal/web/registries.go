package web

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

const inRegistry = inCluster + "/registries/{registry}"

var registryRoutes = []route{
	{path: inCluster + "/registries", get: showRegistries},
	{path: inCluster + "/registries/new", get: newRegistry, post: newRegistry},
	{path: inRegistry, get: showRegistry},
	{path: inRegistry + "/policy", get: editRegistryPolicy, post: editRegistryPolicy},
	{path: inRegistry + "/store", get: editRegistryStore, post: editRegistryStore},
	{path: inRegistry + "/settings", get: editRegistry, post: editRegistry},
	{path: inRegistry + "/default", post: makeDefaultRegistry},
	{path: inRegistry + "/delete", get: deleteRegistry, post: deleteRegistry},
}

type registriesView struct {
	Cluster    *domain.ClusterView
	Registries []registryRow
	List       listFrame
	New        string
}

type registryRow struct {
	*domain.CacheRegistryView
	Words policyWords
	To    string
}

func showRegistries(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.CacheRegistries(c.ctx(), c.actor(), c.cluster(), c.requestedCursorPage())
	if err != nil {
		return nil, err
	}
	view := registriesView{Cluster: cluster, List: c.newCursorList("cache registry", "cache registries", found.Prev,
		found.Next), New: c.clusterLink("registries", "new")}
	for i := range found.Items {
		r := &found.Items[i]
		view.Registries = append(view.Registries, registryRow{r, describePolicy(r.ParsedPolicy()),
			c.clusterLink("registries", string(r.ID))})
	}
	view.List.Empty = emptyState{"No cache registries", "Jobs save and restore cache entries in a registry. Its policy " +
		"decides which jobs may.", "New cache registry", view.New}
	return c.replyWithCluster(cluster, "registries", "Cache registries", "registries", view)
}

func newRegistry(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	f := c.newForm("Create cache registry", lookFields("", domain.Look{})...)
	f.Fields[0].Autofocus = true
	f.Cancel = c.clusterLink("registries")
	if c.isPost() {
		made, err := c.Service.CreateCacheRegistry(c.ctx(), c.actor(), c.cluster(), f.registryInput())
		if err == nil {
			return c.redirect(c.clusterLink("registries", string(made.ID)), "Cache registry created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "registries", "Cache registries", "form", "New cache registry",
		formView{Intro: "Jobs save and restore cache entries in a registry. At first, its policy allows everything.",
			Form: f})), nil
}

// registryInput is what the form asks of a registry, besides its policy.
func (f *form) registryInput() core.Input[domain.CacheRegistryInput] {
	var faults domain.Faults
	in := domain.CacheRegistryInput{Name: f.typedInput("name"), LookInput: f.typedLook(&faults)}
	return core.Sent(in, faults.Err())
}

// oneRegistry is the registry that a page is about.
type oneRegistry struct {
	Cluster  *domain.ClusterView
	Registry *domain.CacheRegistryView
	To       string // its address
}

// findRegistry finds the registry that the page is about. Only those who may manage its cluster see it.
func (c *call) findRegistry() (one oneRegistry, err error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return one, err
	}
	found, err := c.Service.CacheRegistry(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("registry"))
	return oneRegistry{cluster, &found, c.clusterLink("registries", string(found.ID))}, err
}

// page is a page about the registry, with its tabs. Current is the last segment of the tab's path; empty: the overview.
func (one oneRegistry) page(c *call, template, title, current string, view any) page {
	p := c.pageBelowTab(one.Cluster, "registries", "Cache registries", template, one.Registry.Name, view)
	if p.Title, p.Topic = title, one.Registry.Name+" · "+one.Cluster.Name; current != "" {
		p.Crumbs[len(p.Crumbs)-1].To = one.To
		p.Crumbs = append(p.Crumbs, crumb{Label: title})
	}
	for _, t := range [][2]string{{"", "Overview"}, {"entries", "Entries"}, {"activity", "Activity"}, {"policy", "Policy"},
		{"store", "Cache store"}, {"settings", "Settings"}} {
		to := one.To
		if t[0] != "" {
			to = c.clusterLink("registries", string(one.Registry.ID), t[0])
		}
		p.Tabs = append(p.Tabs, tab{Label: t[1], To: to, Current: t[0] == current})
	}
	return p
}

type registryView struct {
	oneRegistry
	Words policyWords
}

func showRegistry(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	return c.show(one.page(c, "registry", one.Registry.Name, "",
		registryView{one, describePolicy(one.Registry.ParsedPolicy())})), nil
}

type registryFormView struct {
	oneRegistry
	Form *form
}

func editRegistryStore(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save cache store", storeFields(*one.Registry)...)
	if c.isPost() {
		_, err := c.Service.SetCacheStore(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID),
			inputOf(domain.CacheStoreInput{URL: f.typedOrNull("cache_store")}),
			expectUnchanged(f, storeFields))
		if err == nil {
			return c.redirect(c.clusterLink("registries", string(one.Registry.ID), "store"), "Cache store saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, one.page(c, "registry_store", "Cache store", "store", registryFormView{one, f})), nil
}

func storeFields(r domain.CacheRegistryView) []field {
	return []field{{Name: "cache_store", Label: "Store address", Code: true, Value: textOrEmpty(r.CacheStore),
		Placeholder: "s3://bucket/prefix?region=eu-central-1", Help: "Starts with s3:// or nsc://. Leave empty to let " +
			"agents decide. Changing it removes all entries."}}
}

func registryFields(r domain.CacheRegistryView) []field {
	return lookFields(r.Name, r.Look)
}

func editRegistry(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	r := one.Registry
	f := c.editForm("Save settings", registryFields(*r)...)
	f.Fields[0].Help = "The slug is derived from the name."
	if c.isPost() {
		_, err := c.Service.UpdateCacheRegistry(c.ctx(), c.actor(), c.cluster(), string(r.ID), f.registryInput(),
			expectUnchanged(f, registryFields))
		if err == nil {
			return c.redirect(c.clusterLink("registries", string(r.ID), "settings"), "Settings saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, one.page(c, "registry_settings", "Settings", "settings", registryFormView{one, f})), nil
}

func makeDefaultRegistry(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	_, err = c.Service.UpdateCluster(c.ctx(), c.actor(), c.cluster(),
		inputOf(domain.ClusterPatch{DefaultCacheRegistryID: domain.Some(string(one.Registry.ID))}), nil)
	if err != nil {
		return nil, err
	}
	return c.redirect(one.To, "This is now the cluster's default cache registry."), nil
}

func deleteRegistry(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	if !one.Registry.Destroyable {
		return nil, authz.ErrForbidden
	}
	p := one.page(c, "", "Delete", "delete", nil)
	refused := ""
	if one.Registry.Default {
		refused = "This is the cluster's default cache registry. Make another one the default first."
	}
	return c.confirm(confirmation{
		Title:   "Delete the cache registry “" + one.Registry.Name + "”?",
		Refused: refused,
		Text:    "Jobs can no longer save to it or restore from it. This also deletes its policy, and can't be undone.",
		Button:  "Delete cache registry",
		Cancel:  c.clusterLink("registries", string(one.Registry.ID), "settings"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		return c.Service.DeleteCacheRegistry(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID), nil)
	}, c.clusterLink("registries"), "Cache registry deleted.")
}
