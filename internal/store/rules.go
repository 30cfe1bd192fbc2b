package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	rules = tableOf("rules", "ru", func(c *columns, r *domain.Rule) {
		mapText(c, "id", &r.ID)
		mapText(c, "organization_id", &r.OrganizationID)
		mapText(c, "type", &r.Type)
		mapTime(c, "created_at", &r.CreatedAt)
		c.changing()
		mapNullText(c, "description", &r.Description)
		mapText(c, "source_id", &r.SourceID)
		mapText(c, "target_id", &r.TargetID)
		mapJSON(c, "conditions", &r.Conditions)
		c.writeKey("conditions_key", func(key string) string { return key }, r.ConditionsKey())
		mapTime(c, "updated_at", &r.UpdatedAt)
	})

	ruleView = selecting(func(c *columns, v *domain.RuleView) {
		rules.visit(c, &v.Rule)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "rs.slug", &v.SourceSlug)
		mapText(c, "rs.name", &v.SourceName)
		mapText(c, "rt.slug", &v.TargetSlug)
		mapText(c, "rt.name", &v.TargetName)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// RuleRows are the rules of organizations.
	RuleRows = Rows[*domain.RuleView]{
		items: pointersTo(ruleView), tables: `rules ru`, joins: ruleJoins,
		id:           textKey(`ru.id`, func(r *domain.RuleView) string { return string(r.ID) }),
		organization: `ru.organization_id`,
	}
)

const ruleJoins = `JOIN organizations o ON o.id = ru.organization_id JOIN pipelines rs ON rs.id = ru.source_id
	JOIN pipelines rt ON rt.id = ru.target_id LEFT JOIN users cb ON cb.id = ru.created_by`

// RulesOf lists the rules of organizations, the newest first.
func RulesOf(filter domain.RuleFilter) List[*domain.RuleView] {
	l := newList(RuleRows, "rules", `ru.organization_id`, `organizations`, filter)
	l.sortBy(timeKey(`ru.created_at`, func(r *domain.RuleView) time.Time { return r.CreatedAt }))
	l.descending = true
	whereOneOf(&l, `ru.type`, filter.Types)
	whereIf(&l, filter.Source, func(id domain.PipelineID) clause { return clauseOf(`ru.source_id = ?`, id) })
	whereIf(&l, filter.Target, func(id domain.PipelineID) clause { return clauseOf(`ru.target_id = ?`, id) })
	return l
}

// Rule returns one rule of an organization.
func (tx Tx) Rule(organization domain.OrganizationID, id domain.RuleID) (domain.RuleView, bool, error) {
	return selectOne(tx, ruleView.read, `SELECT `+ruleView.columns+` FROM rules ru `+ruleJoins+
		` WHERE ru.organization_id = $1 AND ru.id = $2`, organization, id)
}

// RulesBetween returns the rules of a type that lead from one pipeline to another, by id.
func (tx Tx) RulesBetween(t domain.RuleType, source, target domain.PipelineID) ([]domain.Rule, error) {
	return selectAll(tx, rules.read, `SELECT `+rules.columns+
		` FROM rules ru WHERE ru.source_id = $1 AND ru.target_id = $2 AND ru.type = $3 ORDER BY ru.id`, source, target, t)
}

// InsertRule stores a new rule. It returns an Invalid error if there is one like it.
func (tx Tx) InsertRule(r domain.Rule, by domain.UserID) error {
	return taken(rules.insert(tx.exec, r, setUser("created_by", by)), "value", domain.RuleTaken)
}

// UpdateRule stores the rule's changed state. It returns an Invalid error if there is one like it.
func (tx Tx) UpdateRule(r domain.Rule) error {
	return taken(rules.update(tx.exec, r), "value", domain.RuleTaken)
}

// DeleteRule deletes a rule.
func (tx Tx) DeleteRule(id domain.RuleID) error {
	return tx.exec(`DELETE FROM rules WHERE id = $1`, id)
}

// PipelineIDByName returns the id of the pipeline of an organization that has a UUID or a slug.
func (tx Tx) PipelineIDByName(organization domain.OrganizationID, name string) (domain.PipelineID, bool, error) {
	if id, ok := domain.ParseID[domain.PipelineID](name); ok {
		return one(tx, scanID[domain.PipelineID], `SELECT id FROM pipelines WHERE organization_id = $1 AND id = $2`,
			organization, id)
	}
	if !domain.ValidSlug(name) {
		return "", false, nil
	}
	return tx.PipelineIDBySlug(organization, name)
}
