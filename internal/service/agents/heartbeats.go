package agents

import (
	"context"
	"errors"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// How long heartbeats may not be stored, and how far the database's clock may step, before what was stored says nothing
// any more about who is alive.
const (
	maxStorePause = time.Minute
	maxClockStep  = 15 * time.Second
)

// nodeGoneAfter is for how long the agents of a node are spared that neither stores heartbeats nor was stopped.
const nodeGoneAfter = 10 * time.Minute

// silentBatch is how many silent agents are read at once.
const silentBatch = 500

// heartbeats are when agents were heard, until that is stored.
type heartbeats struct {
	node  string // names this server, as long as it runs
	mutex sync.Mutex
	seen  map[domain.AgentID]time.Time // by this process's own clock
	watch watch
}

// watch is a period in which this server heard agents and stored that without a break. Times are of this process's
// clock, which no step changes, but for the last.
type watch struct {
	since    time.Time // zero: the server does not answer agents yet
	storedAt time.Time // when heartbeats were stored last
	clock    time.Time // what the database's clock said then; zero: none were stored yet
}

// goesOn reports whether there is no break until now, when the database's clock says clock: the database took
// heartbeats, this process did not stand still, and no clock has stepped.
func (w watch) goesOn(now, clock time.Time) bool {
	passed := now.Sub(w.storedAt)
	if passed > maxStorePause {
		return false
	}
	step := clock.Sub(w.clock) - passed
	return w.clock.IsZero() || step.Abs() <= maxClockStep
}

// store returns the watch after heartbeats were stored now. A break restarts it.
func (w watch) store(now, clock time.Time) watch {
	if !w.since.IsZero() && !w.goesOn(now, clock) {
		w.since = now
	}
	w.storedAt, w.clock = now, clock
	return w
}

// byClock returns what the database's clock said at a time of this process's, if heartbeats are stored now.
func (w watch) byClock(at time.Time) time.Time { return w.clock.Add(at.Sub(w.storedAt)) }

// SetReady records when this server began to answer agents. Agents that could not reach it before are not lost for
// that.
func (s *Service) SetReady(at time.Time) {
	s.heartbeats.mutex.Lock()
	defer s.heartbeats.mutex.Unlock()
	s.heartbeats.watch = watch{since: at, storedAt: s.core.Now()}
}

// recordHeartbeat records that an agent is alive.
func (s *Service) recordHeartbeat(agent domain.AgentID) {
	s.heartbeats.mutex.Lock()
	defer s.heartbeats.mutex.Unlock()
	s.heartbeats.seen[agent] = s.core.Now()
}

// recordAlive records that the agent whose session was read is alive. One that was lost is connected again.
func (s *Service) recordAlive(ctx context.Context, actor authz.Actor, session *store.AgentSession) error {
	s.recordHeartbeat(session.Agent)
	if session.State != flow.AgentLost {
		return nil
	}
	if err := s.ConnectAgent(ctx, actor); err != nil {
		return err
	}
	session.State = flow.AgentConnected
	return nil
}

// SaveHeartbeats stores when agents were heard since it was called last, and that this server can store that.
func (s *Service) SaveHeartbeats(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return errors.Join(s.saveHeartbeats(ctx), s.core.PublishBlocked(ctx))
}

func (s *Service) saveHeartbeats(ctx context.Context) error {
	h := &s.heartbeats
	h.mutex.Lock()
	seen, before := h.seen, h.watch
	h.seen = map[domain.AgentID]time.Time{}
	h.mutex.Unlock()
	var after watch
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		clock, err := tx.Now()
		if err != nil {
			return err
		}
		after = before.store(s.core.Now(), clock)
		return h.save(tx, seen, before, after)
	})
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if err == nil {
		if h.watch.since.After(after.since) { // the server has become ready meanwhile
			after.since = h.watch.since
		}
		h.watch = after
		return nil
	}
	for id, at := range seen { // for the next time
		if h.seen[id].Before(at) {
			h.seen[id] = at
		}
	}
	return err
}

