package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	unclusteredTokens = tableOf("unclustered_tokens", "ut", func(c *columns, t *domain.UnclusteredToken) {
		mapText(c, "id", &t.ID)
		mapText(c, "organization_id", &t.OrganizationID)
		mapNullText(c, "description", &t.Description)
		mapTime(c, "created_at", &t.CreatedAt)
		c.changing()
		mapNullTime(c, "revoked_at", &t.RevokedAt)
		mapNullText(c, "revoked_reason", &t.RevokedReason)
	})

	unclusteredTokenView = selecting(func(c *columns, v *domain.UnclusteredTokenView) {
		unclusteredTokens.visit(c, &v.UnclusteredToken)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "rb", &v.RevokedBy)
	})

	// UnclusteredTokenRows are the unclustered agent tokens of organizations that the viewer administers.
	UnclusteredTokenRows = Rows[*domain.UnclusteredTokenView]{
		items: pointersTo(unclusteredTokenView), tables: `unclustered_tokens ut`, joins: unclusteredTokenJoins,
		id:           textKey(`ut.id`, func(t *domain.UnclusteredTokenView) string { return string(t.ID) }),
		organization: `ut.organization_id`,
		visible:      func(v Viewer) clause { return v.administers(`ut.organization_id`) },
	}
)

const unclusteredTokenJoins = `JOIN organizations o ON o.id = ut.organization_id
	LEFT JOIN users cb ON cb.id = ut.created_by LEFT JOIN users rb ON rb.id = ut.revoked_by`

// UnclusteredTokensOf lists the unclustered agent tokens of organizations, the oldest first: those that are revoked or
// are not, or all.
func UnclusteredTokensOf(revoked *bool) List[*domain.UnclusteredTokenView] {
	l := newList(UnclusteredTokenRows, "unclustered tokens", `ut.organization_id`, `organizations`, revoked)
	l.sortBy(timeKey(`ut.created_at`, func(t *domain.UnclusteredTokenView) time.Time { return t.CreatedAt }))
	if revoked != nil {
		if *revoked {
			l.where(clauseOf(`ut.revoked_at IS NOT NULL`))
		} else {
			l.where(clauseOf(`ut.revoked_at IS NULL`))
		}
	}
	return l
}

// UnclusteredToken returns one unclustered agent token of an organization.
func (tx Tx) UnclusteredToken(organization domain.OrganizationID, id domain.UnclusteredTokenID) (
	domain.UnclusteredTokenView, bool, error) {
	return selectOne(tx, unclusteredTokenView.read, `SELECT `+unclusteredTokenView.columns+` FROM unclustered_tokens ut
		`+unclusteredTokenJoins+`
		WHERE ut.organization_id = $1 AND ut.id = $2`, organization, id)
}

// InsertUnclusteredToken stores a new token under the hash of its value.
func (tx Tx) InsertUnclusteredToken(t domain.UnclusteredToken, hash string, by domain.UserID) error {
	return unclusteredTokens.insert(tx.exec, t, set("hash", hash), setUser("created_by", by))
}

// RevokeUnclusteredToken stores that a token was revoked.
func (tx Tx) RevokeUnclusteredToken(t domain.UnclusteredToken, by domain.UserID) error {
	return unclusteredTokens.update(tx.exec, t, setUser("revoked_by", by))
}

// unclusteredRegistration reads an unclustered token as the token of its organization's default cluster.
var unclusteredRegistration = selecting(func(c *columns, t *RegistrationToken) {
	mapNullText(c, "ut.id", &t.UnclusteredID)
	mapText(c, "coalesce(ut.description, '')", &t.Token.Description)
	mapText(c, "coalesce(c.id, '')", &t.Token.ClusterID)
	mapTime(c, "ut.created_at", &t.Token.CreatedAt)
	mapText(c, "o.id", &t.OrganizationID)
	mapText(c, "o.slug", &t.OrganizationSlug)
	mapText(c, "coalesce(c.name, '')", &t.ClusterName)
	mapNullText(c, "q.id", &t.DefaultQueueID)
	mapNullText(c, "q.key", &t.DefaultQueueKey)
})

// unclusteredRegistration returns the unclustered token with that hash, unless it was revoked. Its cluster is "" if the
// organization has no default one.
func (tx Tx) unclusteredRegistration(hash string) (RegistrationToken, bool, error) {
	return selectOne(tx, unclusteredRegistration.read, `SELECT `+unclusteredRegistration.columns+` FROM unclustered_tokens
		ut
		JOIN organizations o ON o.id = ut.organization_id LEFT JOIN clusters c ON c.id = o.default_cluster_id
		LEFT JOIN cluster_queues q ON q.id = c.default_queue_id WHERE ut.hash = $1 AND ut.revoked_at IS NULL`, hash)
}

// ID returns the token's id.
func (t RegistrationToken) ID() string {
	if t.UnclusteredID != nil {
		return string(*t.UnclusteredID)
	}
	return string(t.Token.ID)
}
