package backup

import (
	"context"
	"io"

	"penstock/internal/db"
)

// LoadTable loads the rows of one table of a backup, for tables that no migration makes.
func LoadTable(ctx context.Context, d *db.DB, file io.Reader, name string) error {
	return d.WriteAlone(ctx, func(tx *db.Tx) error {
		tables, _, err := tx.Tables()
		if err != nil {
			return err
		}
		f, err := newFileReader(ctx, file)
		if err != nil {
			return err
		}
		for {
			if more, err := f.nextTable(); err != nil || !more {
				return err
			}
			for _, t := range tables {
				if t.Name != f.table.Table {
					continue
				}
				load := loadTable
				if t.Name != name {
					load = func(_ *db.Tx, _ db.Table, f *fileReader) error { return f.skipRows() }
				}
				if err := load(tx, t, f); err != nil {
					return err
				}
			}
		}
	})
}