// save stores heartbeats in a transaction that moves the watch from before to after.
func (h *heartbeats) save(tx store.Tx, seen map[domain.AgentID]time.Time, before, after watch) error {
	if err := h.cleanUp(tx, before, after); err != nil {
		return err
	}
	stored := make(map[domain.AgentID]time.Time, len(seen))
	for id, at := range seen {
		stored[id] = after.byClock(at)
	}
	if err := tx.SaveHeartbeats(h.node, stored); err != nil || after.since.IsZero() {
		return err
	}
	return tx.SaveNode(h.node, after.byClock(after.since), after.clock)
}

// cleanUp removes what others have left that would mislead: nodes that were not stopped, and times to come.
func (h *heartbeats) cleanUp(tx store.Tx, before, after watch) error {
	switch {
	case before.clock.IsZero() && tx.Engine() == "sqlite": // it has one server at a time
		return tx.DeleteNodesBefore(after.clock)
	case before.clock.IsZero():
		return tx.DeleteNodesBefore(after.clock.Add(-nodeGoneAfter))
	case !before.goesOn(after.storedAt, after.clock):
		return tx.CapHeartbeats(after.clock)
	}
	return nil
}

// SignOff removes this server from those that store heartbeats, since it stops.
func (s *Service) SignOff(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.DeleteNode(s.heartbeats.node) })
}

// silence returns which agents count as silent at a time. Ok is false if nobody does: this server has not watched for
// long enough, without a break, to know.
func (s *Service) silence(now time.Time) (which store.Silence, ok bool) {
	s.heartbeats.mutex.Lock()
	watch := s.heartbeats.watch
	s.heartbeats.mutex.Unlock()
	watched := s.core.Now().Sub(watch.since)
	if watch.since.IsZero() || watched < domain.AgentLostAfter || !watch.goesOn(s.core.Now(), now) {
		return which, false
	}
	which = store.Silence{Now: now, Before: now.Add(-domain.AgentLostAfter), NodeAlive: now.Add(-maxStorePause),
		NodeGone: time.UnixMicro(0), AgentLimit: silentBatch}
	if watched >= nodeGoneAfter { // before, it may come back as this one did
		which.NodeGone = now.Add(-nodeGoneAfter)
	}
	return which, true
}

// LoseAgents marks agents as lost that have sent nothing for too long, and ends their jobs.
func (s *Service) LoseAgents(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	silent, err := core.FindItems(ctx, s.core, func(tx store.Tx, now time.Time) ([]domain.AgentID, error) {
		which, ok := s.silence(now)
		if !ok {
			return nil, nil
		}
		return tx.SilentAgents(which)
	})
	if err != nil || len(silent) == 0 {
		return err
	}
	if err := s.saveHeartbeats(ctx); err != nil { // one of them may just have been heard
		return err
	}
	_, err = core.Items[domain.AgentID]{Kind: store.LoseAgents, ID: core.SameID[domain.AgentID],
		Do: core.OneByOne(s.loseAgent)}.Run(ctx, s.core, silent)
	return err
}

func (s *Service) loseAgent(ctx context.Context, id domain.AgentID) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		which, ok := s.silence(now)
		if !ok {
			return nil
		}
		if silent, err := tx.IsSilent(id, which); err != nil || !silent { // it was heard meanwhile
			return err
		}
		if err := s.core.ReclaimJobOf(tx, e, id, flow.EventAgentLost); err != nil {
			return err
		}
		return changeAgent(tx, e, id, nil, func(a *domain.Agent, now time.Time) error {
			next, err := a.State.Next(flow.AgentIsSilent)
			if err != nil {
				return nil //nolint:nilerr // it is gone already
			}
			a.State, a.LostAt = next, &now
			e.ChangeAgent(a)
			return nil
		})
	})
}
