package main

import (
	"bytes"
	"context"
	"fmt"

	"penstock/internal/config"
	"penstock/internal/policy"
)

func policyCommands() []*command {
	return []*command{
		{name: "policy", summary: "work with cache policies"},
		{
			name:     "policy check",
			operands: []string{"FILE"},
			summary:  "check whether a cache policy lets a job save or restore",
			about: `Reads a cache registry's policy, as JSON, and the claims of a job, and prints what the
policy decides and why. It needs no server and no database. A policy of null, which
a registry has after its policy was cleared, denies everything.

It exits with 0 if the job is allowed, 1 if it is denied, and 2 if the policy or the
claims are not valid. FILE can be - for standard input.

The claims are a JSON object:

  {"organization_slug": "acme-inc", "pipeline_slug": "web", "build_number": 7,
   "build_branch": "main", "build_tag": null, "build_commit": "4f2a9c1",
   "step_key": null, "job_id": "j1", "agent_id": "a1", "build_source": "webhook",
   "runner_environment": "self-hosted"}

The branch and the tag of a build that a trigger step created are those of its origin,
the first build of the chain.`,
			examples: []string{"penstock policy check policy.json --action save --claims claims.json"},
			prepare:  preparePolicyCheck,
		},
	}
}

func preparePolicyCheck(f *config.Flags) action {
	var asked, claimsFile string
	f.Text(&asked, "action", "ACTION", "what the job wants to do: save or restore")
	f.Text(&claimsFile, "claims", "FILE", "JSON file with the claims of the job, or - for standard input")
	f.Require("action", "claims")
	return func(_ context.Context, c *console, operands []string) error {
		c.warn()
		does, ok := policy.ParseAction(asked)
		if !ok {
			return &config.Fault{Setting: "action", Reason: fmt.Sprintf("must be save or restore, not %q", asked)}
		}
		document, err := c.read(operands[0])
		if err != nil {
			return c.refuseInput("the policy cannot be read: %v", err)
		}
		parsed, faults := parsePolicy(document)
		if faults != nil {
			return c.refuseInput("the policy in %s is not valid: %s", operands[0], faults)
		}
		if document, err = c.read(claimsFile); err != nil {
			return c.refuseInput("the claims cannot be read: %v", err)
		}
		claims, faults := policy.ParseClaims(document)
		if faults != nil {
			return c.refuseInput("the claims in %s are not valid: %s", claimsFile, faults)
		}
		decision := policy.Decide(parsed, does, claims)
		if err := decision.WriteText(c.stdout); err != nil {
			return c.refuseInput("%v", err)
		}
		if !decision.Allowed {
			return exitError(1)
		}
		return nil
	}
}

// parsePolicy reads a policy, or none: that of a registry whose policy was cleared is null.
func parsePolicy(document []byte) (*policy.Policy, policy.Faults) {
	if string(bytes.TrimSpace(document)) == "null" {
		return nil, nil
	}
	return policy.Parse(document)
}

// refuseInput says what is wrong with the input of a check.
func (c *console) refuseInput(format string, args ...any) error {
	c.printError("penstock: "+format, args...)
	return exitError(2)
}
