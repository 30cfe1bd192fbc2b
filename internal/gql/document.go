package gql

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

const (
	maxVariables = 200
	// maxSuggesting is the longest document whose errors suggest names: that compares every unknown name with every known.
	maxSuggesting = 2 << 10
	textBytes     = 60 // about what a byte of a document takes in memory once it is parsed
)

// document is a parsed and valid document.
type document struct {
	parsed    *ast.QueryDocument
	fragments map[string]*ast.FragmentDefinition

	// for the cache
	bytes, planBytes int
	plans            map[planKey]*plan
}

// chooseOperation chooses the operation to run.
func (d *document) chooseOperation(name string) (*ast.OperationDefinition, *Error) {
	if name == "" && len(d.parsed.Operations) > 1 {
		return nil, &Error{Message: "Must provide operation name if query contains multiple operations."}
	}
	if op := d.parsed.Operations.ForName(name); op != nil {
		return op, nil
	}
	return nil, errorAt(nil, `Unknown operation named "%s".`, name)
}

// parseDocument parses and validates a document. What it may cost is checked before the rules that compare its parts.
func (e *Executor) parseDocument(text string) (*document, []*Error) {
	if len(text) > e.options.MaxDocument {
		return nil, []*Error{errorAt(nil, "The document has %d bytes, which exceeds the limit of %d.", len(text),
			e.options.MaxDocument)}
	}
	if err := e.checkTokens(text); err != nil {
		return nil, []*Error{err}
	}
	parsed, err := parser.ParseQuery(&ast.Source{Input: text})
	var syntax *gqlerror.Error
	if errors.As(err, &syntax) {
		syntax.Message = "Syntax Error: " + syntax.Message
		return nil, convertErrors(gqlerror.List{syntax})
	}
	d := &document{parsed: parsed, fragments: make(map[string]*ast.FragmentDefinition, len(parsed.Fragments)),
		bytes: textBytes * len(text)}
	for _, f := range parsed.Fragments {
		d.fragments[f.Name] = f
	}
	if err := e.checkExtent(d); err != nil {
		return nil, []*Error{err}
	}
	checks := e.rules
	if len(text) <= maxSuggesting {
		checks = e.suggesting
	}
	if errs := validator.ValidateWithRules(e.schema.ast, parsed, checks); len(errs) > 0 {
		return nil, convertErrors(errs)
	}
	if err := e.checkOverlaps(d); err != nil {
		return nil, []*Error{err}
	}
	return d, nil
}

// checkTokens counts a document's tokens and fields without keeping anything of it: parsed, each takes a hundred times
// its length. What is wrong with it otherwise, the parser says.
func (e *Executor) checkTokens(text string) *Error {
	source := lexer.New(&ast.Source{Input: text})
	tokens, fields, braces, parentheses := 0, 0, 0, 0
	isOther := false // the next name is a directive's, a fragment's or a type's
	for {
		token, err := source.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil //nolint:nilerr // the parser says what is wrong, in better words
		}
		if tokens++; tokens > e.options.MaxTokens {
			return errorAt(nil, "The document has more than %d tokens, which is the limit", e.options.MaxTokens)
		}
		switch token.Kind {
		case lexer.ParenL:
			parentheses++
		case lexer.ParenR:
			parentheses--
		}
		if parentheses > 0 { // arguments and variables
			continue
		}
		switch token.Kind {
		case lexer.BraceL:
			braces++
		case lexer.BraceR:
			braces--
		case lexer.Colon: // the name before it was an alias
			fields--
		case lexer.Name:
			if !isOther && braces > 0 {
				fields++
			}
		}
		isOther = token.Kind == lexer.At || token.Kind == lexer.Spread || isOther && token.Kind == lexer.Name &&
			token.Value == "on"
		if fields > e.options.MaxFields {
			return errorAt(&token.Pos, "Query has more than %d fields, which is the limit", e.options.MaxFields)
		}
	}
}

