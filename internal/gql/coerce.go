package gql

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// What a literal holds that JSON does not. All else is read alike from documents and from requests: nil, string, bool,
// int64, float64, []any and map[string]any.
type (
	enumName string
	bigInt   string              // an integer that a float64 cannot hold
	coerced  struct{ value any } // a variable's value
	unset    struct{}            // a variable without a value
)

// readLiteral reads what a document or schema says. If it is open, variables have no values yet and are right anywhere.
func readLiteral(v *ast.Value, vars Args, open bool) any {
	switch v.Kind {
	case ast.Variable:
		if open {
			return coerced{v.Raw}
		}
		if value, ok := vars[v.Raw]; ok {
			return coerced{value}
		}
		return unset{}
	case ast.IntValue:
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil && max(n, -n) <= maxSafeInteger {
			return n
		}
		return bigInt(v.Raw)
	case ast.FloatValue:
		f, _ := strconv.ParseFloat(v.Raw, 64)
		return f
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.NullValue:
		return nil
	case ast.EnumValue:
		return enumName(v.Raw)
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, child := range v.Children {
			list[i] = readLiteral(child.Value, vars, open)
		}
		return list
	case ast.ObjectValue:
		object := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			object[child.Name] = readLiteral(child.Value, vars, open)
		}
		return object
	}
	return v.Raw
}

const maxSafeInteger = 1<<53 - 1

// normalizeNumber brings the numbers that decoders produce to int64, where they are whole and small enough, and
// float64.
func normalizeNumber(v any) any {
	switch n := v.(type) {
	case int:
		return int64(n)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) <= maxSafeInteger {
			return int64(n)
		}
	}
	return v
}

// toJSONValue is a value for a custom scalar, of JSON's types alone.
func toJSONValue(v any) any {
	switch v := v.(type) {
	case enumName:
		return string(v)
	case bigInt:
		f, _ := strconv.ParseFloat(string(v), 64)
		return f
	case coerced:
		return v.value
	case unset:
		return nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = toJSONValue(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			if value != any(unset{}) {
				object[key] = toJSONValue(value)
			}
		}
		return object
	}
	return normalizeNumber(v)
}

// coercer turns values into what input types ask for.
type coercer struct {
	schema  *Schema
	request bool // the values are decoded JSON, not literals
	open    bool // variables have no values yet
	wrong   func(value any, at *trail, message string)
	failed  bool
}

// trail is the way into a value.
type trail struct {
	up    *trail
	name  string // or, if there is none, a place in a list
	index int
}

func (t *trail) String() string {
	switch {
	case t == nil:
		return ""
	case t.name == "":
		return t.up.String() + "[" + strconv.Itoa(t.index) + "]"
	}
	return t.up.String() + "." + t.name
}

func (c *coercer) fail(v any, at *trail, format string, args ...any) any {
	c.failed = true
	if c.wrong != nil {
		c.wrong(v, at, fmt.Sprintf(format, args...))
	}
	return nil
}

func (c *coercer) coerce(t *ast.Type, v any, at *trail) any {
	if known, ok := v.(coerced); ok {
		if v = known.value; v != nil || !t.NonNull {
			return v
		}
	}
	if v == nil || v == any(unset{}) {
		if t.NonNull {
			return c.fail(nil, at, `Expected non-nullable type "%s" not to be null.`, t)
		}
		return nil
	}
	if t.Elem != nil {
		given, ok := v.([]any)
		if !ok {
			return []any{c.coerce(t.Elem, v, at)}
		}
		list := make([]any, len(given))
		for i, element := range given {
			list[i] = c.coerce(t.Elem, element, &trail{up: at, index: i})
		}
		return list
	}
	def := c.schema.ast.Types[t.NamedType]
	switch def.Kind {
	case ast.InputObject:
		given, ok := v.(map[string]any)
		if !ok {
			return c.fail(v, at, `Expected type "%s" to be an object.`, def.Name)
		}
		return c.coerceObject(def, given, at)
	case ast.Enum:
		return c.coerceEnum(def, v, at)
	}
	if c.request {
		v = normalizeNumber(v)
	}
	return c.coerceScalar(def.Name, v, at)
}

func (c *coercer) coerceObject(def *ast.Definition, given map[string]any, at *trail) any {
	object := make(Args, len(def.Fields))
	for _, field := range def.Fields {
		value, ok := given[field.Name]
		switch {
		case ok && value != any(unset{}):
			object[field.Name] = c.coerce(field.Type, value, &trail{up: at, name: field.Name})
		case field.DefaultValue != nil:
			object[field.Name] = c.coerce(field.Type, readLiteral(field.DefaultValue, nil, false), at)
		case field.Type.NonNull:
			c.fail(given, at, `Field "%s" of required type "%s" was not provided.`, field.Name, field.Type)
		}
	}
	for name := range given {
		if def.Fields.ForName(name) == nil {
			c.fail(given, at, `Field "%s" is not defined by type "%s".`, truncateMessage(name), def.Name)
		}
	}
	return object
}

