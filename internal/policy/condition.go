package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
)

// The limits of conditions besides their length. Together they bound the work of compiling, and with
// maxConditionCost that of evaluating.
//
// The parser takes microseconds for each word and sign, so those are counted before it sees a text,
// in one condition and in all of a policy. The checker's work grows with the square of the operators,
// calls, lists and maps, and faster with their nesting, so those are counted before it sees a tree.
const (
	maxConditionWords = 600   // words and signs of one condition, see countWords
	maxPolicyWords    = 3_000 // of all conditions of a policy
	maxRecursion      = 50    // of the parser
	maxSyntaxRecovery = 1     // of the parser; only the first syntax error is shown
	maxNodes          = 500   // of the syntax tree, with macros expanded
	maxCalls          = 50    // operators and calls besides && and ||, with macros expanded
	maxLoops          = 2     // comprehensions inside one another
	maxLiterals       = 50    // lists and maps
	maxLiteralNesting = 4     // lists and maps inside one another
)

// allowedFunctions is what conditions can call. Left out of CEL's standard library are dyn and type, which
// would get around the type checks, and everything about bytes and times, for which
// conditions have no use (looking up a time zone even reads files).
var allowedFunctions = []string{
	operators.Conditional, operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot,
	operators.NotStrictlyFalse, // what the macros all and exists become
	operators.Equals, operators.NotEquals,
	operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
	operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
	operators.In, operators.Index,
	overloads.Size, overloads.Contains, overloads.StartsWith, overloads.EndsWith, overloads.Matches,
	overloads.TypeConvertBool, overloads.TypeConvertDouble, overloads.TypeConvertInt,
	overloads.TypeConvertString, overloads.TypeConvertUint,
}

// celEnvironment is what all conditions are checked against. It is made when the first is compiled.
var celEnvironment = sync.OnceValue(func() *cel.Env {
	library := env.NewLibrarySubset()
	for _, name := range allowedFunctions {
		library.AddIncludedFunctions(env.NewFunction(name))
	}
	options := []cel.EnvOption{
		cel.CustomTypeProvider(objectProvider{}),
		cel.StdLib(cel.StdLibSubset(library)),
		cel.ParserExpressionSizeLimit(MaxConditionBytes),
		cel.ParserRecursionLimit(maxRecursion),
		cel.ParserErrorRecoveryLimit(maxSyntaxRecovery),
		cel.ExpressionNodeLimit(maxNodes),
	}
	for _, object := range objectTypes {
		options = append(options, cel.Variable(object.variable, object.kind))
	}
	environment, err := cel.NewCustomEnv(options...)
	if err != nil {
		panic("policy: the condition environment is invalid: " + err.Error())
	}
	return environment
})

// condition is a compiled when. It is safe for concurrent use.
type condition struct {
	text      string
	program   cel.Program
	usesEntry bool     // otherwise it is the same for all entries
	claims    []string // the names of those that it may look at
}

