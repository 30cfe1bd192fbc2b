package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	queues = tableOf("cluster_queues", "q", func(c *columns, q *domain.Queue) {
		mapText(c, "id", &q.ID)
		mapText(c, "cluster_id", &q.ClusterID)
		mapText(c, "key", &q.Key)
		mapTime(c, "created_at", &q.CreatedAt)
		c.changing()
		mapSettings(c, domain.SettingsOfQueues, q)
		mapPause(c, &q.Paused)
		mapHostedAgents(c, &q.Hosted)
	})

	queueView = selecting(func(c *columns, v *domain.QueueView) {
		queues.visit(c, &v.Queue)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "pb", &v.PausedBy)
	})

	// queueKeys is no more of a queue than what it is called and when it was made: an index has it.
	queueKeys = selecting(func(c *columns, v *domain.QueueView) {
		mapText(c, "q.id", &v.ID)
		mapText(c, "q.cluster_id", &v.ClusterID)
		mapText(c, "q.key", &v.Key)
		mapNullText(c, "q.description", &v.Description)
		mapTime(c, "q.created_at", &v.CreatedAt)
	})

	// QueueRows are the queues of clusters.
	QueueRows = Rows[*domain.QueueView]{
		items: pointersTo(queueView), tables: `cluster_queues q`, joins: queueJoins,
		id:           textKey(`q.id`, func(q *domain.QueueView) string { return string(q.ID) }),
		organization: `oc.organization_id`, owners: `JOIN clusters oc ON oc.id = q.cluster_id`,
	}
)

const queueJoins = `LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by`

func mapPause(c *columns, pause **domain.Pause) {
	var at *time.Time
	var note *string
	if *pause != nil {
		at, note = &(*pause).At, (*pause).Note
	}
	mapNullTime(c, "dispatch_paused_at", &at)
	mapNullText(c, "dispatch_paused_note", &note)
	if c.row != nil && at != nil {
		*pause = &domain.Pause{At: *at, Note: note}
	}
}

func mapHostedAgents(c *columns, hosted **domain.HostedAgents) {
	var shape *string
	var agents domain.HostedAgents
	if *hosted != nil {
		agents = **hosted
		shape = &agents.Shape.Name
	}
	mapNullText(c, "instance_shape", &shape)
	mapNullText(c, "agent_image_ref", &agents.AgentImageRef)
	mapNullText(c, "macos_version", &agents.MacOSVersion)
	mapNullText(c, "xcode_version", &agents.XcodeVersion)
	if c.row != nil && shape != nil {
		agents.Shape, _ = domain.InstanceShapeByName(*shape)
		agents.Shape.Name = *shape
		*hosted = &agents
	}
}

// QueuesOf lists the queues of clusters; with keysOnly it reads no more of them than what they are called.
func QueuesOf(order domain.Order, keysOnly bool) List[*domain.QueueView] {
	l := newList(QueueRows, "queues", `q.cluster_id`, `clusters`, order)
	if keysOnly {
		l.rows.items, l.rows.joins = pointersTo(queueKeys), ``
	}
	l.sort(order,
		textKey(`q.key`, func(q *domain.QueueView) string { return q.Key }),
		timeKey(`q.created_at`, func(q *domain.QueueView) time.Time { return q.CreatedAt }))
	return l
}

// Queue returns one queue of a cluster.
func (tx Tx) Queue(cluster domain.ClusterID, id domain.QueueID) (domain.QueueView, bool, error) {
	return selectOne(tx, queueView.read, `SELECT `+queueView.columns+` FROM cluster_queues q `+queueJoins+`
		WHERE q.cluster_id = $1 AND q.id = $2`, cluster, id)
}

// HasQueueKey reports whether a cluster has a queue with that key.
func (tx Tx) HasQueueKey(cluster domain.ClusterID, key string) (bool, error) {
	return tx.has(`SELECT 1 FROM cluster_queues WHERE cluster_id = $1 AND key = $2`, cluster, key)
}

// InsertQueue stores a new queue. It returns an Invalid error if its key is taken.
func (tx Tx) InsertQueue(q domain.Queue, by domain.UserID) error {
	return taken(queues.insert(tx.exec, q, setUser("created_by", by)), "key", domain.QueueKeyTaken)
}

// UpdateQueue stores the queue's changed state; pausedBy is who paused it.
func (tx Tx) UpdateQueue(q domain.Queue, pausedBy *domain.UserID) error {
	return queues.update(tx.exec, q, set("dispatch_paused_by", pausedBy))
}

// DeleteQueue deletes a queue.
func (tx Tx) DeleteQueue(id domain.QueueID) error {
	return tx.exec(`DELETE FROM cluster_queues WHERE id = $1`, id)
}
