package web

import (
	"strconv"

	"penstock/internal/domain"
)

// pageSize is how many items a page of a list shows.
const pageSize = 30

// requestedPage is the page of a list that the address asks for; one that is not a number is the first.
func (c *call) requestedPage() domain.Page {
	number, err := strconv.ParseInt(c.query("page"), 10, 32)
	if err != nil || number < 1 {
		number = 1
	}
	return domain.Page{Number: number, Size: pageSize}
}

// listFrame is what is shown around the items of a list: where in it they are, and how to find others. The templates
// "list-tools", "pager" and "empty" show it.
type listFrame struct {
	Noun   string // one item; "cluster"
	Plural string
	Total  int64
	Longer bool  // it has more items than Total
	First  int64 // the number of the first item that is shown; 0: they are not numbered
	Last   int64
	Pages  int64  // how many there are; 0: unknown
	Page   int64  // the number of this one
	Start  string // addresses; empty: none
	Prev   string
	Next   string
	End    string

	Path       string // of the page, for the search
	Searchable bool
	Search     string
	Orders     []orderOption
	Order      string
	Kept       map[string]string // other values of the address's query that a search keeps

	Empty emptyState
}

// emptyState is what a list without items says.
type emptyState struct {
	Title  string
	Text   string
	Action string // what its button says; empty: none
	To     string
}

func (c *call) baseList(noun, plural string) listFrame {
	return listFrame{Noun: noun, Plural: plural, Path: c.prefix + c.R.URL.EscapedPath(), Search: c.query("search"),
		Order: c.query("order")}
}

// newList returns the frame of a list of which the address asks for a page.
func (c *call) newList(noun, plural string, total int64, shown int) listFrame {
	page := c.requestedPage()
	l := c.baseList(noun, plural)
	l.Total = total
	if shown > 0 {
		l.setPlace(page.Offset()+1, int64(shown))
	}
	if page.Number > 1 {
		l.Start = c.withQuery(map[string]string{"page": ""})
		l.Prev = c.withQuery(map[string]string{"page": pageNumber(min(page.Number-1, pagesOf(total)))})
	}
	if l.Last < total && shown > 0 {
		l.Next = c.withQuery(map[string]string{"page": pageNumber(page.Number + 1)})
		l.End = c.withQuery(map[string]string{"page": pageNumber(l.Pages)})
	}
	return l
}

// newBuildList returns the frame of a page of builds, of which there may be too many to count.
func (c *call) newBuildList(found domain.Paged[*domain.BuildView]) listFrame {
	l := c.newList("build", "builds", found.Total, len(found.Items))
	if found.IsLonger {
		l.Longer, l.Pages, l.End = true, 0, ""
	}
	return l
}

// setPlace says which of the list's items are shown.
func (l *listFrame) setPlace(first, shown int64) {
	l.First, l.Last = first, first+shown-1
	l.Page, l.Pages = (first-1)/pageSize+1, pagesOf(l.Total)
}

// pagesOf returns how many pages a list of that length has.
func pagesOf(total int64) int64 { return (total + pageSize - 1) / pageSize }

func pageNumber(n int64) string {
	if n <= 1 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// requestedCursorPage is the part of a cursor list that the address asks for.
func (c *call) requestedCursorPage() domain.CursorPage {
	page := domain.CursorPage{Size: pageSize}
	if after := c.query("after"); after != "" {
		page.After = &after
	} else if before := c.query("before"); before != "" {
		page.Before = &before
	}
	return page
}

// newCursorList returns the frame of a list of which the address asks for a part, by a cursor.
func (c *call) newCursorList(noun, plural, prev, next string) listFrame {
	l := c.baseList(noun, plural)
	if prev != "" {
		l.Start = c.withQuery(map[string]string{"before": "", "after": ""})
		l.Prev = c.withQuery(map[string]string{"before": prev, "after": ""})
	}
	if next != "" {
		l.Next = c.withQuery(map[string]string{"after": next, "before": ""})
	}
	return l
}
