package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

type thing struct {
	id      string
	name    *string
	size    int64
	isOld   bool
	content []byte
}

func makeThings(t *testing.T, d *db.DB) {
	t.Helper()
	testkit.Exec(t, d, `CREATE TABLE things (id TEXT PRIMARY KEY, name TEXT, size BIGINT DEFAULT 7, is_old BOOLEAN, content `+
		map[string]string{"sqlite": "BLOB", "postgres": "BYTEA"}[d.Engine()]+`)`)
}

func readThings(t *testing.T, d *db.DB) (all []thing) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`SELECT id, name, size, is_old, content FROM things ORDER BY id`, func(r *db.Row) error {
			all = append(all, thing{r.Text(), r.NullText(), r.Int(), r.Bool(), r.NullBytes()})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// now runs the statements of a set at once, each with its own error.
func now(tx *db.Tx) db.Execution {
	return func(sql string, args ...any) error {
		_, err := tx.Exec(sql, args...)
		return err
	}
}

func TestASetOfRowsIsStoredAsItWasGiven(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeThings(t, d)
		type name string
		a, quoted, missing := "a", name(`{"a",NULL}`+"\n\\"), (*string)(nil)
		columns := []string{"id", "name", "size", "is_old", "content"}
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if err := tx.InsertSet(now(tx), db.RowSet{Table: "things", Columns: columns}); err != nil {
				return err
			}
			for _, set := range []db.RowSet{
				{Table: "things", Columns: columns, Rows: [][]any{{"1", "a", 1, true, []byte{0, 255}}}},
				{Table: "things", Columns: columns, Rows: [][]any{{"2", nil, nil, nil, nil}, {"3", nil, nil, nil, nil}}},
				{Table: "things", Columns: columns, Rows: [][]any{{"4", quoted, int64(-1 << 62), false, []byte{}}, {"5", missing, 5, true, nil}, {"6", &a, 6, nil, []byte("b")}}},
			} {
				if err := tx.InsertSet(tx.Later, set); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		text := string(quoted)
		want := []thing{
			{"1", &a, 1, true, []byte{0, 255}}, {"2", nil, 0, false, nil}, {"3", nil, 0, false, nil},
			{"4", &text, -1 << 62, false, []byte{}}, {"5", nil, 5, true, nil}, {"6", &a, 6, false, []byte("b")},
		}
		if got := readThings(t, d); !reflect.DeepEqual(got, want) {
			t.Errorf("stored %+v\nwant %+v", got, want)
		}
	})
}

func TestASetOfRowsIsChangedByItsFirstColumn(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeThings(t, d)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			insert := db.RowSet{Table: "things", Columns: []string{"id", "name", "size"}, Rows: [][]any{{"1", "a", 1}, {"2", "b", 2}, {"3", "c", 3}, {"4", "d", 4}}}
			if err := tx.InsertSet(tx.Later, insert); err != nil {
				return err
			}
			change := db.RowSet{Table: "things", Columns: []string{"id", "size", "name"}, Rows: [][]any{{"1", 10, nil}, {"3", nil, nil}, {"none", 9, nil}}}
			if err := tx.UpdateSet(tx.Later, change); err != nil {
				return err
			}
			return tx.UpdateSet(now(tx), db.RowSet{Table: "things", Columns: []string{"id", "is_old"}, Rows: [][]any{{"4", true}}})
		})
		if err != nil {
			t.Fatal(err)
		}
		b, fourth := "b", "d"
		want := []thing{{"1", nil, 10, false, nil}, {"2", &b, 2, false, nil}, {"3", nil, 0, false, nil}, {"4", &fourth, 4, true, nil}}
		if got := readThings(t, d); !reflect.DeepEqual(got, want) {
			t.Errorf("stored %+v\nwant %+v", got, want)
		}
	})
}

func TestASetOfRowsIsAppendedTo(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeThings(t, d)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			insert := db.RowSet{Table: "things", Columns: []string{"id", "name", "size"}, Rows: [][]any{{"1", "a", 1}, {"2", nil, 2}, {"3", "c", 3}}}
			if err := tx.InsertSet(tx.Later, insert); err != nil {
				return err
			}
			for _, rows := range [][][]any{{{"1", "x", 10}, {"2", "y", 20}}, {{"2", "z", 30}}} {
				appended := db.RowSet{Table: "things", Columns: []string{"id", "name", "size"}, Appended: "name", Rows: rows}
				if err := tx.UpdateSet(tx.Later, appended); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		first, second, third := "a,x", "y,z", "c"
		want := []thing{{"1", &first, 10, false, nil}, {"2", &second, 30, false, nil}, {"3", &third, 3, false, nil}}
		if got := readThings(t, d); !reflect.DeepEqual(got, want) {
			t.Errorf("stored %+v\nwant %+v", got, want)
		}
	})
}

