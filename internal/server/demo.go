package server

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
)

//go:embed demo.yaml
var demoFile []byte

// Demo is Run on a temporary database with example data, which is removed at the end. It prints the address of the web
// interface with its sign-in, and curl lines to try. If the port is in use it takes a free one, and says so.
func Demo(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "penstock-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary data directory; choose another place with TMPDIR: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Config.Data = dir
	if err := o.Config.Validate(); err != nil {
		return err
	}
	token, cluster := domain.NewTokenValue(domain.UserTokenKind), domain.NewID[domain.ClusterID]()
	password := domain.NewSessionValue()[:12]
	o.Declared, err = bootstrap.Parse("demo.yaml", demoFile, func(name string) (string, bool) {
		if ago, found := strings.CutPrefix(name, "MONTH_"); found {
			return dayMonthsAgo(ago), true
		}
		value, ok := map[string]string{"TOKEN": token.Reveal(), "CLUSTER": string(cluster), "PASSWORD": password.Reveal()}[name]
		return value, ok
	})
	if err != nil {
		return fmt.Errorf("the example data: %w", err)
	}
	if o.Listener, err = listen(ctx, o.Config.Listen); errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(o.Config.Listen)
		_, _ = fmt.Fprintf(o.Stderr, "%s is in use, so a free port is taken.\n", o.Config.Listen)
		o.Listener, err = listen(ctx, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return err
	}
	o.Ready = func(url string) {
		_, _ = fmt.Fprint(o.Stdout, demoText(url, password, token, cluster))
	}
	return Run(ctx, o)
}

// dayMonthsAgo returns a day of the month that was so many months ago.
func dayMonthsAgo(months string) string {
	n, _ := strconv.Atoi(months)
	year, month, _ := time.Now().UTC().Date()
	return time.Date(year, month-time.Month(n), 10, 0, 0, 0, 0, time.UTC).Format(domain.DateLayout)
}

func demoText(url string, password, token domain.Secret, cluster domain.ClusterID) string {
	clusters := url + "/v2/organizations/acme-inc/clusters"
	curl := "  curl -sS -H 'Authorization: Bearer " + token.Reveal() + "' "
	return strings.Join([]string{
		"",
		"Its database is temporary and is removed when it stops (Ctrl-C). Things to try:",
		"",
		"Look around in the browser, at " + url + "/",
		"  sign in as admin@example.com with the password " + password.Reveal(),
		"",
		"List the clusters of the organization acme-inc:",
		curl + clusters,
		"",
		"Create a cluster:",
		curl + "-H 'Content-Type: application/json' -d '{\"name\": \"Staging\"}' " + clusters,
		"",
		"List the queues of the cluster Open Source:",
		curl + clusters + "/" + string(cluster) + "/queues",
		"",
		"Ask for several things at once, over GraphQL:",
		curl + "-H 'Content-Type: application/json' -d '{\"query\": \"{ organization(slug: \\\"acme-inc\\\") { name pipelines { count } clusters(first: 10) { nodes { name queues(first: 10) { nodes { key } } } } } }\"}' " + url + "/v1",
		"",
	}, "\n") + "\n"
}
