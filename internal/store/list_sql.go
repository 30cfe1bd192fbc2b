package store

import (
	"strconv"
	"strings"
)

// The statements that read lists, whole but for what each list is made of. The final text of every list's stands in
// testdata.
const (
	// A part of one parent's list.
	rangeTemplate = `SELECT {columns} FROM {tables} {joins} WHERE {where} ORDER BY {order} LIMIT {limit}`

	// A page of one parent's list. What comes before the page is passed over in the index alone; only the page's own rows
	// are read.
	pageTemplate = `SELECT {columns} FROM
		(SELECT {id} AS id_ FROM {tables} WHERE {parent} = {one} AND {where}
			ORDER BY {order} LIMIT {limit} OFFSET {offset}) page
		CROSS JOIN {tables} {joins} WHERE {id} = id_ AND {parent} = {one} ORDER BY {order}`

	// A part of the list of each of several parents, on PostgreSQL.
	rangesPostgres = `SELECT * FROM (SELECT id AS parent_ FROM {parents} WHERE {among}) parents CROSS JOIN LATERAL
		(SELECT ROW_NUMBER() OVER (ORDER BY {order}) AS place_, {columns} FROM {tables} {joins}
			WHERE {parent} = parent_ AND {where} ORDER BY {order} LIMIT {limit}) part ORDER BY parent_, place_`

	// The same on SQLite, which has no LATERAL, ranks slowly, and follows the order in which tables are cross-joined. The
	// + keeps it from going through all that a parent has, and finding the ids for each.
	rangesSQLite = `SELECT parent_, 0, {columns} FROM (SELECT id AS parent_ FROM {parents} WHERE {among}) parents
		CROSS JOIN {tables} {joins}
		WHERE {+}{parent} = parent_ AND {id} IN
			(SELECT {id} FROM {tables} WHERE {parent} = parent_ AND {where} ORDER BY {order} LIMIT {limit})
		ORDER BY parent_, {order}`

	countTemplate = `SELECT {parent}, count(*) FROM {tables} WHERE {where} GROUP BY {parent}`

	// The same, but no more of each parent's list than a limit.
	countEachUpToTemplate = `SELECT parents_.id,
			(SELECT count(*) FROM (SELECT 1 FROM {tables} WHERE {parent} = parents_.id AND {where} LIMIT {limit}) counted)
		FROM {parents} parents_ WHERE {among}`

	// How long lists are together, but no more than a limit.
	countUpToTemplate = `SELECT count(*) FROM (SELECT 1 FROM {tables} WHERE {where} LIMIT {limit}) counted`

	reachesTemplate = `SELECT 1 FROM {tables} WHERE {where} LIMIT 1`

	findTemplate = `SELECT {organization}, {columns} FROM {tables} {joins} {owners} WHERE {where}`
)

// rangeSQL is for a part of one parent's list.
func (l List[T]) rangeSQL(a *arguments, viewer Viewer, parent string, part Range) string {
	parts := l.parts(a, viewer, part.FromEnd)
	parts["where"] = l.conditionsSQL(a, viewer, append([]clause{clauseOf(l.parent+` = ?`, parent)},
		l.between(part.After, part.Before, "")...))
	// in the text: for a parameter PostgreSQL would plan for a tenth of all rows
	parts["limit"] = strconv.FormatInt(part.Limit, 10)
	return fill(rangeTemplate, parts)
}

// pageSQL is for a part of one parent's list after others, which are passed over.
func (l List[T]) pageSQL(a *arguments, viewer Viewer, parent string, part Range, passed int64) string {
	if passed == 0 {
		return l.rangeSQL(a, viewer, parent, part)
	}
	parts := l.parts(a, viewer, part.FromEnd)
	parts["one"] = a.add(parent)
	parts["where"] = l.conditionsSQL(a, viewer, l.between(part.After, part.Before, ""))
	parts["limit"] = strconv.FormatInt(part.Limit, 10)
	parts["offset"] = a.add(passed)
	return fill(pageTemplate, parts)
}

// rangesSQL is for a part of the list of each of several parents.
func (l List[T]) rangesSQL(a *arguments, viewer Viewer, parents []string, part Range, hasLateral bool) string {
	parts := l.parts(a, viewer, part.FromEnd)
	parts["parents"] = l.parents
	parts["among"] = a.write(oneOf(`id`, parents))
	parts["where"] = l.conditionsSQL(a, viewer, l.between(part.After, part.Before, ""))
	parts["limit"] = strconv.FormatInt(part.Limit, 10)
	if hasLateral {
		return fill(rangesPostgres, parts)
	}
	if !l.rows.perParent {
		parts["+"] = `+`
	}
	return fill(rangesSQLite, parts)
}

