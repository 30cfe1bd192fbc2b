package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// SaveHeartbeats stores when a node heard agents last, in one order, so that two nodes do not wait for each other.
func (tx Tx) SaveHeartbeats(node string, seen map[domain.AgentID]time.Time) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(seen)), maxChunk) {
		rows, args := make([]string, len(some)), []any{node}
		for i, id := range some {
			args = append(args, id, db.Micros(seen[id]))
			rows[i] = `($` + strconv.Itoa(len(args)-1) + `, $` + strconv.Itoa(len(args)) + `, $1)`
		}
		err := tx.exec(`INSERT INTO agent_heartbeats (agent_id, seen_at, node_id) VALUES `+strings.Join(rows, ", ")+`
			ON CONFLICT (agent_id) DO UPDATE SET seen_at = excluded.seen_at, node_id = excluded.node_id
			WHERE excluded.seen_at > agent_heartbeats.seen_at`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// CapHeartbeats lets nobody have been heard after now: the database's clock was set back.
func (tx Tx) CapHeartbeats(now time.Time) error {
	return tx.exec(`UPDATE agent_heartbeats SET seen_at = $1 WHERE seen_at > $1`, db.Micros(now))
}

// SaveNode stores that a node can store heartbeats now, and since when it could without a break.
func (tx Tx) SaveNode(id string, since, now time.Time) error {
	return tx.exec(`INSERT INTO nodes (id, since, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`,
		id, db.Micros(since), db.Micros(now))
}

// DeleteNode removes a node that is stopped.
func (tx Tx) DeleteNode(id string) error { return tx.exec(`DELETE FROM nodes WHERE id = $1`, id) }

// DeleteNodesBefore removes nodes that were seen last before a time.
func (tx Tx) DeleteNodesBefore(before time.Time) error {
	return tx.exec(`DELETE FROM nodes WHERE seen_at < $1`, db.Micros(before))
}

// Silence says which agents count as silent.
type Silence struct {
	Now        time.Time
	Before     time.Time // when they were heard last
	NodeAlive  time.Time // a node that was seen since can store heartbeats
	NodeGone   time.Time // a node that was not seen since will not be again
	AgentLimit int
}

// SilentAgents returns agents that are not gone and were heard last before a time, by a node that could have stored
// since then that it receives them, or that is gone.
func (tx Tx) SilentAgents(s Silence) ([]domain.AgentID, error) {
	return all(tx, scanID[domain.AgentID], silentAgents,
		db.Micros(s.Before), db.Micros(s.NodeAlive), db.Micros(s.NodeGone), db.Micros(s.Now), s.AgentLimit)
}

var silentAgents = `SELECT a.id` + fromSilentAgents + ifDue(LoseAgents, "a.id", "$4") + ` LIMIT $5`

const fromSilentAgents = ` FROM agents a LEFT JOIN agent_heartbeats h ON h.agent_id = a.id
	LEFT JOIN nodes n ON n.id = h.node_id
	WHERE a.state IN ('never_connected', 'connected', 'stopping') AND COALESCE(h.seen_at, a.created_at) <= $1
	AND (n.id IS NULL OR n.seen_at <= $3 OR n.seen_at > $2 AND n.since <= $1)`

// IsSilent reports whether an agent is one of SilentAgents.
func (tx Tx) IsSilent(id domain.AgentID, s Silence) (bool, error) {
	return tx.has(`SELECT 1`+fromSilentAgents+` AND a.id = $4`,
		db.Micros(s.Before), db.Micros(s.NodeAlive), db.Micros(s.NodeGone), id)
}
