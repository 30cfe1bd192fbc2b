package store

import (
	"penstock/internal/db"
)

// sealedColumn is a column whose texts are encrypted with a key of the installation. Each begins with the id of its
// key.
type sealedColumn struct {
	table, column string
	about         string // what a text is about, with the row's id behind it
}

// What the texts in the database are about that are encrypted: they can be opened as this and nothing else.
const (
	AboutClusterSecret = "cluster secret "
	AboutOIDCKey       = "OIDC key "
	AboutConnection    = "repository connection "
	AboutService       = "notification service "
	AboutTrigger       = "pipeline trigger "
)

var sealedColumns = []sealedColumn{
	{"cluster_secrets", "sealed_value", AboutClusterSecret},
	{"oidc_keys", "sealed_private_key", AboutOIDCKey},
	{"connection_secrets", "sealed_value", AboutConnection},
	{"notification_services", "sealed_value", AboutService},
	{"trigger_secrets", "sealed_value", AboutTrigger},
}

// SealedText is an encrypted text of a row.
type SealedText struct {
	About string
	Text  string
	place sealedColumn
	id    string
}

// SealingKeys returns the ids of the keys that anything in the database is encrypted with. Ids have that length.
func (tx Tx) SealingKeys(length int) (ids []string, err error) {
	for _, c := range sealedColumns {
		some, err := all(tx, (*db.Row).Text, `SELECT DISTINCT substr(`+c.column+`, 1, $1) FROM `+c.table+` WHERE `+c.column+
			` <> '' ORDER BY 1`, length)
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	return ids, nil
}

// TextsSealedOtherwise returns some of the texts that are encrypted with another key than the one with that id, in any
// order.
func (tx Tx) TextsSealedOtherwise(id string, limit int) (texts []SealedText, err error) {
	for _, c := range sealedColumns {
		err := tx.Query(`SELECT id, `+c.column+` FROM `+c.table+` WHERE `+c.column+` <> '' AND substr(`+c.column+
			`, 1, $1) <> $2 ORDER BY id LIMIT $3`, func(r *db.Row) error {
			text := SealedText{place: c, id: r.Text()}
			text.About, text.Text = c.about+text.id, r.Text()
			texts = append(texts, text)
			return nil
		}, len(id), id, limit-len(texts))
		if err != nil || len(texts) >= limit {
			return texts, err
		}
	}
	return texts, nil
}

// Reseal stores an encrypted text in the place of another one, unless that has changed since it was read.
func (tx Tx) Reseal(old SealedText, sealed string) error {
	return tx.exec(`UPDATE `+old.place.table+` SET `+old.place.column+` = $3 WHERE id = $1 AND `+old.place.column+` = $2`,
		old.id, old.Text, sealed)
}

// DeleteSealed deletes the row that has an encrypted text, unless that has changed since it was read.
func (tx Tx) DeleteSealed(old SealedText) error {
	return tx.exec(`DELETE FROM `+old.place.table+` WHERE id = $1 AND `+old.place.column+` = $2`, old.id, old.Text)
}
