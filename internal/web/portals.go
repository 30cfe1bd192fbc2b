package web

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

// RunPortal runs an operation of a portal's document, as the portal does or as the user themself, and returns GraphQL's
// answer. Variables are a JSON object.
type RunPortal func(ctx context.Context, actor authz.Actor, ref domain.PortalRef, asSelf bool, operation string,
	variables []byte) ([]byte, error)

// Operations returns the names of a GraphQL document's operations, "" for one without.
type Operations func(query string) []string

// ExampleVariables returns variables with which an operation of an organization's portal could be run, as a JSON
// object; empty: it is unknown.
type ExampleVariables func(organization, query, operation string) string

const inPortal = inOrganization + "/portals/{portal}"

var portalRoutes = []route{
	{path: inOrganization + "/portals", get: showPortals},
	// below portals it would hide the one that is called New
	{path: inOrganization + "/new-portal", get: newPortal, post: newPortal},
	{path: inPortal, get: showPortal},
	{path: inPortal + "/try", get: tryPortal, post: tryPortal},
	{path: inPortal + "/codes/{code}", get: authorizePortalCode, post: authorizePortalCode},
	{path: inPortal + "/tokens", get: showPortalTokens},
	{path: inPortal + "/tokens/new", get: newPortalToken, post: newPortalToken},
	{path: inPortal + "/tokens/{token}/delete", get: deletePortalToken, post: deletePortalToken},
	{path: inPortal + "/member-tokens", get: showMemberPortalTokens},
	{path: inPortal + "/member-tokens/{token}/delete", get: deleteMemberPortalToken, post: deleteMemberPortalToken},
	{path: inPortal + "/secrets", get: showPortalSecrets},
	{path: inPortal + "/secrets/new", get: newPortalSecret, post: newPortalSecret},
	{path: inPortal + "/secrets/{secret}/delete", get: deletePortalSecret, post: deletePortalSecret},
	{path: inPortal + "/settings", get: editPortal, post: editPortal},
	{path: inPortal + "/delete", get: deletePortal, post: deletePortal},
}

type portalsView struct {
	Portals []*domain.PortalView
	List    listFrame
	New     string
}

func showPortals(c *call) (*reply, error) {
	if !c.administers() {
		return showInvokablePortals(c)
	}
	view := portalsView{New: c.organizationLink("new-portal")}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.PortalsOf([]*read.Organization{o}, c.query("search"), c.requestedOrder(nameOrders), c.requestedPart())
		if err == nil {
			view.Portals, view.List, err = readList(c, "portal", "portals", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	view.List.Empty = emptyState{"No portals yet", "A portal lets a program run the GraphQL operations you store in it, " +
		"and nothing else.", "New portal", view.New}
	return c.show(page{template: "portals", Title: "Portals", Section: "portals", Crumbs: []crumb{{Label: "Portals"}},
		View: view}), nil
}

func portalFields(p domain.Portal) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: p.Name},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: textOrEmpty(p.Description)},
		{Name: "query", Label: "GraphQL document", Kind: "textarea", Rows: 14, Code: true, Language: "graphql",
			Required: true, Value: p.Query,
			Placeholder: "query Pipelines($first: Int) {\n  …\n}", Help: "The operations the portal can run. If there are " +
				"several, name each one."},
		{Name: "user_invokable", Label: "Let members run it as themselves", Kind: "checkbox",
			Value: checkboxValue(p.UserInvokable),
			Help: "Members run it with their own permissions. Turning this off ends their tokens right away. The portal's " +
				"own tokens still run with administrator permissions."},
		{Name: "allowed_ip_addresses", Label: "Allowed IP addresses", Code: true, Value: textOrEmpty(p.AllowedIPAddresses),
			Placeholder: "192.0.2.0/24 2001:db8::/32", Help: "CIDR blocks, separated by spaces. Leave empty to allow any " +
				"address."},
	}
}

