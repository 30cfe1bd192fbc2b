package endpoint

import "penstock/internal/httpcall"

// LimitAnswer is the body of the refusal of a request over the limit.
type LimitAnswer struct {
	Scope   string `json:"scope" enum:"rest,rest_user" doc:"Which limit was exceeded: the organization's (rest) or the user's (rest_user)."`
	Limit   int    `json:"limit" doc:"Requests allowed a minute."`
	Current int    `json:"current" doc:"Requests made in this minute."`
	Reset   int    `json:"reset" doc:"Seconds until requests are served again."`
	Message string `json:"message" doc:"How long to wait."`
}

func newLimitAnswer(e *httpcall.LimitError) LimitAnswer {
	return LimitAnswer{Scope: e.Use.Scope, Limit: e.Use.Limit, Current: e.Use.Current, Reset: e.Use.ResetSeconds(),
		Message: e.Error()}
}
