package domain

import (
	"bytes"
	"sync"
)

// Page is a numbered part of a list.
type Page struct {
	Number int64 // from 1
	Size   int64
}

// Offset returns how many items come before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.Size }

// ErrTooDeep is the refusal of a page so deep in a list that it would have to be counted for long.
var ErrTooDeep = NewError(Malformed, "This page is too far into the list. Narrow it down, for example with "+
	"created_to, and start again from its first page")

// Paged is a page of a list, and how long the whole list is.
type Paged[T any] struct {
	Items    []T
	Total    int64
	IsLonger bool   // the list has more items than Total: it was not counted to its end
	Shown    *Shown // nil: nobody else gets to see the same page
}

// Shown is what a page that many ask for looks like to all of them, to whoever shows it. It is made when they begin to
// ask again.
type Shown struct {
	mutex  sync.Mutex
	by     any
	answer []byte
}

// Answer returns how the page is shown by someone; nil while that is not known. It must not be changed.
func (s *Shown) Answer(by any) []byte {
	if s == nil {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.by != by {
		return nil
	}
	return s.answer
}

// Remember stores a copy of how the page is shown by someone, the second time that they show it.
func (s *Shown) Remember(by any, answer []byte) {
	if s == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch s.by {
	case by:
		s.answer = bytes.Clone(answer)
	case nil:
		s.by = by
	}
}
