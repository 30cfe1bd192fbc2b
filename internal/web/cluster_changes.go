package web

import (
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

var clusterChangeRoutes = []route{
	{path: inOrganization + "/clusters/new", get: newCluster, post: newCluster},
	{path: inCluster + "/settings", get: editCluster, post: editCluster},
	{path: inCluster + "/delete", get: deleteCluster, post: deleteCluster},
}

// clusterLink returns the address of a page of the cluster that this page is about.
func (c *call) clusterLink(segments ...string) string {
	return c.organizationLink(append([]string{"clusters", c.R.PathValue("cluster")}, segments...)...)
}

// managedCluster returns the cluster that the page is about.
//
// Returns Forbidden unless the user may manage it: they learn that before they fill out a form.
func (c *call) managedCluster() (*domain.ClusterView, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	return &cluster, requirePermission(err, cluster.Managed)
}

// pageBelowTab is a page below a tab of a cluster, without the tabs.
func (c *call) pageBelowTab(cluster *domain.ClusterView, tab, label, template, title string, view any) page {
	p := c.clusterPageWithoutTabs(cluster, template, label, tab, view)
	p.Crumbs[len(p.Crumbs)-1].To = c.clusterLink(tab)
	p.Title, p.Topic, p.Crumbs = title, cluster.Name, append(p.Crumbs, crumb{Label: title})
	return p
}

// lookFields are the fields by which people distinguish clusters and registries.
func lookFields(name string, look domain.Look) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: name},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: textOrEmpty(look.Description)},
		emojiField(look.Emoji),
		colorField(look.Color),
	}
}

// emojiField is the field of an emoji. Browsers offer some to choose from.
func emojiField(present *string) field {
	return field{Name: "emoji", Label: "Emoji", Kind: "emoji", Value: textOrEmpty(present), stored: textOrEmpty(present),
		Placeholder: ":rocket:", Help: "An emoji, or its name between colons."}
}

// colorField is the field of a color. Where there is JavaScript, it has a picker.
func colorField(present *string) field {
	return field{Name: "color", Label: "Color", Kind: "color", Code: true, Value: textOrEmpty(present),
		Placeholder: "#a9cce3", Help: "A hex color, such as #a9cce3."}
}

// typedLook reads the fields of a look.
func (f *form) typedLook(faults *domain.Faults) domain.LookInput {
	return domain.LookInput{Description: f.typedOrNull("description"), Emoji: f.typedEmoji(faults),
		Color: f.typedOrNull("color")}
}

// typedEmoji returns the emoji that was typed, by its name; null if there is none. It adds a fault if pages have no
// picture for it, unless it is stored already: programs can store others.
func (f *form) typedEmoji(faults *domain.Faults) domain.Optional[string] {
	typed := f.typedOrNull("emoji")
	text := strings.TrimSpace(typed.Value)
	if name := emojiNames()[text]; name != "" {
		return domain.Some(":" + name + ":")
	}
	if !typed.HasValue() || text == f.fieldNamed("emoji").stored || text == ":"+strings.Trim(text, ":")+":" &&
		newEmoji(&text).Character != "" {
		return typed
	}
	faults.Add("emoji", explainUnknownEmoji(text))
	return domain.Optional[string]{}
}

