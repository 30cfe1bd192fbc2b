package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	queueColumns = `q.id, q.cluster_id, q.key, q.description, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note,
		q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, q.created_at, cb.id, cb.name, cb.email, cb.created_at,
		pb.id, pb.name, pb.email, pb.created_at`
	queueTables = `cluster_queues q LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by`
)

func scanQueue(r *db.Row) domain.QueueView {
	var q domain.QueueView
	q.ID = domain.QueueID(r.Text())
	q.ClusterID = domain.ClusterID(r.Text())
	q.Key = r.Text()
	q.Description = r.NullText()
	q.RetryAgentAffinity = domain.RetryAgentAffinity(r.Text())
	if at, note := r.NullTime(), r.NullText(); at != nil {
		q.Paused = &domain.Pause{At: *at, Note: note}
	}
	if shape := r.NullText(); shape != nil {
		known, _ := domain.InstanceShapeByName(*shape)
		known.Name = *shape
		q.Hosted = &domain.HostedAgents{Shape: known, AgentImageRef: r.NullText(), MacOSVersion: r.NullText(), XcodeVersion: r.NullText()}
	} else {
		r.Skip(3)
	}
	q.CreatedAt = r.Time()
	q.CreatedBy = scanNullUser(r)
	q.PausedBy = scanNullUser(r)
	return q
}

// Queues returns a page of a cluster's queues, by key.
func (tx Tx) Queues(cluster domain.ClusterID, page domain.Page) ([]domain.QueueView, error) {
	return all(tx, scanQueue, `SELECT `+queueColumns+` FROM `+queueTables+`
		WHERE q.cluster_id = $1 ORDER BY q.key`+limit(page.Size)+` OFFSET $2`, cluster, page.Offset())
}

// Queue returns one queue of a cluster.
func (tx Tx) Queue(cluster domain.ClusterID, id domain.QueueID) (domain.QueueView, bool, error) {
	return one(tx, scanQueue, `SELECT `+queueColumns+` FROM `+queueTables+` WHERE q.cluster_id = $1 AND q.id = $2`, cluster, id)
}

// InsertQueue stores a new queue. It returns an Invalid error if its key is taken.
func (tx Tx) InsertQueue(q domain.Queue, by domain.UserID) error {
	shape, image, macos, xcode := hostedColumns(q.Hosted)
	err := tx.exec(`INSERT INTO cluster_queues (id, cluster_id, key, description, retry_agent_affinity,
			instance_shape, agent_image_ref, macos_version, xcode_version, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, q.ID, q.ClusterID, q.Key, q.Description, q.RetryAgentAffinity,
		shape, image, macos, xcode, db.Micros(q.CreatedAt), nullUser(by))
	return taken(err, "key", domain.QueueKeyTaken)
}

// UpdateQueue stores the queue's changed state; pausedBy is who paused it.
func (tx Tx) UpdateQueue(q domain.Queue, pausedBy *domain.UserID) error {
	shape, image, macos, xcode := hostedColumns(q.Hosted)
	var at any
	var note *string
	if q.Paused != nil {
		at, note = db.Micros(q.Paused.At), q.Paused.Note
	}
	return tx.exec(`UPDATE cluster_queues SET description = $2, retry_agent_affinity = $3, dispatch_paused_at = $4, dispatch_paused_by = $5,
			dispatch_paused_note = $6, instance_shape = $7, agent_image_ref = $8, macos_version = $9, xcode_version = $10
		WHERE id = $1`, q.ID, q.Description, q.RetryAgentAffinity, at, pausedBy, note, shape, image, macos, xcode)
}

// DeleteQueue deletes a queue.
func (tx Tx) DeleteQueue(id domain.QueueID) error {
	return tx.exec(`DELETE FROM cluster_queues WHERE id = $1`, id)
}

func hostedColumns(h *domain.HostedAgents) (shape, image, macos, xcode *string) {
	if h == nil {
		return nil, nil, nil, nil
	}
	return &h.Shape.Name, h.AgentImageRef, h.MacOSVersion, h.XcodeVersion
}
