// Package pattern compiles regular expressions that callers have written. Go's expressions match in time linear in the
// text, but nothing stops a match that is under way, and few bytes can stand for many states: so the size of an
// expression is bounded before it is compiled, and what a match takes is known before it begins.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Limits bound an expression.
type Limits struct {
	Bytes        int // of its text
	Instructions int // that it compiles to
	Classes      int // Unicode classes such as \pL, each of which brings hundreds of ranges with it
}

// What is wrong with an expression that is over the limits. Other errors of Compile say why it is none.
var (
	ErrTooLong        = errors.New("the text of the expression is too long")
	ErrTooLarge       = errors.New("the expression compiles to too many instructions")
	ErrTooManyClasses = errors.New("the expression has too many Unicode classes")
	// ErrWideRange is that of an expression that takes long to read: where case is ignored, the parser visits each
	// character of a range, so that a range of a few bytes can take milliseconds.
	ErrWideRange = errors.New("the expression ignores case and has a range beyond ASCII")
)

// Pattern is a compiled expression.
type Pattern struct {
	expression   *regexp.Regexp
	instructions int
	isLiteral    bool // it is a text, which is looked for as it is
}

// Compile reads an expression in the syntax of package regexp.
func Compile(text string, limits Limits) (*Pattern, error) {
	switch {
	case len(text) > limits.Bytes:
		return nil, ErrTooLong
	case CountClasses(text) > limits.Classes:
		return nil, ErrTooManyClasses
	case IgnoresCase(text) && wideRange.MatchString(text):
		return nil, ErrWideRange
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	// Compiling spells repetitions out, so their size is estimated first.
	if estimateSize(parsed, 2*limits.Instructions) > 2*limits.Instructions {
		return nil, ErrTooLarge
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the expression does not compile: %w", err)
	}
	if len(program.Inst) > limits.Instructions {
		return nil, ErrTooLarge
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	_, isLiteral := expression.LiteralPrefix()
	return &Pattern{expression, len(program.Inst), isLiteral}, nil
}

var (
	ignoresCase = regexp.MustCompile(`\(\?[a-zA-Z]*i`)
	wideRange   = regexp.MustCompile(`-(?:[^\x00-\x7f]|\\[x0-9])`)
)

// IgnoresCase reports whether an expression, or a part of it, ignores case.
func IgnoresCase(text string) bool { return ignoresCase.MatchString(text) }

// CountClasses counts the Unicode classes of an expression.
func CountClasses(text string) int { return strings.Count(text, `\p`) + strings.Count(text, `\P`) }

// estimateSize estimates how many instructions an expression compiles to. It stops counting soon after the limit, so
// that nested repetitions do not overflow.
func estimateSize(expression *syntax.Regexp, limit int) int {
	total := 1
	switch expression.Op {
	case syntax.OpLiteral:
		total = len(expression.Rune)
	case syntax.OpCapture:
		total = 2
	case syntax.OpAlternate:
		total = len(expression.Sub)
	}
	for _, sub := range expression.Sub {
		if total += estimateSize(sub, limit); total > limit {
			return total
		}
	}
	if expression.Op == syntax.OpRepeat {
		total *= max(expression.Min, expression.Max, 1)
	}
	return total
}

// Size returns how many instructions the expression compiles to.
func (p *Pattern) Size() int { return p.instructions }

// Cost returns at most how many steps a match takes: an instruction at a byte of the text is one.
func (p *Pattern) Cost(text string) int {
	if p.isLiteral {
		return len(text) + 1
	}
	return (len(text) + 1) * p.instructions
}

// Match reports whether the text has a match.
func (p *Pattern) Match(text string) bool { return p.expression.MatchString(text) }
