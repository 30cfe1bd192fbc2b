// Package provider talks with the hosts of repositories: it reads what they deliver, publishes how commits fare, makes
// webhooks, and finds repositories. It knows nothing of our database, and imports internal/domain of ours.
package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
)

// Client asks a host for things in the name of an account.
type Client struct {
	Kind  domain.ProviderKind
	Base  string // where people find the host, such as https://git.example.com
	Token domain.Secret
	HTTP  *http.Client

	// Limited, if it is not nil, is called with how many requests the host takes, when it says so.
	Limited func(domain.RateLimit)
}

// Limits of answers.
const (
	maxAnswer  = 1 << 20 // bytes
	maxMessage = 300     // characters of an answer that are shown
)

// Error is a host's refusal.
type Error struct {
	Status  int // 0: the host did not answer
	Message string
	After   time.Duration // when it wants to be asked again; 0: it does not say
}

func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Message
	}
	status := strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	if e.Message == "" {
		return status
	}
	return status + ": " + e.Message
}

// IsAway reports whether the host takes nothing at all for now.
func (e *Error) IsAway() bool {
	return e.Status == 0 || e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.After > 0
}

// host is what the API of one kind of host is like.
type host struct {
	api           func(base string) string
	authorize     func(http.Header, string)
	account       string // the path that says whose token it is
	login         func(account) string
	status        func(repository, commit string, s Status) (path string, body any)
	webhook       func(repository string, w Webhook) (path string, body any)
	webhooks      func(repository string) string
	repository    func(name string) string
	repositories  string // "": the host lists none
	webhookEvents []string
}

// account is whom a token belongs to, as the hosts call it.
type account struct {
	Login    string `json:"login"`
	Username string `json:"username"`
	Name     string `json:"display_name"`
}

var hosts = map[domain.ProviderKind]host{
	domain.GitHub:           githubHost(func(string) string { return "https://api.github.com" }),
	domain.GitHubEnterprise: githubHost(func(base string) string { return base + "/api/v3" }),
	domain.Gitea:            giteaHost(),
	domain.GitLab:           gitlabHost(),
	domain.Bitbucket:        bitbucketHost(),
	domain.BitbucketServer:  bitbucketServerHost(),
}

// WebhookEvents returns what to tick where a webhook is made by hand.
func WebhookEvents(kind domain.ProviderKind) []string { return hosts[kind].webhookEvents }

// PublishStatus publishes the state of a commit at the host, and returns its answer.
func (c *Client) PublishStatus(ctx context.Context, repository, commit string, s Status) (answer string, err error) {
	path, body := hosts[c.Kind].status(repository, commit, s)
	status, _, err := c.call(ctx, http.MethodPost, path, body, nil)
	if err != nil {
		return "", err
	}
	return strconv.Itoa(status) + " " + http.StatusText(status), nil
}

// CreateWebhook makes a webhook of a repository, and returns its id at the host.
func (c *Client) CreateWebhook(ctx context.Context, repository string, w Webhook) (id string, err error) {
	path, body := hosts[c.Kind].webhook(repository, w)
	var made struct {
		ID   any    `json:"id"`
		UUID string `json:"uuid"` // Bitbucket's
	}
	if _, _, err := c.call(ctx, http.MethodPost, path, body, &made); err != nil {
		return "", err
	}
	if made.UUID != "" {
		return made.UUID, nil
	}
	if number, ok := made.ID.(float64); ok {
		return strconv.FormatInt(int64(number), 10), nil
	}
	return fmt.Sprint(made.ID), nil
}

