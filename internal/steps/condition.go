package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// VariableNames are the variables that conditions of steps may name. Those of notifications may name a few more.
var VariableNames = []string{
	"build.author.email", "build.author.id", "build.author.name", "build.author.teams",
	"build.branch", "build.commit",
	"build.creator.email", "build.creator.id", "build.creator.name", "build.creator.teams",
	"build.env", "build.id", "build.merge_queue.base_branch", "build.merge_queue.base_commit", "build.message", "build.number",
	"build.pull_request.base_branch", "build.pull_request.draft", "build.pull_request.id", "build.pull_request.label",
	"build.pull_request.labels", "build.pull_request.repository", "build.pull_request.repository.fork",
	"build.source", "build.source_action", "build.source_event", "build.state", "build.tag",
	"organization.id", "organization.slug",
	"pipeline.default_branch", "pipeline.id", "pipeline.repository", "pipeline.slug",
}

// NotifyVariableNames are what conditions of notifications may name besides.
var NotifyVariableNames = []string{
	"pipeline.started_failing", "pipeline.started_passing",
	"step.id", "step.key", "step.label", "step.outcome", "step.state", "step.type",
}

// ParseCondition reads a condition of a step.
func ParseCondition(source string) (*Condition, error) { return parseCondition(source, VariableNames) }

func parseCondition(source string, names []string) (*Condition, error) {
	if len(source) > maxConditionLength {
		return nil, fmt.Errorf("it is longer than %d bytes", maxConditionLength)
	}
	p := conditionParser{names: names}
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

// Eval says whether the condition is true.
func (c *Condition) Eval(v Variables) bool { return isTrue(c.root.eval(v)) }

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
	names  []string
	tokens []token
	depth  int
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
			pattern := strings.ReplaceAll(found[1], `\/`, "/")
			if found[2] != "" {
				pattern = "(?i)" + pattern
			}
			add(tokenPattern, len(found[0]), pattern)
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

func (p *conditionParser) take() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *conditionParser) takeOperator(operators ...string) (string, bool) {
	t := p.peek()
	isWord := t.kind == tokenName && t.text == "includes"
	if (t.kind == tokenOperator || isWord) && slices.Contains(operators, t.text) {
		return p.take().text, true
	}
	return "", false
}

func (p *conditionParser) parseOr() (node, error) {
	return p.parseChain(p.parseAnd, "||", func(a, b node) node { return either{a, b} })
}

func (p *conditionParser) parseAnd() (node, error) {
	return p.parseChain(p.parseComparison, "&&", func(a, b node) node { return both{a, b} })
}

func (p *conditionParser) parseChain(part func() (node, error), operator string, join func(a, b node) node) (node, error) {
	left, err := part()
	for err == nil {
		if _, ok := p.takeOperator(operator); !ok {
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
	operator, ok := p.takeOperator("==", "!=", "=~", "!~", "includes")
	if !ok {
		return left, nil
	}
	if operator == "=~" || operator == "!~" {
		t := p.take()
		if t.kind != tokenPattern {
			return nil, fmt.Errorf("a regular expression is expected after `%s`, not %s", operator, t)
		}
		pattern, err := regexp.Compile(t.text)
		if err != nil {
			return nil, fmt.Errorf("the regular expression /%s/ is not valid", t.text)
		}
		return matches{left, pattern, operator == "!~"}, nil
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

func (p *conditionParser) parseUnary() (node, error) {
	if p.depth++; p.depth > 100 {
		return nil, Fault("it is nested too deeply")
	}
	defer func() { p.depth-- }()
	if _, ok := p.takeOperator("!"); ok {
		of, err := p.parseUnary()
		return not{of}, err
	}
	if _, ok := p.takeOperator("("); ok {
		inner, err := p.parseOr()
		if err != nil {
			return nil, err
		}
		if _, ok := p.takeOperator(")"); !ok {
			return nil, fmt.Errorf("`)` is expected, not %s", p.peek())
		}
		return inner, nil
	}
	switch t := p.take(); t.kind {
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

// parseEnvironment reads the name of a variable of a build's environment, which stands behind a prefix among the variables.
func (p *conditionParser) parseEnvironment(name, prefix string) (node, error) {
	_, opened := p.takeOperator("(")
	variable := p.take()
	if _, closed := p.takeOperator(")"); !opened || !closed || variable.kind != tokenString {
		return nil, fmt.Errorf("`%s` needs the name of a variable: `%s(\"NAME\")`", name, name)
	}
	return environment{prefix + variable.text}, nil
}

// node is a part of a condition. Its value is a string, an int, a bool, a []string or nil.
type node interface{ eval(Variables) any }

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
		pattern *regexp.Regexp
		negated bool
	}
)

func (n constant) eval(Variables) any   { return n.value }
func (n variable) eval(v Variables) any { return v.Values[n.name] }
func (n not) eval(v Variables) any      { return !isTrue(n.of.eval(v)) }
func (n both) eval(v Variables) any     { return isTrue(n.a.eval(v)) && isTrue(n.b.eval(v)) }
func (n either) eval(v Variables) any   { return isTrue(n.a.eval(v)) || isTrue(n.b.eval(v)) }

func (n environment) eval(v Variables) any {
	if value, ok := v.Env[n.name]; ok {
		return value
	}
	return nil
}

func (n equals) eval(v Variables) any {
	a, b := n.a.eval(v), n.b.eval(v)
	if list, ok := a.([]string); ok {
		other, isList := b.([]string)
		return (isList && slices.Equal(list, other)) != n.negated
	}
	if _, ok := b.([]string); ok {
		return n.negated
	}
	return (a == b) != n.negated
}

func (n includes) eval(v Variables) any {
	list, _ := n.list.eval(v).([]string)
	item, ok := n.item.eval(v).(string)
	return ok && slices.Contains(list, item)
}

// Null matches no expression.
func (n matches) eval(v Variables) any {
	text, ok := n.text.eval(v).(string)
	return (ok && n.pattern.MatchString(text)) != n.negated
}

// isTrue says whether a value counts as true: null and false do not.
func isTrue(value any) bool {
	is, isBool := value.(bool)
	return value != nil && (!isBool || is)
}
