package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/steps"
)

// RuleID identifies a rule between pipelines.
type RuleID string

// RuleType is what a rule is about.
type RuleType string

// The types of rules.
const (
	TriggerBuildRule  RuleType = "pipeline.trigger_build.pipeline"
	ArtifactsReadRule RuleType = "pipeline.artifacts_read.pipeline"
)

// RuleTypes are all types of rules.
var RuleTypes = []RuleType{TriggerBuildRule, ArtifactsReadRule}

// Action returns what the source may do with the target: trigger_build or artifacts_read.
func (t RuleType) Action() string {
	return strings.TrimSuffix(strings.TrimPrefix(string(t), "pipeline."), ".pipeline")
}

// variables returns what conditions of the rule may name; nil for a type that is unknown.
func (t RuleType) variables() []string {
	switch t {
	case TriggerBuildRule:
		return steps.TriggerRuleVariables
	case ArtifactsReadRule:
		return steps.ArtifactRuleVariables
	}
	return nil
}

const (
	maxRuleConditions = 20
	// MaxRulesOfPair is how many rules of a type there can be from one pipeline to another.
	MaxRulesOfPair = 20
)

// Refusals of rules.
const (
	RuleTaken    = "There is a rule of this type with the same pipelines and conditions"
	TooManyRules = "There are too many rules of this type between the two pipelines (maximum is 20)"
)

