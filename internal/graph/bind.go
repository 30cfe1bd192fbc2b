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

func text[P any, S ~string](b *gql.Builder, field string, get func(P) S) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte { return gql.AppendString(dst, string(get(p))) })
}

func nullableText[P any](b *gql.Builder, field string, get func(P) *string) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte { return appendNullable(dst, get(p)) })
}

func appendNullable(dst []byte, s *string) []byte {
	if s == nil {
		return gql.AppendNull(dst)
	}
	return gql.AppendString(dst, *s)
}

func flag[P any](b *gql.Builder, field string, get func(P) bool) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte { return gql.AppendBool(dst, get(p)) })
}

func number[P any](b *gql.Builder, field string, get func(P) int64) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte { return gql.AppendInt(dst, get(p)) })
}

func nullableNumber[P any](b *gql.Builder, field string, get func(P) *int64) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte {
		n := get(p)
		if n == nil {
			return gql.AppendNull(dst)
		}
		return gql.AppendInt(dst, *n)
	})
}

func instant[P any](b *gql.Builder, field string, get func(P) time.Time) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte { return appendTime(dst, get(p)) })
}

func nullableInstant[P any](b *gql.Builder, field string, get func(P) *time.Time) {
	gql.Leaf(b, field, func(dst []byte, p P) []byte {
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

// ids binds a type's id, which is global, and its uuid.
func ids[P any, ID ~string](b *gql.Builder, typeName string, get func(P) ID) {
	gql.Leaf(b, typeName+".id", func(dst []byte, p P) []byte { return appendID(dst, typeName, get(p)) })
	text(b, typeName+".uuid", get)
}

func appendID[ID ~string](dst []byte, typeName string, id ID) []byte {
	var plain [96]byte
	raw := append(append(append(plain[:0], typeName...), "---"...), id...)
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), raw)
	return append(dst, '"')
}

// part binds an object that is a part of its parent; nil is null.
func part[P, C any](b *gql.Builder, field string, get func(P) C) {
	gql.One(b, field, func(_ context.Context, parents []P, _ gql.Args) ([]C, error) {
		children := make([]C, len(parents))
		for i, p := range parents {
			children[i] = get(p)
		}
		return children, nil
	})
}

// referred binds an object that its parent refers to by its id, "" for none; find reads those of all parents.
func referred[P any, C any, ID ~string](b *gql.Builder, field string, id func(P) ID, find func(*read.Snapshot, []ID) ([]C, error)) {
	gql.One(b, field, func(ctx context.Context, parents []P, _ gql.Args) ([]C, error) {
		ids := make([]ID, len(parents))
		for i, p := range parents {
			ids[i] = id(p)
		}
		return find(readingOf(ctx), ids)
	})
}

// flags binds a field that a reading knows for all parents at once.
func flags[P any](b *gql.Builder, field string, find func(*read.Snapshot, []P) ([]bool, error)) {
	gql.Column(b, field, func(ctx context.Context, parents []P, _ gql.Args) ([]bool, error) {
		return find(readingOf(ctx), parents)
	}, gql.AppendBool)
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
	gql.Object[*permission](b, "Permission")
	flag(b, "Permission.allowed", func(p *permission) bool { return p.allowed })
	gql.Leaf(b, "Permission.code", func(dst []byte, p *permission) []byte {
		if p.allowed {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, "forbidden")
	})
	gql.Leaf(b, "Permission.message", func(dst []byte, p *permission) []byte {
		if p.allowed {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, p.message)
	})
}

// permissionsOf binds a type whose fields are what the caller may do with its parent, and the parent's field that has it.
func permissionsOf[P any](b *gql.Builder, parent, typeName string, fields map[string]func(*read.Snapshot, []P) ([]bool, error)) {
	type permissions struct{ of P }
	gql.Object[*permissions](b, typeName)
	part(b, parent+".permissions", func(p P) *permissions { return &permissions{p} })
	for field, find := range fields {
		gql.One(b, typeName+"."+field, func(ctx context.Context, all []*permissions, _ gql.Args) ([]*permission, error) {
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

// never is a permission that nobody has here.
func never[P any](_ *read.Snapshot, parents []P) ([]bool, error) {
	return make([]bool, len(parents)), nil
}
