package web

import (
	"strings"

	"penstock/internal/domain"
)

const inClusterSecret = inCluster + "/secrets/{secret}"

var clusterSecretRoutes = []route{
	{path: inCluster + "/secrets", get: showClusterSecrets},
	{path: inCluster + "/secrets/new", get: newClusterSecret, post: newClusterSecret},
	{path: inClusterSecret + "/edit", get: editClusterSecret, post: editClusterSecret},
	{path: inClusterSecret + "/value", get: changeClusterSecretValue, post: changeClusterSecretValue},
	{path: inClusterSecret + "/delete", get: deleteClusterSecret, post: deleteClusterSecret},
}

type clusterSecretsView struct {
	Cluster *domain.ClusterView
	Secrets []clusterSecretRow
	List    listFrame
	New     string
}

type clusterSecretRow struct {
	*domain.ClusterSecretView
	To string // address of the secret, for what can be done with it
}

func showClusterSecrets(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.ClusterSecrets(c.ctx(), c.actor(), c.cluster(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := clusterSecretsView{Cluster: cluster, List: c.newList("secret", "secrets", found.Total, len(found.Items)),
		New: c.clusterLink("secrets", "new")}
	for i := range found.Items {
		view.Secrets = append(view.Secrets, clusterSecretRow{&found.Items[i],
			c.clusterLink("secrets", string(found.Items[i].ID))})
	}
	view.List.Empty = emptyState{"No secrets yet", "Store passwords, tokens and keys that jobs in this cluster need.",
		"New secret", view.New}
	return c.replyWithCluster(cluster, "cluster_secrets", "Secrets", "secrets", view)
}

func clusterSecretFields(description, policy *string) []field {
	return []field{
		{Name: "description", Label: "Description", Value: textOrEmpty(description), Help: "What it is for."},
		{Name: "policy", Label: "Access policy", Kind: "textarea", Rows: 5, Code: true, Language: "yaml",
			Value: textOrEmpty(policy), Placeholder: "- pipeline_slug: web\n  build_branch: [main, release/*]\n  " +
				"build_source: [webhook, schedule]",
			Help: "Which jobs may read it, in YAML: a list of rules, one of which must match. Leave empty to allow all jobs " +
				"of this cluster. " +
				"Who may build a pipeline can build any commit under the name of any branch: name build_source too where you " +
				"trust a branch."},
	}
}

// secretValueName is the name of the field that a secret's value is typed into.
const secretValueName = "value"

// secretValueField is where a value is typed. It is never shown again.
func secretValueField() field {
	return field{Name: secretValueName, Label: "Value", Kind: "textarea", Rows: 3, Code: true, Required: true,
		Autocomplete: "off",
		Help:         "Up to 8 KiB. Stored encrypted. Nobody can see it again."}
}

// popValue returns what was typed as a secret's value, and forgets it.
func (f *form) popValue() domain.Optional[domain.Secret] {
	return domain.Some(domain.Secret(strings.ReplaceAll(f.popSecret(secretValueName).Reveal(), "\r\n", "\n")))
}

func newClusterSecret(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	f := c.newForm("Create secret", append([]field{
		{Name: "key", Label: "Key", Required: true, Autofocus: true, Code: true, Placeholder: "DEPLOY_KEY",
			Help: "Jobs ask for it by this key: letters, digits and underscores. You can't change it later."},
		secretValueField(),
	}, clusterSecretFields(nil, nil)...)...)
	f.Cancel, f.Guarded = c.clusterLink("secrets"), true
	if c.isPost() {
		_, err := c.Service.CreateClusterSecret(c.ctx(), c.actor(), c.cluster(),
			inputOf(domain.ClusterSecretInput{Key: f.typedInput("key"), Value: f.popValue(),
				Description: f.typedOrNull("description"), Policy: f.typedOrNull("policy")}))
		if err == nil {
			return c.redirect(f.Cancel, "Secret created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "secrets", "Secrets", "form", "New secret", formView{Form: f})), nil
}

// namedSecret returns the secret that the address names, and its cluster, which the user manages.
func (c *call) namedSecret() (*domain.ClusterView, domain.ClusterSecretView, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, domain.ClusterSecretView{}, err
	}
	secret, err := c.Service.ClusterSecret(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("secret"))
	return cluster, secret, err
}

func editClusterSecret(c *call) (*reply, error) {
	cluster, secret, err := c.namedSecret()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save secret", clusterSecretFields(secret.Description, secret.Policy)...)
	f.Cancel, f.Guarded = c.clusterLink("secrets"), true
	if c.isPost() {
		_, err := c.Service.UpdateClusterSecret(c.ctx(), c.actor(), c.cluster(), string(secret.ID),
			inputOf(domain.ClusterSecretInput{
				Description: f.typedOrNull("description"), Policy: f.typedOrNull("policy"),
			}), expectUnchanged(f, func(now domain.ClusterSecretView) []field {
				return clusterSecretFields(now.Description, now.Policy)
			}))
		if err == nil {
			return c.redirect(f.Cancel, "Secret saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "secrets", "Secrets", "form", "Edit "+secret.Key,
		formView{Intro: "Its key and its value stay the same.", Form: f})), nil
}

func changeClusterSecretValue(c *call) (*reply, error) {
	cluster, secret, err := c.namedSecret()
	if err != nil {
		return nil, err
	}
	value := secretValueField()
	value.Autofocus = true
	f := c.newForm("Change value", value)
	f.Cancel = c.clusterLink("secrets")
	if c.isPost() {
		_, err := c.Service.SetClusterSecretValue(c.ctx(), c.actor(), c.cluster(), string(secret.ID), inputOf(f.popValue()),
			nil)
		if err == nil {
			return c.redirect(f.Cancel, "Value changed."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "secrets", "Secrets", "form", "Change the value of "+secret.Key,
		formView{Intro: "Jobs get the new value from now on.", Form: f})), nil
}

func deleteClusterSecret(c *call) (*reply, error) {
	cluster, secret, err := c.namedSecret()
	if err != nil {
		return nil, err
	}
	p := c.pageBelowTab(cluster, "secrets", "Secrets", "", "Delete", nil)
	return c.confirm(confirmation{
		Title:   "Delete the secret " + secret.Key + "?",
		Text:    "Jobs that ask for it fail. This can't be undone.",
		Button:  "Delete secret",
		Cancel:  c.clusterLink("secrets"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		return c.Service.DeleteClusterSecret(c.ctx(), c.actor(), c.cluster(), string(secret.ID), nil)
	}, c.clusterLink("secrets"), "Secret deleted.")
}
