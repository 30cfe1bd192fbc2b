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
	if c.r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(c.r.URL.RawQuery)
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
		links = append(links, "<"+c.api.BaseURL+c.r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="`+rel+`"`)
	}
	if page.Number > 1 {
		add("first", 1)
		add("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		add("next", page.Number+1)
		add("last", last)
	}
	c.header["Link"] = []string{strings.Join(links, ", ")}
}
