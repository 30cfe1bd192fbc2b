package policy

import (
	"errors"
	"fmt"
	"regexp"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"penstock/internal/pattern"
)

// The limits of patterns. Go's expressions match in time linear in the subject, but nothing stops a
// call that is under way, so the product of pattern and subject is bounded before it begins. Reading
// a pattern has to be bounded too, see package pattern.
const (
	maxInstructions = 200       // of a compiled pattern
	maxSubjectBytes = 4 << 10   // of the text that is matched
	maxMatchSteps   = 128 << 10 // instructions times bytes of the subject
	maxPatternBytes = 512
	maxClasses      = 8 // Unicode classes in all patterns of a condition
)

// patternSet is the patterns of one condition.
type patternSet struct {
	byText  map[string]*pattern.Pattern
	classes int
}

// add compiles the pattern that an argument of matches is, or returns what is wrong with it.
func (s *patternSet) add(argument ast.Expr) (problem string) {
	if argument.Kind() != ast.LiteralKind {
		return "must use a literal as the pattern of matches"
	}
	literal, ok := argument.AsLiteral().(types.String)
	if !ok {
		return "must use text as the pattern of matches"
	}
	text := string(literal)
	if s.classes += pattern.CountClasses(text); s.classes > maxClasses {
		return fmt.Sprintf("has patterns with over %d Unicode classes", maxClasses)
	}
	compiled, problem := compilePattern(text)
	if problem != "" {
		return problem
	}
	if s.byText == nil {
		s.byText = map[string]*pattern.Pattern{}
	}
	s.byText[text] = compiled
	return ""
}

func compilePattern(text string) (compiled *pattern.Pattern, problem string) {
	if pattern.IgnoresCase(text) && (pattern.CountClasses(text) > 0 || beyondASCII.MatchString(text)) {
		return nil, "has a pattern that ignores case and is not plain ASCII"
	}
	limits := pattern.Limits{Bytes: maxPatternBytes, Instructions: maxInstructions, Classes: maxClasses}
	compiled, err := pattern.Compile(text, limits)
	switch {
	case errors.Is(err, pattern.ErrTooLong):
		return nil, fmt.Sprintf("has a pattern of over %d bytes", maxPatternBytes)
	case errors.Is(err, pattern.ErrTooLarge):
		return nil, fmt.Sprintf("has a pattern that compiles to over %d instructions", maxInstructions)
	case err != nil:
		return nil, "has an invalid pattern: " + toOneLine(err.Error())
	}
	return compiled, ""
}

// beyondASCII is what makes a pattern that ignores case slow to read.
var beyondASCII = regexp.MustCompile(`[^\x00-\x7f]|\\[x0-9]`)

// optimizations makes the interpreter use the compiled patterns, and check the subject first.
//
// It names both overloads because an optimization for the function as a whole would lose to the
// library's own.
func (s *patternSet) optimizations() (optimizations []*interpreter.RegexOptimization) {
	for _, overload := range []string{overloads.Matches, overloads.MatchesString} {
		optimizations = append(optimizations, &interpreter.RegexOptimization{
			Function:   overloads.Matches,
			OverloadID: overload,
			RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
				known := s.byText[text]
				if known == nil {
					return nil, fmt.Errorf("the pattern %s was not checked", quote(text))
				}
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), matchWith(known)), nil
			},
		})
	}
	return optimizations
}

// matchWith returns the implementation of matches for a pattern.
func matchWith(p *pattern.Pattern) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		subject, ok := args[0].(types.String)
		switch {
		case !ok:
			return types.MaybeNoSuchOverloadErr(args[0])
		case len(subject) > maxSubjectBytes:
			return types.NewErr("matches takes a text of at most %d bytes", maxSubjectBytes)
		case p.Cost(string(subject)) > maxMatchSteps:
			return types.NewErr("a text of %d bytes is too long for this pattern", len(subject))
		default:
			return types.Bool(p.Match(string(subject)))
		}
	}
}
