package gql_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// documentsPerData is how many random documents share their data.
const documentsPerData = 100

// compareRandom compares random valid documents over random data. The same seed makes the same ones.
func compareRandom(t *testing.T, sides *sides, seed uint64, count int) {
	outcomes := map[outcome]int{}
	for i := range count {
		random := chance{rand.New(rand.NewPCG(seed, uint64(i)))}
		if i%documentsPerData == 0 {
			sides.use(t, marshal(t, randomData(random, sides.ours.schema)))
		}
		for _, q := range randomQuestions(t, random, sides.ours.schema) {
			got := sides.compare(t, q.question)
			outcomes[got]++
			if got == refused && !q.doubtful {
				t.Errorf("a good document was refused: %s\n%s", q.Document, q.Variables)
			}
		}
		if t.Failed() {
			t.Fatalf("at document %d of seed %d", i, seed)
		}
	}
	t.Logf("%v with %d documents", outcomes, count)
	if outcomes[answered] < count/4 || outcomes[partial] < count/8 {
		t.Errorf("the documents do not test what they should: %v with %d", outcomes, count)
	}
}

// compareFaults compares random documents with one fault each, so that most are refused: by both sides or by none.
func compareFaults(t *testing.T, sides *sides, seed uint64, count int) {
	outcomes := map[outcome]int{}
	for i := range count {
		random := chance{rand.New(rand.NewPCG(seed, uint64(i)))}
		if i%documentsPerData == 0 {
			sides.use(t, marshal(t, randomData(random, sides.ours.schema)))
		}
		q := randomQuestions(t, random, sides.ours.schema)[0].question
		q.Document = withFault(random, q.Document)
		outcomes[sides.compare(t, q)]++
		if t.Failed() {
			t.Fatalf("at document %d of seed %d", i, seed)
		}
	}
	t.Logf("%v with %d documents", outcomes, count)
	if outcomes[refused] < count/4 {
		t.Errorf("the documents do not test what they should: %v with %d", outcomes, count)
	}
}

var tokens = regexp.MustCompile(`"""[^"]*"""|"(\\.|[^"\\])*"|\.\.\.|-?\d[\w.+-]*|[$@]?\w+|\S`)

// withFault takes one token out of a document, doubles it, or puts another of the document in its place.
func withFault(c chance, document string) string {
	all := tokens.FindAllString(document, -1)
	at := c.IntN(len(all))
	switch c.IntN(4) {
	case 0:
		all = slices.Delete(all, at, at+1)
	case 1:
		all = slices.Insert(all, at, all[at])
	default:
		all[at] = pick(c, all)
	}
	return strings.Join(all, " ")
}

type chance struct{ *rand.Rand }

// percent is true so often of a hundred times.
func (c chance) percent(n int) bool { return c.IntN(100) < n }

func pick[V any](c chance, from []V) V { return from[c.IntN(len(from))] }

// randomData makes objects of every type that name each other, with failures and nulls where they may be and where not.
func randomData(c chance, schema *ast.Schema) map[string]map[string]any {
	const perType = 6
	var value func(typ *ast.Type, bad int) any
	value = func(typ *ast.Type, bad int) any {
		switch {
		case typ.NonNull && c.percent(bad), !typ.NonNull && c.percent(7):
			return nil
		case typ.Elem != nil:
			list := make([]any, pick(c, []int{0, 1, 2, 2, 3, 3}))
			for i := range list {
				list[i] = value(typ.Elem, bad)
			}
			return list
		}
		def := schema.Types[typ.NamedType]
		if def.IsLeafType() {
			return randomLeaf(c, def)
		}
		return map[string]any{"$ref": fmt.Sprint(pick(c, schema.GetPossibleTypes(def)).Name, c.IntN(perType))}
	}
	fields := func(def *ast.Definition, bad int) map[string]any {
		object := map[string]any{"__typename": def.Name}
		for _, field := range def.Fields {
			object[field.Name] = value(field.Type, bad)
			if c.percent(bad) {
				object[field.Name] = map[string]any{"$error": "failed"}
			}
		}
		return object
	}
	data := map[string]map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		if def := schema.Types[name]; def.Kind == ast.Object && !def.BuiltIn {
			for i := range perType {
				data[fmt.Sprint(name, i)] = fields(def, 3)
				data[fmt.Sprint(name, i)]["id"] = fmt.Sprint(name, i)
			}
		}
	}
	data["query"], data["mutation"] = fields(schema.Query, 0), fields(schema.Mutation, 4)
	data["query"]["query"] = map[string]any{"$ref": "query"}
	return data
}

