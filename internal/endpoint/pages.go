package endpoint

import (
	"maps"
	"net/url"
	"strconv"
	"strings"

	"penstock/internal/domain"
)

// How many items a page has, unless the request says otherwise, and at most.
const (
	DefaultPageSize = 30
	MaxPageSize     = 100
)

// AnswerPage answers with a page of a list and its Link header.
func AnswerPage[T, A any](c *Call, list func(domain.Page) (domain.Paged[T], error), show func(T) A) (any, error) {
	page, pageErr := c.readPage()
	if pageErr != nil {
		page = domain.Page{Number: 1, Size: 1} // whether the caller may ask at all comes first
	}
	found, err := list(page)
	if err != nil {
		return nil, err
	}
	if pageErr != nil {
		return nil, pageErr
	}
	c.writeLinks(page, found.Total, found.IsLonger)
	c.shown = found.Shown
	if answer := c.shown.Answer(c.endpoint); answer != nil {
		return encoded(answer), nil
	}
	return showAll(found.Items, show), nil
}

func showAll[T, A any](items []T, show func(T) A) []A {
	shown := make([]A, len(items))
	for i, item := range items {
		shown[i] = show(item)
	}
	return shown
}

// readPage reads the request's page and per_page.
func (c *Call) readPage() (domain.Page, error) {
	query, err := c.Query()
	if err != nil {
		return domain.Page{}, err
	}
	number, err := readPositive(query, "page", 1)
	if err != nil {
		return domain.Page{}, err
	}
	size, err := readPositive(query, "per_page", DefaultPageSize)
	if err != nil {
		return domain.Page{}, err
	}
	return domain.Page{Number: number, Size: min(size, MaxPageSize)}, nil
}

func readPositive(query url.Values, name string, absent int64) (int64, error) {
	if !query.Has(name) {
		return absent, nil
	}
	n, err := strconv.ParseUint(query.Get(name), 10, 31) // no sign
	if err != nil || n < 1 {
		return 0, domain.NewError(domain.Malformed, name+" must be a positive number")
	}
	return int64(n), nil
}

// writeLinks sets the Link header for a page of a list of that length. The last page of a longer one is not known.
func (c *Call) writeLinks(page domain.Page, total int64, isLonger bool) {
	last := max(1, (total+page.Size-1)/page.Size)
	if page.Number == 1 && last == 1 {
		return
	}
	var links []string
	add := func(rel string, number int64) {
		query := c.changeQuery(func(q url.Values) { q.Set("page", strconv.FormatInt(number, 10)) })
		links = append(links, "<"+c.linkWith(query)+`>; rel="`+rel+`"`)
	}
	if page.Number > 1 {
		add("first", 1)
		add("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		add("next", page.Number+1)
		if !isLonger {
			add("last", last)
		}
	}
	c.Header["Link"] = []string{strings.Join(links, ", ")}
}

// changeQuery returns the request's query, changed.
func (c *Call) changeQuery(change func(url.Values)) url.Values {
	changed := url.Values{}
	if query, err := c.Query(); err == nil {
		maps.Copy(changed, query)
	}
	change(changed)
	return changed
}

// linkWith returns the address that was asked for, with another query.
func (c *Call) linkWith(query url.Values) string {
	address := c.api.BaseURL + c.R.URL.EscapedPath()
	if len(query) == 0 {
		return address
	}
	return address + "?" + query.Encode()
}

// CursorAnswer is a part of a list that is paged by cursors.
type CursorAnswer[A any] struct {
	Items []A         `json:"items" doc:"The items, in the order of the list."`
	Links CursorLinks `json:"links" doc:"Where the rest of the list is."`
}

// CursorLinks are the addresses of a part of a list and of its neighbours.
type CursorLinks struct {
	Self  string `json:"self" format:"uri" doc:"This part of the list."`
	First string `json:"first,omitzero" format:"uri" doc:"The beginning of the list. Absent there."`
	Prev  string `json:"prev,omitzero" format:"uri" doc:"The part before this one. Absent at the beginning."`
	Next  string `json:"next,omitzero" format:"uri" doc:"The part after this one. Absent at the end."`
}

// AnswerCursorPage answers with a part of a list and the links to its neighbours.
func AnswerCursorPage[T, A any](c *Call, list func(domain.CursorPage) (domain.CursorPaged[T], error), show func(T) A) (
	any, error) {
	page, pageErr := c.readCursorPage()
	if pageErr != nil {
		page = domain.CursorPage{Size: 1} // whether the caller may ask at all comes first
	}
	found, err := list(page)
	if err != nil {
		return nil, err
	}
	if pageErr != nil {
		return nil, pageErr
	}
	return CursorAnswer[A]{Items: showAll(found.Items, show), Links: c.cursorLinks(found.Prev, found.Next)}, nil
}

// cursorLinks returns the links of a part of a list, by the cursors of its neighbours; empty: there is none.
func (c *Call) cursorLinks(prev, next string) CursorLinks {
	linkTo := func(name, cursor string) string {
		return c.linkWith(c.changeQuery(func(q url.Values) {
			q.Del("after")
			q.Del("before")
			if name != "" {
				q.Set(name, cursor)
			}
		}))
	}
	links := CursorLinks{Self: c.linkWith(c.changeQuery(func(url.Values) {}))}
	if prev != "" {
		links.First, links.Prev = linkTo("", ""), linkTo("before", prev)
	}
	if next != "" {
		links.Next = linkTo("after", next)
	}
	return links
}

// readCursorPage reads the request's per_page, after and before.
func (c *Call) readCursorPage() (domain.CursorPage, error) {
	query, err := c.Query()
	if err != nil {
		return domain.CursorPage{}, err
	}
	page := domain.CursorPage{Size: DefaultPageSize}
	if query.Has("per_page") {
		size, err := strconv.ParseUint(query.Get("per_page"), 10, 31) // no sign
		if err != nil || size < 1 || size > MaxPageSize {
			return page, domain.NewError(domain.Malformed, "per_page must be a number from 1 to "+strconv.Itoa(MaxPageSize))
		}
		page.Size = int64(size)
	}
	for name, target := range map[string]**string{"after": &page.After, "before": &page.Before} {
		if query.Has(name) {
			cursor := query.Get(name)
			*target = &cursor
		}
	}
	return page, nil
}
