package policy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Claims is what is known of the job that asks. Conditions see it as claims.
type Claims struct {
	OrganizationSlug  string
	PipelineSlug      string
	BuildNumber       int64
	BuildBranch       string
	BuildTag          *string // nil when the build has no tag
	BuildCommit       string
	StepKey           *string // nil when the step has no key
	JobID             string
	AgentID           string
	BuildSource       string
	RunnerEnvironment string
}

// MaxClaimBytes is how long the value of one claim may be.
const MaxClaimBytes = 4 << 10

// claim is one attribute of Claims. Exactly one of the three accessors is set, and says its kind.
type claim struct {
	name     string
	text     func(*Claims) *string
	nullable func(*Claims) **string
	number   func(*Claims) *int64
}

// claimTable drives how claims are parsed, validated and shown to conditions, so that none of these
// can forget an attribute.
var claimTable = []claim{
	{name: "organization_slug", text: func(c *Claims) *string { return &c.OrganizationSlug }},
	{name: "pipeline_slug", text: func(c *Claims) *string { return &c.PipelineSlug }},
	{name: "build_number", number: func(c *Claims) *int64 { return &c.BuildNumber }},
	{name: "build_branch", text: func(c *Claims) *string { return &c.BuildBranch }},
	{name: "build_tag", nullable: func(c *Claims) **string { return &c.BuildTag }},
	{name: "build_commit", text: func(c *Claims) *string { return &c.BuildCommit }},
	{name: "step_key", nullable: func(c *Claims) **string { return &c.StepKey }},
	{name: "job_id", text: func(c *Claims) *string { return &c.JobID }},
	{name: "agent_id", text: func(c *Claims) *string { return &c.AgentID }},
	{name: "build_source", text: func(c *Claims) *string { return &c.BuildSource }},
	{name: "runner_environment", text: func(c *Claims) *string { return &c.RunnerEnvironment }},
}

var claimNames = func() (names []string) {
	for _, claim := range claimTable {
		names = append(names, claim.name)
	}
	return names
}()

// ParseClaims reads the claims of a job, which must be one JSON object with every claim. Only
// build_tag and step_key may be null, or be left out, which means the same.
//
// It returns either claims that are valid, as Validate has it, and no faults, or every fault of the
// document.
func ParseClaims(document []byte) (Claims, Faults) {
	r, faults := newReader(document)
	if faults != nil {
		return Claims{}, faults
	}
	var claims Claims
	present, _ := r.readObject("", claimNames, func(name, path string) {
		r.readClaim(&claims, name, path)
	})
	for _, claim := range claimTable {
		if claim.nullable == nil && !slices.Contains(present, claim.name) {
			r.faults.add(claim.name, "%s", claim.message())
		}
	}
	if r.faults != nil {
		return Claims{}, r.faults
	}
	if faults := claims.Validate(); faults != nil {
		return Claims{}, faults
	}
	return claims, nil
}

func (r *reader) readClaim(claims *Claims, name, path string) {
	claim := claimTable[slices.Index(claimNames, name)]
	switch {
	case claim.number != nil:
		if number, ok := r.readInteger(path, claim.message()); ok {
			*claim.number(claims) = number
		}
	case claim.text != nil:
		if text, ok := r.readText(path, claim.message()); ok {
			*claim.text(claims) = text
		}
	case !r.readNull():
		if text, ok := r.readText(path, claim.message()); ok {
			*claim.nullable(claims) = &text
		}
	}
}

// Validate returns the faults of claims that were not parsed from a document: texts must not be
// empty, longer than MaxClaimBytes, contain NUL or be invalid UTF-8, and the build number starts
// at 1. It returns nil if there are none.
func (c *Claims) Validate() Faults {
	var faults Faults
	for i := range claimTable {
		if message := claimTable[i].fault(c); message != "" {
			faults.add(claimTable[i].name, "%s", message)
		}
	}
	return faults
}

// fault returns what is wrong with the claim's value, empty if nothing is.
func (c *claim) fault(claims *Claims) string {
	var text string
	switch {
	case c.number != nil:
		if *c.number(claims) < 1 {
			return c.message()
		}
		return ""
	case c.nullable != nil:
		value := *c.nullable(claims)
		if value == nil {
			return ""
		}
		text = *value
	default:
		text = *c.text(claims)
	}
	switch {
	case text == "":
		return c.message()
	case len(text) > MaxClaimBytes:
		return "must be at most 4 KiB"
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case strings.IndexByte(text, 0) >= 0:
		return "must not contain NUL"
	default:
		return ""
	}
}

// message says what the claim's value may be.
func (c *claim) message() string {
	switch {
	case c.number != nil:
		return "must be a whole number from 1"
	case c.nullable != nil:
		return "must be null or a string that is not empty"
	default:
		return "must be a string that is not empty"
	}
}
