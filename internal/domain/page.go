package domain

// Page is a numbered part of a list.
type Page struct {
	Number int64 // from 1
	Size   int64
}

// Offset returns how many items come before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.Size }

// Paged is a page of a list, and how long the whole list is.
type Paged[T any] struct {
	Items []T
	Total int64
}
