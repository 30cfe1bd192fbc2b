package store

import (
	"fmt"

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
	paged.Items, err = all(tx, scan, fmt.Sprintf(`SELECT %s FROM %s %s WHERE %s ORDER BY %s LIMIT $%d OFFSET $%d`,
		l.columns, l.tables, l.joins, l.where, l.order, len(args)+1, len(args)+2), append(args, page.Size, page.Offset())...)
	return paged, err
}
