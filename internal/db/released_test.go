package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"testing"

	"penstock/internal/db"
)

// releasedMigrations are the migrations that databases in use have run, with the SHA-256 of their text. A release adds its own.
var releasedMigrations = []struct{ name, sha256 string }{
	// 0.1.0
	{"0001_initial", "626683a9b62d8f23b09b5ffb33d540e7a1f04ea1bc4b42198e8842c43c03f056"},
	{"0002_pipelines_teams_audit", "28a03c188083734f29c47a70a13a132cd9d53689f6554a187e52a8ef225a7573"},
	{"0003_access", "d3d43b9ab0e588f014b066f99a37cf741b4965ae50cc2b91af4fcbdeb6e54d51"},
	{"0004_usage", "c14d89412498b179bc2740e83f615a2f6fab251f1687926b40f61774bafc2dfc"},
	{"0005_cache_store", "c23fe4a01c97ccc5cf58d21c0047230c128f331640e4b94cd8b89c7e012f1d75"},
	// Not released, but databases of this state are upgraded too: testdata/releases/0.2.0-alpha of cmd/penstock.
	{"0006_client_fields", "09f7dc1ef89bc47a4b95e04d4873803fc32a5cbf47c931fb719c27881ba25851"},
	{"0007_people", "fcff538750139258826978051579ff4ebdee553ee098a30205fbd8027edc1df1"},
	{"0008_idempotency_keys", "573c0dd728a4d84443a37b58fa31986950af750496b9a4dcd68ef6777c0b8304"},
	{"0009_organization_settings", "d9a060ec12b62bda602d96186d148336773685658bf26fc66d7084076fe88da1"},
	{"0010_user_portals", "e54545a599a2608c2382eb6f26b4f5535fcdb033c015e4a6b34acd9fd012e73f"},
	{"0011_builds", "3928d044fa059bc61d6a8a17a4d8108976e51d86e56e8c91c9133cc23a60d953"},
	{"0013_signing", "436cabc80c1e39104300923359dee6d1c6c9880e13e92c8e71471b617e9a6084"},
	{"0015_cache_entries", "a64c76789b93046d792da4e66eb8246d681e094e0baf72d1122d78cbfed7917a"},
	{"0016_cluster_secrets", "7bb369b31330c82fdaba5d56828e3b33c9b9916b6c0347ec15992b346ee04046"},
	{"0017_oidc_keys", "4c7b5a0970c7700ad781da5d19ad35ca6373ed987cac157e4ecfc977cb8732b6"},
	{"0018_build_retention", "f706e820e7162662d06933045786574faf0672dc5bc1295b03674ffe896d1a33"},
	{"0019_queue_samples", "eee9868098534e52c1a00ab5cfdb3c079c762ae780e995c07f5f5d3f46348ca9"},
	{"0020_session_use", "2d4d57e810f7876bc7c5b1f8fa463757cbd85f5484f2204f6957f49e41f8799c"},
	{"0022_triggered_builds", "aa2308624e05584daf82264ac4a25cba04e496300b432756ac8970c632061316"},
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
