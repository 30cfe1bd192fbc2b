package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestAttackUnfinishedHeaders(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, func(ctx context.Context, s *siege) {
		s.many(ctx, 1100, func(ctx context.Context) { s.hold(ctx, "GET /sign-in HTTP/1.1\r\nHost: penstock\r\nX-") })
	})
}

// fewPlaces returns flags with which there are fewer places than attackers; for the many of `make attacks` the usual ones are few.
func fewPlaces() []string {
	if os.Getenv("PENSTOCK_ATTACKS") != "" {
		return nil
	}
	return with("--max-in-flight 90")
}

func unfinishedForm(path string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: penstock\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na"
}

// TestAttackUnfinishedBodiesOfNobody has more of them than requests are served at once.
func TestAttackUnfinishedBodiesOfNobody(t *testing.T) {
	t.Parallel()
	tokens := strings.Replace(unfinishedForm("/portal/organizations/x/portals/y/tokens"), "x-www-form-urlencoded", "json", 1)
	stream := strings.Replace(unfinishedForm("/agentedge.v1.AgentEdgeService/StreamPings"), "x-www-form-urlencoded", "connect+proto", 1)
	for _, text := range []string{unfinishedForm("/sign-in"), tokens, stream} {
		besiege(t, fewPlaces(), nil, func(ctx context.Context, s *siege) {
			s.many(ctx, 1100, func(ctx context.Context) { s.hold(ctx, text) })
		})
	}
}

func TestAttackUnfinishedBodiesOfAMember(t *testing.T) {
	t.Parallel()
	besiege(t, fewPlaces(), nil, func(ctx context.Context, s *siege) {
		text := attackerRequest(http.MethodPost, "/v2/organizations/acme-inc/pipelines", strings.Repeat(" ", 1<<20))
		s.many(ctx, 1100, func(ctx context.Context) { s.hold(ctx, text[:len(text)-1]) })
	})
}

// TestAttackUnreadAnswers fills an organization with the largest pipelines that there can be, and asks for pages of them.
func TestAttackUnreadAnswers(t *testing.T) {
	t.Parallel()
	fill := func(s *siege) {
		var env []string
		for i := range 8 {
			env = append(env, fmt.Sprintf(`"V%d": "%s"`, i, strings.Repeat("x", 8000)))
		}
		configuration := strings.Repeat("#", 200<<10)
		for i := range 100 {
			body := fmt.Sprintf(`{"name": "Large %d", "repository": "r", "env": {%s}, "configuration": "steps: []\n%s"}`, i, strings.Join(env, ","), configuration)
			status, err := sendAs(http.DefaultClient, attackerToken, http.MethodPost, s.url+"/v2/organizations/acme-inc/pipelines", body)
			if err != nil || status != http.StatusCreated {
				s.t.Fatal(status, err)
			}
		}
	}
	besiege(t, nil, fill, func(ctx context.Context, s *siege) {
		text := attackerRequest(http.MethodGet, "/v2/organizations/acme-inc/pipelines?per_page=100", "")
		s.many(ctx, 300, func(ctx context.Context) { s.hold(ctx, text) })
	})
}

// TestAttackIdleConnections gives the server few descriptors, and opens connections that send nothing.
func TestAttackIdleConnections(t *testing.T) {
	t.Parallel()
	file := write(t, "bootstrap.yaml", strings.ReplaceAll(attackersFile, "ALL_SCOPES", attackScopes))
	cmd := penstock(t, attackEnvironment(), with("serve --log-level error --trusted-proxies 127.0.0.1 --bootstrap", file)...)
	limited := penstock(t, attackEnvironment(), "")
	limited.Path, limited.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -n 160 && exec "$0" "$@"`}, cmd.Args...)
	besiegeCommand(t, limited, nil, func(ctx context.Context, s *siege) {
		s.many(ctx, 600, func(ctx context.Context) { s.hold(ctx, "") })
	})
}
