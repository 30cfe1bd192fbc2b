package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

const inTrigger = inPipeline + "/triggers/{trigger}"

var triggerRoutes = []route{
	{path: inPipeline + "/triggers", get: showTriggers},
	{path: inPipeline + "/triggers/new", get: newTrigger, post: newTrigger},
	{path: inTrigger + "/edit", get: editTrigger, post: editTrigger},
	{path: inTrigger + "/delete", get: deleteTrigger, post: deleteTrigger},
}

type triggersView struct {
	onePipeline
	Triggers []triggerRow
	List     listFrame
	New      string
	Full     bool // the pipeline has as many as it can have
}

type triggerRow struct {
	*domain.PipelineTriggerView
	Address string // as it may be shown
	To      string // address of the trigger, for what can be done with it
}

func showTriggers(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	found, err := c.Starts.PipelineTriggers(c.ctx(), c.actor(), pipelineRef(one.Pipeline), c.requestedCursorPage())
	if err != nil {
		return nil, err
	}
	view := triggersView{onePipeline: one, New: c.pipelineLink(one.Pipeline, "triggers", "new"),
		Full: len(found.Items) >= domain.MaxTriggers,
		List: c.newCursorList("trigger", "triggers", found.Prev, found.Next)}
	for _, t := range found.Items {
		view.Triggers = append(view.Triggers, triggerRow{t, c.BaseURL + "/deliver/" + t.MaskedToken(),
			c.pipelineLink(one.Pipeline, "triggers", string(t.ID))})
	}
	view.List.Empty = emptyState{"No triggers yet", "A trigger is an address. Whatever another system posts to it " +
		"starts a build, whose steps can read it.", "New trigger", view.New}
	return c.show(c.pipelinePage(one, "triggers", "Triggers", "triggers", view)), nil
}

// triggerTypes are who posts to a trigger.
var triggerTypes = []option{{Value: string(domain.WebhookTrigger), Label: "Any system"},
	{Value: string(domain.GitHubTrigger), Label: "GitHub"}}

const triggerSecretName = "secret"

func triggerFields(t domain.PipelineTrigger) []field {
	return []field{
		{Name: "label", Label: "Description", Noun: "Label", Required: true, Value: t.Label, Placeholder: "Deploy production",
			Help: "What it is for."},
		{Name: "branch", Label: "Branch", Code: true, Value: textOrEmpty(t.Branch),
			Help: "Leave empty for the pipeline's default branch."},
		{Name: "commit", Label: "Commit", Code: true, Value: textOrEmpty(t.Commit), Placeholder: "HEAD"},
		{Name: "message", Label: "Message", Value: textOrEmpty(t.Message), Placeholder: "Triggered build",
			Help: "Shown on its builds."},
		{Name: "environment", Label: "Environment variables", Kind: "textarea", Rows: 4, Code: true, Value: formatEnv(t.Env),
			Placeholder: "NAME=value",
			Help:        "One per line. Who sees the builds can read them, so keep secrets elsewhere."},
		{Name: "enabled", Label: "Start builds", Kind: "checkbox", Value: checkboxValue(t.Enabled)},
	}
}

// triggerSecretField is where the secret of a trigger of GitHub is typed, which is never shown again.
func triggerSecretField(help string) field {
	return field{Name: triggerSecretName, Label: "Secret of the webhook", Kind: "password", Autocomplete: "off",
		Help: help}
}

func (f *form) triggerInput() core.Input[domain.PipelineTriggerInput] {
	var lines, faults domain.Faults
	env := readEnv(f.typed("environment"), &lines)
	for _, fault := range lines {
		faults.Add("environment", fault.Reason)
	}
	in := domain.PipelineTriggerInput{Label: f.typedInput("label"), Message: f.typedOrNull("message"),
		Commit: f.typedOrNull("commit"), Branch: f.typedOrNull("branch"),
		Env: domain.Some(env), Enabled: domain.Some(f.isChecked("enabled"))}
	if f.fieldNamed("type") != nil {
		in.Type = f.typedInput("type")
	}
	switch secret := f.popSecret(triggerSecretName); {
	case secret != "":
		in.Verification = domain.Some(domain.TriggerVerification{Strategy: domain.Some("hmac"), Secret: domain.Some(secret)})
	case f.isChecked("unsigned"):
		in.Verification = domain.Optional[domain.TriggerVerification]{Given: true, Null: true}
	}
	return core.Sent(in, faults.Err())
}

