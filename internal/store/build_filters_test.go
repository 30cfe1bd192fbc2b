package store

import (
	"strings"
	"testing"

	"penstock/internal/domain"
)

// TestMetaDataIsWrittenForFewAndForMany looks at both ways in which builds are chosen by their meta-data: few rows are
// looked up, and what is left of many is found in the order of the list.
func TestMetaDataIsWrittenForFewAndForMany(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300) // more than the index has
	d := migrated(t)
	for name, filter := range map[string]domain.BuildFilter{
		"a key and its value": {MetaData: map[string]string{"release": long}},
		"a pair":              {Pairs: []string{"release:" + long}},
	} {
		list := BuildsOfOrganizations(filter, false)
		err := New(d).Read(t.Context(), func(tx Tx) error {
			few, err := list.withSparse(tx)
			if err != nil {
				return err
			}
			for way, l := range map[string]List[*domain.BuildView]{"many": list, "few": few} {
				var a arguments
				sql := l.rangeSQL(&a, Viewer{}, "organization", Range{Limit: 30})
				if got := strings.Contains(sql, "b.id IN (SELECT md.build_id"); got != (way == "few") {
					t.Errorf("%s, %s: %s", name, way, sql)
				}
				if items, err := l.query(tx, sql, a.values, false); err != nil || len(items) != 0 {
					t.Errorf("%s, %s: %v, %v", name, way, items, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