// Rule lets builds of one pipeline do something with another one, if its conditions hold.
type Rule struct {
	ID             RuleID
	OrganizationID OrganizationID
	Type           RuleType
	Description    *string
	SourceID       PipelineID
	TargetID       PipelineID
	Conditions     []string // all must hold
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// RuleInput is what a caller sends to make or change a rule.
type RuleInput struct {
	Type        Optional[string]
	Description Optional[string]
	Value       Optional[RuleValue]
}

// RuleValue is what a rule says. Pipelines are named by UUID or slug.
type RuleValue struct {
	SourcePipeline Optional[string]
	TargetPipeline Optional[string]
	Conditions     Optional[[]string]
}

// ParseRuleValue reads a rule's value from JSON.
func ParseRuleValue(text string, faults *Faults) (value RuleValue) {
	var sent struct {
		SourcePipeline *string   `json:"source_pipeline"`
		TargetPipeline *string   `json:"target_pipeline"`
		Conditions     *[]string `json:"conditions"`
	}
	if len(text) > maxRuleValue || json.Unmarshal([]byte(text), &sent) != nil {
		faults.Add("value", "Value must be a JSON object with the texts source_pipeline and target_pipeline, and may have "+
			"a list of texts, conditions")
		return value
	}
	if sent.SourcePipeline != nil {
		value.SourcePipeline = Some(*sent.SourcePipeline)
	}
	if sent.TargetPipeline != nil {
		value.TargetPipeline = Some(*sent.TargetPipeline)
	}
	if sent.Conditions != nil {
		value.Conditions = Some(*sent.Conditions)
	}
	return value
}

const maxRuleValue = 64 << 10 // bytes

// NewRule returns the rule that the input describes, without its pipelines. Its conditions are compiled, which takes
// time.
func NewRule(in RuleInput, organization OrganizationID, now time.Time, faults *Faults) Rule {
	r := Rule{ID: NewID[RuleID](), OrganizationID: organization, Type: RuleType(in.Type.Value), CreatedAt: now}
	if r.Type.variables() == nil && !faults.Has("type") {
		faults.AddWhole("type", "Rule type is unknown")
		return r
	}
	r.Apply(in, now, faults)
	return r
}

// Apply makes the changes of the input but for the pipelines. A description that is not given is removed.
func (r *Rule) Apply(in RuleInput, now time.Time, faults *Faults) {
	r.Description = nil
	if in.Description.HasValue() && in.Description.Value != "" {
		description := CheckText("description", "Description", in.Description.Value, maxDescription, faults)
		r.Description = &description
	}
	r.UpdatedAt = now
	if faults.Has("value") {
		return
	}
	value := in.Value.Value
	for _, name := range []struct {
		name  string
		given Optional[string]
	}{{"source_pipeline", value.SourcePipeline}, {"target_pipeline", value.TargetPipeline}} {
		if strings.TrimSpace(name.given.Value) == "" {
			r.addFault(faults, "missing "+name.name)
		}
	}
	r.Conditions = value.Conditions.Value
	if len(r.Conditions) > maxRuleConditions {
		r.addFault(faults, "more than "+strconv.Itoa(maxRuleConditions)+" conditions")
		return
	}
	work := steps.NewWork(context.Background())
	for _, condition := range r.Conditions {
		if !ValidText(condition) {
			r.addFault(faults, "conditions must be valid UTF-8 without NUL")
		} else if _, err := work.ParseRuleCondition(condition, r.Type.variables()); err != nil {
			r.addFault(faults, "conditional is invalid: "+err.Error())
		}
	}
}

// addFault records a fault of the rule's value.
func (r *Rule) addFault(faults *Faults, reason string) {
	faults.AddWhole("value", "Rule is invalid: "+string(r.Type)+": "+reason)
}

// AddMissingPipeline records that there is no pipeline of that name.
func (r *Rule) AddMissingPipeline(member, name string, faults *Faults) {
	r.addFault(faults, "no pipeline found for "+member+" "+quoteStart(name))
}

// ConditionsKey distinguishes the rule's conditions from others.
func (r *Rule) ConditionsKey() string {
	text, _ := json.Marshal(r.Conditions, json.Deterministic(true)) // texts can always be
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Document returns the rule as JSON.
func (r *Rule) Document() string {
	var document struct {
		Rule  RuleType `json:"rule"`
		Value struct {
			Source     PipelineID `json:"source_pipeline"`
			Target     PipelineID `json:"target_pipeline"`
			Conditions []string   `json:"conditions,omitempty"`
		} `json:"value"`
	}
	document.Rule, document.Value.Source, document.Value.Target, document.Value.Conditions = r.Type, r.SourceID,
		r.TargetID, r.Conditions
	text, _ := json.Marshal(document)
	return string(text)
}

// RuleView is a rule with what is shown along with it.
type RuleView struct {
	Rule
	OrganizationSlug       string
	SourceSlug, SourceName string
	TargetSlug, TargetName string
	CreatedBy              *User
}

// RuleFilter chooses among an organization's rules. What is nil chooses all.
type RuleFilter struct {
	Types  []RuleType
	Source *PipelineID
	Target *PipelineID
}

// RuleVerdict is what the rules of a type from one pipeline to another say of a build.
type RuleVerdict struct {
	judged  []Rule
	Allows  bool   // one of them has no condition that does not hold
	Refusal string // why none allows it; "": there are none
}

// JudgeRules evaluates rules that lead from one pipeline to another. Their conditions may be slow to evaluate: no
// transaction waits for them. What they take is bounded: a condition for which nothing is left does not hold.
func JudgeRules(work *steps.Work, rules []Rule, v steps.Variables) RuleVerdict {
	verdict := RuleVerdict{judged: rules}
	evaluation := steps.Evaluation{Variables: v, Work: work}
	for i := range rules {
		failed, holds := rules[i].failedCondition(&evaluation)
		if holds {
			verdict.Allows, verdict.Refusal = true, ""
			return verdict
		}
		if work.Err() != nil {
			verdict.Refusal = "The conditions of the rules " + string(rules[i].Type) + " take too much work to evaluate"
			return verdict
		}
		if verdict.Refusal == "" {
			verdict.Refusal = "The rule " + string(rules[i].Type) + " (" + string(rules[i].ID) +
				") does not allow it: its condition `" + failed + "` does not hold"
		}
	}
	return verdict
}

// failedCondition returns the first condition that does not hold.
func (r *Rule) failedCondition(e *steps.Evaluation) (string, bool) {
	for _, source := range r.Conditions {
		condition, err := e.Work.ParseRuleCondition(source, r.Type.variables())
		if err != nil {
			return source, false
		}
		if holds, err := condition.Eval(e); err != nil || !holds {
			return source, false
		}
	}
	return "", true
}

// IsOf reports whether the verdict is of these rules, as they are.
func (v RuleVerdict) IsOf(rules []Rule) bool {
	if len(v.judged) != len(rules) {
		return false
	}
	for i := range rules {
		if v.judged[i].ID != rules[i].ID || v.judged[i].SourceID != rules[i].SourceID ||
			v.judged[i].TargetID != rules[i].TargetID ||
			v.judged[i].ConditionsKey() != rules[i].ConditionsKey() {
			return false
		}
	}
	return true
}