func (c *coercer) coerceEnum(def *ast.Definition, v any, at *trail) any {
	name, ok := v.(enumName)
	if text, isText := v.(string); isText && c.request {
		name, ok = enumName(text), true
	}
	if !ok {
		return c.fail(v, at, `Enum "%s" cannot represent value: %s.`, def.Name, describeValue(v))
	}
	if def.EnumValues.ForName(string(name)) == nil {
		return c.fail(v, at, `Value "%s" does not exist in "%s" enum.`, truncateMessage(string(name)), def.Name)
	}
	return string(name)
}

func (c *coercer) coerceScalar(name string, v any, at *trail) any {
	switch name {
	case "Int":
		if n, ok := v.(int64); ok && n == int64(int32(n)) {
			return n
		}
	case "Float":
		if n, ok := v.(int64); ok {
			return float64(n)
		}
		if big, ok := v.(bigInt); ok {
			v = toJSONValue(big)
		}
		if f, ok := v.(float64); ok && !math.IsInf(f, 0) {
			return f + 0 // there is no -0
		}
	case "String":
		if text, ok := v.(string); ok {
			return text
		}
	case "Boolean":
		if b, ok := v.(bool); ok {
			return b
		}
	case "ID":
		switch id := v.(type) {
		case string:
			return id
		case bigInt:
			return string(id)
		case int64:
			return strconv.FormatInt(id, 10)
		case float64:
			if c.request && id == math.Trunc(id) && !math.IsInf(id, 0) {
				return string(AppendFloat(nil, id))
			}
		}
	}
	if c.schema.ast.Types[name].BuiltIn {
		return c.fail(v, at, "%s cannot represent value: %s", name, describeValue(v))
	}
	parse := c.schema.scalars[name]
	if parse == nil || c.open {
		return toJSONValue(v)
	}
	parsed, err := parse(toJSONValue(v))
	if err != nil {
		return c.fail(v, at, `Expected type "%s". %s`, name, err)
	}
	return parsed
}

// describeValue shows a value in a message.
func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return string(AppendString(nil, truncateMessage(v)))
	case []any:
		return "[…]"
	case map[string]any:
		return "{…}"
	}
	return truncateMessage(fmt.Sprint(v))
}

func usesVariables(v *ast.Value) bool {
	return v.Kind == ast.Variable || slices.ContainsFunc(v.Children, func(child *ast.ChildValue) bool {
		return usesVariables(child.Value)
	})
}

// coerceArguments coerces a field's or directive's arguments.
func (s *Schema) coerceArguments(defs ast.ArgumentDefinitionList, given ast.ArgumentList,
	vars Args) (args Args, err error) {
	if len(defs) == 0 {
		return nil, nil
	}
	args = make(Args, len(defs))
	for _, def := range defs {
		value := any(unset{})
		if arg := given.ForName(def.Name); arg != nil {
			value = readLiteral(arg.Value, vars, false)
		}
		if value == any(unset{}) {
			if def.DefaultValue == nil && !def.Type.NonNull {
				continue
			}
			if def.DefaultValue != nil {
				value = readLiteral(def.DefaultValue, nil, false)
			}
		}
		c := coercer{schema: s, wrong: func(_ any, at *trail, message string) {
			err = &ownError{truncateMessage(`Argument "` + def.Name + at.String() + `" has an invalid value: ` + message)}
		}}
		if args[def.Name] = c.coerce(def.Type, value, nil); c.failed {
			return nil, err
		}
	}
	return args, nil
}

const maxVariableErrors = 50

// coerceVariables coerces a request's variables to the types that the operation declares.
func (s *Schema) coerceVariables(op *ast.OperationDefinition, given map[string]any) (Args, []*Error) {
	if len(op.VariableDefinitions) == 0 {
		return nil, nil
	}
	vars := make(Args, len(op.VariableDefinitions))
	var errs []*Error
	for _, def := range op.VariableDefinitions {
		value, ok := given[def.Variable]
		switch {
		case !ok && def.DefaultValue != nil:
			value = readLiteral(def.DefaultValue, nil, false)
		case !ok && def.Type.NonNull:
			errs = append(errs, errorAt(def.Position, `Variable "$%s" of required type "%s" was not provided.`, def.Variable,
				def.Type))
			continue
		case !ok:
			continue
		}
		c := coercer{schema: s, request: ok, wrong: func(v any, at *trail, message string) {
			place := ""
			if at != nil {
				place = ` at "` + def.Variable + at.String() + `"`
			}
			if len(errs) < maxVariableErrors {
				errs = append(errs, errorAt(def.Position, `Variable "$%s" got invalid value %s%s; %s`, def.Variable,
					describeValue(v), place, message))
			}
		}}
		vars[def.Variable] = c.coerce(def.Type, value, nil)
	}
	return vars, errs
}
