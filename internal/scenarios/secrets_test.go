package scenarios

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
)

// makeSecret makes a secret of the cluster. The policy is YAML, "" for none.
func (s *installation) makeSecret(key, value, policy string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"key": key, "value": value, "policy": policy})
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask(http.MethodPost, inCluster+"/secrets", string(body), http.StatusCreated, nil)
}

// 14
func TestSecretsOfACluster(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		const value, guarded = "correct-horse-battery", "staple-for-releases"
		s.makeSecret("S", value, "")
		s.makeSecret("GUARDED", guarded, "- build_branch: release/*")
		s.startAgent(agent.Options{})
		pipeline := s.createPipeline(`
secrets: [S]
steps:
  - label: a
    command: 'test "$$S" = ` + value + ` && echo "it is $$S" && test "$$(buildkite-agent secret get S)" = "$$S"'
  - wait
  - {label: b, command: 'test "$$MINE" = ` + guarded + `', secrets: {MINE: GUARDED}}
`)
		main := s.createBuild(pipeline)
		now := main.await("failed")
		wantStates(t, now, "a passed, waiter passed, b failed")
		if log := s.logOf(now.job("a").ID); !strings.Contains(log, "it is [REDACTED]") || strings.Contains(log, value) {
			t.Errorf("the log is %q", log)
		}
		if j := now.job("b"); j.exit() != "-1" {
			t.Errorf("without its secret, the job ended with %s", j.exit())
		}
		wantStates(t, s.createBuild(pipeline, "branch", `"release/1.0"`).await("passed"), "a passed, waiter passed, b passed")
		if logged := s.nodes[0].log.String(); strings.Contains(logged, value) || strings.Contains(logged, guarded) {
			t.Error("a value is in the server's log")
		}
	})
}

// clearKey is how a private key begins in PEM and in base64. Inside of what is encrypted, a few of these letters come by chance.
var clearKey = regexp.MustCompile(`PRIVATE KEY|(^|[. ])MI[IG]`)

// 15
func TestAJobShowsWhoItIs(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{Tags: []string{"queue=default", "os=linux"}})
		now := s.run(`
steps:
  - label: a
    key: show
    command: 'buildkite-agent oidc request-token --audience sts.example.com --lifetime 600 --claim organization_id --claim agent_tag:os --aws-session-tag pipeline_slug > "$$HOME/token"'
`).await("passed")
		provider, err := oidc.NewProvider(t.Context(), s.url())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(readHome(t, a, "token"))
		token, err := provider.Verifier(&oidc.Config{ClientID: "sts.example.com"}).Verify(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		var claims map[string]any
		if err := token.Claims(&claims); err != nil {
			t.Fatal(err)
		}
		if claims["organization_slug"] != "acme-inc" || claims["pipeline_slug"] != "pipeline-1" || claims["build_number"] != 1.0 || claims["build_branch"] != "main" ||
			claims["step_key"] != "show" || claims["job_id"] != now.job("a").ID || claims["agent_tag:os"] != "linux" || claims["organization_id"] == nil ||
			claims["https://aws.amazon.com/tags"] == nil || token.Expiry.Sub(token.IssuedAt).Seconds() != 600 ||
			!strings.HasPrefix(token.Subject, "organization:acme-inc:pipeline:pipeline-1:ref:refs/heads/main:commit:") || !strings.HasSuffix(token.Subject, ":step:show") {
			t.Errorf("the claims are %v", claims)
		}
		if _, err := provider.Verifier(&oidc.Config{ClientID: "another.example.com"}).Verify(t.Context(), text); err == nil {
			t.Error("it is good for another audience")
		}
		// One that was changed is refused.
		middle := len(text) / 2
		changed := text[:middle] + string(text[middle]^1) + text[middle+1:]
		if _, err := provider.Verifier(&oidc.Config{SkipClientIDCheck: true}).Verify(t.Context(), changed); err == nil {
			t.Error("it is good after a change")
		}
		// Private keys are not stored in the clear.
		if stored := strings.Join(s.texts(`SELECT sealed_private_key FROM oidc_keys`), " "); stored == "" || clearKey.MatchString(stored) {
			t.Errorf("stored: %.60s", stored)
		}
	})
}

