package web

import (
	"net/url"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

var badgeRoutes = []route{{path: inPipeline + "/badge", get: showPipelineBadge}}

type badgeView struct {
	onePipeline
	Branch   string
	Picture  string
	State    domain.BadgeState
	URL      string
	Markdown string
	HTML     string
	Feed     string
}

// showPipelineBadge shows how a pipeline's badge is put into other pages.
func showPipelineBadge(c *call) (*reply, error) {
	one, err := c.findPipeline(nil)
	if err != nil {
		return nil, err
	}
	view := badgeView{onePipeline: one, Branch: strings.TrimSpace(c.R.URL.Query().Get("branch"))}
	if !domain.ValidText(view.Branch) {
		view.Branch = ""
	}
	if view.State, err = c.Service.PipelineBadge(c.ctx(), authz.Actor{}, one.Pipeline.BadgeToken, view.Branch,
		""); err != nil {
		return nil, err
	}
	page := c.BaseURL + "/" + one.Pipeline.OrganizationSlug + "/" + one.Pipeline.Slug
	picture := "/badges/" + one.Pipeline.BadgeToken + ".svg"
	if view.Branch != "" {
		picture += "?branch=" + url.QueryEscape(view.Branch)
		page += "?branch=" + url.QueryEscape(view.Branch)
	}
	view.URL, view.Picture = c.BaseURL+picture, c.prefix+picture
	view.Markdown = "[![Build status](" + view.URL + ")](" + page + ")"
	view.HTML = `<a href="` + page + `"><img src="` + view.URL + `" alt="Build status"></a>`
	view.Feed = c.BaseURL + "/" + one.Pipeline.OrganizationSlug + "/" + one.Pipeline.Slug + ".xml?access_token=…"
	return c.show(c.pipelinePage(one, "pipeline_badge", "Badge", "badge", view)), nil
}