func randomLeaf(c chance, def *ast.Definition) any {
	switch def.Name {
	case "Int":
		return pick(c, []any{0, 1, -1, 2147483647, -2147483648})
	case "Float":
		return pick(c, []any{0, 1, -1.5, 1e21, 1e-7, 123456789.125, 3.141592653589793})
	case "Boolean":
		return c.percent(50)
	case "Any", "Plain":
		return pick(c, []any{1, "text", true, []any{1, nil}, map[string]any{"b": 1, "a": []any{}}})
	}
	if def.Kind == ast.Enum {
		return pick(c, def.EnumValues).Name
	}
	return pick(c, []any{"", "a", "b \"quoted\" \\ <&>", "line\nline\ttab", "é 水 😀", "\u0001\u2028"})
}

// A randomQuestion is doubtful if it may be refused: a variable has a bad value, or introspection may be too deep.
type randomQuestion struct {
	question
	doubtful bool
}

// randomQuestions makes a valid document, and asks it with several sets of variables.
func randomQuestions(t *testing.T, c chance, schema *ast.Schema) (questions []randomQuestion) {
	w := &documentWriter{chance: c, schema: schema, keys: map[string]string{}, arguments: map[string][]string{}, budget: 10 + c.IntN(70)}
	var operations []string
	names := []string{""}
	if c.percent(20) {
		names = []string{"First", "Second"}[:1+c.IntN(2)]
	}
	chosen := pick(c, names)
	for _, name := range names {
		kind, root := "query", schema.Query
		if c.percent(15) {
			kind, root = "mutation", schema.Mutation
		}
		w.uses = uses{}
		selection := w.selectionSet(root, 0)
		header := strings.Join(slices.DeleteFunc([]string{kind, name, w.definitions(), w.marks()}, func(s string) bool { return s == "" }), " ")
		if header == "query" && c.percent(50) {
			header = ""
		}
		operations = append(operations, header+" "+selection)
	}
	document := operations
	for _, f := range w.fragments {
		document = append(document, f.text)
	}
	c.Shuffle(len(document), func(i, j int) { document[i], document[j] = document[j], document[i] })
	if len(names) == 1 && c.percent(50) {
		chosen = ""
	}
	for range 1 + min(len(w.variables), 2) {
		values, bad := w.values()
		questions = append(questions, randomQuestion{question{strings.Join(document, "\n"), marshal(t, values), chosen}, w.introspects || bad})
	}
	return questions
}

// documentWriter writes a document's definitions.
//
// That fields of one response key can be merged is seen to by using a key, in the whole document, for one field name, one
// text of arguments and one shape of results only.
type documentWriter struct {
	chance
	schema    *ast.Schema
	keys      map[string]string   // by response key: what it stands for
	arguments map[string][]string // by field: those that were written
	fragments []*fragment         // those that are complete
	variables []*variable
	uses      uses // of the definition that is being written
	budget    int  // of fields
	names     int

	introspects bool
}

type uses map[string]bool // names of variables

type fragment struct {
	name, text string
	on         *ast.Definition
	depth      int
	uses       uses
}

type variable struct {
	name, text  string // text is its definition
	typ         *ast.Type
	hasDefault  bool
	defaultGood bool // the default is not null
}

const maxDepth = 7

func (w *documentWriter) fresh(prefix string) string {
	w.names++
	return fmt.Sprint(prefix, w.names)
}

func (w *documentWriter) selectionSet(on *ast.Definition, depth int) string {
	var selections []string
	most := 5
	if w.ending(depth) {
		most = 2
	}
	for range 1 + w.IntN(most) {
		selections = append(selections, w.selection(on, depth))
	}
	return "{ " + strings.Join(selections, " ") + " }"
}

