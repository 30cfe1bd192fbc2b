package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"penstock/internal/pattern"
)

// maxWork is how much work the regular expressions, filters and dependencies of a definition may take in all. An
// instruction of an expression at a byte of a text is one, which takes up to some 30 nanoseconds.
const maxWork = 10_000_000

// compilingCost is what an instruction of an expression takes to compile.
const compilingCost = 40

// MaxInstructions is how many instructions the regular expressions of a condition compile to at most.
const MaxInstructions = 1000

var patternLimits = pattern.Limits{
	Bytes: maxConditionLength + len(formatStart+formatEnd), Instructions: MaxInstructions, Classes: 8,
}

// Work bounds what it takes to read a definition and to plan its steps: what callers write decides how much that is,
// and they may have gone meanwhile. It is good for one definition.
type Work struct {
	ctx      context.Context // Work lives no longer than the call that has the context
	left     int
	err      error // why it has ended
	patterns map[string]*pattern.Pattern
	matches  map[match]bool
}

// match is a text that an expression was matched with.
type match struct {
	pattern *pattern.Pattern
	text    string
}

// NewWork returns Work that ends with the context.
func NewWork(ctx context.Context) *Work {
	return &Work{ctx: ctx, left: maxWork, patterns: map[string]*pattern.Pattern{}, matches: map[match]bool{}}
}

const errTooMuchWork = Fault("The steps take too much work to plan: use fewer or shorter regular expressions " +
	"in `if` and `format`, and fewer `branches` and `depends_on`")

// Spend counts work that is to be done. It returns a Fault once that was too much, and the context's error once that is
// done.
func (w *Work) Spend(units int) error {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.left -= units; w.left < 0 && w.err == nil {
		w.err = errTooMuchWork
	}
	return w.err
}

// Err returns why the work has ended, or nil.
func (w *Work) Err() error { return w.err }

// patternFault says why a regular expression cannot be used, whatever else is right.
type patternFault struct{ error }

// compile reads a regular expression, each once.
func (w *Work) compile(text string) (*pattern.Pattern, error) {
	if known := w.patterns[text]; known != nil {
		return known, nil
	}
	if err := w.Spend(compilingCost * len(text)); err != nil {
		return nil, err
	}
	compiled, err := pattern.Compile(text, patternLimits)
	if err != nil {
		return nil, explainPattern(text, err)
	}
	w.patterns[text] = compiled
	return compiled, w.Spend(compilingCost * compiled.Size())
}

// explainPattern says what is wrong with a regular expression.
func explainPattern(text string, err error) error {
	const most = 60
	shown := text
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "…"
	}
	fault := func(reason string) error {
		return patternFault{fmt.Errorf("the regular expression /%s/ %s", shown, reason)}
	}
	switch {
	case errors.Is(err, pattern.ErrTooLong):
		return fault(fmt.Sprintf("is longer than %d bytes", maxConditionLength))
	case errors.Is(err, pattern.ErrTooLarge):
		return fault(fmt.Sprintf("is too large: it compiles to more than %d instructions", MaxInstructions))
	case errors.Is(err, pattern.ErrTooManyClasses):
		return fault(fmt.Sprintf("has more than %d Unicode classes", patternLimits.Classes))
	case errors.Is(err, pattern.ErrWideRange):
		return fault("ignores case and has a range beyond ASCII")
	}
	return fmt.Errorf("the regular expression /%s/ is not valid", shown)
}

// match reports whether a text has a match, and counts what finding one takes, each once.
func (w *Work) match(p *pattern.Pattern, text string) bool {
	m := match{p, text}
	found, known := w.matches[m]
	if known || w.Spend(p.Cost(text)) != nil {
		return found
	}
	found = p.Match(text)
	w.matches[m] = found
	return found
}

// A format matches a whole text.
const (
	formatStart = `^(?:`
	formatEnd   = `)$`
)

// MatchFormat reports whether a text has the format of a field.
func (w *Work) MatchFormat(format, text string) (bool, error) {
	compiled, err := w.compile(formatStart + format + formatEnd)
	if err != nil {
		return false, err
	}
	matches := w.match(compiled, text)
	return matches, w.err
}

// MatchBranches is the function of that name, whose work is counted.
func (w *Work) MatchBranches(patterns []string, branch string) (bool, error) {
	size := 0
	for _, pattern := range patterns {
		size += len(pattern) + len(branch)/8
	}
	if err := w.Spend(size); err != nil {
		return false, err
	}
	return MatchBranches(patterns, branch), nil
}
