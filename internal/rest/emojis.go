package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) emojiEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{{
		Method: http.MethodGet, Path: inOrganization + "/emojis", Operation: "listEmojis",
		Summary: "Lists all emojis that texts may have, as :name:. The list has no pages. Needs no scope.",
		Answer:  []emojiAnswer{}, Status: http.StatusOK,
		Handle: func(c *endpoint.Call) (any, error) {
			emojis, err := a.Service.Emojis(c.Context(), c.Actor(), c.Path(endpoint.OrganizationParameter))
			answers := make([]emojiAnswer, len(emojis))
			for i, e := range emojis {
				answers[i] = a.showEmoji(e)
			}
			return answers, err
		},
	}}
}

type emojiAnswer struct {
	Name    string   `json:"name" doc:"What stands between the colons."`
	URL     string   `json:"url" format:"uri" doc:"A picture of the emoji, which needs no token."`
	Aliases []string `json:"aliases" doc:"Its other names."`
}

func (a *API) showEmoji(e domain.Emoji) emojiAnswer {
	return emojiAnswer{Name: e.Name, URL: a.BaseURL + "/emojis/" + e.Code() + ".svg",
		Aliases: append([]string{}, e.Aliases...)}
}
