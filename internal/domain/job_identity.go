package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// How long the identity of a job is good.
const (
	DefaultIdentityLifetime = 5 * time.Minute
	MaxIdentityLifetime     = 2 * time.Hour
)

// What a token that identifies a job can be asked to say besides what all say.
const agentTagClaim = "agent_tag:"

var (
	optionalClaims = []string{"organization_id", "pipeline_id", "build_id", "cluster_id", "cluster_name", "queue_id",
		"queue_key"}
	subjectClaims = []string{"organization_id", "pipeline_id", "cluster_id", "queue_id", "build_id", "job_id", "agent_id"}
)

// The largest that a request for an identity may be.
const (
	maxAudience       = 2_000 // characters
	maxIdentityClaims = 50
)

// IdentityInput is what a job sends that asks for its identity.
type IdentityInput struct {
	Audience       string // "": the usual one
	Lifetime       int64  // seconds; 0: the usual
	Claims         []string
	AWSSessionTags []string
	SubjectClaim   string
}

// JobIdentity is what is known of a job that a token can say, by claim. What there is none of is nil.
type JobIdentity map[string]any

// IdentityToken returns the claims of a token that identifies a job: what every token says, and what was asked for. The
// issuer, the times and the token's own id are not among them.
//
// Returns Invalid for what no token says.
func IdentityToken(job JobIdentity, in IdentityInput, defaultAudience string) (
	claims map[string]any, lifetime time.Duration, err error) {
	var faults Faults
	lifetime = time.Duration(in.Lifetime) * time.Second
	switch {
	case in.Lifetime == 0:
		lifetime = DefaultIdentityLifetime
	case in.Lifetime < 0 || in.Lifetime > int64(MaxIdentityLifetime/time.Second):
		faults.Add("lifetime", "Lifetime must be from 1 to "+strconv.Itoa(int(MaxIdentityLifetime/time.Second))+" seconds")
	}
	CheckText("audience", "Audience", in.Audience, maxAudience, &faults)
	claims = map[string]any{"sub": job.subject(), "aud": defaultAudience}
	if in.Audience != "" {
		claims["aud"] = in.Audience
	}
	for _, name := range []string{"organization_slug", "pipeline_slug", "build_number", "build_branch", "build_tag",
		"build_commit", "step_key", "job_id", "agent_id",
		"build_source", "runner_environment"} {
		claims[name] = job[name]
	}
	if resolved, ok := job["build_commit_resolved"]; ok { // otherwise the build was created with the commit
		claims["build_commit_resolved"] = resolved
	}
	if len(in.Claims)+len(in.AWSSessionTags) > maxIdentityClaims {
		faults.Add("claims", "Claims and session tags can be at most "+strconv.Itoa(maxIdentityClaims))
		return nil, 0, faults.Err()
	}
	for _, name := range in.Claims {
		if !isOptionalClaim(name) {
			faults.Add("claims", "Claim "+quoteStart(name)+" is unknown; there are "+strings.Join(optionalClaims, ", ")+" and "+
				agentTagClaim+"NAME")
			continue
		}
		claims[name] = job[name]
	}
	if in.SubjectClaim != "" {
		if value, _ := job[in.SubjectClaim].(string); !slices.Contains(subjectClaims, in.SubjectClaim) {
			faults.Add("subject_claim", "Subject claim must be one of "+strings.Join(subjectClaims, ", "))
		} else {
			claims["sub"], claims[in.SubjectClaim] = value, value
		}
	}
	addSessionTags(claims, job, in.AWSSessionTags, &faults)
	return claims, lifetime, faults.Err()
}

func isOptionalClaim(name string) bool {
	tag, isTag := strings.CutPrefix(name, agentTagClaim)
	return slices.Contains(optionalClaims, name) || isTag && tag != ""
}

// addSessionTags adds what Amazon's clouds make tags of a session of.
func addSessionTags(claims map[string]any, job JobIdentity, names []string, faults *Faults) {
	if len(names) == 0 {
		return
	}
	tags := map[string][]string{}
	for _, name := range names {
		value, known := claims[name]
		if !known && isOptionalClaim(name) {
			value, known = job[name], true
		}
		if !known || name == "sub" || name == "aud" {
			faults.Add("aws_session_tags", "Session tag "+quoteStart(name)+" is no claim")
			continue
		}
		tags[name] = []string{claimText(value)}
	}
	claims["https://aws.amazon.com/tags"] = map[string]any{"principal_tags": tags, "transitive_tag_keys": names}
}

func claimText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case int64:
		return strconv.FormatInt(value, 10)
	case bool:
		return strconv.FormatBool(value)
	default:
		return ""
	}
}

// subject says which job it is, from the whole to the part.
func (j JobIdentity) subject() string {
	// so that no value looks like two parts
	part := func(claim string) string { return strings.ReplaceAll(claimText(j[claim]), ":", "%3A") }
	ref := "refs/heads/" + part("build_branch")
	if tag := part("build_tag"); tag != "" {
		ref = "refs/tags/" + tag
	}
	return "organization:" + part("organization_slug") + ":pipeline:" + part("pipeline_slug") + ":ref:" + ref +
		":commit:" + part("build_commit") + ":step:" + claimText(j["step_key"])
}
