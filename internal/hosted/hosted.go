// Package hosted calls the hosted-agent service over HTTP. It imports only internal/domain of ours.
package hosted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"penstock/internal/domain"
)

// CallTimeout is how long a call may take.
const CallTimeout = 5 * time.Second

// Client calls one hosted-agent service.
type Client struct {
	url  string
	http *http.Client
}

// NewClient returns a client of the service at url. Its connections are its own: who closes those of the process's
// other clients does not break a call.
func NewClient(url string) *Client {
	transport := http.DefaultTransport
	if shared, ok := transport.(*http.Transport); ok {
		transport = shared.Clone()
	}
	return &Client{
		url: strings.TrimSuffix(url, "/"),
		http: &http.Client{
			Transport:     transport,
			Timeout:       CallTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// SetGitMirror informs the service whether a cluster's git mirror is to be enabled. When it returns an
// error, the service may or may not have done so.
func (c *Client) SetGitMirror(ctx context.Context, cluster domain.ClusterID, enabled bool) error {
	url := c.url + "/clusters/" + string(cluster) + "/git-mirror"
	body := fmt.Sprintf(`{"enabled": %t}`, enabled)
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return errors.New("hosted-agent service: its URL cannot be used") // err would show it, with its password
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("hosted-agent service: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("hosted-agent service: %s %s answered %s", req.Method, req.URL.Redacted(), resp.Status)
	}
	return nil
}
