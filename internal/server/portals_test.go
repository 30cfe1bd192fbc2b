package server_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/server"
)

// TestAPortalThatTheSchemaBreaksStopsTheStart has a portal whose document was good with another schema.
func TestAPortalThatTheSchemaBreaksStopsTheStart(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, nil)
			s.stop()
			withDatabase(t, s.cfg, func(d *db.DB) error {
				return d.Write(t.Context(), func(tx *db.Tx) error {
					_, err := tx.Exec(`INSERT INTO portals (id, organization_id, slug, name, name_key, query, created_at)
						SELECT '0190d000-0000-7000-8000-000000000001', id, 'build-counts', 'Build counts', 'build counts', '{ gone }', 0 FROM organizations`)
					return err
				})
			})
			var stdout bytes.Buffer
			err := server.Run(t.Context(), server.Options{Config: s.cfg, Version: "test", Stdout: &stdout, Stderr: io.Discard})
			if err == nil || !strings.Contains(err.Error(), "acme-inc/build-counts") || !strings.Contains(err.Error(), `"gone"`) || stdout.Len() > 0 {
				t.Errorf("%v, %q", err, stdout.String())
			}
		})
	}
}