func (w *documentWriter) selection(on *ast.Definition, depth int) string {
	w.budget--
	switch n := w.IntN(100); {
	case w.ending(depth):
		leaves := slices.DeleteFunc(slices.Clone(on.Fields), func(f *ast.FieldDefinition) bool {
			return !w.schema.Types[f.Type.Name()].IsLeafType() || slices.Contains(notCompared, on.Name+"."+f.Name)
		})
		return w.field(on, pick(w.chance, append(leaves, typeNameField)), depth)
	case n < 5:
		return w.field(on, typeNameField, depth)
	case n < 20:
		return w.spread(on, depth)
	case n < 35 || on.Kind == ast.Union:
		if w.percent(20) {
			return "..." + w.directives() + " " + w.selectionSet(on, depth+1)
		}
		condition := w.narrowed(on)
		return "... on " + condition.Name + w.directives() + " " + w.selectionSet(condition, depth+1)
	default:
		return w.field(on, w.pickField(on), depth)
	}
}

var typeNameField = &ast.FieldDefinition{Name: "__typename", Type: ast.NonNullNamedType("String", nil)}

// ending says whether it is time to select leaves only.
func (w *documentWriter) ending(depth int) bool { return depth >= maxDepth || w.budget < 0 }

// notCompared are the fields that may have different answers: in their order, in what is built in, and in what the edition has.
var notCompared = []string{"__Schema.types", "__Schema.directives", "__Type.description", "__Type.isOneOf", "__InputValue.defaultValue"}

func (w *documentWriter) pickField(on *ast.Definition) *ast.FieldDefinition {
	field := pick(w.chance, on.Fields)
	if on == w.schema.Query && strings.HasPrefix(field.Name, "__") && w.percent(70) || slices.Contains(notCompared, on.Name+"."+field.Name) {
		return w.pickField(on)
	}
	return field
}

func (w *documentWriter) field(on *ast.Definition, field *ast.FieldDefinition, depth int) string {
	arguments := w.argumentList(on, field)
	w.introspects = w.introspects || field.Name == "__type" || field.Name == "__schema"
	def := w.schema.Types[field.Type.Name()]
	shape := field.Type.String()
	if !def.IsLeafType() {
		shape = strings.Replace(shape, def.Name, "object", 1)
	}
	text := w.alias(field.Name, field.Name+arguments+" "+shape) + arguments + w.directives()
	if def.IsLeafType() {
		return text
	}
	return text + " " + w.selectionSet(def, depth+1)
}

// alias returns the field's name, after an alias if it needs one or chance has it.
func (w *documentWriter) alias(name, meaning string) string {
	key := name
	if w.percent(20) {
		key = pick(w.chance, []string{"a", "b", "c", "id", "name", "text", "self"})
	}
	if known, taken := w.keys[key]; taken && known != meaning {
		key = name
		if known, taken := w.keys[key]; taken && known != meaning {
			key = w.fresh("k")
			for _, k := range slices.Sorted(maps.Keys(w.keys)) { // an alias that was used for the same can be merged
				if w.keys[k] == meaning {
					key = k
				}
			}
		}
	}
	w.keys[key] = meaning
	if key == name {
		return name
	}
	return key + ": " + name
}

// argumentList writes arguments, sometimes those of an earlier field of this type, so that both are merged.
func (w *documentWriter) argumentList(on *ast.Definition, field *ast.FieldDefinition) string {
	if len(field.Arguments) == 0 {
		return ""
	}
	if field.Name == "__type" {
		return fmt.Sprintf("(name: %q)", pick(w.chance, []string{"Human", "Mood", "Filter", "Companion", "Pet", "Any", "Int", "Inputs", "Nobody"}))
	}
	name := on.Name + "." + field.Name
	if earlier := w.arguments[name]; len(earlier) > 0 && w.percent(50) {
		text := pick(w.chance, earlier)
		for _, v := range w.variables {
			if strings.Contains(text, "$"+v.name) {
				w.uses[v.name] = true
			}
		}
		return text
	}
	var list []string
	for _, argument := range field.Arguments {
		hasDefault := argument.DefaultValue != nil
		if (!argument.Type.NonNull || hasDefault) && w.percent(35) {
			continue
		}
		list = append(list, argument.Name+": "+w.literal(argument.Type, hasDefault, true))
	}
	if len(list) == 0 {
		return ""
	}
	w.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	text := "(" + strings.Join(list, ", ") + ")"
	w.arguments[name] = append(w.arguments[name], text)
	return text
}

