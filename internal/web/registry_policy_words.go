package web

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/policy"
)

// policyWords is a policy in words. The template "policy-words" shows it.
type policyWords struct {
	Short string // in one sentence
	None  bool   // there is no policy
	Save  string
	// Restore is what a job may ask for, More how many of that are not listed.
	Restore []string
	More    int
	Rules   []policy.RuleDescription
}

// maxListed is how many members of restore.scopes are put into words, and how many entries a decision shows.
const maxListed = 10

func describePolicy(p *policy.Policy) policyWords {
	if p == nil {
		return policyWords{Short: "Nothing can be saved or restored", None: true}
	}
	d := p.Describe()
	w := policyWords{Save: d.Save, Restore: d.Restore, Rules: d.Rules, Short: countNoun(len(d.Rules), "rule", "rules")}
	switch {
	case string(p.Normal()) == string(policy.Default().Normal()):
		w.Short = "Every job may save and restore"
	case len(d.Rules) == 0:
		w.Short = "Nothing can be saved or restored"
	}
	if len(w.Restore) > maxListed {
		w.Restore, w.More = w.Restore[:maxListed], len(w.Restore)-maxListed
	}
	return w
}

// policyFindings is what there is to say about the text of a policy. The template "policy-findings" shows it.
type policyFindings struct {
	Faults []policyFault
	Normal string // what is stored; empty: there is no policy
	Words  policyWords
	// Warnings are what the policy allows that may not be meant.
	Warnings []string
	parsed   *policy.Policy
}

// policyFault is a fault at its place in the text. Start and End count UTF-16 code units, as browsers do.
type policyFault struct {
	Line, Column, Start, End int
	Reason                   string
}

// findPolicyFaults reads the text of a policy. An empty one is no policy.
func findPolicyFaults(text string) policyFindings {
	if strings.TrimSpace(text) == "" {
		return policyFindings{Words: describePolicy(nil)}
	}
	parsed, faults := policy.Parse([]byte(text))
	if faults == nil {
		return policyFindings{Normal: layOutJSON(string(parsed.Normal())), Words: describePolicy(parsed),
			Warnings: parsed.Warnings(), parsed: parsed}
	}
	var found policyFindings
	for i, place := range policy.LocateFaults([]byte(text), faults) {
		found.Faults = append(found.Faults, policyFault{place.Line, place.Column, countUTF16(text[:place.Start]),
			countUTF16(text[:place.End]), describeFault(faults[i])})
	}
	return found
}

var countedPath = regexp.MustCompile(`^(rules|restore\.scopes)\[(\d+)\]\.?`)

// describeFault returns a fault with rules and scopes counted from 1, as people count them.
func describeFault(f policy.Fault) string {
	place := countedPath.FindStringSubmatch(f.Path)
	if place == nil {
		return f.String()
	}
	index, err := strconv.Atoi(place[2])
	if err != nil {
		return f.String() // there are not that many
	}
	noun := "Rule "
	if place[1] != "rules" {
		noun = "Scope to restore "
	}
	within := policy.Fault{Path: f.Path[len(place[0]):], Message: f.Message}
	if within.Path == "" {
		return noun + strconv.Itoa(index+1) + " " + f.Message
	}
	return noun + strconv.Itoa(index+1) + ": " + within.String()
}

// countUTF16 counts the UTF-16 code units of a text.
func countUTF16(text string) (n int) {
	for _, r := range text {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// layOutJSON returns JSON text as people write it: on one line what fits there, and each member of the rest on its own.
func layOutJSON(text string) string {
	var b strings.Builder
	writeValue(&b, jsontext.Value(text), 0, 0)
	return b.String()
}

const layOutWidth = 72

// writeValue writes a value whose first line has already that many characters besides the indent.
func writeValue(b *strings.Builder, v jsontext.Value, indent, taken int) {
	line := v.Clone()
	_ = line.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)) // it is well-formed
	kind := v.Kind()
	several := kind == '[' && strings.Count(string(line), "}, {") > 0
	fits := indent > 0 && !several && indent+taken+len(line) <= layOutWidth
	if fits || kind != '{' && kind != '[' || len(line) == 2 {
		b.Write(line)
		return
	}
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	opening, _ := d.ReadToken()
	b.WriteString(opening.String())
	for first := true; d.PeekKind() != '}' && d.PeekKind() != ']'; first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + strings.Repeat(" ", indent+2))
		name := ""
		if kind == '{' {
			quoted, err := d.ReadValue()
			if err != nil {
				return
			}
			name = string(quoted) + ": "
		}
		member, err := d.ReadValue()
		if err != nil {
			return
		}
		b.WriteString(name)
		writeValue(b, member, indent+2, len(name)+1)
	}
	closing, _ := d.ReadToken()
	b.WriteString("\n" + strings.Repeat(" ", indent) + closing.String())
}

// policyDecision is a decision, rule by rule. The template "policy-decision" shows it.
type policyDecision struct {
	Action  policy.Action
	Allowed bool
	Reason  string
	Trials  []policyTrial
	More    int           // trials that are not listed
	Further []policyTrial // what is looked for where the allowed entry has nothing, without their steps
}

// policyTrial is the decision about one entry.
type policyTrial struct {
	Entry   string
	Allowed bool
	Reason  string
	Steps   []policyStep
}

// policyStep is what one rule had to say.
type policyStep struct {
	policy.RuleDescription
	Says    string
	Decides bool
	Passed  bool // it was not asked any more
}

func newPolicyDecision(d policy.Decision, rules []policy.RuleDescription) *policyDecision {
	v := &policyDecision{Action: d.Action, Allowed: d.Allowed, Reason: d.Reason}
	for i := range d.Trials {
		if i >= maxListed && i < len(d.Trials)-1 {
			v.More++
			continue
		}
		v.Trials = append(v.Trials, newPolicyTrial(&d.Trials[i], d.Action, rules))
	}
	for i := range d.Further[:min(len(d.Further), maxListed)] {
		v.Further = append(v.Further, policyTrial{Entry: d.Further[i].Entry.String(), Reason: d.Further[i].Reason()})
	}
	return v
}

func newPolicyTrial(t *policy.Trial, action policy.Action, rules []policy.RuleDescription) policyTrial {
	v := policyTrial{Entry: t.Entry.String(), Allowed: t.Allowed, Reason: "no rule matches"}
	decided := t.Rule()
	if decided != nil {
		v.Reason = decided.String() + " decides"
	}
	for i, rule := range rules {
		step := policyStep{RuleDescription: rule, Says: "not evaluated", Passed: i >= len(t.Steps)}
		if !step.Passed {
			step.Says = describeStep(&t.Steps[i], action)
			step.Decides = decided != nil && decided.Index == i
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}

func describeStep(s *policy.Step, action policy.Action) string {
	switch {
	case s.Outcome == policy.OtherAction:
		return "is not about " + string(action)
	case s.Outcome == policy.ConditionFalse:
		return "does not match: its condition is false"
	case s.Outcome == policy.ConditionFailed && s.Rule.Effect == policy.Deny:
		return "denies it, because its condition fails: " + s.Err.Error()
	case s.Outcome == policy.ConditionFailed:
		return "does not match, because its condition fails: " + s.Err.Error()
	case s.Rule.Effect == policy.Allow:
		return "matches, and allows it"
	default:
		return "matches, and denies it"
	}
}