func (c *call) showTriggerForm(one onePipeline, title, intro string, f *form) *reply {
	p := c.pipelinePage(one, "form", title, "triggers", formView{Intro: intro, Form: f})
	p.HasSecret = f.typed("environment") != ""
	return c.showForm(f, p)
}

func newTrigger(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	fields := append(triggerFields(domain.PipelineTrigger{Enabled: true}), field{Name: "type", Label: "Who posts to it",
		Kind: "select", Options: triggerTypes, Help: "You can't change this later."},
		triggerSecretField("For GitHub. If set, only what is signed with it starts builds. Stored encrypted. Nobody can "+
			"see it again."))
	f := c.newForm("Create trigger", fields...)
	f.Cancel, f.Guarded, f.Fields[0].Autofocus = c.pipelineLink(one.Pipeline, "triggers"), true, true
	if c.isPost() {
		made, address, err := c.Starts.CreatePipelineTrigger(c.ctx(), c.actor(), pipelineRef(one.Pipeline), f.triggerInput())
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new trigger", Value: address.Reveal(), For: made.Label,
				Section: "pipelines", Back: f.Cancel,
				Next: "Post JSON to this address to start a build. Whoever knows it can."}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showTriggerForm(one, "New trigger", "", f), nil
}

func (c *call) triggerRef(one onePipeline) domain.PipelineTriggerRef {
	return domain.PipelineTriggerRef{Pipeline: pipelineRef(one.Pipeline), ID: c.R.PathValue("trigger")}
}

// namedTrigger returns the trigger that the address names, and its pipeline, which the user may change.
func (c *call) namedTrigger() (onePipeline, domain.PipelineTriggerView, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return one, domain.PipelineTriggerView{}, err
	}
	t, err := c.Starts.PipelineTrigger(c.ctx(), c.actor(), c.triggerRef(one))
	return one, t, err
}

// editTriggerFields are the fields of a trigger that there is.
func editTriggerFields(t domain.PipelineTrigger) []field {
	fields := triggerFields(t)
	switch {
	case t.Type != domain.GitHubTrigger:
	case t.SecretHint == nil:
		fields = append(fields, triggerSecretField("If set, only what is signed with it starts builds. Stored encrypted. "+
			"Nobody can see it again."))
	default:
		fields = append(fields, triggerSecretField("Leave empty to keep the one that is stored, "+t.MaskedSecret()+"."),
			field{Name: "unsigned", Label: "Take deliveries without a signature", Kind: "checkbox"})
	}
	return fields
}

func editTrigger(c *call) (*reply, error) {
	one, t, err := c.namedTrigger()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save trigger", editTriggerFields(t.PipelineTrigger)...)
	f.Cancel, f.Guarded = c.pipelineLink(one.Pipeline, "triggers"), true
	if c.isPost() {
		_, err := c.Starts.UpdatePipelineTrigger(c.ctx(), c.actor(), c.triggerRef(one), f.triggerInput(),
			expectUnchanged(f, func(now domain.PipelineTriggerView) []field { return editTriggerFields(now.PipelineTrigger) }))
		if err == nil {
			return c.redirect(f.Cancel, "Trigger saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showTriggerForm(one, "Edit trigger", "The address stays. To change it, create another trigger and delete "+
		"this one.", f), nil
}

func deleteTrigger(c *call) (*reply, error) {
	one, t, err := c.namedTrigger()
	if err != nil {
		return nil, err
	}
	triggers := c.pipelineLink(one.Pipeline, "triggers")
	return c.confirm(confirmation{
		Title:  "Delete the trigger “" + t.Label + "”?",
		Text:   "Its address starts no more builds. Those it has started stay. This can't be undone.",
		Button: "Delete trigger", Cancel: triggers, Section: "pipelines", Crumbs: c.pipelineCrumbs(one.Pipeline,
			"Delete trigger"),
	}, func() error {
		return c.Starts.DeletePipelineTrigger(c.ctx(), c.actor(), c.triggerRef(one), nil)
	}, triggers, "Trigger deleted.")
}
