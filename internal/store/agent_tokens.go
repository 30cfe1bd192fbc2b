package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	agentTokens = tableOf("cluster_agent_tokens", "at", func(c *columns, t *domain.AgentToken) {
		mapText(c, "id", &t.ID)
		mapText(c, "cluster_id", &t.ClusterID)
		mapNullTime(c, "expires_at", &t.ExpiresAt)
		mapTime(c, "created_at", &t.CreatedAt)
		c.changing()
		mapText(c, "description", &t.Description)
		mapNullText(c, "allowed_ip_addresses", &t.AllowedIPAddresses)
	})

	agentTokenView = selecting(func(c *columns, v *domain.AgentTokenView) {
		agentTokens.visit(c, &v.AgentToken)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// AgentTokenRows are the agent tokens of clusters.
	AgentTokenRows = Rows[*domain.AgentTokenView]{
		items:  pointersTo(agentTokenView),
		tables: `cluster_agent_tokens at`, joins: `LEFT JOIN users cb ON cb.id = at.created_by`,
		id:           textKey(`at.id`, func(t *domain.AgentTokenView) string { return string(t.ID) }),
		organization: `oc.organization_id`, owners: `JOIN clusters oc ON oc.id = at.cluster_id`,
	}
)

// AgentTokensOf lists the agent tokens of clusters, the oldest first.
func AgentTokensOf() List[*domain.AgentTokenView] {
	l := newList(AgentTokenRows, "agent tokens", `at.cluster_id`, `clusters`)
	l.sortBy(timeKey(`at.created_at`, func(t *domain.AgentTokenView) time.Time { return t.CreatedAt }))
	return l
}

// AgentTokensMadeBy lists the agent tokens that a user made in organizations, the oldest first.
func AgentTokensMadeBy(user domain.UserID) List[*domain.AgentTokenView] {
	l := newList(AgentTokenRows, "agent tokens of a maker", `c.organization_id`, `organizations`, user)
	l.rows.tables += ` JOIN clusters c ON c.id = at.cluster_id`
	l.sortBy(timeKey(`at.created_at`, func(t *domain.AgentTokenView) time.Time { return t.CreatedAt }))
	l.where(clauseOf(`at.created_by = ?`, user))
	return l
}

// AgentToken returns one agent token of a cluster.
func (tx Tx) AgentToken(cluster domain.ClusterID, id domain.AgentTokenID) (domain.AgentTokenView, bool, error) {
	return selectOne(tx, agentTokenView.read, `SELECT `+agentTokenView.columns+` FROM cluster_agent_tokens at
		LEFT JOIN users cb ON cb.id = at.created_by WHERE at.cluster_id = $1 AND at.id = $2`, cluster, id)
}

// InsertAgentToken stores a new agent token under the hash of its value.
func (tx Tx) InsertAgentToken(t domain.AgentToken, hash string, by domain.UserID) error {
	return agentTokens.insert(tx.exec, t, set("hash", hash), setUser("created_by", by))
}

// UpdateAgentToken stores the token's changed state.
func (tx Tx) UpdateAgentToken(t domain.AgentToken) error { return agentTokens.update(tx.exec, t) }

// DeleteAgentToken deletes an agent token.
func (tx Tx) DeleteAgentToken(id domain.AgentTokenID) error {
	return tx.exec(`DELETE FROM cluster_agent_tokens WHERE id = $1`, id)
}
