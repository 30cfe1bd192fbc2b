package store

import (
	"fmt"
	"strconv"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// listing says which rows a list has, in which order, and how they are read. What only the columns and the order need is joined when
// a page is read, and not when all are counted.
type listing struct {
	columns string
	tables  string
	joins   string
	where   string
	order   string
}

// paged returns a page of a listing, and how long all of it is.
func paged[T any](tx Tx, scan func(*db.Row) T, l listing, page domain.Page, args ...any) (paged domain.Paged[T], err error) {
	paged.Total, _, err = one(tx, (*db.Row).Int, `SELECT count(*) FROM `+l.tables+` WHERE `+l.where, args...)
	if err != nil {
		return paged, err
	}
	paged.Items, err = all(tx, scan, fmt.Sprintf(`SELECT %s FROM %s %s WHERE %s ORDER BY %s %s OFFSET $%d`,
		l.columns, l.tables, l.joins, l.where, l.order, limit(page.Size), len(args)+1), append(args, page.Offset())...)
	return paged, err
}

// limit is the clause for up to n rows. The number stands in the text: PostgreSQL would plan for a tenth of all rows if it were a
// parameter.
func limit(n int64) string { return ` LIMIT ` + strconv.FormatInt(n, 10) }

// nearer returns from which end a page of a list of that total length is read, the nearer one: how many of its rows, and after how
// many. Forwards is "", backwards " DESC".
func nearer(page domain.Page, total int64) (direction string, size, offset int64) {
	size, offset = min(page.Size, total-page.Offset()), page.Offset()
	if offset > total/2 {
		return ` DESC`, size, total - offset - size
	}
	return ``, size, offset
}
