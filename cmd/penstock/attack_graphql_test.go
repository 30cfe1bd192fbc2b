package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// graphQLBody returns the body of a request with that document.
func graphQLBody(document string) string {
	body, err := json.Marshal(map[string]string{"query": document})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func repeatNumbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// askOften sends the document many times at once. What the server has no room for, it may refuse, but it never fails.
func askOften(document string) func(context.Context, *siege) {
	body := graphQLBody(document)
	return func(ctx context.Context, s *siege) {
		client := &http.Client{Timeout: 30 * time.Second}
		if status, err := sendAs(client, attackerToken, http.MethodPost, s.url+"/v1", body); err != nil || status != http.StatusOK {
			s.t.Errorf("the attack is not let in: %d %v", status, err)
		}
		s.many(ctx, 200, func(context.Context) {
			if status, err := sendAs(client, attackerToken, http.MethodPost, s.url+"/v1", body); err == nil && status == http.StatusInternalServerError {
				s.t.Errorf("an attack is answered with %d", status)
			}
		})
	}
}

func TestAttackGraphQLErrors(t *testing.T) {
	t.Parallel()
	fields := strings.Repeat(`teams(after:"x"){count}`, 4900)
	besiege(t, nil, createPipelines(60, ""), askOften(`{organization(slug:"acme-inc"){pipelines(first:60){nodes{organization{pipelines(first:60){nodes{`+fields+`}}}}}}}`))
}

func TestAttackGraphQLSearches(t *testing.T) {
	t.Parallel()
	besiege(t, nil, createPipelines(300, ""), askOften(`{organization(slug:"acme-inc"){`+repeatNumbered(`a%[1]d:pipelines(first:1,search:"zq%[1]d"){count}`, 3300)+`}}`))
}

func TestAttackGraphQLCounts(t *testing.T) {
	t.Parallel()
	besiege(t, nil, createPipelines(300, ""), askOften(`{organization(slug:"acme-inc"){`+repeatNumbered(`a%[1]d:pipelines(first:1,search:"zq%[1]d"){count}`, 39)+`}}`))
}

func TestAttackGraphQLLargeDocuments(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, askOften(`{organization(slug:"acme-inc"){`+repeatNumbered("a%d:name ", 20_000)+`}}`))
}

func TestAttackGraphQLLargeTexts(t *testing.T) {
	t.Parallel()
	besiege(t, nil, createPipelines(100, strings.Repeat("#", 40_000)), askOften(`{organization(slug:"acme-inc"){`+repeatNumbered(`a%d:pipelines(first:500){nodes{steps{yaml}}}`, 60)+`}}`))
}

// TestAttackGraphQLUnreadIntrospection does not read the largest answers that there can be.
func TestAttackGraphQLUnreadIntrospection(t *testing.T) {
	t.Parallel()
	text := attackerRequest(http.MethodPost, "/v1", graphQLBody(`{__schema{types{`+repeatNumbered("a%d:description ", 600)+`}}}`))
	besiege(t, nil, nil, func(ctx context.Context, s *siege) {
		s.many(ctx, 300, func(ctx context.Context) { s.hold(ctx, text) })
	})
}

// createPipelines makes pipelines of the attacker's organization, with a comment in the steps.
func createPipelines(n int, comment string) func(*siege) {
	return func(s *siege) {
		for i := range n {
			body := fmt.Sprintf(`{"name": "P%d", "repository": "r", "configuration": "steps: []\n#%s"}`, i, comment)
			status, err := sendAs(http.DefaultClient, attackerToken, http.MethodPost, s.url+"/v2/organizations/acme-inc/pipelines", body)
			if err != nil || status != http.StatusCreated {
				s.t.Fatal(status, err)
			}
		}
	}
}
