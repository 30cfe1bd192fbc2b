package store

import (
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// TestRowsThatCannotBeReadAreErrors stores what is no JSON where there must be JSON: nothing of it may be shown as if it were empty.
func TestRowsThatCannotBeReadAreErrors(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	write(t, d, `INSERT INTO audit_events (organization_id, id, occurred_at, type, actor_type, actor_id, actor_name, subject_type, subject_id, subject_name, context, data)
		VALUES ('o', 'e', 1, 't', 'u', 'a', 'A', 's', 's', 'S', '{"surface": 1', '{}')`)
	err := New(d).Read(t.Context(), func(tx Tx) error {
		if _, _, err := tx.AuditEvent("o", "e"); err == nil || !strings.Contains(err.Error(), "column context") {
			t.Errorf("an event: %v", err)
		}
		list := AuditEventsOf(domain.AuditFilter{})
		list.rows.visible = nil
		if _, err := list.Read(tx, anyUser, []string{"o"}, Range{Limit: 1}); err == nil {
			t.Error("a list of it is read")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, d *db.DB, sql string) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestColumnsAreNamedOnce reads the schema: every column that a table's statements name is one of the table, and no column of it is left
// out but those that statements of their own write.
func TestColumnsAreNamedOnce(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	elsewhere := "created_by hash user_id password_hash last_used_address maintained dispatch_paused_by archived_by disabled_at email_unproved build_mails accepted_by revoked_by"
	for table, named := range map[string][]column{
		"api_tokens": namesOf(apiTokens), "audit_events": namesOf(auditEvents), "cache_registries": namesOf(cacheRegistries),
		"cluster_agent_tokens": namesOf(agentTokens), "cluster_queues": namesOf(queues), "clusters": namesOf(clusters),
		"invitations": namesOf(invitations), "organization_members": namesOf(members), "organizations": namesOf(organizations), "pipelines": namesOf(pipelines),
		"portals": namesOf(portals), "portal_secrets": namesOf(portalSecrets), "portal_tokens": namesOf(portalTokens),
		"team_members": namesOf(teamMembers), "team_pipelines": namesOf(teamPipelines), "teams": namesOf(teams),
		"unclustered_tokens": namesOf(unclusteredTokens), "organization_banners": namesOf(organizationBanners),
		"user_sessions": namesOf(sessions), "users": namesOf(users),
	} {
		left := map[string]bool{}
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(`SELECT name FROM pragma_table_info('`+table+`')`, func(r *db.Row) error {
				left[r.Text()] = true
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range named {
			if !left[column.name] {
				t.Errorf("%s has no %s, or it is named twice", table, column.name)
			}
			delete(left, column.name)
		}
		for name := range left {
			if !strings.Contains(" "+elsewhere+" ", " "+name+" ") {
				t.Errorf("%s.%s is not named", table, name)
			}
		}
	}
}

func namesOf[V any](t table[V]) []column {
	var c columns
	t.fields(&c, new(V))
	return c.named
}