// DeleteWebhook deletes a webhook of a repository. One that is gone is no error.
func (c *Client) DeleteWebhook(ctx context.Context, repository, id string) error {
	_, _, err := c.call(ctx, http.MethodDelete, hosts[c.Kind].webhooks(repository)+"/"+url.PathEscape(id), nil, nil)
	if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// Login returns whom the token belongs to.
func (c *Client) Login(ctx context.Context) (string, error) {
	h := hosts[c.Kind]
	var found account
	_, header, err := c.call(ctx, http.MethodGet, h.account, nil, &found)
	if err != nil {
		return "", err
	}
	if name := header.Get("X-AUSERNAME"); name != "" { // Bitbucket Server's
		return name, nil
	}
	return h.login(found), nil
}

// Repository is a repository at a host.
type Repository struct {
	FullName      string
	HTMLURL       string
	CloneURL      string
	DefaultBranch string
}

// ErrListsNone means that the host lists no repositories.
var ErrListsNone = errors.New("this kind of repository host lists no repositories")

// FindRepository returns the repository with that full name; nil if the token sees none.
func (c *Client) FindRepository(ctx context.Context, name string) (*Repository, error) {
	h := hosts[c.Kind]
	if h.repository == nil {
		return nil, ErrListsNone
	}
	var found repositoryAnswer
	_, _, err := c.call(ctx, http.MethodGet, h.repository(name), nil, &found)
	if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := found.repository()
	return &r, nil
}

// ListRepositories returns the first hundred repositories that the token sees.
func (c *Client) ListRepositories(ctx context.Context) ([]Repository, error) {
	h := hosts[c.Kind]
	if h.repositories == "" {
		return nil, ErrListsNone
	}
	var listed []repositoryAnswer
	if _, _, err := c.call(ctx, http.MethodGet, h.repositories, nil, &listed); err != nil {
		return nil, err
	}
	all := make([]Repository, len(listed))
	for i, r := range listed {
		all[i] = r.repository()
	}
	return all, nil
}

// repositoryAnswer is a repository as GitHub, Gitea and GitLab show it.
type repositoryAnswer struct {
	FullName      string `json:"full_name"`
	Path          string `json:"path_with_namespace"`
	HTMLURL       string `json:"html_url"`
	WebURL        string `json:"web_url"`
	CloneURL      string `json:"clone_url"`
	HTTPURL       string `json:"http_url_to_repo"`
	DefaultBranch string `json:"default_branch"`
}

func (r repositoryAnswer) repository() Repository {
	return Repository{FullName: first(r.FullName, r.Path), HTMLURL: first(r.HTMLURL, r.WebURL),
		CloneURL: first(r.CloneURL, r.HTTPURL), DefaultBranch: r.DefaultBranch}
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// call sends a request to the host's API, and decodes its answer.
func (c *Client) call(ctx context.Context, method, path string, body,
	answer any) (status int, header http.Header, err error) {
	h, ok := hosts[c.Kind]
	if !ok {
		return 0, nil, fmt.Errorf("there is no repository host of kind %q", c.Kind)
	}
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, h.api(strings.TrimRight(c.Base, "/"))+path, reader)
	if err != nil {
		return 0, nil, &Error{Message: "the address cannot be used"}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "penstock")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	h.authorize(request.Header, c.Token.Reveal())
	response, err := c.HTTP.Do(request)
	if err != nil {
		return 0, nil, &Error{Message: c.hide(explain(err))}
	}
	defer func() { _ = response.Body.Close() }()
	if limit, ok := rateLimitOf(response.Header); ok && c.Limited != nil {
		c.Limited(limit)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, &Error{Message: c.hide(explain(err))}
	case len(text) > maxAnswer:
		return 0, nil, &Error{Status: response.StatusCode, Message: "the answer is longer than 1 MiB"}
	case response.StatusCode >= 300:
		return 0, nil, &Error{Status: response.StatusCode, Message: c.hide(messageOf(text)), After: retryAfter(response)}
	case answer != nil && json.Unmarshal(text, answer) != nil:
		return 0, nil, &Error{Status: response.StatusCode, Message: "the answer is not as the API of this kind of host " +
			"answers"}
	}
	return response.StatusCode, response.Header, nil
}

// hide takes the token out of a text that people are shown.
func (c *Client) hide(text string) string {
	if token := c.Token.Reveal(); token != "" {
		text = strings.ReplaceAll(text, token, "[redacted]")
	}
	return text
}

// explain returns why a request did not reach the host, without the address, which is known.
func explain(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

// messageOf returns what a refusal says.
func messageOf(text []byte) string {
	var said struct {
		Message any `json:"message"`
		Error   any `json:"error"`
		Errors  any `json:"errors"`
	}
	message := string(text)
	if json.Unmarshal(text, &said) == nil {
		for _, part := range []any{said.Message, said.Error, said.Errors} {
			if part != nil {
				message = fmt.Sprint(part)
				break
			}
		}
	}
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "")), " ")
	if runes := []rune(message); len(runes) > maxMessage {
		message = string(runes[:maxMessage]) + "…"
	}
	return message
}

// rateLimitOf returns how many requests a host takes; false if it does not say.
func rateLimitOf(h http.Header) (limit domain.RateLimit, ok bool) {
	number := func(name string) int64 {
		n, err := strconv.ParseInt(h.Get(name), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return -1
		}
		return n
	}
	limit = domain.RateLimit{Limit: number("X-RateLimit-Limit"), Remaining: number("X-RateLimit-Remaining"),
		Used: number("X-RateLimit-Used")}
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if limit.Limit < 0 || limit.Remaining < 0 || err != nil || reset < 0 || reset > maxReset {
		return limit, false
	}
	if limit.Used < 0 {
		limit.Used = max(limit.Limit-limit.Remaining, 0)
	}
	limit.ResetAt = time.Unix(reset, 0).UTC()
	return limit, true
}

// maxReset is the last time that a host may name: the end of the year 9999.
const maxReset = 253402300799

// retryAfter returns when a host wants to be asked again.
func retryAfter(r *http.Response) time.Duration {
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if r.Header.Get("X-RateLimit-Remaining") == "0" && (r.StatusCode == http.StatusForbidden ||
		r.StatusCode == http.StatusTooManyRequests) {
		if at, err := strconv.ParseInt(r.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(time.Until(time.Unix(at, 0)), time.Second)
		}
	}
	return 0
}
