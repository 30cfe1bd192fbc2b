package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	pipelineTriggers = tableOf("pipeline_triggers", "tg", func(c *columns, t *domain.PipelineTrigger) {
		mapText(c, "id", &t.ID)
		mapText(c, "organization_id", &t.OrganizationID)
		mapText(c, "pipeline_id", &t.PipelineID)
		mapText(c, "type", &t.Type)
		mapText(c, "token_hint", &t.TokenHint)
		mapTime(c, "created_at", &t.CreatedAt)
		c.changing()
		mapText(c, "label", &t.Label)
		mapBool(c, "enabled", &t.Enabled)
		mapNullText(c, "message", &t.Message)
		mapNullText(c, "commit_sha", &t.Commit)
		mapNullText(c, "branch", &t.Branch)
		mapJSON(c, "env", &t.Env)
		mapNullText(c, "secret_hint", &t.SecretHint)
		mapTime(c, "updated_at", &t.UpdatedAt)
	})

	pipelineTriggerView = selecting(func(c *columns, v *domain.PipelineTriggerView) {
		pipelineTriggers.visit(c, &v.PipelineTrigger)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "p.slug", &v.PipelineSlug)
		mapNullText(c, "p.default_branch", &v.DefaultBranch)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "ub", &v.UpdatedBy)
	})

	// PipelineTriggerRows are the triggers of pipelines.
	PipelineTriggerRows = Rows[*domain.PipelineTriggerView]{
		items: pointersTo(pipelineTriggerView), tables: `pipeline_triggers tg`, joins: pipelineTriggerJoins,
		id:           textKey(`tg.id`, func(t *domain.PipelineTriggerView) string { return string(t.ID) }),
		organization: `tg.organization_id`,
	}
)

const pipelineTriggerJoins = `JOIN organizations o ON o.id = tg.organization_id
	JOIN pipelines p ON p.id = tg.pipeline_id
	LEFT JOIN users cb ON cb.id = tg.created_by LEFT JOIN users ub ON ub.id = tg.updated_by`

// PipelineTriggersOf lists the triggers of pipelines, the newest first.
func PipelineTriggersOf() List[*domain.PipelineTriggerView] {
	l := newList(PipelineTriggerRows, "pipeline triggers", `tg.pipeline_id`, `pipelines`)
	l.sortBy(timeKey(`tg.created_at`, func(t *domain.PipelineTriggerView) time.Time { return t.CreatedAt }))
	l.descending = true
	return l
}

// PipelineTrigger returns one trigger of a pipeline.
func (tx Tx) PipelineTrigger(pipeline domain.PipelineID, id domain.PipelineTriggerID) (
	domain.PipelineTriggerView, bool, error) {
	return selectOne(tx, pipelineTriggerView.read, `SELECT `+pipelineTriggerView.columns+` FROM pipeline_triggers tg
		`+pipelineTriggerJoins+`
		WHERE tg.pipeline_id = $1 AND tg.id = $2`, pipeline, id)
}

// PipelineTriggerByToken returns the trigger whose address has the token with that hash.
func (tx Tx) PipelineTriggerByToken(hash string) (domain.PipelineTrigger, bool, error) {
	return selectOne(tx, pipelineTriggers.read, `SELECT `+pipelineTriggers.columns+
		` FROM pipeline_triggers tg WHERE tg.token_hash = $1`, hash)
}

// PipelineTriggersCount returns how many triggers a pipeline has.
func (tx Tx) PipelineTriggersCount(pipeline domain.PipelineID) (int64, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM pipeline_triggers WHERE pipeline_id = $1`, pipeline)
	return n, err
}

// InsertPipelineTrigger stores a new trigger, whose address has the token with that hash.
func (tx Tx) InsertPipelineTrigger(t domain.PipelineTrigger, hash string, by domain.UserID) error {
	return pipelineTriggers.insert(tx.exec, t, set("token_hash", hash), setUser("created_by", by),
		setUser("updated_by", by))
}

// UpdatePipelineTrigger stores the trigger's changed state, and who changed it.
func (tx Tx) UpdatePipelineTrigger(t domain.PipelineTrigger, by domain.UserID) error {
	return pipelineTriggers.update(tx.exec, t, setUser("updated_by", by))
}

// DeletePipelineTrigger deletes a trigger with its secret.
func (tx Tx) DeletePipelineTrigger(id domain.PipelineTriggerID) error {
	return tx.exec(`DELETE FROM pipeline_triggers WHERE id = $1`, id)
}

// TriggerSecret returns the encrypted secret of a trigger, and the id that it is about.
func (tx Tx) TriggerSecret(trigger domain.PipelineTriggerID) (id, sealed string, found bool, err error) {
	found, err = tx.One(`SELECT id, sealed_value FROM trigger_secrets WHERE trigger_id = $1`, func(r *db.Row) {
		id, sealed = r.Text(), r.Text()
	}, trigger)
	return id, sealed, found, err
}

// SetTriggerSecret stores an encrypted secret of a trigger in the place of the one before.
func (tx Tx) SetTriggerSecret(trigger domain.PipelineTriggerID, id, sealed string) error {
	if err := tx.DeleteTriggerSecret(trigger); err != nil {
		return err
	}
	return tx.exec(`INSERT INTO trigger_secrets (id, trigger_id, sealed_value) VALUES ($1, $2, $3)`, id, trigger, sealed)
}

// DeleteTriggerSecret deletes the secret of a trigger.
func (tx Tx) DeleteTriggerSecret(trigger domain.PipelineTriggerID) error {
	return tx.exec(`DELETE FROM trigger_secrets WHERE trigger_id = $1`, trigger)
}
