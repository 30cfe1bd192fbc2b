package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	clusterSecrets = tableOf("cluster_secrets", "cs", func(c *columns, s *domain.ClusterSecret) {
		mapText(c, "id", &s.ID)
		mapText(c, "cluster_id", &s.ClusterID)
		mapText(c, "key", &s.Key)
		mapTime(c, "created_at", &s.CreatedAt)
		c.changing()
		mapNullText(c, "description", &s.Description)
		mapNullText(c, "policy", &s.Policy)
		mapTime(c, "updated_at", &s.UpdatedAt)
		c.readOnly()
		mapNullTime(c, "last_read_at", &s.LastReadAt)
	})

	clusterSecretView = selecting(func(c *columns, v *domain.ClusterSecretView) {
		clusterSecrets.visit(c, &v.ClusterSecret)
		mapText(c, "(SELECT organization_id FROM clusters WHERE id = cs.cluster_id)", &v.OrganizationID)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "ub", &v.UpdatedBy)
	})

	// ClusterSecretRows are the secrets of clusters.
	ClusterSecretRows = Rows[*domain.ClusterSecretView]{
		items: pointersTo(clusterSecretView), tables: `cluster_secrets cs`, joins: clusterSecretJoins,
		id:           textKey(`cs.id`, func(s *domain.ClusterSecretView) string { return string(s.ID) }),
		organization: `oc.organization_id`, owners: `JOIN clusters oc ON oc.id = cs.cluster_id`,
	}
)

const clusterSecretJoins = `LEFT JOIN users cb ON cb.id = cs.created_by LEFT JOIN users ub ON ub.id = cs.updated_by`

// ClusterSecretsOf lists the secrets of clusters, by key.
func ClusterSecretsOf() List[*domain.ClusterSecretView] {
	l := newList(ClusterSecretRows, "cluster secrets", `cs.cluster_id`, `clusters`)
	l.sortBy(textKey(`cs.key`, func(s *domain.ClusterSecretView) string { return s.Key }))
	return l
}

// ClusterSecret returns one secret of a cluster.
func (tx Tx) ClusterSecret(cluster domain.ClusterID, id domain.ClusterSecretID) (
	domain.ClusterSecretView, bool, error) {
	return selectOne(tx, clusterSecretView.read, `SELECT `+clusterSecretView.columns+` FROM cluster_secrets cs
		`+clusterSecretJoins+`
		WHERE cs.cluster_id = $1 AND cs.id = $2`, cluster, id)
}

// InsertClusterSecret stores a new secret with its encrypted value. It returns an Invalid error if its key is taken.
func (tx Tx) InsertClusterSecret(s domain.ClusterSecret, sealed string, by domain.UserID) error {
	return taken(clusterSecrets.insert(tx.exec, s, set("sealed_value", sealed), setUser("created_by", by),
		setUser("updated_by", by)), "key", domain.SecretKeyTaken)
}

// UpdateClusterSecret stores the secret's changed state.
func (tx Tx) UpdateClusterSecret(s domain.ClusterSecret, by domain.UserID) error {
	return clusterSecrets.update(tx.exec, s, setUser("updated_by", by))
}

// SetClusterSecretValue stores a new encrypted value of a secret.
func (tx Tx) SetClusterSecretValue(s domain.ClusterSecret, sealed string, by domain.UserID) error {
	return clusterSecrets.update(tx.exec, s, set("sealed_value", sealed), setUser("updated_by", by))
}

// DeleteClusterSecret deletes a secret.
func (tx Tx) DeleteClusterSecret(id domain.ClusterSecretID) error {
	return tx.exec(`DELETE FROM cluster_secrets WHERE id = $1`, id)
}

// SealedSecret is a secret with its encrypted value.
type SealedSecret struct {
	domain.ClusterSecret
	Sealed string
}

var sealedSecret = selecting(func(c *columns, s *SealedSecret) {
	clusterSecrets.visit(c, &s.ClusterSecret)
	mapText(c, "cs.sealed_value", &s.Sealed)
})

// ClusterSecretByKey returns the secret that a cluster has under a key.
func (tx Tx) ClusterSecretByKey(cluster domain.ClusterID, key string) (SealedSecret, bool, error) {
	return selectOne(tx, sealedSecret.read, `SELECT `+sealedSecret.columns+
		` FROM cluster_secrets cs WHERE cs.cluster_id = $1 AND cs.key = $2`, cluster, key)
}

// RecordClusterSecretRead stores when a secret was read.
func (tx Tx) RecordClusterSecretRead(id domain.ClusterSecretID, at time.Time) error {
	return tx.exec(`UPDATE cluster_secrets SET last_read_at = $2 WHERE id = $1`, id, db.Micros(at))
}