// literal writes a value of a type, which is or holds variables if it may.
func (w *documentWriter) literal(typ *ast.Type, hasDefault, mayVary bool) string {
	if mayVary && w.percent(30) {
		return "$" + w.variable(typ, hasDefault)
	}
	if !typ.NonNull && w.percent(10) {
		return "null"
	}
	if typ.Elem != nil {
		if w.percent(20) { // an item for a list
			if item := w.literal(typ.Elem, false, false); item != "null" {
				return item
			}
		}
		var list []string
		for range w.IntN(3) {
			list = append(list, w.literal(typ.Elem, false, mayVary))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	def := w.schema.Types[typ.NamedType]
	if def.Kind == ast.InputObject {
		var fields []string
		for _, field := range def.Fields {
			if field.Type.NonNull && field.DefaultValue == nil || w.percent(20) {
				fields = append(fields, field.Name+": "+w.literal(field.Type, field.DefaultValue != nil, mayVary))
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	switch def.Name {
	case "Int":
		return pick(w.chance, []string{"0", "1", "2", "-1", "2147483647", "-2147483648"})
	case "Float":
		return pick(w.chance, []string{"0", "1", "-1.5", "2e3", "1.5e-9"})
	case "Boolean":
		return pick(w.chance, []string{"true", "false"})
	case "ID":
		return pick(w.chance, []string{`"Dog1"`, `"Cat2"`, `"Rock3"`, `"none"`, "4"})
	case "Any":
		return pick(w.chance, []string{"1", `"x"`, "ENUM", "[1, [2.5], {}]", `{b: true, a: {c: "d"}}`})
	}
	if def.Kind == ast.Enum {
		return pick(w.chance, def.EnumValues).Name
	}
	return pick(w.chance, []string{`""`, `"a"`, `"\"\\\u00e9\n"`, `"水 # {"`, `""" block "quoted" """`})
}

// variable returns the name of a variable that may stand at a place of this type, an earlier or a new one.
func (w *documentWriter) variable(typ *ast.Type, hasDefault bool) string {
	for _, v := range w.variables {
		if w.percent(50) && v.mayStandAt(typ, hasDefault) {
			w.uses[v.name] = true
			return v.name
		}
	}
	v := &variable{name: w.fresh("v") + "_", typ: typ}
	if !typ.NonNull && w.percent(30) {
		strict := *typ
		strict.NonNull = true
		v.typ = &strict
	}
	if typ.NonNull && w.percent(50) {
		loose := *typ
		loose.NonNull = false
		v.typ = &loose
	}
	v.text = "$" + v.name + ": " + v.typ.String()
	required := typ.NonNull && !v.typ.NonNull && !hasDefault // its default makes it good
	if required || w.percent(30) {
		literal := w.literal(v.typ, false, false)
		for literal == "null" && required {
			literal = w.literal(v.typ, false, false)
		}
		v.hasDefault, v.defaultGood = true, literal != "null"
		v.text += " = " + literal
	}
	v.text += w.marks()
	w.variables = append(w.variables, v)
	w.uses[v.name] = true
	return v.name
}

// values makes values for the variables, and says whether one is bad.
func (w *documentWriter) values() (values map[string]any, bad bool) {
	values = map[string]any{}
	for _, v := range w.variables {
		if (v.hasDefault || !v.typ.NonNull) && w.percent(40) {
			continue
		}
		value := w.json(v.typ)
		if w.percent(1) {
			value = pick(w.chance, []any{nil, "text", 1.5, []any{[]any{}}, map[string]any{"nothing": 1}})
			bad = true
		}
		if v.typ.NamedType == "Boolean" && value == nil {
			value = true // whether a null for @skip is an error hangs on when it is looked at, which is not specified
		}
		values[v.name] = value
	}
	return values, bad
}

// mayStandAt is the specification's IsVariableUsageAllowed for types that differ in their outermost nullability only.
func (v *variable) mayStandAt(typ *ast.Type, hasDefault bool) bool {
	if !typ.NonNull || v.typ.NonNull {
		return strings.TrimSuffix(v.typ.String(), "!") == strings.TrimSuffix(typ.String(), "!")
	}
	return v.typ.String()+"!" == typ.String() && (v.defaultGood || hasDefault)
}

// json makes a value of a type for a variable.
func (w *documentWriter) json(typ *ast.Type) any {
	if !typ.NonNull && w.percent(15) {
		return nil
	}
	if typ.Elem != nil {
		if w.percent(20) {
			if item := w.json(typ.Elem); item != nil {
				return item
			}
		}
		list := []any{}
		for range w.IntN(3) {
			list = append(list, w.json(typ.Elem))
		}
		return list
	}
	def := w.schema.Types[typ.NamedType]
	if def.Kind == ast.InputObject {
		object := map[string]any{}
		for _, field := range def.Fields {
			if field.Type.NonNull && field.DefaultValue == nil || w.percent(20) {
				object[field.Name] = w.json(field.Type)
			}
		}
		return object
	}
	if def.Name == "Float" {
		return pick(w.chance, []any{0, 1, -1.5, 1e21, 1e-7})
	}
	if def.Kind == ast.Scalar && def.Name == "String" {
		return pick(w.chance, []any{"", "a", "\"\\é\n"})
	}
	if def.Name == "ID" {
		return pick(w.chance, []any{"Dog1", "Cat2", "Rock3", "none", 4})
	}
	return randomLeaf(w.chance, def)
}

// directives writes @skip and @include, and directives that change nothing, after a space.
func (w *documentWriter) directives() string {
	text := ""
	for _, name := range []string{"skip", "include"} {
		if w.percent(6) {
			text += " @" + name + "(if: " + w.literal(ast.NonNullNamedType("Boolean", nil), false, true) + ")"
		}
	}
	return text + w.marks()
}

func (w *documentWriter) marks() string {
	if w.percent(3) {
		return " @marked(level: 3) @marked"
	}
	return ""
}

// narrowed returns a type that has some object type in common with another.
func (w *documentWriter) narrowed(on *ast.Definition) *ast.Definition {
	var overlapping []*ast.Definition
	for _, name := range slices.Sorted(maps.Keys(w.schema.Types)) {
		if w.overlap(on, w.schema.Types[name]) {
			overlapping = append(overlapping, w.schema.Types[name])
		}
	}
	return pick(w.chance, overlapping)
}

func (w *documentWriter) overlap(a, b *ast.Definition) bool {
	if !b.IsCompositeType() {
		return false
	}
	possible := w.schema.GetPossibleTypes(b)
	return slices.ContainsFunc(w.schema.GetPossibleTypes(a), func(def *ast.Definition) bool { return slices.Contains(possible, def) })
}

// spread writes the spread of a fragment, an earlier or a new one.
func (w *documentWriter) spread(on *ast.Definition, depth int) string {
	for _, f := range w.fragments {
		if w.percent(40) && depth+f.depth <= maxDepth && w.overlap(on, f.on) {
			maps.Copy(w.uses, f.uses)
			return "..." + f.name + w.directives()
		}
	}
	outside := w.uses
	w.uses = uses{}
	f := &fragment{name: w.fresh("F"), on: w.narrowed(on), depth: maxDepth - depth}
	f.text = "fragment " + f.name + " on " + f.on.Name + w.marks() + " " + w.selectionSet(f.on, depth+1)
	f.uses = w.uses
	w.fragments = append(w.fragments, f)
	w.uses = outside
	maps.Copy(w.uses, f.uses)
	return "..." + f.name + w.directives()
}

// definitions writes the definitions of the variables that an operation uses.
func (w *documentWriter) definitions() string {
	var list []string
	for _, v := range w.variables {
		if w.uses[v.name] {
			list = append(list, v.text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}
