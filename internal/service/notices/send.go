package notices

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Sender sends a notice of one kind, and returns what the other side answered, without secrets. An error means that it
// did not take it.
type Sender func(ctx context.Context, n domain.Notice) (answer string, err error)

// SendError says what to do about a notice that was not taken.
type SendError struct {
	Reason   string
	Final    bool          // there is no use in trying again
	Unwanted bool          // it is not to be sent
	Away     bool          // the other side takes nothing at all
	After    time.Duration // when it wants to be asked again; 0: it does not say
}

func (e *SendError) Error() string { return e.Reason }

const (
	targetsAtOnce = 32  // that one server sends to
	noticesAtOnce = 4   // that are sent to one target
	newAtOnce     = 100 // that are sorted for one target before others have their turn
	newTargets    = 500
	sendInterval  = time.Second // between two looks for what other servers have left
	leaseTime     = time.Minute
	workTime      = 20 * time.Second // for which a server keeps a target while others wait
	maxAfter      = time.Hour
)

// SendNotices sends notices as soon as there are some, until ctx is done. Any number of servers may do so.
func (s *Service) SendNotices(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	wanted, stop := s.core.Subscribe(core.NoticesTopic)
	defer stop()
	var working sync.WaitGroup
	defer working.Wait()
	places, freed := make(chan struct{}, targetsAtOnce), make(chan struct{}, 1)
	for {
		more, err := s.sortNew(ctx)
		if err == nil {
			err = s.startTargets(ctx, &working, places, freed)
		}
		if ctx.Err() != nil {
			return nil // the end was wanted
		}
		if err == nil && more {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wanted:
		case <-freed:
		case <-time.After(sendInterval):
		}
		if err != nil {
			return err
		}
	}
}

// sortNew puts new notices into their lanes, and reports whether there may be more.
func (s *Service) sortNew(ctx context.Context) (more bool, err error) {
	var targets []string
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		targets, err = tx.NewNoticeTargets(newTargets)
		return err
	})
	for _, target := range targets {
		if err != nil {
			return false, err
		}
		err = s.core.Store.Write(ctx, func(tx store.Tx) error { return sortNewOf(tx, target) })
	}
	return len(targets) > 0, err
}

// sortNewOf puts the new notices for a target into their lanes.
func sortNewOf(tx store.Tx, id string) error {
	target, err := tx.LockNoticeTarget(id)
	if err != nil {
		return err
	}
	now, err := tx.Now()
	if err != nil {
		return err
	}
	added, err := tx.NewNotices(id, newAtOnce)
	if err != nil {
		return err
	}
	for _, n := range added {
		isFirst := n.NewestOnly
		if n.NewestOnly {
			err = tx.ReplaceNotices(id, n.Lane, n.ID)
		} else {
			waits, hasErr := tx.HasWaitingNotice(id, n.Lane)
			isFirst, err = !waits, hasErr
		}
		if err != nil {
			return err
		}
		n.State = domain.NoticeWaiting
		if isFirst {
			n.DueAt = &now
			if target.DueAt == nil || target.DueAt.After(now) {
				target.DueAt = &now
			}
		}
		if err := tx.UpdateNotice(n); err != nil {
			return err
		}
	}
	return tx.UpdateNoticeTarget(target)
}

// startTargets begins to send to the targets that something is due for, as long as there are places.
func (s *Service) startTargets(ctx context.Context, working *sync.WaitGroup, places, freed chan struct{}) error {
	free := cap(places) - len(places)
	if free == 0 {
		return nil
	}
	leased, err := s.leaseTargets(ctx, free)
	if err != nil {
		return err
	}
	for _, l := range leased {
		places <- struct{}{}
		working.Go(func() {
			defer func() {
				<-places
				select {
				case freed <- struct{}{}:
				default:
				}
			}()
			if err := s.work(ctx, l); err != nil && ctx.Err() == nil {
				s.core.Logger.ErrorContext(ctx, "notices were not sent; they will be tried again", "target", l.target, "error",
					domain.Explain(err))
			}
		})
	}
	return nil
}

// lease is a target that this server sends to for a while.
type lease struct{ target, holder string }

// leaseTargets takes some targets that something is due for. What a server that was killed had taken, others take when
// its lease ends.
func (s *Service) leaseTargets(ctx context.Context, limit int) (leased []lease, err error) {
	var due []string
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		due, err = tx.DueNoticeTargets(now, limit)
		return err
	})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		leased = nil
		now, err := tx.Now()
		if err != nil {
			return err
		}
		for _, id := range due {
			l := lease{id, domain.NewID[string]()}
			mine, err := tx.LeaseNoticeTarget(id, l.holder, now, now.Add(leaseTime))
			if err != nil {
				return err
			}
			if mine {
				leased = append(leased, l)
			}
		}
		return nil
	})
	return leased, err
}

// work sends what is due for a target, until nothing is, it does not answer, or it had its time. Then others may have
// it, and also when ctx is done.
func (s *Service) work(ctx context.Context, l lease) error {
	for began := time.Now(); ; {
		outcomes, err := s.sendDue(ctx, l)
		if ctx.Err() != nil {
			return s.release(context.WithoutCancel(ctx), l, outcomes)
		}
		if err != nil {
			return err
		}
		if len(outcomes) == 0 || time.Since(began) > workTime || isAway(outcomes) {
			return s.release(ctx, l, outcomes)
		}
		mine, err := s.store(context.WithoutCancel(ctx), l, outcomes) // so that what was sent is not sent again
		if err != nil || !mine {
			return err
		}
	}
}