func (f *form) portalInput() domain.PortalInput {
	return domain.PortalInput{
		Name: f.typedInput("name"), Description: f.typedOrNull("description"), Query: f.typedInput("query"),
		AllowedIPAddresses: f.typedOrNull("allowed_ip_addresses"),
		UserInvokable:      domain.Some(f.isChecked("user_invokable")),
	}
}

// newPortalInput is portalInput, with when the first token is to expire.
func (c *call) newPortalInput(f *form) core.Input[domain.PortalInput] {
	in := f.portalInput()
	var faults domain.Faults
	at, known := c.expiryOf(f.typed("expires_at"))
	if !known {
		faults.Add("expires_at", "Expires at must be one of the choices")
	}
	if at != nil {
		in.TokenExpiresAt = domain.Some(at.UTC().Format(domain.TimestampLayout))
	}
	return core.Sent(in, faults.Err())
}

const portalIntro = "A portal runs with administrator permissions in this organization. Only include operations that " +
	"anyone with its token may run."

func newPortal(c *call) (*reply, error) {
	if err := c.require(authz.WritePortal); err != nil {
		return nil, err
	}
	f := c.newForm("Create portal", append(portalFields(domain.Portal{}),
		field{Name: "expires_at", Label: "First token expires", Noun: "Expiry of the first token", Kind: "select",
			Options: expiryChoices, Value: defaultExpiry})...)
	f.Cancel, f.Fields[0].Autofocus = c.organizationLink("portals"), true
	crumbs := []crumb{{"Portals", c.organizationLink("portals")}, {Label: "New portal"}}
	if c.isPost() {
		p, secret, err := c.Service.CreatePortal(c.ctx(), c.actor(), c.organization(), c.newPortalInput(f))
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new portal's token", Value: secret.Reveal(), For: p.Name,
				Section: "portals", Crumbs: crumbs[:len(crumbs)-1], Back: c.organizationLink("portals", p.Slug)}), nil
		}
		if err := f.addError(moveSlugFault(err)); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "portal_form", Title: "New portal", Section: "portals", Crumbs: crumbs,
		View: newPortalFormView(onePortal{}, f)}), nil
}

// portalFormView is a portal's form.
type portalFormView struct {
	onePortal // zero for a new one
	Intro     string
	Form      *form
	Excerpt   string // the place of the query that can't be read; empty: none
}

func newPortalFormView(one onePortal, f *form) portalFormView {
	view := portalFormView{onePortal: one, Intro: portalIntro, Form: f}
	for _, reason := range f.fieldNamed("query").Errors {
		view.Excerpt = excerptAround(f.typed("query"), reason)
	}
	return view
}

// onePortal is the portal that a page is about. The views of such pages begin with it.
type onePortal struct {
	Portal     *domain.PortalView
	Path       string // address of the portal's pages
	Address    string // where it is run
	Operations []string
	variables  func(operation string) string // to try an operation with
}

// Command is a command that runs the portal's first operation.
func (one onePortal) Command() string {
	address, operation := one.Address, ""
	if len(one.Operations) > 0 {
		operation = one.Operations[0]
	}
	if len(one.Operations) > 1 {
		address += "?operation_name=" + operation
	}
	return "curl -X POST '" + address + "' \\\n  -H \"Authorization: Bearer $PORTAL_TOKEN\" -H 'Content-Type: " +
		"application/json' \\\n  -d '" +
		strings.ReplaceAll(one.variables(operation), "'", `'\''`) + "'"
}

// TokenCommand is a command that exchanges a secret for a token.
func (one onePortal) TokenCommand() string {
	return "curl -X POST '" + one.Address + "/tokens' -H 'Content-Type: application/json' \\\n" +
		`  -d '{"grant_type": "client_credentials", "client_id": "` + string(one.Portal.ID) +
		`", "secret": "…", "expires_in": 15}'`
}

func (c *call) portalRef() domain.PortalRef {
	return domain.PortalRef{Organization: c.organizationRef(), Slug: c.R.PathValue("portal")}
}

