package service

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// readPage returns a numbered page of what the caller sees of a parent's list.
func readPage[T any, P ~string](tx store.Tx, caller *authz.Identity, l store.List[*T], parent P, page domain.Page) (
	domain.Paged[T], error) {
	found, err := l.ReadPage(tx, store.ViewerOf(caller), string(parent), page)
	return domain.Paged[T]{Items: valuesOf(found.Items), Total: found.Total}, err
}

// readCursorPage returns the part of what the caller sees of a parent's list that lies after or before a cursor.
//
// Returns Malformed for a cursor that is not the list's own, or two of them.
func readCursorPage[T any, P ~string](tx store.Tx, caller *authz.Identity, l store.List[*T], parent P,
	page domain.CursorPage) (domain.CursorPaged[T], error) {
	found, err := l.ReadCursorPage(tx, store.ViewerOf(caller), string(parent), page)
	return domain.CursorPaged[T]{Items: valuesOf(found.Items), Next: found.Next, Prev: found.Prev}, err
}

func valuesOf[T any](pointers []*T) []T {
	values := make([]T, len(pointers))
	for i, p := range pointers {
		values[i] = *p
	}
	return values
}
