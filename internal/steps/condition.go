package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/pattern"
)

// maxConditionLength bounds a condition, and with it what compiling and evaluating it costs.
const maxConditionLength = 2048

// Condition is an expression that is true or false of a build.
type Condition struct {
	source string
	root   node
}

func (c *Condition) String() string { return c.source }

// Variables are what conditions see: each name with a string, an int, a bool, a []string or nil, and build.env by name.
type Variables struct {
	Values map[string]any
	Env    map[string]string
}

// environmentPrefix begins the names of variables of build.env.
const environmentPrefix = "build.env "

// Find returns the value of a variable by its name, which for NAME of build.env is "build.env NAME".
func (v Variables) Find(name string) any {
	inEnvironment, ok := strings.CutPrefix(name, environmentPrefix)
	if !ok {
		return v.Values[name]
	}
	if value, ok := v.Env[inEnvironment]; ok {
		return value
	}
	return nil
}

// Evaluation is what conditions are evaluated with, and what they have asked for.
type Evaluation struct {
	Variables Variables
	Work      *Work
	Seen      map[string]any // the variables that were asked for, with their values
}

// find returns the value of a variable, and records that it was asked for.
func (e *Evaluation) find(name string) any {
	value := e.Variables.Find(name)
	if e.Seen == nil {
		e.Seen = map[string]any{}
	}
	e.Seen[name] = value
	return value
}

// VariableNames are the variables that conditions of steps may name. Those of notifications may name a few more.
var VariableNames = []string{
	"build.author.email", "build.author.id", "build.author.name", "build.author.teams",
	"build.branch", "build.commit",
	"build.creator.email", "build.creator.id", "build.creator.name", "build.creator.teams",
	"build.env", "build.id", "build.merge_queue.base_branch", "build.merge_queue.base_commit", "build.message",
	"build.number",
	"build.pull_request.base_branch", "build.pull_request.draft", "build.pull_request.id", "build.pull_request.label",
	"build.pull_request.labels", "build.pull_request.repository", "build.pull_request.repository.fork",
	"build.source", "build.source_action", "build.source_event", "build.state", "build.tag",
	"organization.id", "organization.slug",
	"pipeline.default_branch", "pipeline.id", "pipeline.repository", "pipeline.slug",
}

// NotifyVariableNames are what conditions of a step's notifications may name besides, and BuildNotifyVariableNames
// those of a build's.
var (
	NotifyVariableNames = append([]string{"step.id", "step.key", "step.label", "step.outcome", "step.state",
		"step.type"}, BuildNotifyVariableNames...)
	BuildNotifyVariableNames = []string{"pipeline.started_failing", "pipeline.started_passing"}
)

// ParseCondition reads a condition of a step.
func (w *Work) ParseCondition(source string) (*Condition, error) {
	return w.parseCondition(source, VariableNames)
}

func (w *Work) parseCondition(source string, names []string) (*Condition, error) {
	if len(source) > maxConditionLength {
		return nil, fmt.Errorf("it is longer than %d bytes", maxConditionLength)
	}
	p := conditionParser{work: w, names: names}
	if err := p.scan(source); err != nil {
		return nil, err
	}
	root, err := p.parseOr()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, fmt.Errorf("%s is not expected there", t)
	}
	return &Condition{source, root}, nil
}

// Eval says whether the condition is true. It fails as Work.Spend does.
func (c *Condition) Eval(e *Evaluation) (bool, error) {
	is := isTrue(c.root.eval(e))
	return is, e.Work.err
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenOperator
	tokenString
	tokenInt
	tokenPattern
	tokenName
)

type token struct {
	kind tokenKind
	text string
}

func (t token) String() string {
	if t.kind == tokenEnd {
		return "the end"
	}
	return "`" + t.text + "`"
}

type conditionParser struct {
	work         *Work
	names        []string
	tokens       []token
	depth        int
	instructions int // of its regular expressions so far
}