func TestASetOfRowsThatBreaksAConstraintFailsWithItsClass(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeThings(t, d)
		twice := db.RowSet{Table: "things", Columns: []string{"id"}, Rows: [][]any{{"1"}, {"2"}, {"1"}}}
		err := d.Write(t.Context(), func(tx *db.Tx) error { return tx.InsertSet(now(tx), twice) })
		if !errors.Is(err, db.ErrUnique) {
			t.Errorf("a key that stands twice: %v", err)
		}
		err = d.Write(t.Context(), func(tx *db.Tx) error { return tx.InsertSet(tx.Later, twice) })
		if err == nil || errors.Is(err, db.ErrUnique) {
			t.Errorf("a key that stands twice, for later: %v", err)
		}
		if got := readThings(t, d); len(got) != 0 {
			t.Errorf("stored %+v", got)
		}
		for reason, set := range map[string]db.RowSet{
			"has 1 values":           {Table: "things", Columns: []string{"id", "name"}, Rows: [][]any{{"1", "a"}, {"2"}}},
			"cannot be an argument":  {Table: "things", Columns: []string{"id"}, Rows: [][]any{{"1"}, {1.5}}},
			"a read cannot write it": {Table: "things", Columns: []string{"id"}, Rows: [][]any{{"1"}, {"2"}}},
		} {
			do := d.Write
			if strings.HasPrefix(reason, "a read") {
				do, reason = d.ReadStatement, db.ErrSecondStatement.Error()
			}
			if err := do(t.Context(), func(tx *db.Tx) error { return tx.InsertSet(tx.Later, set) }); err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%v, want %q", err, reason)
			}
		}
	})
}

func TestASetOfRowsCanLeaveOrChangeWhatIsThere(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeThings(t, d)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			for _, set := range []db.RowSet{
				{Rows: [][]any{{"1", 1}, {"2", 2}}},
				{Rows: [][]any{{"1", 10}, {"3", 3}}, OnConflict: "ON CONFLICT DO NOTHING"},
				{Rows: [][]any{{"2", 20}, {"4", 4}}, OnConflict: "ON CONFLICT (id) DO UPDATE SET size = excluded.size"},
			} {
				set.Table, set.Columns = "things", []string{"id", "size"}
				if err := tx.InsertSet(tx.Later, set); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []thing{{id: "1", size: 1}, {id: "2", size: 20}, {id: "3", size: 3}, {id: "4", size: 4}}
		if got := readThings(t, d); !reflect.DeepEqual(got, want) {
			t.Errorf("stored %+v\nwant %+v", got, want)
		}
	})
}

// On PostgreSQL the number of rows costs no statement; a value of the wrong type is refused before it is sent.
func TestASetOfRowsIsOneStatementOnPostgreSQL(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "postgres")
	makeThings(t, d)
	var rows [][]any
	for i := range 5000 {
		rows = append(rows, []any{fmt.Sprint(i), "name", i})
	}
	set := db.RowSet{Table: "things", Columns: []string{"id", "name", "size"}, Rows: rows}
	before := d.Statements()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		if err := tx.InsertSet(tx.Later, set); err != nil {
			return err
		}
		return tx.UpdateSet(tx.Later, set)
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran := d.Statements() - before; ran != 2 || len(readThings(t, d)) != 5000 {
		t.Errorf("%d statements stored %d rows", ran, len(readThings(t, d)))
	}
	mixed := db.RowSet{Table: "things", Columns: []string{"id", "size"}, Rows: [][]any{{"a", 1}, {"b", "2"}}}
	if err := d.Write(t.Context(), func(tx *db.Tx) error { return tx.InsertSet(tx.Later, mixed) }); err == nil ||
		!strings.Contains(err.Error(), "several types") {
		t.Errorf("a text among numbers: %v", err)
	}
}