func newCluster(c *call) (*reply, error) {
	if err := c.require(authz.CreateCluster); err != nil {
		return nil, err
	}
	f := c.newForm("Create cluster", lookFields("", domain.Look{})...)
	f.Fields[0].Autofocus = true
	f.Cancel = c.organizationLink("clusters")
	if c.isPost() {
		var faults domain.Faults
		in := domain.ClusterInput{Name: f.typedInput("name"), LookInput: f.typedLook(&faults)}
		cluster, err := c.Service.CreateCluster(c.ctx(), c.actor(), c.organizationRef(), core.Sent(in, faults.Err()))
		if err == nil {
			return c.redirect(c.organizationLink("clusters", string(cluster.ID)), "Cluster created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New cluster", Section: "clusters",
		Crumbs: []crumb{{"Clusters", c.organizationLink("clusters")}, {Label: "New cluster"}},
		View:   formView{Intro: "A cluster groups agents and queues, and the pipelines that run on them.", Form: f}}), nil
}

type clusterSettingsView struct {
	Cluster *domain.ClusterView
	Form    *form
	Delete  string
}

func editCluster(c *call) (*reply, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err := requirePermission(err, cluster.Writable); err != nil {
		return nil, err
	}
	queues, registries, err := c.defaultChoices(&cluster)
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", clusterSettingsFields(&cluster, queues, registries)...)
	if c.isPost() {
		_, err := c.Service.UpdateCluster(c.ctx(), c.actor(), c.cluster(), f.clusterPatch(),
			expectUnchanged(f, func(now domain.ClusterView) []field { return clusterSettingsFields(&now, nil, nil) }))
		if err == nil {
			return c.redirect(c.clusterLink("settings"), "Settings saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	p, err := c.clusterPage(&cluster, "cluster_settings", "Settings", "settings", clusterSettingsView{&cluster, f,
		c.clusterLink("delete")})
	return c.showForm(f, p), err
}

// defaultRegistryField is the name of a field that only managers see.
const defaultRegistryField = "default_cache_registry_uuid"

// clusterSettingsFields are the settings that the user may see, with the queues and the registries to choose from.
func clusterSettingsFields(cluster *domain.ClusterView, queues, registries []option) []field {
	fields := lookFields(cluster.Name, cluster.Look)
	queue := ""
	if cluster.DefaultQueueID != nil {
		queue = string(*cluster.DefaultQueueID)
	}
	fields = append(fields, field{Name: "default_queue_id", Label: "Default queue", Kind: "select", Options: queues,
		Value: queue,
		Help:  "Jobs without a queue go here."})
	if !cluster.Managed {
		return fields
	}
	fields = append(fields, field{Name: defaultRegistryField, Label: "Default cache registry", Kind: "select",
		Options: registries,
		Value:   string(cluster.DefaultCacheRegistryID), Help: "Jobs that don't name a registry use it. The default can't " +
			"be deleted."})
	return append(fields, settingFields(domain.SettingsOfClusters, &cluster.Cluster)...)
}

func checkboxValue(on bool) string {
	if on {
		return "on"
	}
	return ""
}

// defaultChoices returns the cluster's queues and registries, to choose a default from: as many as a list has, and the
// present default.
func (c *call) defaultChoices(cluster *domain.ClusterView) (queues, registries []option, err error) {
	err = c.readOrganization(func(r *read.Snapshot, _ *read.Organization) error {
		queues, registries = []option{{Label: "None"}}, nil
		of, err := r.QueuesOf([]*domain.ClusterView{cluster}, domain.ByName, true, read.ConnectionPart{})
		if err != nil {
			return err
		}
		found, err := of[0].Items()
		if err != nil {
			return err
		}
		for _, q := range found {
			queues = append(queues, option{Value: string(q.ID), Label: q.Key})
		}
		if !cluster.Managed {
			return nil
		}
		below, err := r.CacheRegistriesOf([]*domain.ClusterView{cluster}, read.ConnectionPart{})
		if err != nil {
			return err
		}
		kept, err := below[0].Items()
		for _, registry := range kept {
			registries = append(registries, option{Value: string(registry.ID), Label: registry.Name})
		}
		return err
	})
	if id := cluster.DefaultQueueID; id != nil {
		queues = withOption(queues, string(*id), "Current default")
	}
	return queues, withOption(registries, string(cluster.DefaultCacheRegistryID), "Current default"), err
}

// withOption returns the options with one of that value among them.
func withOption(options []option, value, label string) []option {
	for _, o := range options {
		if o.Value == value {
			return options
		}
	}
	return append(options, option{Value: value, Label: label})
}

// clusterPatch is what the form of a cluster's settings asks for.
func (f *form) clusterPatch() core.Input[domain.ClusterPatch] {
	var faults domain.Faults
	patch := domain.ClusterPatch{
		Name: f.typedInput("name"), LookInput: f.typedLook(&faults), DefaultQueueID: f.typedOrNull("default_queue_id"),
	}
	if f.fieldNamed(defaultRegistryField) != nil {
		patch.DefaultCacheRegistryID = f.typedInput(defaultRegistryField)
	}
	readSettings(f, domain.SettingsOfClusters, &patch, &faults)
	return core.Sent(patch, faults.Err())
}

// maxBlocks is how many pipelines are named that keep a cluster from being deleted.
const maxBlocks = 10

// findClusterBlocks says why the cluster can't be deleted, and names the pipelines in it that the user sees; empty: it
// can.
func (c *call) findClusterBlocks(cluster *domain.ClusterView) (refused string, blocks []crumb, err error) {
	archived, size := false, int64(maxBlocks)
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		refused, blocks = "", nil
		found, err := r.PipelinesOf([]*read.Organization{o}, domain.PipelineFilter{Cluster: &cluster.ID, Archived: &archived},
			domain.ByName, true,
			read.ConnectionPart{First: &size})
		if err != nil {
			return err
		}
		pipelines, err := found[0].Items()
		if err != nil {
			return err
		}
		total, err := found[0].Count()
		for _, p := range pipelines {
			blocks = append(blocks, crumb{p.Name, c.organizationLink("pipelines", p.Slug)})
		}
		switch more := total - int64(len(pipelines)); {
		case more > 0:
			blocks = append(blocks, crumb{Label: "and " + countNoun(more, "more pipeline", "more pipelines")})
			fallthrough
		case total > 0:
			refused = "Pipelines still run on this cluster. Move them to another cluster, archive them or delete them first:"
		case o.Settings.DefaultClusterID != nil && *o.Settings.DefaultClusterID == cluster.ID:
			refused = "This is the organization's default cluster for new pipelines. Choose another default in the " +
				"organization's settings first."
		}
		return err
	})
	return refused, blocks, err
}

func deleteCluster(c *call) (*reply, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err := requirePermission(err, cluster.Writable); err != nil {
		return nil, err
	}
	tokens := "its agent tokens"
	if cluster.Managed {
		n, err := c.agentTokensCount(&cluster)
		if err != nil {
			return nil, err
		}
		tokens = countNoun(n, "agent token", "agent tokens")
	}
	items := []string{
		countNoun(cluster.QueuesCount, "queue", "queues"),
		tokens + " (agents can no longer connect)",
		countNoun(len(cluster.Maintainers), "maintainer", "maintainers"),
		"its cache registries, with their policies",
	}
	refused, blocks, err := c.findClusterBlocks(&cluster)
	if err != nil {
		return nil, err
	}
	return c.confirm(confirmation{
		Title:   "Delete the cluster “" + cluster.Name + "”?",
		Refused: refused,
		Blocks:  blocks,
		Text:    "This can't be undone. It also deletes:",
		Items:   items,
		Button:  "Delete cluster",
		Cancel:  c.clusterLink("settings"),
		Section: "clusters",
		Crumbs:  []crumb{{"Clusters", c.organizationLink("clusters")}, {cluster.Name, c.clusterLink()}, {Label: "Delete"}},
	}, func() error { return c.Service.DeleteCluster(c.ctx(), c.actor(), c.cluster(), nil) },
		c.organizationLink("clusters"), "Cluster deleted.")
}