func (l List[T]) countSQL(a *arguments, viewer Viewer, parents []string) string {
	if l.countLimit > 0 {
		return fill(countEachUpToTemplate, map[string]string{"parent": l.parent, "tables": l.rows.tables,
			"where": l.conditionsSQL(a, viewer, nil), "limit": strconv.FormatInt(l.countLimit, 10),
			"parents": l.parents, "among": a.write(oneOf(`id`, parents))})
	}
	tables := l.rows.tables
	if l.rows.counted != "" && len(l.conditions) == 0 {
		tables = l.rows.counted
	}
	return fill(countTemplate, map[string]string{"parent": l.parent, "tables": tables,
		"where": l.conditionsSQL(a, viewer, []clause{oneOf(l.parent, parents)})})
}

func (l List[T]) countUpToSQL(a *arguments, viewer Viewer, parents []string, limit int64) string {
	return fill(countUpToTemplate, map[string]string{"tables": l.rows.tables, "limit": strconv.FormatInt(limit, 10),
		"where": l.conditionsSQL(a, viewer, []clause{oneOf(l.parent, parents)})})
}

func (l List[T]) reachesSQL(a *arguments, viewer Viewer, parent string, position Position, before bool) string {
	after, until := position, Position(nil)
	if before {
		after, until = until, after
	}
	conditions := append([]clause{clauseOf(l.parent+` = ?`, parent)}, l.between(after, until, "=")...)
	return fill(reachesTemplate, map[string]string{"tables": l.rows.tables, "where": l.conditionsSQL(a, viewer,
		conditions)})
}

func (rows Rows[T]) findSQL(a *arguments, viewer Viewer, ids []string) string {
	parts := rows.parts(a, viewer)
	parts["organization"], parts["owners"] = rows.organization, rows.owners
	parts["where"] = a.writeAll(rows.visibleAnd(viewer, oneOf(rows.id.column.text, ids)))
	return fill(findTemplate, parts)
}

// parts returns what all templates that read rows have in common.
func (rows Rows[T]) parts(a *arguments, viewer Viewer) map[string]string {
	columns := rows.items.columns
	if rows.viewed != nil {
		columns += `, ` + a.write(rows.viewed.sql(viewer))
	}
	return map[string]string{"columns": columns, "tables": rows.tables, "joins": rows.joins, "id": rows.id.column.text}
}

func (l List[T]) parts(a *arguments, viewer Viewer, backwards bool) map[string]string {
	parts := l.rows.parts(a, viewer)
	parts["parent"] = l.parent
	direction := ``
	if l.descending != backwards {
		direction = ` DESC`
	}
	order := make([]string, len(l.keys))
	for i, key := range l.keys {
		order[i] = a.write(key.column) + direction
	}
	parts["order"] = strings.Join(order, `, `)
	return parts
}

func (rows Rows[T]) visibleAnd(viewer Viewer, conditions ...clause) []clause {
	if rows.visible == nil {
		return conditions
	}
	return append([]clause{rows.visible(viewer)}, conditions...)
}

// conditionsSQL returns which rows the list has: what the viewer sees of what the filter chooses, and what fulfils the
// other conditions.
func (l List[T]) conditionsSQL(a *arguments, viewer Viewer, others []clause) string {
	conditions := l.rows.visibleAnd(viewer, append(others, l.conditions...)...)
	if len(conditions) == 0 {
		return `TRUE`
	}
	return a.writeAll(conditions)
}

// between returns the conditions that an item lies after one position and before another; with "=" also at them.
func (l List[T]) between(after, before Position, inclusive string) (conditions []clause) {
	beyond, short := ` >`+inclusive+` `, ` <`+inclusive+` `
	if l.descending {
		beyond, short = short, beyond
	}
	if after != nil {
		conditions = append(conditions, l.compare(beyond, after))
	}
	if before != nil {
		conditions = append(conditions, l.compare(short, before))
	}
	return conditions
}

// compare compares the list's keys with a position.
func (l List[T]) compare(operator string, position Position) clause {
	marks := `(?` + strings.Repeat(`, ?`, len(l.keys)-1) + `)`
	args := make([]any, 0, 2*len(l.keys))
	for _, key := range l.keys {
		args = append(args, key.column)
	}
	return clauseOf(marks+operator+marks, append(args, position...)...)
}
