package policy

import (
	"io"
	"strconv"
	"strings"
)

// maxExplained is how many entries are explained in text, besides the last.
const maxExplained = 50

// String returns the decision as text for an operator's terminal: the answer and its reason on the
// first line, then each entry that was tried (of very many the first, and the last) with what every
// rule had to say about it, and the entries that are looked for after the allowed one.
func (d Decision) String() string {
	var text strings.Builder
	text.WriteString(toOneLine(string(d.Action)) + " " + verdictWord(d.Allowed) + ": " + toOneLine(d.Reason) + "\n")
	last := len(d.Trials) - 1
	for i := range d.Trials {
		switch {
		case i < maxExplained || i == last:
			d.Trials[i].write(&text, d.Action)
		case i == maxExplained:
			text.WriteString("  and " + strconv.Itoa(last-i) + " more entries, all denied\n")
		}
	}
	for i := range d.Further {
		trial := &d.Further[i]
		text.WriteString("  where that has nothing, entry " + toOneLine(trial.Entry.String()) + " allowed: " +
			trial.Reason() + "\n")
	}
	return text.String()
}

// WriteText writes what String returns.
func (d Decision) WriteText(to io.Writer) error {
	_, err := io.WriteString(to, d.String())
	return err
}

func (t *Trial) write(text *strings.Builder, action Action) {
	text.WriteString("  entry " + toOneLine(t.Entry.String()) + " " + verdictWord(t.Allowed) + ": " + t.Reason() + "\n")
	for i := range t.Steps {
		step := &t.Steps[i]
		text.WriteString("    " + step.Rule.String() + " (" + string(step.Rule.Effect) + "): " + step.explain(action) + "\n")
	}
}

// Reason says in a few words why the entry is allowed or denied.
func (t *Trial) Reason() string {
	switch rule := t.Rule(); {
	case t.unfinished:
		return tooMuchWork
	case rule == nil:
		return "no rule matches"
	case t.Allowed:
		return rule.String() + " allows it"
	default:
		return rule.String() + " denies it"
	}
}

func (s *Step) explain(action Action) string {
	switch s.Outcome {
	case Matched:
		return "matches"
	case ConditionFalse:
		return "its condition is false"
	case ConditionFailed:
		consequence := "so it does not match"
		if s.decides() {
			consequence = "so it denies"
		}
		return "its condition failed, " + consequence + ": " + s.Err.Error()
	default:
		return "is not about " + string(action)
	}
}

func verdictWord(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "denied"
}
