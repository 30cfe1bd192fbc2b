package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/starts"
)

const inDelivery = inPipeline + "/deliveries/{delivery}"

var deliveryRoutes = []route{
	{path: inPipeline + "/deliveries", get: showDeliveries},
	{path: inPipeline + "/webhook", post: createWebhook},
	{path: inPipeline + "/webhook/rotate", get: rotateWebhook, post: rotateWebhook},
	{path: inDelivery, get: showDelivery},
	{path: inDelivery + "/repeat", post: repeatDelivery},
}

type deliveriesView struct {
	onePipeline
	Setup      starts.WebhookSetup
	Deliveries []deliveryRow
	List       listFrame
	Create     string // the address that creates the webhook at the host; empty: the organization is not connected with it
	Rotate     string
	Hosts      string // the page of repository hosts; empty: it is not for the user
}

type deliveryRow struct {
	domain.DeliveryView
	To    string
	Build string // the address of its build; empty: none
}

func (c *call) deliveryRowOf(one onePipeline, d domain.DeliveryView) deliveryRow {
	row := deliveryRow{DeliveryView: d, To: c.pipelineLink(one.Pipeline, "deliveries", string(d.ID))}
	if d.BuildNumber > 0 {
		row.Build = c.linkToBuild(c.organization(), one.Pipeline.Slug, d.BuildNumber)
	}
	return row
}

func (c *call) pipelineRefOf(one onePipeline) domain.PipelineRef {
	return domain.PipelineRef{Organization: c.organizationRef(), Slug: one.Pipeline.Slug}
}

func showDeliveries(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	view := deliveriesView{onePipeline: one, Rotate: c.pipelineLink(one.Pipeline, "webhook", "rotate")}
	if view.Setup, err = c.Starts.PipelineWebhook(c.ctx(), c.actor(), c.pipelineRefOf(one)); err != nil {
		return nil, err
	}
	found, err := c.Starts.Deliveries(c.ctx(), c.actor(), c.pipelineRefOf(one))
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		view.Deliveries = append(view.Deliveries, c.deliveryRowOf(one, d))
	}
	if view.Setup.Connection != nil {
		view.Create = c.pipelineLink(one.Pipeline, "webhook")
	} else if c.administers() {
		view.Hosts = c.organizationLink("repositories")
	}
	view.List = c.newList("delivery", "deliveries", int64(len(found)), len(found))
	view.List.Empty = emptyState{Title: "Nothing was delivered yet", Text: "What the repository host delivers is listed " +
		"here for seven days, with what became of it."}
	return c.show(c.pipelinePage(one, "deliveries", "Webhook", "deliveries", view)), nil
}

type deliveryView struct {
	onePipeline
	Delivery deliveryRow
	Body     string
	Repeat   string
}

// shownBody is how much of a delivery a page shows.
const shownBody = 256 << 10

func showDelivery(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	found, body, err := c.Starts.Delivery(c.ctx(), c.actor(), c.pipelineRefOf(one), c.R.PathValue("delivery"))
	if err != nil {
		return nil, err
	}
	if len(body) > shownBody {
		body = body[:shownBody] + "…"
	}
	view := deliveryView{onePipeline: one, Delivery: c.deliveryRowOf(one, found), Body: body,
		Repeat: c.pipelineLink(one.Pipeline, "deliveries", string(found.ID), "repeat")}
	return c.show(c.pipelinePage(one, "delivery", "Delivery", "deliveries", view)), nil
}

// redirectToDeliveries goes back to the deliveries of a pipeline with what came of a change: what is wrong with it is
// no other page.
func (c *call) redirectToDeliveries(one onePipeline, message string, err error) (*reply, error) {
	switch domain.CodeOf(err) {
	case domain.Invalid:
		message = err.Error()
	case 0:
		if err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	return c.redirect(c.pipelineLink(one.Pipeline, "deliveries"), message), nil
}

func repeatDelivery(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	done, err := c.Starts.RepeatDelivery(c.ctx(), c.actor(), c.pipelineRefOf(one), c.R.PathValue("delivery"))
	return c.redirectToDeliveries(one, "Delivered again: "+done.Outcome+".", err)
}

func createWebhook(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	made, err := c.Starts.CreatePipelineWebhook(c.ctx(), c.actor(), c.pipelineRefOf(one))
	return c.redirectToDeliveries(one, "Webhook created in "+made.Repository+".", err)
}

func rotateWebhook(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	back := c.pipelineLink(one.Pipeline, "deliveries")
	p := c.pipelinePage(one, "", "Change the webhook's address", "deliveries", nil)
	return c.confirm(confirmation{
		Title:   "Change the address of the webhook?",
		Text:    "The old address stops working at once. Create the webhook at the host again afterwards.",
		Button:  "Change address",
		Cancel:  back,
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		_, err := c.Starts.RotateWebhookURL(c.ctx(), c.actor(), c.pipelineRefOf(one))
		return err
	}, back, "The webhook has another address.")
}
