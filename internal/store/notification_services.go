package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	notificationServices = tableOf("notification_services", "ns", func(c *columns, s *domain.NotificationService) {
		mapText(c, "id", &s.ID)
		mapText(c, "organization_id", &s.OrganizationID)
		mapText(c, "provider", &s.Provider)
		mapTime(c, "created_at", &s.CreatedAt)
		c.changing()
		mapText(c, "description", &s.Description)
		mapBool(c, "enabled", &s.Enabled)
		mapText(c, "scope", &s.Scope)
		mapJSON(c, "scope_ids", &s.ScopeIDs)
		mapText(c, "branches", &s.Branches)
		mapJSON(c, "build_states", &s.BuildStates)
		mapJSON(c, "settings", &s.Settings)
		mapTime(c, "updated_at", &s.UpdatedAt)
	})

	notificationServiceView = selecting(func(c *columns, v *domain.NotificationServiceView) {
		notificationServices.visit(c, &v.NotificationService)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// NotificationServiceRows are the notification services of organizations, for those who administer them.
	NotificationServiceRows = Rows[*domain.NotificationServiceView]{
		items: pointersTo(notificationServiceView), tables: `notification_services ns`, joins: notificationServiceJoins,
		id:           textKey(`ns.id`, func(s *domain.NotificationServiceView) string { return string(s.ID) }),
		organization: `ns.organization_id`,
		visible:      func(v Viewer) clause { return v.administers(`ns.organization_id`) },
	}
)

const notificationServiceJoins = `JOIN organizations o ON o.id = ns.organization_id
	LEFT JOIN users cb ON cb.id = ns.created_by`

// NotificationServicesOf lists the notification services of organizations, the oldest first.
func NotificationServicesOf() List[*domain.NotificationServiceView] {
	l := newList(NotificationServiceRows, "notification services", `ns.organization_id`, `organizations`)
	l.sortBy()
	return l
}

// NotificationService returns a notification service.
func (tx Tx) NotificationService(id domain.NotificationServiceID) (domain.NotificationServiceView, bool, error) {
	return selectOne(tx, notificationServiceView.read, `SELECT `+notificationServiceView.columns+
		` FROM notification_services ns `+notificationServiceJoins+` WHERE ns.id = $1`, id)
}

// EnabledServices returns the notification services of all organizations that are enabled.
func (tx Tx) EnabledServices() ([]domain.NotificationService, error) {
	return selectAll(tx, notificationServices.read, `SELECT `+notificationServices.columns+
		` FROM notification_services ns WHERE ns.enabled ORDER BY ns.id`)
}

// EnabledServicesOf returns the notification services of an organization and a provider that are enabled.
func (tx Tx) EnabledServicesOf(organization domain.OrganizationID, provider domain.ServiceProvider) (
	[]domain.NotificationService, error) {
	return selectAll(tx, notificationServices.read, `SELECT `+notificationServices.columns+
		` FROM notification_services ns WHERE ns.organization_id = $1 AND ns.provider = $2 AND ns.enabled ORDER BY ns.id`,
		organization, provider)
}

// CountNotificationServices returns how many an organization has.
func (tx Tx) CountNotificationServices(organization domain.OrganizationID) (n int64, err error) {
	_, err = tx.One(`SELECT count(*) FROM notification_services WHERE organization_id = $1`,
		func(r *db.Row) { n = r.Int() }, organization)
	return n, err
}

// PipelinesOfTeams returns the pipelines that teams of an organization have access to.
func (tx Tx) PipelinesOfTeams(organization domain.OrganizationID, teams []string) ([]string, error) {
	var a arguments
	sql := a.write(
		clauseOf(`SELECT DISTINCT tp.pipeline_id FROM team_pipelines tp JOIN teams t ON t.id = tp.team_id
			WHERE t.organization_id = ? AND ?`, organization, oneOf(`t.id`, teams)))
	return all(tx, (*db.Row).Text, sql, a.values...)
}

// hasAll reports whether an organization has all things of a table.
func (tx Tx) hasAll(table string, organization domain.OrganizationID, ids []string) (bool, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT count(*) FROM `+table+` t WHERE t.organization_id = ? AND ?`, organization,
		oneOf(`t.id`, ids)))
	var n int64
	_, err := tx.One(sql, func(r *db.Row) { n = r.Int() }, a.values...)
	return n == int64(len(ids)), err
}

// scopeTables are where the things of a scope are.
var scopeTables = map[domain.ServiceScope]string{domain.BuildsOfPipeline: "pipelines", domain.BuildsOfTeams: "teams",
	domain.BuildsOfClusters: "clusters"}

// HasScope reports whether the organization of a notification service has the pipelines, teams or clusters that it is
// about.
func (tx Tx) HasScope(s domain.NotificationService) (bool, error) {
	if s.Scope == domain.AllBuilds {
		return true, nil
	}
	return tx.hasAll(scopeTables[s.Scope], s.OrganizationID, s.ScopeIDs)
}

// ServiceSecrets returns the encrypted secrets of a notification service.
func (tx Tx) ServiceSecrets(id domain.NotificationServiceID) (sealed string, err error) {
	_, err = tx.One(`SELECT sealed_value FROM notification_services WHERE id = $1`,
		func(r *db.Row) { sealed = r.Text() }, id)
	return sealed, err
}

// InsertNotificationService stores a new service.
func (tx Tx) InsertNotificationService(s domain.NotificationService, sealed string, by domain.UserID) error {
	return notificationServices.insert(tx.exec, s, set("sealed_value", sealed), setUser("created_by", by))
}

// UpdateNotificationService stores the changed state of a service.
func (tx Tx) UpdateNotificationService(s domain.NotificationService, sealed string) error {
	return notificationServices.update(tx.exec, s, set("sealed_value", sealed))
}

// DeleteNotificationService deletes a service. What waits to be sent to it fails.
func (tx Tx) DeleteNotificationService(id domain.NotificationServiceID) error {
	return tx.exec(`DELETE FROM notification_services WHERE id = $1`, id)
}

// LastFinishedBefore returns how the last build of a branch before a number ended; "" if there is none.
func (tx Tx) LastFinishedBefore(pipeline domain.PipelineID, branch string, number int64) (state string, err error) {
	_, err = tx.One(
		`SELECT state FROM builds WHERE pipeline_id = $1 AND branch = $2 AND number < $3 AND state IN ('passed', 'failed')
			ORDER BY number DESC LIMIT 1`,
		func(r *db.Row) { state = r.Text() }, pipeline, branch, number)
	return state, err
}

// CountMails returns how many mails of an organization that were created since a time have been sent.
func (tx Tx) CountMails(organization domain.OrganizationID, since time.Time) (n int64, err error) {
	_, err = tx.One(
		`SELECT count(*) FROM notices WHERE organization_id = $1 AND id > $2 AND kind IN ($3, $4, $5) AND state = 'sent'`,
		func(r *db.Row) { n = r.Int() },
		organization, domain.NewIDAt[string](since), domain.NoticeMail, domain.NoticeNotifyMail, domain.NoticeMemberMail)
	return n, err
}
