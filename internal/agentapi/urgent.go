package agentapi

import (
	"net/http"
	"strings"
)

// IsUrgent reports whether an agent drops a job, or counts as lost, if this request is refused: others wait, or are
// sent again.
func IsUrgent(r *http.Request) bool {
	path, _ := strings.CutPrefix(r.URL.Path, "/v3/")
	if path == "heartbeat" {
		return r.Method == http.MethodPost
	}
	job, isJob := strings.CutPrefix(path, "jobs/")
	_, call, _ := strings.Cut(job, "/")
	switch call {
	case "accept", "start", "finish":
		return isJob && r.Method == http.MethodPut
	case "chunks":
		return isJob && r.Method == http.MethodPost
	}
	return false
}
