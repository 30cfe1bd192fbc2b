package domain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/limit"
)

// The claims that the policy of a secret can name.
const (
	ClaimPipelineID       = "pipeline_id"
	ClaimPipelineSlug     = "pipeline_slug"
	ClaimBuildSource      = "build_source"
	ClaimBuildBranch      = "build_branch"
	ClaimBuildCreator     = "build_creator"
	ClaimBuildCreatorTeam = "build_creator_team"
	ClaimClusterQueueID   = "cluster_queue_id"
	ClaimClusterQueueKey  = "cluster_queue_key"
)

var secretClaims = []string{ClaimPipelineID, ClaimPipelineSlug, ClaimBuildSource, ClaimBuildBranch, ClaimBuildCreator,
	ClaimBuildCreatorTeam,
	ClaimClusterQueueID, ClaimClusterQueueKey}

// SecretPolicy says which jobs may read a secret: those that fit one of its rules. A nil policy lets all.
type SecretPolicy []SecretRule

// SecretRule is what a job must be: of each claim one of the values. In a value, * stands for any characters.
type SecretRule map[string][]string

// SecretClaims is what a job is, by claim. A job can have several values of a claim, such as the teams of who made its
// build, or none.
type SecretClaims map[string][]string

// Allows reports whether a job with these claims may read the secret.
func (p SecretPolicy) Allows(claims SecretClaims) bool {
	return p == nil || slices.ContainsFunc(p, func(r SecretRule) bool { return r.fits(claims) })
}

func (r SecretRule) fits(claims SecretClaims) bool {
	for claim, patterns := range r {
		if !slices.ContainsFunc(patterns, func(pattern string) bool {
			return slices.ContainsFunc(claims[claim],
				func(value string) bool { return value != "" && matchesStars(pattern, value) })
		}) {
			return false
		}
	}
	return true
}

// matchesStars reports whether a value is what the pattern says, in which * stands for any characters.
func matchesStars(pattern, value string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == value
	}
	rest, found := strings.CutPrefix(value, parts[0])
	if !found {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

var errNoRules = errors.New("it must be a list of rules, such as - build_branch: main; leave it out to let all jobs " +
	"of the cluster")

// ParseSecretPolicy reads a policy: in YAML, a list of maps of claims, each with a value or a list of them. The error
// says what is wrong.
func ParseSecretPolicy(text string) (SecretPolicy, error) {
	var faults Faults
	if CheckText("policy", "It", text, maxPolicy, &faults); len(faults) > 0 {
		return nil, errors.New(strings.ToLower(faults[0].Reason[:1]) + faults[0].Reason[1:])
	}
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(limit.New(limit.DepthValue(10))))
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := loader.Load(&document); err != nil {
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			return nil, fmt.Errorf("line %d, column %d: %s", e.Mark.Line, e.Mark.Column, e.Message)
		}
		return nil, errNoRules
	}
	root := &document
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root.Kind != yaml.SequenceNode || len(root.Content) == 0 {
		return nil, errNoRules
	}
	policy := make(SecretPolicy, len(root.Content))
	for i, node := range root.Content {
		if policy[i], err = readSecretRule(node); err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
	}
	return policy, nil
}

func readSecretRule(node *yaml.Node) (SecretRule, error) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return nil, errors.New("a rule must be a map of claims, such as build_branch: main")
	}
	rule := SecretRule{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		claim := node.Content[i].Value
		if !slices.Contains(secretClaims, claim) {
			return nil, fmt.Errorf("%s is no claim; there are %s", quoteStart(claim), strings.Join(secretClaims, ", "))
		}
		if rule[claim] != nil {
			return nil, fmt.Errorf("%s is there twice", claim)
		}
		values, err := readClaimValues(node.Content[i+1])
		if err != nil {
			return nil, fmt.Errorf("%s %w", claim, err)
		}
		rule[claim] = values
	}
	return rule, nil
}

var errClaimValue = errors.New("must have a text or a list of texts")

func readClaimValues(node *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	var values []string
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
			return nil, errClaimValue
		}
		values = append(values, n.Value)
	}
	if values == nil {
		return nil, errClaimValue
	}
	return values, nil
}
