package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"testing"

	"penstock/internal/db"
)

// releasedMigrations are the migrations that releases have run, with the SHA-256 of their text. A release adds its own.
var releasedMigrations = []struct{ name, sha256 string }{
	// 0.1.0
	{"0001_initial", "626683a9b62d8f23b09b5ffb33d540e7a1f04ea1bc4b42198e8842c43c03f056"},
	{"0002_pipelines_teams_audit", "28a03c188083734f29c47a70a13a132cd9d53689f6554a187e52a8ef225a7573"},
	{"0003_access", "d3d43b9ab0e588f014b066f99a37cf741b4965ae50cc2b91af4fcbdeb6e54d51"},
	{"0004_usage", "c14d89412498b179bc2740e83f615a2f6fab251f1687926b40f61774bafc2dfc"},
	{"0005_cache_store", "c23fe4a01c97ccc5cf58d21c0047230c128f331640e4b94cd8b89c7e012f1d75"},
}

// firstAddingMigration is the first that came after a release, so that servers of that release run beside it.
const firstAddingMigration = 6

func TestReleasedMigrationsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	migrations := db.Migrations()
	for i, released := range releasedMigrations {
		if i >= len(migrations) {
			t.Errorf("migration %s is missing; databases in use have run it", released.name)
			continue
		}
		sum := sha256.Sum256([]byte(migrations[i].Source))
		if m := migrations[i]; m.Name != released.name || hex.EncodeToString(sum[:]) != released.sha256 {
			t.Errorf("%s is not the migration %s that was released; databases in use have run that one and will not run it again: "+
				"restore it, and write a new migration", m.Name, released.name)
		}
	}
}

// removing matches what a server of the release before would notice.
var removing = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME|ALTER\s+COLUMN)\b`)

// remaking are migrations that change tables which no release has had: no server of a release knows them.
var remaking = map[string]bool{"0023_job_runs": true}

func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	for _, m := range db.Migrations()[firstAddingMigration-1:] {
		if remaking[m.Name] {
			continue
		}
		source := regexp.MustCompile(`--.*`).ReplaceAllString(m.Source, "")
		if found := removing.FindString(source); found != "" {
			t.Errorf("migration %s has %s, but servers of the release before still run when it is taken: a migration only adds", m.Name, found)
		}
	}
	for _, sql := range []string{"ALTER TABLE a DROP COLUMN b", "alter table a rename to b", "DROP TABLE a"} {
		if !removing.MatchString(sql) {
			t.Errorf("%s is taken for an addition", sql)
		}
	}
}
