package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
)

// State is how a commit fares.
type State string

// The states of commits.
const (
	Pending  State = "pending"
	Running  State = "running"
	Success  State = "success"
	Failure  State = "failure"
	Canceled State = "canceled"
)

// Status is how a commit fares in the eyes of one context, such as buildkite/web.
type Status struct {
	State       State
	Context     string
	URL         string // of the build
	Description string
}

// Webhook is what is to be made at a host.
type Webhook struct {
	URL    string
	Secret string // "": none
}

func bearer(h http.Header, token string) { h.Set("Authorization", "Bearer "+token) }

// githubStates are the words of GitHub and Gitea.
var githubStates = map[State]string{Pending: "pending", Running: "pending", Success: "success", Failure: "failure",
	Canceled: "error"}

type githubStatus struct {
	State       string `json:"state"`
	TargetURL   string `json:"target_url"`
	Description string `json:"description"`
	Context     string `json:"context"`
}

func statusOfGitHub(repository, commit string, s Status) (string, any) {
	return "/repos/" + repository + "/statuses/" + commit, githubStatus{githubStates[s.State], s.URL,
		cut(s.Description, 140), s.Context}
}

type webhookConfig struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
	Secret      string `json:"secret,omitzero"`
	InsecureSSL string `json:"insecure_ssl,omitzero"`
}

func githubHost(api func(string) string) host {
	events := []string{"push", "pull_request", "merge_group"}
	return host{
		api: api, authorize: bearer, account: "/user", login: func(a account) string {
			return a.Login
		}, status: statusOfGitHub,
		webhook: func(repository string, w Webhook) (string, any) {
			return "/repos/" + repository + "/hooks", struct {
				Name   string        `json:"name"`
				Active bool          `json:"active"`
				Events []string      `json:"events"`
				Config webhookConfig `json:"config"`
			}{"web", true, events, webhookConfig{w.URL, "json", w.Secret, "0"}}
		},
		webhooks:      func(repository string) string { return "/repos/" + repository + "/hooks" },
		repository:    func(name string) string { return "/repos/" + escapePath(name) },
		repositories:  "/user/repos?per_page=100",
		webhookEvents: events,
	}
}

func giteaHost() host {
	events := []string{"create", "delete", "push", "pull_request", "pull_request_sync", "pull_request_label"}
	return host{
		api:       func(base string) string { return base + "/api/v1" },
		authorize: func(h http.Header, token string) { h.Set("Authorization", "token "+token) },
		account:   "/user", login: func(a account) string { return a.Login }, status: statusOfGitHub,
		webhook: func(repository string, w Webhook) (string, any) {
			return "/repos/" + repository + "/hooks", struct {
				Type   string        `json:"type"`
				Active bool          `json:"active"`
				Events []string      `json:"events"`
				Config webhookConfig `json:"config"`
			}{"gitea", true, events, webhookConfig{URL: w.URL, ContentType: "json", Secret: w.Secret}}
		},
		webhooks:      func(repository string) string { return "/repos/" + repository + "/hooks" },
		repository:    func(name string) string { return "/repos/" + escapePath(name) },
		repositories:  "/user/repos?limit=50",
		webhookEvents: events,
	}
}

func gitlabHost() host {
	project := func(repository string) string { return "/projects/" + url.PathEscape(repository) }
	states := map[State]string{Pending: "pending", Running: "running", Success: "success", Failure: "failed",
		Canceled: "canceled"}
	return host{
		api:       func(base string) string { return base + "/api/v4" },
		authorize: func(h http.Header, token string) { h.Set("PRIVATE-TOKEN", token) },
		account:   "/user", login: func(a account) string { return a.Username },
		status: func(repository, commit string, s Status) (string, any) {
			return project(repository) + "/statuses/" + commit, struct {
				State       string `json:"state"`
				Name        string `json:"name"`
				TargetURL   string `json:"target_url"`
				Description string `json:"description"`
			}{states[s.State], s.Context, s.URL, cut(s.Description, 140)}
		},
		webhook: func(repository string, w Webhook) (string, any) {
			return project(repository) + "/hooks", struct {
				URL           string `json:"url"`
				Push          bool   `json:"push_events"`
				TagPush       bool   `json:"tag_push_events"`
				MergeRequests bool   `json:"merge_requests_events"`
				Token         string `json:"token,omitzero"`
				Verify        bool   `json:"enable_ssl_verification"`
			}{w.URL, true, true, true, w.Secret, true}
		},
		webhooks:      func(repository string) string { return project(repository) + "/hooks" },
		repository:    project,
		repositories:  "/projects?membership=true&per_page=100",
		webhookEvents: []string{"Push events", "Tag push events", "Merge request events"},
	}
}

