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
	// 0.2.0
	{"0023_job_runs", "5a681135da0e476e60766fbead60805f605565edd292909560aab41325544ae5"},
	{"0024_postponed_items", "a28acdcf6d80aa273f8b46860407f31c7bdf3e90b6a820c578ac5ff921b7e43b"},
	{"0025_nodes", "d35832735d2801a0ab357a1f343587ad50656f6c65c23d28f6b31b316f65dcc5"},
	{"0027_annotation_html", "69e8252700eb821463181b5ff93052e6465d82ed520dd0f811207248dce1cbcf"},
	{"0029_build_origins", "393fb5b2107ec7b5e34e11748487051cc52909219c2c52f2d5ad7e88341a5517"},
	{"0031_former_pipeline_slugs", "a63503a23c81af15c740ad9a32171d6186a5c126358ecab007807cb512554650"},
	{"0035_rules", "043d6f7bb313deacf1bb5c9bd205da502a5459d3a18f6d06c769ef98dd6a42fb"},
	{"0036_pipeline_schedules", "09db2b4a9ecd142cd81125e3f0c902f38dc239adee7012bb9ce6b0d94dfedb3f"},
	{"0037_pipeline_templates", "187e2820bb552dbc26f313f33c2eb60e3a3eb93ab2d7d6c37c1dbce357aee6da"},
	{"0038_outbox", "5f714c3d00e1580cf9cfe278c49cc4868d258df70ff4b0e6fdc127470f28e80a"},
	{"0039_repository_hosts", "053cbe0d6fbd1271163a92c71759d4ad2065207f730ffb74dc17169c0035caf2"},
	{"0040_notification_services", "2245488ce23f386af9c1a41cb647fe717baca96b286835bc29ac0059f046611a"},
	{"0050_missed_offers", "7af71aa7ce5a1f22d85ea187ed6cf49a41b001540969fa293b47cb538f1c1a27"},
	{"0060_unclustered_tokens", "4d5313b46691c3ffda1b21697421051423fc55152bcadaa7ca700994107a913e"},
	{"0061_stacks", "0659991a174bb02fe5d18b5cb1c47530e6d475b8a674f21848cca25adf13eab5"},
	{"0080_pipeline_triggers", "5a760fe39183a5e25793c00558d65602bed1394ec23ae0c129efa363f6cf745a"},
	{"0081_notifications", "6e430a540b357a1e91502f38ff13fe1a2fd554d03783e9eb5598351419ea75a8"},
	{"0082_rate_limits", "1c58e8a2e12c3779151fa447ee756999533b18f6df44f7aaa4268378bf465b43"},
	{"0083_notices_of_targets", "7d287832572dac6b42db6dc38889fd459482a031a4a7856f33288648b36b928d"},
	{"0086_metrics", "33b6e7756d5e98412a72e0a1e9b03f770809f748db8088dcda503634cf42db7e"},
	{"0089_test_reports", "753680b89e7adc2e1dd1fe8d2ca172e09a4913a2a4f01067a160bdb989427adb"},
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