// 31
func TestATokenIsForItsOwnJobOnly(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.makeSecret("S", "correct-horse-battery", "")
		a := s.startAgent(agent.Options{})
		other := s.startAgent(agent.Options{Tags: []string{"queue=other"}})
		const steps = `steps: [{label: a, agents: {queue: %s}, command: ['echo "$$BUILDKITE_JOB_ID $$BUILDKITE_AGENT_ACCESS_TOKEN" > "$$HOME/who"', ` + waitForGo + `]}]`
		builds := []build{s.run(strings.ReplaceAll(steps, "%s", "default")), s.run(strings.ReplaceAll(steps, "%s", "other"))}
		own, theirs := strings.Fields(awaitHome(t, a, "who")), strings.Fields(awaitHome(t, other, "who"))
		send := func(job, token, method, below, body string) testkit.Answer {
			t.Helper()
			return testkit.Send(t, method, s.url()+"/v3/jobs/"+job+below, body, "Authorization", "Token "+token)
		}
		calls := []struct {
			method, below, body string
		}{
			{http.MethodGet, "/secrets?key=S", ""},
			{http.MethodPost, "/oidc/tokens", "{}"},
			{http.MethodPost, "/chunks?sequence=1000&offset=100000&size=1", "x"},
		}
		for _, c := range calls[:2] {
			if got := send(own[0], own[1], c.method, c.below, c.body); got.Status != http.StatusOK {
				t.Errorf("%s of the own job: %d %s", c.below, got.Status, got.Body)
			}
		}
		for _, c := range calls {
			if got := send(theirs[0], own[1], c.method, c.below, c.body); got.Status != http.StatusForbidden || strings.Contains(string(got.Body), "correct") {
				t.Errorf("%s of another job: %d %s", c.below, got.Status, got.Body)
			}
		}
		writeHome(t, a, "go", "")
		writeHome(t, other, "go", "")
		for _, b := range builds {
			b.await("passed")
		}
		for _, c := range calls[:2] {
			if got := send(own[0], own[1], c.method, c.below, c.body); got.Status != http.StatusUnauthorized {
				t.Errorf("%s after the end: %d %s", c.below, got.Status, got.Body)
			}
		}
	})
}

// 36
func TestSignedPipelines(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		keys := t.TempDir()
		private, public := filepath.Join(keys, "private.json"), filepath.Join(keys, "public.json")
		run := func(stdin string, args ...string) string {
			t.Helper()
			r := agent.Run(t, agent.Command{Args: args, Stdin: stdin})
			if r.ExitCode != 0 {
				t.Fatalf("%v: %s%s", args, r.Stdout, r.Stderr)
			}
			return r.Stdout
		}
		run("", "tool", "keygen", "--alg", "EdDSA", "--key-id", "tests", "--private-jwks-file", private, "--public-jwks-file", public)
		plugin, commit := agent.Repository(t, map[string]string{"plugin.yml": "name: Tests\n", "hooks/environment": "export PLUGIN_FOR_TEST=\"$BUILDKITE_PLUGIN_CONFIGURATION\"\n"})
		const repository = "https://example.com/nothing.git"
		definition := `
env: {OUTER_FOR_TEST: outer}
checkout: {skip: true}
steps:
  - label: "signed {{matrix}}"
    command: 'echo "ran {{matrix}}" && env | grep FOR_TEST | sort'
    env: {INNER_FOR_TEST: "inner {{matrix}}"}
    matrix: [one, two]
    plugins: [{"` + plugin + `#` + commit + `": {setting: "{{matrix}}"}}]
`
		unsigned := filepath.Join(keys, "pipeline.yml")
		if err := os.WriteFile(unsigned, []byte(definition), 0o600); err != nil {
			t.Fatal(err)
		}
		signed := run("", "tool", "sign", "--jwks-file", private, "--jwks-key-id", "tests", "--repo", repository, unsigned)
		pipeline := s.createPipelineOf(repository, signed)
		options := agent.Options{ExtraArgs: []string{"--verification-jwks-file", public, "--verification-failure-behavior", "block"}}
		verifying := s.startAgent(options)
		now := s.createBuild(pipeline).await("passed")
		wantStates(t, now, "signed one passed, signed two passed")
		log := s.logOf(now.job("signed two").ID)
		for _, want := range []string{"ran two\r", "INNER_FOR_TEST=inner two\r", "OUTER_FOR_TEST=outer\r", "PLUGIN_FOR_TEST={\"setting\":\"two\"}\r"} {
			if !strings.Contains(log, "\a"+want) {
				t.Errorf("there is no %q in %q", want, log)
			}
		}
		verifying.Stop()
		for _, change := range []string{
			`UPDATE build_steps SET source = REPLACE(source, 'ran {{matrix}}', 'Ran {{matrix}}') WHERE build_id = $1`,
			`UPDATE jobs SET command = REPLACE(command, 'ran ', 'Ran ') WHERE build_id = $1`,
		} {
			b := s.createBuild(pipeline)
			b.awaitJob("signed two", "scheduled")
			s.change(change, b.read().ID)
			again := s.startAgent(options)
			now := b.await("failed")
			for _, j := range now.Jobs {
				if j.State != "failed" || j.SignalReason != "signature_rejected" {
					t.Errorf("%s: %+v", change, j)
				}
			}
			again.Stop()
		}
	})
}