// ruleSet is the specification's rules. Three are replaced, because they cost too much or check too little: merging
// (see checkOverlaps), cycles (see checkExtent) and values.
func ruleSet(s *Schema, suggest bool) *rules.Rules {
	set := rules.NewDefaultRules()
	set.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	set.RemoveRule(rules.NoFragmentCyclesRule.Name)
	set.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, s.valueRule)
	if !suggest {
		set.ReplaceRule(rules.FieldsOnCorrectTypeRule.Name, rules.FieldsOnCorrectTypeRuleWithoutSuggestions.RuleFunc)
		set.ReplaceRule(rules.KnownArgumentNamesRule.Name, rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc)
		set.ReplaceRule(rules.KnownTypeNamesRule.Name, rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc)
	}
	return set
}

// valueRule checks that literals can become what their places ask for, with the code that reads them later.
func (s *Schema) valueRule(observers *core.Events, addError core.AddErrFunc) {
	check := func(t *ast.Type, v *ast.Value) {
		c := coercer{schema: s, open: usesVariables(v), wrong: func(_ any, at *trail, message string) {
			addError(core.Message("%s", message), core.At(v.Position))
		}}
		c.coerce(t, readLiteral(v, nil, true), nil)
	}
	arguments := func(args ast.ArgumentList) {
		for _, arg := range args {
			if arg.Value.ExpectedType != nil {
				check(arg.Value.ExpectedType, arg.Value)
			}
		}
	}
	observers.OnField(func(_ *core.Walker, f *ast.Field) { arguments(f.Arguments) })
	observers.OnDirective(func(_ *core.Walker, d *ast.Directive) { arguments(d.Arguments) })
	observers.OnVariable(func(_ *core.Walker, v *ast.VariableDefinition) {
		if v.DefaultValue != nil && v.Definition != nil && v.Definition.IsInputType() {
			check(v.Type, v.DefaultValue)
		}
	})
}

// checkExtent is the first look at a document: it refuses cycles of fragments, strings that are no text, and what is
// too deep or too large once fragments are spread, in time that grows with the document's length alone.
func (e *Executor) checkExtent(d *document) *Error {
	s := surveyor{document: d, known: make(map[string]*extent, len(d.fragments))}
	work := 0 // of the validator, which goes through each fragment for each operation
	for _, op := range d.parsed.Operations {
		if n := len(op.VariableDefinitions); n > maxVariables {
			return errorAt(op.Position, "The operation has %d variables, which exceeds the limit of %d.", n, maxVariables)
		}
		x := s.measureSet(op.SelectionSet)
		x.work += s.measureDirectives(op.Directives)
		for _, v := range op.VariableDefinitions {
			x.work += 1 + s.measureDirectives(v.Directives) + s.measureValue(v.DefaultValue)
		}
		if x.depth > e.options.MaxDepth {
			return errorAt(op.Position, "Query has depth of %d, which exceeds max depth of %d", x.depth, e.options.MaxDepth)
		}
		if x.fields > e.options.MaxFields {
			return errorAt(op.Position, "Query has more than %d fields, which is the limit", e.options.MaxFields)
		}
		work = capInt32(work + x.work)
	}
	for _, f := range d.parsed.Fragments {
		if len(f.VariableDefinition) > 0 {
			return errorAt(f.Position, "Syntax Error: A fragment cannot have variables.")
		}
		work = capInt32(work + s.measureFragment(f).work)
	}
	switch {
	case s.fault != nil:
		return s.fault
	case len(d.parsed.Operations) == 0:
		return &Error{Message: "Syntax Error: The document has no operation."}
	case work > 5*e.options.MaxFields:
		return &Error{Message: "The document is too large once its fragments are spread."}
	}
	return nil
}

// extent is what a selection set amounts to when its fragments are spread.
type extent struct{ fields, depth, work int }

type surveyor struct {
	document *document
	known    map[string]*extent // of fragments; nil while it is being found
	source   []rune             // the document's text, once it is needed
	fault    *Error
}

func capInt32(n int) int { return min(n, math.MaxInt32) }

func (s *surveyor) measureSet(set ast.SelectionSet) (sum extent) {
	for _, selection := range set {
		var x extent
		switch selection := selection.(type) {
		case *ast.Field:
			x = s.measureSet(selection.SelectionSet)
			x.fields++
			x.depth++
			if selection.Name == "__schema" || selection.Name == "__type" {
				x.depth = 1
			}
			x.work += s.measureDirectives(selection.Directives) + s.measureArguments(selection.Arguments)
		case *ast.InlineFragment:
			x = s.measureSet(selection.SelectionSet)
			x.work += s.measureDirectives(selection.Directives)
		case *ast.FragmentSpread:
			if f := s.document.fragments[selection.Name]; f != nil {
				x = s.measureFragment(f)
			}
			x.work += s.measureDirectives(selection.Directives)
		}
		sum = extent{capInt32(sum.fields + x.fields), max(sum.depth, x.depth), capInt32(sum.work + x.work + 1)}
	}
	return sum
}

