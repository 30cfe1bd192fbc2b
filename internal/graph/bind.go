package graph

import (
	"context"
	"encoding/base64"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type readingKey struct{}

// readingOf returns what the caller may see, in the transaction that the document's fields are read in.
func readingOf(ctx context.Context) *read.Snapshot {
	return ctx.Value(readingKey{}).(*read.Snapshot)
}

// Fields that are a value of their parent.

func bindText[P any, S ~string](b *gql.Builder, field string, get func(P) S) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return gql.AppendString(dst, string(get(p))) })
}

func bindNullableText[P any](b *gql.Builder, field string, get func(P) *string) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return appendNullable(dst, get(p)) })
}

func appendNullable(dst []byte, s *string) []byte {
	if s == nil {
		return gql.AppendNull(dst)
	}
	return gql.AppendString(dst, *s)
}

func bindBool[P any](b *gql.Builder, field string, get func(P) bool) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return gql.AppendBool(dst, get(p)) })
}

func bindInt[P any](b *gql.Builder, field string, get func(P) int64) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return gql.AppendInt(dst, get(p)) })
}

func bindNullableInt[P any](b *gql.Builder, field string, get func(P) *int64) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte {
		n := get(p)
		if n == nil {
			return gql.AppendNull(dst)
		}
		return gql.AppendInt(dst, *n)
	})
}

// bindLook binds the fields of a type that are its look.
func bindLook[P any](b *gql.Builder, typeName string, of func(P) *domain.Look) {
	bindNullableText(b, typeName+".description", func(p P) *string { return of(p).Description })
	bindNullableText(b, typeName+".emoji", func(p P) *string { return of(p).Emoji })
	bindNullableText(b, typeName+".color", func(p P) *string { return of(p).Color })
}

// bindSettings binds the fields of a type that are settings.
func bindSettings[P, T, In any](b *gql.Builder, typeName string, settings []domain.Setting[T, In], of func(P) *T) {
	for _, s := range settings {
		switch field := typeName + "." + s.GraphQL; {
		case s.Flag != nil:
			bindBool(b, field, func(p P) bool { return *s.Flag(of(p)) })
		case s.Line != nil:
			bindNullableText(b, field, func(p P) *string { return *s.Line(of(p)) })
		case s.Minutes != nil:
			bindNullableInt(b, field, func(p P) *int64 { return *s.Minutes(of(p)) })
		case s.Choice != nil:
			bindText(b, field, func(p P) string { return *s.Choice(of(p)) })
		}
	}
}

func bindTime[P any](b *gql.Builder, field string, get func(P) time.Time) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return appendTime(dst, get(p)) })
}

func bindNullableTime[P any](b *gql.Builder, field string, get func(P) *time.Time) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte {
		at := get(p)
		if at == nil {
			return gql.AppendNull(dst)
		}
		return appendTime(dst, *at)
	})
}

func appendTime(dst []byte, at time.Time) []byte {
	dst = at.UTC().AppendFormat(append(dst, '"'), domain.TimestampLayout)
	return append(dst, '"')
}

// bindIDs binds a type's id, which is global, and its uuid.
func bindIDs[P any, ID ~string](b *gql.Builder, typeName string, get func(P) ID) {
	gql.BindLeaf(b, typeName+".id", func(dst []byte, p P) []byte { return appendID(dst, typeName, get(p)) })
	bindText(b, typeName+".uuid", get)
}

func appendID[ID ~string](dst []byte, typeName string, id ID) []byte {
	var plain [96]byte
	raw := append(append(append(plain[:0], typeName...), "---"...), id...)
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), raw)
	return append(dst, '"')
}

// bindPart binds an object that is a part of its parent; nil is null.
func bindPart[P, C any](b *gql.Builder, field string, get func(P) C) {
	gql.BindObject(b, field, func(_ context.Context, parents []P, _ gql.Args) ([]C, error) {
		children := make([]C, len(parents))
		for i, p := range parents {
			children[i] = get(p)
		}
		return children, nil
	})
}

// bindReference binds an object that its parent refers to by its id, "" for none; find reads those of all parents.
func bindReference[P any, C any, ID ~string](b *gql.Builder, field string, id func(P) ID,
	find func(*read.Snapshot, []ID) ([]C, error)) {
	gql.BindObject(b, field, func(ctx context.Context, parents []P, _ gql.Args) ([]C, error) {
		ids := make([]ID, len(parents))
		for i, p := range parents {
			ids[i] = id(p)
		}
		return find(readingOf(ctx), ids)
	})
}

// bindBools binds a field that a reading knows for all parents at once.
func bindBools[P any](b *gql.Builder, field string, find func(*read.Snapshot, []P) ([]bool, error)) {
	gql.BindColumn(b, field, func(ctx context.Context, parents []P, _ gql.Args) ([]bool, error) {
		return find(readingOf(ctx), parents)
	}, gql.AppendBool)
}

// bindManagedBool binds a field that managers of a cluster see; for others it is null.
func bindManagedBool(b *gql.Builder, field string, get func(*domain.ClusterView) bool) {
	gql.BindColumn(b, field, func(ctx context.Context, clusters []*domain.ClusterView, _ gql.Args) ([]*bool, error) {
		managed, err := readingOf(ctx).AreManaged(clusters)
		values := make([]*bool, len(clusters))
		for i, c := range clusters {
			if err == nil && managed[i] {
				value := get(c)
				values[i] = &value
			}
		}
		return values, err
	}, func(dst []byte, value *bool) []byte {
		if value == nil {
			return gql.AppendNull(dst)
		}
		return gql.AppendBool(dst, *value)
	})
}

// permission is whether the caller may do something.
type permission struct {
	allowed bool
	message string // why not
}

var (
	allowed = &permission{allowed: true}
	denied  = &permission{message: "Forbidden"}
)

func bindPermission(b *gql.Builder) {
	gql.DeclareObject[*permission](b, "Permission")
	bindBool(b, "Permission.allowed", func(p *permission) bool { return p.allowed })
	gql.BindLeaf(b, "Permission.code", func(dst []byte, p *permission) []byte {
		if p.allowed {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, "forbidden")
	})
	gql.BindLeaf(b, "Permission.message", func(dst []byte, p *permission) []byte {
		if p.allowed {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, p.message)
	})
}

// bindPermissions binds a type whose fields are what the caller may do with its parent, and the parent's field that has
// it.
func bindPermissions[P any](b *gql.Builder, parent, typeName string, fields map[string]func(*read.Snapshot,
	[]P) ([]bool, error)) {
	type permissions struct{ of P }
	gql.DeclareObject[*permissions](b, typeName)
	bindPart(b, parent+".permissions", func(p P) *permissions { return &permissions{p} })
	for field, find := range fields {
		gql.BindObject(b, typeName+"."+field, func(ctx context.Context, all []*permissions, _ gql.Args) ([]*permission,
			error) {
			parents := make([]P, len(all))
			for i, p := range all {
				parents[i] = p.of
			}
			may, err := find(readingOf(ctx), parents)
			if err != nil {
				return nil, err
			}
			found := make([]*permission, len(may))
			for i, ok := range may {
				found[i] = denied
				if ok {
					found[i] = allowed
				}
			}
			return found, nil
		})
	}
}

// permitNobody is a permission that nobody has here.
func permitNobody[P any](_ *read.Snapshot, parents []P) ([]bool, error) {
	return make([]bool, len(parents)), nil
}
