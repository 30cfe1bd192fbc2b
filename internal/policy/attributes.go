package policy

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// This file shows Entry and Claims to CEL as two object types. They are declared by hand instead of
// as maps or protocol buffers, so that the checker refuses an attribute that does not exist, accepts
// a comparison with null, and knows no other object type that a condition could build.

// attribute is a field of an object type.
type attribute struct {
	name  string
	field *types.FieldType
}

// newAttribute returns an attribute whose value get takes from the *entryValue or *claimsValue that
// owner is.
func newAttribute(name string, kind *types.Type, get func(owner any) ref.Val) attribute {
	return attribute{name: name, field: &types.FieldType{
		Type:    kind,
		IsSet:   func(owner any) bool { return get(owner) != types.NullValue },
		GetFrom: func(owner any) (any, error) { return get(owner), nil },
	}}
}

// object is an object type: its name, and what it has.
type object struct {
	variable   string
	kind       *types.Type
	attributes []attribute
}

var nullableText = types.NewNullableType(types.StringType)

var entryObject = object{
	variable: "entry",
	kind:     types.NewObjectType("Entry"),
	attributes: []attribute{
		newAttribute("pipeline", nullableText, func(owner any) ref.Val { return nullIfEmpty(owner.(*entryValue).Pipeline) }),
		newAttribute("branch", nullableText, func(owner any) ref.Val { return nullIfEmpty(owner.(*entryValue).Branch) }),
		newAttribute("build", nullableText, func(owner any) ref.Val { return nullIfEmpty(owner.(*entryValue).Build) }),
	},
}

var claimsObject = object{
	variable:   "claims",
	kind:       types.NewObjectType("Claims"),
	attributes: claimAttributes(),
}

func claimAttributes() (attributes []attribute) {
	for _, claim := range claimTable {
		kind, get := types.StringType, func(owner any) ref.Val {
			return types.String(*claim.text((*Claims)(owner.(*claimsValue))))
		}
		switch {
		case claim.number != nil:
			kind, get = types.IntType, func(owner any) ref.Val {
				return types.Int(*claim.number((*Claims)(owner.(*claimsValue))))
			}
		case claim.nullable != nil:
			kind, get = nullableText, func(owner any) ref.Val {
				if text := *claim.nullable((*Claims)(owner.(*claimsValue))); text != nil {
					return types.String(*text)
				}
				return types.NullValue
			}
		}
		attributes = append(attributes, newAttribute(claim.name, kind, get))
	}
	return attributes
}

func nullIfEmpty(text string) ref.Val {
	if text == "" {
		return types.NullValue
	}
	return types.String(text)
}

// objectTypes is everything that a condition can name.
var objectTypes = []*object{&entryObject, &claimsObject}

func (o *object) names() (names []string) {
	for _, attribute := range o.attributes {
		names = append(names, attribute.name)
	}
	return names
}

// objectProvider describes to CEL the object types above, and no other type.
type objectProvider struct{}

var _ types.Provider = objectProvider{}

func (objectProvider) find(typeName string) (*object, bool) {
	for _, object := range objectTypes {
		if object.kind.TypeName() == typeName {
			return object, true
		}
	}
	return nil, false
}

func (p objectProvider) FindStructType(typeName string) (*types.Type, bool) {
	object, found := p.find(typeName)
	if !found {
		return nil, false
	}
	return types.NewTypeTypeWithParam(object.kind), true
}

func (p objectProvider) FindStructFieldNames(typeName string) ([]string, bool) {
	object, found := p.find(typeName)
	if !found {
		return nil, false
	}
	return object.names(), true
}

func (p objectProvider) FindStructFieldType(typeName, fieldName string) (*types.FieldType, bool) {
	object, found := p.find(typeName)
	if !found {
		return nil, false
	}
	for _, attribute := range object.attributes {
		if attribute.name == fieldName {
			return attribute.field, true
		}
	}
	return nil, false
}

func (objectProvider) FindIdent(string) (ref.Val, bool) { return nil, false }

func (objectProvider) EnumValue(name string) ref.Val { return types.NewErr("unknown enum %s", name) }

func (objectProvider) NewValue(typeName string, _ map[string]ref.Val) ref.Val {
	return types.NewErr("conditions cannot build objects of type %s", typeName)
}

// subject is what one condition is evaluated on: an entry and the job's claims. It implements
// cel.Activation.
type subject struct {
	entry  entryValue
	claims *claimsValue
}

var _ cel.Activation = (*subject)(nil)

func (s *subject) ResolveName(name string) (any, bool) {
	switch name {
	case entryObject.variable:
		return &s.entry, true
	case claimsObject.variable:
		return s.claims, true
	default:
		return nil, false
	}
}

func (*subject) Parent() cel.Activation { return nil }

// entryValue and claimsValue are Entry and Claims as CEL values. Only pointers are used, which is
// what the attributes expect.
type (
	entryValue  Entry
	claimsValue Claims
)

var (
	_ ref.Val = (*entryValue)(nil)
	_ ref.Val = (*claimsValue)(nil)
)

func (e *entryValue) Type() ref.Type { return entryObject.kind }
func (e *entryValue) Value() any     { return e }

func (e *entryValue) Equal(other ref.Val) ref.Val {
	entry, ok := other.(*entryValue)
	return types.Bool(ok && *entry == *e)
}

func (e *entryValue) ConvertToNative(to reflect.Type) (any, error) { return refuseNative(e, to) }
func (e *entryValue) ConvertToType(to ref.Type) ref.Val            { return refuseConversion(e, to) }

func (c *claimsValue) Type() ref.Type { return claimsObject.kind }
func (c *claimsValue) Value() any     { return c }

// Equal is identity: a condition sees the claims of one job.
func (c *claimsValue) Equal(other ref.Val) ref.Val { return types.Bool(other == ref.Val(c)) }

func (c *claimsValue) ConvertToNative(to reflect.Type) (any, error) { return refuseNative(c, to) }
func (c *claimsValue) ConvertToType(to ref.Type) ref.Val            { return refuseConversion(c, to) }

func refuseNative(value ref.Val, to reflect.Type) (any, error) {
	return nil, fmt.Errorf("%s cannot be converted to %v", value.Type().TypeName(), to)
}

func refuseConversion(value ref.Val, to ref.Type) ref.Val {
	return types.NewErr("%s cannot be converted to %s", value.Type().TypeName(), to.TypeName())
}