var (
	space         = regexp.MustCompile(`^(?:\s+|//[^\n]*)+`)
	operatorToken = regexp.MustCompile(`^(?:\|\||&&|==|!=|=~|!~|!|\(|\))`)
	nameToken     = regexp.MustCompile(`^[A-Za-z_][\w.]*`)
	intToken      = regexp.MustCompile(`^-?\d{1,18}`)
	stringToken   = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
	patternToken  = regexp.MustCompile(`^/((?:[^/\\\n]|\\.)*)/(i?)`)
	escape        = regexp.MustCompile(`\\(.)`)
)

func (p *conditionParser) scan(rest string) error {
	for {
		// A comment begins as an empty pattern would: patterns stand only behind =~ and !~.
		rest = rest[len(space.FindString(rest)):]
		if rest == "" {
			p.tokens = append(p.tokens, token{kind: tokenEnd})
			return nil
		}
		add := func(kind tokenKind, length int, text string) {
			p.tokens = append(p.tokens, token{kind, text})
			rest = rest[length:]
		}
		if found := operatorToken.FindString(rest); found != "" {
			add(tokenOperator, len(found), found)
		} else if found := stringToken.FindString(rest); found != "" {
			add(tokenString, len(found), escape.ReplaceAllString(found[1:len(found)-1], "$1"))
		} else if found := patternToken.FindStringSubmatch(rest); found != nil {
			text := strings.ReplaceAll(found[1], `\/`, "/")
			if found[2] != "" {
				text = "(?i)" + text
			}
			add(tokenPattern, len(found[0]), text)
		} else if found := nameToken.FindString(rest); found != "" {
			add(tokenName, len(found), found)
		} else if found := intToken.FindString(rest); found != "" {
			add(tokenInt, len(found), found)
		} else {
			return fmt.Errorf("%q is not expected there", firstRune(rest))
		}
	}
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func (p *conditionParser) peek() token { return p.tokens[0] }

func (p *conditionParser) next() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *conditionParser) acceptOperator(operators ...string) (string, bool) {
	t := p.peek()
	isWord := t.kind == tokenName && t.text == "includes"
	if (t.kind == tokenOperator || isWord) && slices.Contains(operators, t.text) {
		return p.next().text, true
	}
	return "", false
}

func (p *conditionParser) parseOr() (node, error) {
	return p.parseChain(p.parseAnd, "||", func(a, b node) node { return either{a, b} })
}

func (p *conditionParser) parseAnd() (node, error) {
	return p.parseChain(p.parseComparison, "&&", func(a, b node) node { return both{a, b} })
}

func (p *conditionParser) parseChain(part func() (node, error), operator string, join func(a, b node) node) (
	node, error) {
	left, err := part()
	for err == nil {
		if _, ok := p.acceptOperator(operator); !ok {
			return left, nil
		}
		var right node
		right, err = part()
		left = join(left, right)
	}
	return nil, err
}

func (p *conditionParser) parseComparison() (node, error) {
	left, err := p.parseUnary()
	if err != nil {
		return nil, err
	}
	operator, ok := p.acceptOperator("==", "!=", "=~", "!~", "includes")
	if !ok {
		return left, nil
	}
	if operator == "=~" || operator == "!~" {
		t := p.next()
		if t.kind != tokenPattern {
			return nil, fmt.Errorf("a regular expression is expected after `%s`, not %s", operator, t)
		}
		compiled, err := p.compile(t.text)
		return matches{left, compiled, operator == "!~"}, err
	}
	right, err := p.parseUnary()
	if err != nil {
		return nil, err
	}
	if operator == "includes" {
		return includes{left, right}, nil
	}
	return equals{left, right, operator == "!="}, nil
}

// compile reads a regular expression of the condition.
func (p *conditionParser) compile(text string) (*pattern.Pattern, error) {
	compiled, err := p.work.compile(text)
	if err != nil {
		return nil, err
	}
	if p.instructions += compiled.Size(); p.instructions > MaxInstructions {
		return nil, patternFault{fmt.Errorf(
			"its regular expressions are too large: they compile to more than %d instructions together", MaxInstructions)}
	}
	return compiled, nil
}