// sendDue tries to send some notices that are due for a target.
func (s *Service) sendDue(ctx context.Context, l lease) ([]outcome, error) {
	var due []domain.Notice
	var now time.Time
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		if now, err = tx.Now(); err != nil {
			return err
		}
		due, err = tx.DueNotices(l.target, now, noticesAtOnce)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.sendAll(ctx, due, now), nil
}

// outcome is what came of a try to send a notice.
type outcome struct {
	notice domain.Notice
	answer string
	err    error
}

func isAway(outcomes []outcome) bool {
	for _, o := range outcomes {
		if failed, ok := errors.AsType[*SendError](o.err); ok && failed.Away {
			return true
		}
	}
	return false
}

// sendAll tries to send notices, all at once. Those of which that is not known, since ctx was done, are left out.
func (s *Service) sendAll(ctx context.Context, due []domain.Notice, now time.Time) []outcome {
	outcomes := make([]outcome, len(due))
	var sending sync.WaitGroup
	for i, n := range due {
		sending.Go(func() {
			answer, err := s.send(ctx, n, now)
			outcomes[i] = outcome{n, answer, err}
		})
	}
	sending.Wait()
	if ctx.Err() == nil {
		return outcomes
	}
	known := outcomes[:0]
	for _, o := range outcomes {
		if o.err == nil {
			known = append(known, o)
		}
	}
	return known
}

// send tries to send a notice.
func (s *Service) send(ctx context.Context, n domain.Notice, now time.Time) (answer string, err error) {
	sender, ok := s.senders[n.Kind]
	if !ok {
		return "", &SendError{Reason: "This server does not know what to do with it"} // a newer one may
	}
	if now.Sub(n.CreatedAt) > domain.NoticeRetention {
		return "", &SendError{Reason: "It had waited for too long", Final: true}
	}
	defer func() {
		if p := recover(); p != nil { // so that one notice does not hold up the others
			err = &SendError{Reason: "The server failed to send it"}
			s.core.Logger.ErrorContext(ctx, "a notice could not be sent", "notice", n.ID, "panic", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, domain.NoticeTimeout)
	defer cancel()
	return sender(ctx, n)
}

// store stores what came of some tries, and keeps the target; false if somebody else has it by now.
func (s *Service) store(ctx context.Context, l lease, outcomes []outcome) (mine bool, err error) {
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		target, now, held, err := lockLeased(tx, l)
		if mine = held; err != nil || !held {
			return err
		}
		target.LeaseUntil = now.Add(leaseTime)
		return storeOutcomes(tx, &target, now, outcomes)
	})
	return mine, err
}

// release stores what came of some tries, and lets others have the target when something is due for it.
func (s *Service) release(ctx context.Context, l lease, outcomes []outcome) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		target, now, mine, err := lockLeased(tx, l)
		if err != nil || !mine {
			return err
		}
		target.Lease, target.LeaseUntil = "", now
		return storeOutcomes(tx, &target, now, outcomes)
	})
}

// lockLeased locks a target, unless somebody else has it by now.
func lockLeased(tx store.Tx, l lease) (target domain.NoticeTarget, now time.Time, mine bool, err error) {
	if target, err = tx.LockNoticeTarget(l.target); err != nil || target.Lease != l.holder {
		return target, now, false, err
	}
	now, err = tx.Now()
	return target, now, err == nil, err
}

// storeOutcomes stores what came of some tries, and when the next one is due.
func storeOutcomes(tx store.Tx, target *domain.NoticeTarget, now time.Time, outcomes []outcome) error {
	for _, o := range outcomes {
		n := o.notice
		n.Tries++
		n.TriedAt, n.DueAt, n.Answer = &now, nil, cutAnswer(o.answer)
		failed := sendErrorOf(o.err)
		switch delay, again := domain.NoticeDelay(n.Tries); {
		case failed == nil:
			n.State, target.Failures = domain.NoticeSent, 0
		case failed.Unwanted:
			n.State, n.Answer = domain.NoticeUnwanted, cutAnswer(failed.Reason)
		case failed.Final || !again:
			n.State, n.Answer = domain.NoticeFailed, cutAnswer(failed.Reason)
		default:
			due := now.Add(max(delay, min(failed.After, maxAfter)))
			n.DueAt, n.Answer = &due, cutAnswer(failed.Reason)
		}
		if failed != nil && failed.Away {
			target.Failures++
			target.HeldUntil = now.Add(max(domain.NoticeHold(target.Failures), min(failed.After, maxAfter)))
		}
		stored, found, err := tx.Notice(n.OrganizationID, n.ID)
		switch {
		case err != nil:
			return err
		case !found:
			continue
		case stored.State == domain.NoticeReplaced && failed != nil: // a newer one is to be sent instead
			n.State, n.DueAt = domain.NoticeReplaced, nil
		}
		if err := tx.UpdateNotice(n); err != nil {
			return err
		}
		if n.State != domain.NoticeWaiting {
			if err := tx.ReleaseLane(n.Target, n.Lane, now); err != nil {
				return err
			}
		}
	}
	var err error
	if target.DueAt, err = tx.NextNoticeDue(target.ID); err != nil {
		return err
	}
	return tx.UpdateNoticeTarget(*target)
}

// sendErrorOf returns why a notice was not taken; nil if it was.
func sendErrorOf(err error) *SendError {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*SendError](err); ok {
		return failed
	}
	return &SendError{Reason: err.Error()}
}

// cutAnswer returns the beginning of what the other side answered, as text that can be stored.
func cutAnswer(answer string) string {
	answer = strings.ToValidUTF8(strings.ReplaceAll(answer, "\x00", ""), "\uFFFD")
	if utf8.RuneCountInString(answer) <= domain.MaxNoticeAnswer {
		return answer
	}
	return string([]rune(answer)[:domain.MaxNoticeAnswer]) + "…"
}