// bitbucketStates are the words of Bitbucket and Bitbucket Server.
var bitbucketStates = map[State]string{Pending: "INPROGRESS", Running: "INPROGRESS", Success: "SUCCESSFUL",
	Failure: "FAILED", Canceled: "STOPPED"}

type bitbucketStatus struct {
	Key         string `json:"key"`
	State       string `json:"state"`
	Name        string `json:"name"`
	URL         string `json:"url"`
	Description string `json:"description"`
}

// statusOfBitbucket returns a status with a key of at most 40 characters, as Bitbucket has it.
func statusOfBitbucket(s Status, stopped string) bitbucketStatus {
	key, state := s.Context, bitbucketStates[s.State]
	if len(key) > 40 {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:20])
	}
	if s.State == Canceled {
		state = stopped
	}
	return bitbucketStatus{key, state, s.Context, s.URL, cut(s.Description, 255)}
}

type bitbucketWebhook struct {
	Description   string            `json:"description,omitzero"`
	Name          string            `json:"name,omitzero"`
	URL           string            `json:"url"`
	Active        bool              `json:"active"`
	Events        []string          `json:"events"`
	Secret        string            `json:"secret,omitzero"`
	Configuration map[string]string `json:"configuration,omitzero"`
}

func bitbucketHost() host {
	events := []string{"repo:push", "pullrequest:created", "pullrequest:updated", "pullrequest:fulfilled",
		"pullrequest:rejected"}
	return host{
		api: func(string) string { return "https://api.bitbucket.org/2.0" }, authorize: bearer,
		account: "/user", login: func(a account) string { return first(a.Username, a.Name) },
		status: func(repository, commit string, s Status) (string, any) {
			return "/repositories/" + escapePath(repository) + "/commit/" + commit + "/statuses/build",
				statusOfBitbucket(s, "STOPPED")
		},
		webhook: func(repository string, w Webhook) (string, any) {
			return "/repositories/" + escapePath(repository) + "/hooks", bitbucketWebhook{Description: "Penstock", URL: w.URL,
				Active: true, Events: events, Secret: w.Secret}
		},
		webhooks:      func(repository string) string { return "/repositories/" + escapePath(repository) + "/hooks" },
		webhookEvents: events,
	}
}

func bitbucketServerHost() host {
	events := []string{"repo:refs_changed", "pr:opened", "pr:from_ref_updated", "pr:merged", "pr:declined", "pr:deleted"}
	hooks := func(repository string) string {
		project, name, _ := strings.Cut(repository, "/")
		return "/api/1.0/projects/" + url.PathEscape(project) + "/repos/" + url.PathEscape(name) + "/webhooks"
	}
	return host{
		api: func(base string) string { return base + "/rest" }, authorize: bearer,
		account: "/api/1.0/application-properties", login: func(account) string { return "" },
		status: func(_, commit string, s Status) (string, any) {
			return "/build-status/1.0/commits/" + commit, statusOfBitbucket(s, "FAILED")
		},
		webhook: func(repository string, w Webhook) (string, any) {
			made := bitbucketWebhook{Name: "Penstock", URL: w.URL, Active: true, Events: events}
			if w.Secret != "" {
				made.Configuration = map[string]string{"secret": w.Secret}
			}
			return hooks(repository), made
		},
		webhooks:      hooks,
		webhookEvents: events,
	}
}

// escapePath escapes each part of a path.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// cut returns the beginning of a text.
func cut(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