func (s *surveyor) measureFragment(f *ast.FragmentDefinition) extent {
	x, visited := s.known[f.Name]
	if visited && x == nil {
		s.fault = errorAt(f.Position, `Cannot spread fragment "%s" within itself.`, f.Name)
		return extent{}
	}
	if x == nil {
		s.known[f.Name] = nil
		found := s.measureSet(f.SelectionSet)
		found.work += s.measureDirectives(f.Directives)
		x = &found
		s.known[f.Name] = x
	}
	return *x
}

func (s *surveyor) measureDirectives(directives ast.DirectiveList) (work int) {
	for _, d := range directives {
		work += 1 + s.measureArguments(d.Arguments)
	}
	return work
}

func (s *surveyor) measureArguments(args ast.ArgumentList) (work int) {
	for _, arg := range args {
		work += s.measureValue(arg.Value)
	}
	return work
}

func (s *surveyor) measureValue(v *ast.Value) (work int) {
	if v == nil {
		return 0
	}
	for _, child := range v.Children {
		work += s.measureValue(child.Value)
	}
	if v.Kind == ast.StringValue && strings.ContainsRune(v.Raw, utf8.RuneError) && s.hasLoneSurrogate(v.Position) {
		s.fault = errorAt(v.Position, "Syntax Error: A string has an escape of half a surrogate pair.")
	}
	return work + 1
}

// hasLoneSurrogate reports whether a string, which the parser let pass and may have put U+FFFD into, has an escape that
// stands for no character.
func (s *surveyor) hasLoneSurrogate(at *ast.Position) bool {
	if s.source == nil {
		s.source = []rune(at.Src.Input)
	}
	_, rest, found := strings.Cut(string(s.source[at.Start:at.End]), `\`)
	for ; found; _, rest, found = strings.Cut(rest, `\`) {
		if first := codeUnit(rest); !utf16.IsSurrogate(first) {
			rest = rest[1:]
		} else if rest = rest[5:]; rest[0] != '\\' || utf16.DecodeRune(first, codeUnit(rest[1:])) == utf8.RuneError {
			return true
		} else {
			rest = rest[6:]
		}
	}
	return false
}

// codeUnit returns what the escape behind a backslash stands for, if it has four hexadecimal digits, and otherwise 0.
func codeUnit(escape string) rune {
	if escape[0] != 'u' || len(escape) < 5 {
		return 0
	}
	unit, err := strconv.ParseUint(escape[1:5], 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

// cache has recently used documents and their plans, within about a budget of bytes. It has two generations: when the
// young one takes half of the budget it becomes the old one, and what was old and not used again is dropped.
type cache struct {
	mu         sync.Mutex
	budget     int
	used       int // by the young
	young, old map[string]*document
}

func (c *cache) get(text string) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.young[text]
	if d == nil {
		if d = c.old[text]; d != nil {
			c.add(text, d)
		}
	}
	return d
}

func (c *cache) put(text string, d *document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(text, d)
}

// add stores a document, unless it takes more than a third of the budget: those would drive out all others.
func (c *cache) add(text string, d *document) {
	bytes := d.bytes + d.planBytes
	if bytes > c.budget/3 {
		return
	}
	if c.young == nil || c.used+bytes > c.budget/2 {
		c.old, c.young, c.used = c.young, map[string]*document{}, 0
	}
	c.young[text] = d
	c.used += bytes
}

func (c *cache) plan(d *document, key planKey) *plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return d.plans[key]
}

// putPlan stores a plan with its document, whose plans may take an eighth of the budget.
func (c *cache) putPlan(d *document, key planKey, p *plan, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.plans == nil || d.planBytes+bytes > c.budget/8 {
		d.plans, d.planBytes = map[planKey]*plan{}, 0
	}
	if bytes <= c.budget/8 {
		d.plans[key] = p
		d.planBytes += bytes
		c.used += bytes
	}
}
