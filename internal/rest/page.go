package rest

import (
	"net/url"
	"strconv"
	"strings"

	"penstock/internal/domain"
)

const (
	defaultPageSize = 30
	maxPageSize     = 100
)

// paged answers with a page of a list and its Link header.
func paged[T, A any](c *call, list func(domain.Page) (domain.Paged[T], error), show func(T) A) (any, error) {
	page, pageErr := c.page()
	if pageErr != nil {
		page = domain.Page{Number: 1, Size: 1} // whether the caller may ask at all comes first
	}
	items, err := list(page)
	if err != nil {
		return nil, err
	}
	if pageErr != nil {
		return nil, pageErr
	}
	c.link(page, items.Total)
	answer := make([]A, len(items.Items))
	for i, item := range items.Items {
		answer[i] = show(item)
	}
	return answer, nil
}

// page reads the request's page and per_page.
func (c *call) page() (domain.Page, error) {
	query, err := c.query()
	if err != nil {
		return domain.Page{}, err
	}
	number, err := positive(query, "page", 1)
	if err != nil {
		return domain.Page{}, err
	}
	size, err := positive(query, "per_page", defaultPageSize)
	if err != nil {
		return domain.Page{}, err
	}
	return domain.Page{Number: number, Size: min(size, maxPageSize)}, nil
}

func (c *call) query() (url.Values, error) {
	if c.R.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(c.R.URL.RawQuery)
	if err != nil {
		return nil, domain.NewError(domain.Malformed, "The query string can't be read")
	}
	return query, nil
}

func positive(query url.Values, name string, absent int64) (int64, error) {
	if !query.Has(name) {
		return absent, nil
	}
	n, err := strconv.ParseUint(query.Get(name), 10, 31) // no sign
	if err != nil || n < 1 {
		return 0, domain.NewError(domain.Malformed, name+" must be a positive number")
	}
	return int64(n), nil
}

// link sets the Link header for a page of a list of that length.
func (c *call) link(page domain.Page, total int64) {
	last := max(1, (total+page.Size-1)/page.Size)
	if page.Number == 1 && last == 1 {
		return
	}
	query, _ := c.query()
	if query == nil {
		query = url.Values{}
	}
	var links []string
	add := func(rel string, number int64) {
		query.Set("page", strconv.FormatInt(number, 10))
		links = append(links, "<"+c.api.BaseURL+c.R.URL.EscapedPath()+"?"+query.Encode()+`>; rel="`+rel+`"`)
	}
	if page.Number > 1 {
		add("first", 1)
		add("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		add("next", page.Number+1)
		add("last", last)
	}
	c.Header["Link"] = []string{strings.Join(links, ", ")}
}

// cursorAnswer is a part of a list that is paged by cursors.
type cursorAnswer[A any] struct {
	Items []A         `json:"items" doc:"The items, in the order of the list."`
	Links cursorLinks `json:"links" doc:"Where the rest of the list is."`
}

type cursorLinks struct {
	Self  string `json:"self" format:"uri" doc:"This part of the list."`
	First string `json:"first,omitzero" format:"uri" doc:"The beginning of the list. Absent there."`
	Prev  string `json:"prev,omitzero" format:"uri" doc:"The part before this one. Absent at the beginning."`
	Next  string `json:"next,omitzero" format:"uri" doc:"The part after this one. Absent at the end."`
}

// cursorPaged answers with a part of a list and the links to its neighbours.
func cursorPaged[T, A any](c *call, list func(domain.CursorPage) (domain.CursorPaged[T], error), show func(T) A) (any, error) {
	page, pageErr := c.cursorPage()
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
	answer := cursorAnswer[A]{Items: make([]A, len(found.Items))}
	for i, item := range found.Items {
		answer.Items[i] = show(item)
	}
	query, _ := c.query()
	link := func(change func(url.Values)) string {
		changed := url.Values{}
		for name, values := range query {
			changed[name] = values
		}
		change(changed)
		if len(changed) == 0 {
			return c.api.BaseURL + c.R.URL.EscapedPath()
		}
		return c.api.BaseURL + c.R.URL.EscapedPath() + "?" + changed.Encode()
	}
	at := func(name, cursor string) string {
		return link(func(q url.Values) {
			q.Del("after")
			q.Del("before")
			if name != "" {
				q.Set(name, cursor)
			}
		})
	}
	answer.Links.Self = link(func(url.Values) {})
	if found.Prev != "" {
		answer.Links.First = at("", "")
		answer.Links.Prev = at("before", found.Prev)
	}
	if found.Next != "" {
		answer.Links.Next = at("after", found.Next)
	}
	return answer, nil
}

// cursorPage reads the request's per_page, after and before.
func (c *call) cursorPage() (domain.CursorPage, error) {
	query, err := c.query()
	if err != nil {
		return domain.CursorPage{}, err
	}
	page := domain.CursorPage{Size: defaultPageSize}
	if query.Has("per_page") {
		size, err := strconv.ParseUint(query.Get("per_page"), 10, 31) // no sign
		if err != nil || size < 1 || size > maxPageSize {
			return page, domain.NewError(domain.Malformed, "per_page must be a number from 1 to "+strconv.Itoa(maxPageSize))
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