// findPortal finds the portal that the page is about.
func (c *call) findPortal() (one onePortal, err error) {
	p, err := c.Service.Portal(c.ctx(), c.actor(), c.portalRef())
	if err != nil {
		return one, err
	}
	return c.newOnePortal(p), nil
}

func (c *call) newOnePortal(p domain.PortalView) onePortal {
	one := onePortal{
		Portal:  &p,
		Path:    c.organizationLink("portals", p.Slug),
		Address: c.BaseURL + "/portal/organizations/" + c.account.Current.Slug + "/portals/" + p.Slug,
	}
	if c.Operations != nil {
		one.Operations = c.Operations(p.Query)
	}
	one.variables = func(operation string) string {
		if c.Examples == nil {
			return "{}"
		}
		return cmp.Or(c.Examples(c.organization(), p.Query, operation), "{}")
	}
	return one
}

func (one *onePortal) crumbs(c *call, last string) []crumb {
	crumbs := []crumb{{"Portals", c.organizationLink("portals")}}
	if last == "" || !c.administers() { // members have no page of the portal but the last
		return append(crumbs, crumb{Label: one.Portal.Name})
	}
	return append(crumbs, crumb{one.Portal.Name, one.Path}, crumb{Label: last})
}

// portalPage is a page about a portal, with its tabs. Current is the last segment of the tab's path; empty: the
// overview.
func (c *call) portalPage(one onePortal, template, current string, view any) page {
	p := page{template: template, Title: one.Portal.Name, Section: "portals", View: view}
	last := ""
	for _, t := range []struct{ path, label string }{
		{"", "Overview"}, {"try", "Try it"}, {"tokens", "Tokens"}, {"member-tokens", "Members' tokens"},
		{"secrets", "Secrets"}, {"settings", "Settings"},
	} {
		if t.path != current && (!c.administers() || t.path == "member-tokens" && !one.Portal.UserInvokable) {
			continue
		}
		to := one.Path
		if t.path != "" {
			to += "/" + t.path
		}
		if p.Tabs = append(p.Tabs, tab{Label: t.label, To: to, Current: t.path == current}); t.path == current &&
			t.path != "" {
			last = t.label
		}
	}
	p.Crumbs = one.crumbs(c, last)
	return p
}

func showPortal(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	return c.show(c.portalPage(one, "portal", "", one)), nil
}

