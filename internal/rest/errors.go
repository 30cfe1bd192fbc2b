package rest

// errorAnswer is the body of every error.
type errorAnswer struct {
	Message string `json:"message" doc:"What went wrong, and what to change."`
}
