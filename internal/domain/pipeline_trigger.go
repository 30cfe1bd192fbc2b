package domain

import (
	"cmp"
	"strings"
	"time"
)

// PipelineTriggerID identifies a trigger of a pipeline.
type PipelineTriggerID string

// TriggerType is who sends what comes to a trigger.
type TriggerType string

// The types of triggers.
const (
	WebhookTrigger TriggerType = "webhook" // anybody
	GitHubTrigger  TriggerType = "github"
)

// MaxTriggers is how many triggers a pipeline can have.
const MaxTriggers = 10

// TooManyTriggers is why a pipeline gets no more triggers.
const TooManyTriggers = "The pipeline has too many triggers (maximum is 10)"

// Limits of the secret that deliveries are signed with.
const (
	maxTriggerSecret = 255
	hintedSecret     = 8 // characters: of a shorter secret nothing is shown
)

// PipelineTrigger is an address at which whoever knows it starts builds of a pipeline.
type PipelineTrigger struct {
	ID             PipelineTriggerID
	OrganizationID OrganizationID
	PipelineID     PipelineID
	Type           TriggerType
	TokenHint      string // how the token in the address ends
	Label          string
	Enabled        bool
	Message        *string // nil: Triggered build
	Commit         *string // nil: HEAD
	Branch         *string // nil: the pipeline's default branch
	Env            map[string]string
	SecretHint     *string // how the secret ends that deliveries are signed with; nil: they need no signature
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// PipelineTriggerInput is what a caller sends to make or change a trigger.
type PipelineTriggerInput struct {
	Type         Optional[string]
	Label        Optional[string]
	Enabled      Optional[bool]
	Message      Optional[string]
	Commit       Optional[string]
	Branch       Optional[string]
	Env          Optional[map[string]string]
	HasFilter    bool
	Verification Optional[TriggerVerification]
}

// TriggerVerification is how deliveries prove where they come from.
type TriggerVerification struct {
	Strategy Optional[string]
	Secret   Optional[Secret]
}

// PipelineTriggerRef names a trigger of a pipeline.
type PipelineTriggerRef struct {
	Pipeline PipelineRef
	ID       string
}

// NewPipelineTrigger returns the trigger that the input describes. Its token is the caller's business.
func NewPipelineTrigger(in PipelineTriggerInput, now time.Time, faults *Faults) PipelineTrigger {
	t := PipelineTrigger{ID: NewID[PipelineTriggerID](), Enabled: true, CreatedAt: now, Type: TriggerType(in.Type.Value)}
	switch {
	case faults.Has("type"):
	case t.Type == "linear":
		faults.Add("type", "Type can't be linear here: it must be webhook or github")
	case t.Type != WebhookTrigger && t.Type != GitHubTrigger:
		faults.Add("type", "Type must be webhook or github")
	}
	in.Type = Optional[string]{}
	if !in.Label.Given && !faults.Has("label") {
		in.Label = Some("")
	}
	t.Apply(in, now, faults)
	return t
}

// Apply makes the changes of the input. The caller stores the secret.
func (t *PipelineTrigger) Apply(in PipelineTriggerInput, now time.Time, faults *Faults) {
	t.UpdatedAt = now
	if in.Type.Given && TriggerType(in.Type.Value) != t.Type {
		faults.Add("type", "Type can't be changed")
	}
	if in.Label.Given {
		t.Label = CheckName("label", "Label", in.Label.Value, faults)
	}
	if in.Enabled.HasValue() {
		t.Enabled = in.Enabled.Value
	}
	if in.HasFilter {
		faults.Add("filter", "Filter is not offered: leave it out, and let the build's steps read the body with "+
			"buildkite-agent meta-data get buildkite:webhook")
	}
	t.applyBuild(in, faults)
	t.applyVerification(in.Verification, faults)
}

// applyBuild makes the changes of what builds are to be.
func (t *PipelineTrigger) applyBuild(in PipelineTriggerInput, faults *Faults) {
	if in.Message.Given {
		if t.Message = nil; in.Message.Value != "" {
			t.Message = in.Message.Ptr()
		}
		if t.Message != nil && (len(*t.Message) > MaxBuildMessage || !ValidText(*t.Message)) {
			faults.Add("message", "Message is too long (maximum is 64 KiB), or not valid text")
		}
	}
	for _, ref := range []struct {
		field, label string
		given        Optional[string]
		to           **string
	}{{"commit", "Commit", in.Commit, &t.Commit}, {"branch", "Branch", in.Branch, &t.Branch}} {
		if !ref.given.Given {
			continue
		}
		if *ref.to = nil; strings.TrimSpace(ref.given.Value) != "" {
			value := strings.TrimSpace(ref.given.Value)
			checkLine(ref.field, ref.label, value, maxBranch, faults)
			*ref.to = &value
		}
	}
	if in.Env.Given {
		checkEnvAs("environment", "Environment", in.Env.Value, faults)
		if t.Env = nil; len(in.Env.Value) > 0 {
			t.Env = in.Env.Value
		}
	}
}

// applyVerification makes the changes of how deliveries prove where they come from.
func (t *PipelineTrigger) applyVerification(in Optional[TriggerVerification], faults *Faults) {
	switch {
	case !in.Given || faults.Has("verification"):
		return
	case in.Null:
		t.SecretHint = nil
		return
	case t.Type == WebhookTrigger:
		faults.Add("verification", "Verification is only for triggers of type github: leave it out, the address is "+
			"the secret")
		return
	}
	if in.Value.Strategy.Value != "hmac" && !faults.Has("strategy") {
		faults.Add("strategy", "Strategy must be hmac")
	}
	secret := in.Value.Secret.Value.Reveal()
	switch {
	case faults.Has("secret"):
	case !in.Value.Secret.Given && t.SecretHint != nil: // the one that is stored stays
	case secret == "":
		faults.Add("secret", "Secret can't be blank")
	case len(secret) > maxTriggerSecret || !ValidText(secret):
		faults.Add("secret", "Secret must be valid text of at most 255 bytes")
	default:
		hint := SecretEnd(secret)
		t.SecretHint = &hint
	}
}

// SecretEnd returns how a secret ends, for people who know it; "" of one that is too short for that.
func SecretEnd(secret string) string {
	if runes := []rune(secret); len(runes) >= hintedSecret {
		return string(runes[len(runes)-2:])
	}
	return ""
}

// hiddenPart stands for what is not shown of a secret.
const hiddenPart = "XXXXXXXXXXXXXXXXXXXX"

// MaskedToken returns the token in the trigger's address, as it may be shown.
func (t *PipelineTrigger) MaskedToken() string {
	return string(TriggerTokenKind) + hiddenPart + t.TokenHint
}

// MaskedSecret returns the secret that deliveries are signed with, as it may be shown; "" if they need no signature.
func (t *PipelineTrigger) MaskedSecret() string {
	if t.SecretHint == nil {
		return ""
	}
	return hiddenPart + *t.SecretHint
}

// ShownCommit returns the commit that is built.
func (t *PipelineTrigger) ShownCommit() string {
	if t.Commit == nil {
		return "HEAD"
	}
	return *t.Commit
}

// BuildInput returns the build that the trigger starts in a pipeline.
func (t *PipelineTrigger) BuildInput(p Pipeline) BuildInput {
	in := BuildInput{Commit: t.ShownCommit(), Branch: ScheduledBranch(t.Branch, p.DefaultBranch),
		Message: "Triggered build", Env: t.Env}
	if t.Message != nil {
		in.Message = cmp.Or(*t.Message, in.Message)
	}
	return in
}

// PipelineTriggerView is a trigger with what is shown along with it.
type PipelineTriggerView struct {
	PipelineTrigger
	OrganizationSlug string
	PipelineSlug     string
	DefaultBranch    *string // of the pipeline
	CreatedBy        *User
	UpdatedBy        *User
}

// ShownBranch returns the branch that is built.
func (v *PipelineTriggerView) ShownBranch() string {
	return ScheduledBranch(v.Branch, v.DefaultBranch)
}

// TriggerDelivery returns what a delivery to a trigger is known by: a host sends one event to several addresses under
// one id.
func TriggerDelivery(trigger PipelineTriggerID, externalID string) string {
	return string(trigger) + " " + externalID
}