// compileCondition returns the condition that text is, or what is wrong with it: messages that
// continue a sentence about the place of the text.
func compileCondition(text string) (compiled *condition, problems []string) {
	// Some of the library's checks panic on legal input; a condition must not take the server down.
	defer func() {
		if recover() != nil {
			compiled, problems = nil, []string{"does not compile"}
		}
	}()
	parsed, issues := celEnvironment().Parse(text)
	if len(issues.Errors()) > 0 {
		return nil, []string{describeIssue(issues.Errors()[0], nil)}
	}
	if problem := findComplexity(parsed.NativeRep()); problem != "" {
		return nil, []string{problem}
	}
	checked, issues := celEnvironment().Check(parsed)
	if len(issues.Errors()) > 0 {
		for _, issue := range issues.Errors() {
			problem := describeIssue(issue, parsed.NativeRep().Expr())
			// Macros repeat parts of the text, and their issues with them.
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
		return nil, problems
	}
	patterns, problems := inspectTree(checked.NativeRep())
	if output := checked.OutputType(); !output.IsExactType(types.BoolType) {
		problems = append(problems, "must be true or false, not "+rewordTypeNames(cel.FormatCELType(output)))
	}
	if problems != nil {
		return nil, problems
	}
	program, err := celEnvironment().Program(checked,
		cel.EvalOptions(cel.OptOptimize),
		cel.OptimizeRegex(patterns.optimizations()...),
		cel.CostTracking(costs{patterns.byText}),
		cel.CostLimit(maxConditionCost),
	)
	if err != nil {
		return nil, []string{"does not compile: " + toOneLine(err.Error())}
	}
	return &condition{text: text, program: program, usesEntry: usesEntry(checked.NativeRep()),
		claims: namedClaims(checked.NativeRep())}, nil
}

// usesEntry reports whether a condition names the entry.
func usesEntry(checked *ast.AST) bool {
	namesEntry := func(node ast.NavigableExpr) bool {
		return node.Kind() == ast.IdentKind && node.AsIdent() == entryObject.variable
	}
	return len(ast.MatchDescendants(ast.NavigateAST(checked), namesEntry)) > 0
}

// namedClaims returns the names of the claims that a condition may look at: all, if it names them as a whole.
func namedClaims(checked *ast.AST) (names []string) {
	isClaims := func(node ast.Expr) bool {
		return node.Kind() == ast.IdentKind && node.AsIdent() == claimsObject.variable
	}
	mentions := 0
	ast.MatchDescendants(ast.NavigateAST(checked), func(node ast.NavigableExpr) bool {
		switch {
		case isClaims(node):
			mentions++
		case node.Kind() == ast.SelectKind && isClaims(node.AsSelect().Operand()):
			names = append(names, node.AsSelect().FieldName())
		}
		return false
	})
	if mentions != len(names) {
		return claimNames
	}
	return names
}

// countWords counts the words and the signs of a text, those inside its strings too: that is easy to get
// right for hostile text, and patterns, which take work of their own, are counted by it.
func countWords(text string) (count int) {
	inWord := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '_', c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			if !inWord {
				count++
			}
			inWord = true
		case c == ' ', c == '\t', c == '\r', c == '\n', c == '"', c == '\'':
			inWord = false
		default:
			count++
			inWord = false
		}
	}
	return count
}

// findComplexity returns what makes a tree too much work to check, empty if nothing does.
func findComplexity(parsed *ast.AST) string {
	isLiteral := func(kind ast.ExprKind) bool { return kind == ast.ListKind || kind == ast.MapKind }
	isLoop := func(kind ast.ExprKind) bool { return kind == ast.ComprehensionKind }

	literals, calls := 0, 0
	problem := ""
	for _, node := range ast.MatchDescendants(ast.NavigateAST(parsed), ast.AllMatcher()) {
		switch kind := node.Kind(); {
		case isLiteral(kind):
			if literals++; literals > maxLiterals {
				problem = fmt.Sprintf("must have at most %d lists and maps", maxLiterals)
			} else if countNesting(node, isLiteral) > maxLiteralNesting {
				problem = fmt.Sprintf("must nest lists and maps at most %d deep", maxLiteralNesting)
			}
		case kind == ast.CallKind:
			if name := node.AsCall().FunctionName(); name == operators.LogicalAnd || name == operators.LogicalOr {
				continue
			}
			if calls++; calls > maxCalls {
				problem = fmt.Sprintf("must have at most %d operators and calls besides && and ||", maxCalls)
			}
		case isLoop(kind) && countNesting(node, isLoop) > maxLoops:
			problem = fmt.Sprintf("must nest all, exists, exists_one, filter and map at most %d deep", maxLoops)
		}
		if problem != "" {
			return problem + describePosition(parsed.SourceInfo().GetStartLocation(node.ID()))
		}
	}
	return ""
}

// countNesting counts a node and its ancestors of some kinds.
func countNesting(node ast.NavigableExpr, counts func(ast.ExprKind) bool) (count int) {
	for found := true; found; node, found = node.Parent() {
		if counts(node.Kind()) {
			count++
		}
	}
	return count
}

// inspectTree finds what the checker accepts and conditions must not have, and compiles the patterns.
func inspectTree(checked *ast.AST) (patterns *patternSet, problems []string) {
	patterns = &patternSet{}
	refuse := func(at ast.Expr, format string, args ...any) {
		problems = append(problems, fmt.Sprintf(format, args...)+
			describePosition(checked.SourceInfo().GetStartLocation(at.ID())))
	}
	// A value whose type is not known (an element of a list of several types) could hide a
	// misspelt attribute.
	known := func(value ast.Expr) bool { return checked.GetType(value.ID()).Kind() != types.DynKind }

	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(node ast.Expr) {
		switch node.Kind() {
		case ast.StructKind:
			refuse(node, "must not build objects")
		case ast.SelectKind:
			if selection := node.AsSelect(); !known(selection.Operand()) {
				refuse(node, "must not select %s from a value of mixed type", quote(selection.FieldName()))
			}
		case ast.CallKind:
			call := node.AsCall()
			switch {
			case call.FunctionName() == operators.Index && !known(call.Args()[0]):
				refuse(node, "must not index a value of mixed type")
			case call.FunctionName() == overloads.Matches:
				// The pattern is the last argument of both s.matches(p) and matches(s, p).
				args := call.Args()
				if problem := patterns.add(args[len(args)-1]); problem != "" {
					refuse(node, "%s", problem)
				}
			}
		}
	}))
	return patterns, problems
}

