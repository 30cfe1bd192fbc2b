package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	agentTokenColumns = `a.id, a.cluster_id, a.description, a.allowed_ip_addresses, a.expires_at, a.created_at, cb.id, cb.name, cb.email, cb.created_at`
	agentTokenTables  = `cluster_agent_tokens a LEFT JOIN users cb ON cb.id = a.created_by`
)

func scanAgentToken(r *db.Row) domain.AgentTokenView {
	return domain.AgentTokenView{
		AgentToken: domain.AgentToken{
			ID:                 domain.AgentTokenID(r.Text()),
			ClusterID:          domain.ClusterID(r.Text()),
			Description:        r.Text(),
			AllowedIPAddresses: r.NullText(),
			ExpiresAt:          r.NullTime(),
			CreatedAt:          r.Time(),
		},
		CreatedBy: scanNullUser(r),
	}
}

// AgentTokens returns a page of a cluster's agent tokens, the oldest first.
func (tx Tx) AgentTokens(cluster domain.ClusterID, page domain.Page) (domain.Paged[domain.AgentTokenView], error) {
	return paged(tx, scanAgentToken, listing{
		columns: agentTokenColumns, tables: `cluster_agent_tokens a`, joins: `LEFT JOIN users cb ON cb.id = a.created_by`,
		where: `a.cluster_id = $1`, order: `a.created_at, a.id`,
	}, page, cluster)
}

// AgentToken returns one agent token of a cluster.
func (tx Tx) AgentToken(cluster domain.ClusterID, id domain.AgentTokenID) (domain.AgentTokenView, bool, error) {
	return one(tx, scanAgentToken, `SELECT `+agentTokenColumns+` FROM `+agentTokenTables+` WHERE a.cluster_id = $1 AND a.id = $2`, cluster, id)
}

// InsertAgentToken stores a new agent token under the hash of its value.
func (tx Tx) InsertAgentToken(t domain.AgentToken, hash string, by domain.UserID) error {
	return tx.exec(`INSERT INTO cluster_agent_tokens (id, cluster_id, hash, description, allowed_ip_addresses, expires_at, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, t.ID, t.ClusterID, hash, t.Description, t.AllowedIPAddresses,
		db.NullMicros(t.ExpiresAt), db.Micros(t.CreatedAt), nullUser(by))
}

// UpdateAgentToken stores the token's changed state.
func (tx Tx) UpdateAgentToken(t domain.AgentToken) error {
	return tx.exec(`UPDATE cluster_agent_tokens SET description = $2, allowed_ip_addresses = $3 WHERE id = $1`,
		t.ID, t.Description, t.AllowedIPAddresses)
}

// DeleteAgentToken deletes an agent token.
func (tx Tx) DeleteAgentToken(id domain.AgentTokenID) error {
	return tx.exec(`DELETE FROM cluster_agent_tokens WHERE id = $1`, id)
}