func editPortal(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", portalFields(one.Portal.Portal)...)
	if c.isPost() {
		_, err := c.Service.UpdatePortal(c.ctx(), c.actor(), c.portalRef(), inputOf(f.portalInput()),
			expectUnchanged(f, func(now domain.PortalView) []field { return portalFields(now.Portal) }))
		if err == nil {
			return c.redirect(one.Path, "Portal saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.portalPage(one, "portal_form", "settings", newPortalFormView(one, f))), nil
}

func deletePortal(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	return c.confirm(confirmation{
		Title:  "Delete the portal “" + one.Portal.Name + "”?",
		Text:   "Its tokens and secrets stop working right away. This can't be undone.",
		Button: "Delete portal", Cancel: one.Path + "/settings", Section: "portals", Crumbs: one.crumbs(c, "Delete"),
	}, func() error { return c.Service.DeletePortal(c.ctx(), c.actor(), c.portalRef(), nil) },
		c.organizationLink("portals"), "Portal deleted.")
}

// showInvokablePortals shows members the portals that they may run.
func showInvokablePortals(c *call) (*reply, error) {
	found, err := c.Service.InvokablePortals(c.ctx(), c.actor(), c.organization(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := portalsView{List: c.newList("portal", "portals", found.Total, len(found.Items))}
	for i := range found.Items {
		view.Portals = append(view.Portals, &found.Items[i])
	}
	view.List.Empty = emptyState{Title: "No portals for you", Text: "Portals that members can run appear here."}
	return c.show(page{template: "portals", Title: "Portals", Section: "portals", Crumbs: []crumb{{Label: "Portals"}},
		View: view}), nil
}

// findInvokable finds the portal that a page for all members is about.
func (c *call) findInvokable() (one onePortal, err error) {
	if c.administers() {
		return c.findPortal()
	}
	p, err := c.Service.InvokablePortal(c.ctx(), c.actor(), c.portalRef())
	if err != nil {
		return one, err
	}
	return c.newOnePortal(p), nil
}

type tryPortalView struct {
	onePortal
	Form    *form
	Missing bool   // portals can't be run here
	Answer  string // empty: nothing was run
}

// Who a portal is run as.
const (
	runAsPortal = "portal"
	runAsSelf   = "self"
)

func tryPortal(c *call) (*reply, error) {
	one, err := c.findInvokable()
	if err != nil {
		return nil, err
	}
	view := tryPortalView{onePortal: one, Missing: c.RunPortal == nil}
	operations, examples := make([]option, len(one.Operations)), make([]string, len(one.Operations))
	for i, name := range one.Operations {
		examples[i] = indentJSON([]byte(one.variables(name)))
		operations[i] = option{Value: name, Label: name}
		if name == "" {
			operations[i].Label = "Unnamed operation"
		}
	}
	operation := field{Name: "operation_name", Label: "Operation", Kind: "select", Options: operations, Examples: examples}
	variables := "{}"
	if len(operations) > 0 {
		operation.Value, variables = operations[0].Value, examples[0]
	}
	var as []option
	if c.administers() {
		as = append(as, option{Value: runAsPortal, Label: "The portal, with administrator permissions"})
	}
	if one.Portal.UserInvokable {
		as = append(as, option{Value: runAsSelf, Label: "Yourself, with your own permissions"})
	}
	f := c.newForm("Run", operation,
		field{Name: "run_as", Label: "Run as", Kind: "select", Options: as, Value: as[0].Value},
		field{Name: "variables", Label: "Variables", Kind: "textarea", Rows: 6, Code: true, Language: "json",
			Value: variables, Help: "A JSON object. The values are examples: change them to yours."})
	view.Form = f
	if c.isPost() && !view.Missing {
		if err := view.run(c); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.portalPage(one, "portal_try", "try", view)), nil
}

// run runs what the form asks for.
func (view *tryPortalView) run(c *call) error {
	f := view.Form
	variables := strings.TrimSpace(f.typed("variables"))
	if variables == "" {
		variables = "{}"
	}
	if !isObject(variables) {
		f.addFault("variables", "Variables must be a JSON object")
		return nil
	}
	body, err := c.RunPortal(c.ctx(), c.actor(), c.portalRef(), f.typed("run_as") == runAsSelf, f.typed("operation_name"),
		[]byte(variables))
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.Invalid {
		return f.addError(err)
	}
	if err != nil {
		return err
	}
	view.Answer = truncateText(indentJSON(body))
	return nil
}

type portalCodeView struct {
	onePortal
	Code string
	Form *form // nil: it is authorized
}

// authorizePortalCode asks a user whether a program may run the portal as them.
func authorizePortalCode(c *call) (*reply, error) {
	p, err := c.Service.InvokablePortal(c.ctx(), c.actor(), c.portalRef())
	if err != nil {
		return nil, err
	}
	one := c.newOnePortal(p)
	view := portalCodeView{onePortal: one, Code: c.R.PathValue("code"), Form: c.newForm("Authorize")}
	shown := page{template: "portal_code", Title: "Authorize a program", Section: "portals",
		Crumbs: one.crumbs(c, "Authorize"), View: &view}
	if !c.isPost() {
		return c.show(shown), nil
	}
	err = c.Service.AuthorizePortalCode(c.ctx(), c.actor(), c.portalRef(), domain.PortalCode(view.Code))
	if err == nil {
		view.Form = nil
		return c.show(shown), nil
	}
	if err := view.Form.addError(err); err != nil {
		return nil, err
	}
	return c.showForm(view.Form, shown), nil
}

// maxShownAnswer is how much of an answer a page shows, in bytes.
const maxShownAnswer = 40_000

func truncateText(text string) string {
	if len(text) <= maxShownAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxShownAnswer], "") + "\n… (the rest is not shown here)"
}
