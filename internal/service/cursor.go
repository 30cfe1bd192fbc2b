package service

import (
	"cmp"

	"penstock/internal/domain"
)

// keyset is a list that is paged by the positions of its items: texts that stay good when the item goes.
type keyset[T any] struct {
	name string // cursors of one list are no good in another
	// find returns up to limit items of the list that come after a position, or the last that come before it, always in
	// the list's order. The empty position is the list's beginning, or its end.
	find     func(position string, before bool, limit int64) ([]T, error)
	position func(T) string
}

// page finds a part of the list and what lies around it.
//
// Returns Malformed for a cursor that the list did not give out, or two of them.
func (k keyset[T]) page(page domain.CursorPage) (paged domain.CursorPaged[T], err error) {
	if page.After != nil && page.Before != nil {
		return paged, domain.NewError(domain.Malformed, "after and before can't be given together")
	}
	cursor, backwards, from := cmp.Or(page.After, page.Before), page.Before != nil, ""
	if cursor != nil {
		if from, err = domain.DecodeCursor(k.name, *cursor); err != nil {
			return paged, err
		}
	}
	// One item more than asked for tells whether the list goes on.
	if paged.Items, err = k.find(from, backwards, page.Size+1); err != nil {
		return paged, err
	}
	more := int64(len(paged.Items)) > page.Size
	if more && backwards {
		paged.Items = paged.Items[1:]
	} else if more {
		paged.Items = paged.Items[:page.Size]
	}
	// Before and behind an empty page lies all of the list.
	first, last := "", ""
	if n := len(paged.Items); n > 0 {
		first, last = k.position(paged.Items[0]), k.position(paged.Items[n-1])
	}
	behind := false
	if cursor != nil {
		near := first
		if backwards {
			near = last
		}
		passed, err := k.find(near, !backwards, 1)
		if err != nil {
			return paged, err
		}
		behind = len(passed) > 0
	}
	before, after := behind, more
	if backwards {
		before, after = more, behind
	}
	if before {
		paged.Prev = domain.EncodeCursor(k.name, first)
	}
	if after {
		paged.Next = domain.EncodeCursor(k.name, last)
	}
	return paged, nil
}
