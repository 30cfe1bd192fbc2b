package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// The limits of patterns. Go's expressions match in time linear in the subject, but nothing stops a
// call that is under way, so the product of pattern and subject is bounded before it begins. Reading
// a pattern has to be bounded too, see checkSource.
const (
	maxInstructions = 200       // of a compiled pattern
	maxSubjectBytes = 4 << 10   // of the text that is matched
	maxMatchSteps   = 128 << 10 // instructions times bytes of the subject
	maxPatternBytes = 512
	maxClasses      = 8 // Unicode classes in all patterns of a condition
)

// pattern is a compiled literal of a matches call.
type pattern struct {
	expression   *regexp.Regexp
	instructions int
}

// patternSet is the patterns of one condition.
type patternSet struct {
	byText  map[string]pattern
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
	if s.classes += countClasses(text); s.classes > maxClasses {
		return fmt.Sprintf("has patterns with over %d Unicode classes", maxClasses)
	}
	compiled, problem := compilePattern(text)
	if problem != "" {
		return problem
	}
	if s.byText == nil {
		s.byText = map[string]pattern{}
	}
	s.byText[text] = compiled
	return ""
}

func compilePattern(text string) (compiled pattern, problem string) {
	if problem := checkSource(text); problem != "" {
		return pattern{}, problem
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}, "has an invalid pattern: " + toOneLine(err.Error())
	}
	tooLarge := fmt.Sprintf("has a pattern that compiles to over %d instructions", maxInstructions)
	// Compiling spells repetitions out, so their size is estimated first.
	if estimateSize(parsed) > 2*maxInstructions {
		return pattern{}, tooLarge
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return pattern{}, "has an invalid pattern: " + toOneLine(err.Error())
	}
	if len(program.Inst) > maxInstructions {
		return pattern{}, tooLarge
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, "has an invalid pattern: " + toOneLine(err.Error())
	}
	return pattern{expression: expression, instructions: len(program.Inst)}, ""
}

// checkSource refuses patterns that take long to read. Under (?i) the parser visits each character
// of a range, so that a range of a few bytes can take milliseconds.
func checkSource(text string) (problem string) {
	switch {
	case len(text) > maxPatternBytes:
		return fmt.Sprintf("has a pattern of over %d bytes", maxPatternBytes)
	case ignoresCase.MatchString(text) && (countClasses(text) > 0 || beyondASCII.MatchString(text)):
		return "has a pattern that ignores case and is not plain ASCII"
	default:
		return ""
	}
}

var (
	ignoresCase = regexp.MustCompile(`\(\?[a-zA-Z]*i`)
	beyondASCII = regexp.MustCompile(`[^\x00-\x7f]|\\[x0-9]`)
)

// countClasses counts the Unicode classes of a pattern, each of which brings hundreds of ranges with it.
func countClasses(text string) int { return strings.Count(text, `\p`) + strings.Count(text, `\P`) }

// estimateSize estimates how many instructions an expression compiles to. It stops counting soon after
// maxInstructions, so that nested repetitions do not overflow.
func estimateSize(expression *syntax.Regexp) int {
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
		if total += estimateSize(sub); total > 2*maxInstructions {
			return total
		}
	}
	if expression.Op == syntax.OpRepeat {
		total *= max(expression.Min, expression.Max, 1)
	}
	return total
}

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
				pattern, known := s.byText[text]
				if !known {
					return nil, fmt.Errorf("the pattern %s was not checked", quote(text))
				}
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), pattern.matches), nil
			},
		})
	}
	return optimizations
}

// matches implements the function of that name.
func (p pattern) matches(args ...ref.Val) ref.Val {
	subject, ok := args[0].(types.String)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(args[0])
	case len(subject) > maxSubjectBytes:
		return types.NewErr("matches takes a text of at most %d bytes", maxSubjectBytes)
	case p.steps(subject) > maxMatchSteps:
		return types.NewErr("a text of %d bytes is too long for this pattern", len(subject))
	default:
		return types.Bool(p.expression.MatchString(string(subject)))
	}
}

func (p pattern) steps(subject types.String) int { return (len(subject) + 1) * p.instructions }