// describeIssue turns an issue of the library into a message. parsed is the tree that the issue is
// about, nil for a syntax error.
func describeIssue(issue *common.Error, parsed ast.Expr) string {
	at := describePosition(issue.Location)
	switch node := findNode(parsed, issue.ExprID); {
	case node != nil && node.Kind() == ast.SelectKind && strings.HasPrefix(issue.Message, "undefined field"):
		return describeUnknownAttribute(node.AsSelect()) + at
	case node != nil && node.Kind() == ast.IdentKind && strings.HasPrefix(issue.Message, "undeclared reference"):
		return fmt.Sprintf("names an unknown variable %s; there are %s%s",
			truncate(node.AsIdent(), maxQuoted), joinWithAnd(variableNames()), at)
	case node != nil && node.Kind() == ast.CallKind && strings.HasPrefix(issue.Message, "undeclared reference"):
		return fmt.Sprintf("calls an unknown function %s%s", truncate(node.AsCall().FunctionName(), maxQuoted), at)
	}
	message := strings.TrimSuffix(issue.Message, " (in container '')")
	// What the parser expected instead is most of its grammar.
	message, _, _ = strings.Cut(message, " expecting {")
	// What it suggests may be what conditions must not use.
	message, _, _ = strings.Cut(message, " (did you mean ")
	return "does not compile: " + toOneLine(rewordTypeNames(message)) + at
}

func describeUnknownAttribute(selection ast.SelectExpr) string {
	name := truncate(selection.FieldName(), maxQuoted)
	var existing []string
	for _, object := range objectTypes {
		owned := object.variable + " has " + joinWithAnd(object.names())
		if operand := selection.Operand(); operand.Kind() == ast.IdentKind && operand.AsIdent() == object.variable {
			return fmt.Sprintf("names an unknown attribute %s.%s; %s", object.variable, name, owned)
		}
		existing = append(existing, owned)
	}
	return fmt.Sprintf("names an unknown attribute %s; %s", name, strings.Join(existing, "; "))
}

func variableNames() (names []string) {
	for _, object := range objectTypes {
		names = append(names, object.variable)
	}
	return names
}

// findNode returns the node with an id, or nil.
func findNode(root ast.Expr, id int64) (found ast.Expr) {
	if root == nil {
		return nil
	}
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(node ast.Expr) {
		if node.ID() == id {
			found = node
		}
	}))
	return found
}

// describePosition shows a place in a condition, counting lines and characters from 1; nothing for an issue
// of the whole.
func describePosition(location common.Location) string {
	if location.Line() < 1 {
		return ""
	}
	return fmt.Sprintf(" (at %d:%d)", location.Line(), location.Column()+1)
}

// rewordTypeNames words CEL's name of a nullable type as this language's documentation does.
func rewordTypeNames(message string) string {
	return strings.ReplaceAll(message, "wrapper(string)", "string or null")
}

// What evaluating a condition mostly fails with: it passes its limit, or a function does not take a
// value. Since types were checked, such a value is null, or an element of a list of several types.
var (
	errTooMuchWork = errors.New("the condition takes too much work")
	errWrongValue  = errors.New("a value is null, or of another type than the condition needs")
)

// evaluate evaluates the condition, and returns what that cost. An error means that the condition is
// neither true nor false for this subject.
func (c *condition) evaluate(s *subject) (holds bool, cost uint64, err error) {
	result, details, err := c.program.Eval(s)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &cancelled):
		return false, max(cost, maxConditionCost), errTooMuchWork
	case err != nil && strings.HasPrefix(err.Error(), "no such overload"):
		return false, cost, errWrongValue
	case err != nil:
		return false, cost, errors.New(toOneLine(err.Error()))
	}
	value, ok := result.(types.Bool)
	if !ok {
		return false, cost, fmt.Errorf("the condition is a %s", result.Type().TypeName())
	}
	return bool(value), cost, nil
}