func (p *conditionParser) parseUnary() (node, error) {
	if p.depth++; p.depth > 100 {
		return nil, Fault("it is nested too deeply")
	}
	defer func() { p.depth-- }()
	if _, ok := p.acceptOperator("!"); ok {
		of, err := p.parseUnary()
		return not{of}, err
	}
	if _, ok := p.acceptOperator("("); ok {
		inner, err := p.parseOr()
		if err != nil {
			return nil, err
		}
		if _, ok := p.acceptOperator(")"); !ok {
			return nil, fmt.Errorf("`)` is expected, not %s", p.peek())
		}
		return inner, nil
	}
	switch t := p.next(); t.kind {
	case tokenString:
		return constant{t.text}, nil
	case tokenInt:
		number, err := strconv.Atoi(t.text)
		return constant{number}, err
	case tokenName:
		return p.parseName(t.text)
	default:
		return nil, fmt.Errorf("a value is expected, not %s", t)
	}
}

func (p *conditionParser) parseName(name string) (node, error) {
	switch name {
	case "true", "false":
		return constant{name == "true"}, nil
	case "null":
		return constant{nil}, nil
	}
	if !slices.Contains(p.names, name) {
		return nil, fmt.Errorf("`%s` is not a variable", name)
	}
	if prefix, ok := strings.CutSuffix(name, "build.env"); ok {
		return p.parseEnvironment(name, prefix)
	}
	return variable{name}, nil
}

// parseEnvironment reads the name of a variable of a build's environment, which stands behind a prefix among the
// variables.
func (p *conditionParser) parseEnvironment(name, prefix string) (node, error) {
	_, opened := p.acceptOperator("(")
	variable := p.next()
	if _, closed := p.acceptOperator(")"); !opened || !closed || variable.kind != tokenString {
		return nil, fmt.Errorf("`%s` needs the name of a variable: `%s(\"NAME\")`", name, name)
	}
	return environment{prefix + variable.text}, nil
}

// node is a part of a condition. Its value is a string, an int, a bool, a []string or nil.
type node interface{ eval(e *Evaluation) any }

type (
	constant    struct{ value any }
	variable    struct{ name string }
	environment struct{ name string }
	not         struct{ of node }
	both        struct{ a, b node }
	either      struct{ a, b node }
	equals      struct {
		a, b    node
		negated bool
	}
	includes struct{ list, item node }
	matches  struct {
		text    node
		pattern *pattern.Pattern
		negated bool
	}
)

func (n constant) eval(*Evaluation) any      { return n.value }
func (n variable) eval(e *Evaluation) any    { return e.find(n.name) }
func (n environment) eval(e *Evaluation) any { return e.find(environmentPrefix + n.name) }
func (n not) eval(e *Evaluation) any         { return !isTrue(n.of.eval(e)) }
func (n both) eval(e *Evaluation) any        { return isTrue(n.a.eval(e)) && isTrue(n.b.eval(e)) }
func (n either) eval(e *Evaluation) any      { return isTrue(n.a.eval(e)) || isTrue(n.b.eval(e)) }

func (n equals) eval(e *Evaluation) any {
	a, b := n.a.eval(e), n.b.eval(e)
	if e.Work.Spend(min(weigh(a), weigh(b))) != nil {
		return false
	}
	return SameValue(a, b) != n.negated
}

// SameValue reports whether two values of variables are the same.
func SameValue(a, b any) bool {
	list, isList := a.([]string)
	other, isOther := b.([]string)
	if isList || isOther {
		return isList && isOther && slices.Equal(list, other)
	}
	return a == b
}

// weigh is about what comparing a value takes.
func weigh(value any) int {
	switch value := value.(type) {
	case string:
		return 1 + len(value)/64
	case []string:
		return 1 + len(value)
	}
	return 1
}

func (n includes) eval(e *Evaluation) any {
	list, _ := n.list.eval(e).([]string)
	item, ok := n.item.eval(e).(string)
	return ok && e.Work.Spend(weigh(list)) == nil && slices.Contains(list, item)
}

// Null matches no expression.
func (n matches) eval(e *Evaluation) any {
	text, ok := n.text.eval(e).(string)
	return (ok && e.Work.match(n.pattern, text)) != n.negated
}

// isTrue says whether a value counts as true: null and false do not.
func isTrue(value any) bool {
	is, isBool := value.(bool)
	return value != nil && (!isBool || is)
}
