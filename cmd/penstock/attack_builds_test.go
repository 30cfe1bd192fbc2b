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

const attackedPipelines = "/v2/organizations/acme-inc/pipelines"

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// buildOften creates a pipeline with those steps, which is answered with a status, and, if that could be, builds of it with a long
// message, several at once.
func buildOften(configuration string, want int) func(context.Context, *siege) {
	pipeline := jsonOf(map[string]string{"name": "Attacked", "repository": "r", "configuration": configuration})
	build := jsonOf(map[string]string{"commit": "HEAD", "branch": "main", "message": strings.Repeat("a", 60_000)})
	return func(ctx context.Context, s *siege) {
		client := &http.Client{Timeout: 30 * time.Second}
		status, err := sendAs(client, attackerToken, http.MethodPost, s.url+attackedPipelines, pipeline)
		if err != nil || status != want {
			s.t.Errorf("the pipeline is answered with %d %v", status, err)
		}
		if status != http.StatusCreated {
			return
		}
		s.many(ctx, 20, func(context.Context) {
			s.attackOnce(client, http.MethodPost, attackedPipelines+"/attacked/builds", build)
		})
	}
}

// attackOnce sends a request of an attack. What takes too much, the server refuses; it never fails.
func (s *siege) attackOnce(client *http.Client, method, path, body string) {
	if status, err := sendAs(client, attackerToken, method, s.url+path, body); err == nil && status == http.StatusInternalServerError {
		s.t.Errorf("an attack is answered with %d", status)
	}
}

// conditions returns a configuration of so many steps, each with a condition of its own.
func conditions(n int, pattern string) string {
	return "steps:\n" + repeatNumbered("- {command: x, if: 'build.message =~ /"+pattern+"c%d$$/'}\n", n)
}

// Few bytes of an expression can stand for hundreds of thousands of states.
func TestAttackConditionsOfManyStates(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, buildOften(conditions(1, strings.Repeat("a{0,999}", 240)), http.StatusUnprocessableEntity))
}

func TestAttackConditionsOfManyAlternatives(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, buildOften(conditions(1, strings.Repeat("(a|aa)+", 250)), http.StatusUnprocessableEntity))
}

// Large expressions, in as many steps as are allowed to have them.
func TestAttackManyConditions(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, buildOften(conditions(200, strings.Repeat("(a|aa)+", 40)), http.StatusCreated))
}

// Expressions that take long to read, since case is ignored.
func TestAttackConditionsThatIgnoreCase(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, buildOften(conditions(500, "(?i)"+strings.Repeat(`[a-\x{1e942}]`, 20)), http.StatusUnprocessableEntity))
}

// A variable has others in it, and these others, so that all of them would fill the memory.
func TestAttackVariablesOfVariables(t *testing.T) {
	t.Parallel()
	configuration := "env:\n  A0: $BUILDKITE_MESSAGE\n"
	for i := range 5 {
		configuration += fmt.Sprintf("  A%d: %q\n", i+1, strings.Repeat(fmt.Sprintf("${A%d}", i), 100))
	}
	besiege(t, nil, nil, buildOften(configuration+"steps: [{command: $A5}]", http.StatusCreated))
}

// A person who unblocks a job fills in a long text, which has to have a format.
func TestAttackFormatsOfFields(t *testing.T) {
	t.Parallel()
	var unblock string
	format := strings.Repeat("(a|aa)+", 40) + "b"
	besiege(t, nil, func(s *siege) {
		s.create(attackerToken, attackedPipelines, jsonOf(map[string]string{"name": "Blocked", "repository": "r",
			"configuration": "steps: [{block: Go, fields: [{text: t, key: k, format: '" + format + "'}]}]"}))
		b := s.create(attackerToken, attackedPipelines+"/blocked/builds", `{"commit": "HEAD", "branch": "main"}`)
		unblock = fmt.Sprintf("%s/blocked/builds/%d/jobs/%s/unblock", attackedPipelines, b.Number, b.Jobs[0].ID)
	}, func(ctx context.Context, s *siege) {
		client := &http.Client{Timeout: 30 * time.Second}
		body := jsonOf(map[string]any{"fields": map[string]string{"k": strings.Repeat("a", 20_000)}})
		s.many(ctx, 20, func(context.Context) { s.attackOnce(client, http.MethodPut, unblock, body) })
	})
}
