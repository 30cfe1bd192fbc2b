// Package wake wakes those who wait for something to change: who subscribes to a topic is woken when anyone publishes
// it, in this process or, on PostgreSQL, in another one. It says only that something may have changed, never what, and
// it may miss something: subscribers look for themselves, when they are woken and every now and then besides. It
// imports internal/db of ours.
package wake

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"penstock/internal/db"
)

const (
	channel     = "penstock_wake"        // that processes send each other topics on
	everything  = ""                     // as a topic between processes: wake all subscribers
	gatherTime  = 5 * time.Millisecond   // between two messages to the other processes
	maxWaiting  = 10_000                 // topics that wait to be sent; with more, everything is
	firstPause  = 100 * time.Millisecond // before the database is tried again, doubled each time
	longestWait = 30 * time.Second
)

// Waker wakes subscribers. It is safe for concurrent use.
type Waker struct {
	db     *db.DB
	logger *slog.Logger

	mutex  sync.RWMutex
	topics map[string][]*Subscription // never an empty list

	waitingMutex sync.Mutex
	waiting      map[string]bool // topics that are yet to be sent to the other processes
	more         chan struct{}   // has room for one: something waits
}

// Subscription is woken through C, which has room for one: it is woken once however often its topic was published since
// it was last looked at.
type Subscription struct {
	C <-chan struct{}

	woken chan struct{}
	waker *Waker
	topic string
	index int // in the topic's list; -1: closed
}

// New returns a Waker of one process. Run connects it to the others.
func New(d *db.DB, logger *slog.Logger) *Waker {
	return &Waker{db: d, logger: logger, topics: map[string][]*Subscription{}, waiting: map[string]bool{},
		more: make(chan struct{}, 1)}
}

// Subscribe returns a subscription to a topic, which Close ends. What is published before it returns does not wake it,
// so subscribe first and look then.
func (w *Waker) Subscribe(topic string) *Subscription {
	woken := make(chan struct{}, 1)
	s := &Subscription{C: woken, woken: woken, waker: w, topic: topic}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	s.index = len(w.topics[topic])
	w.topics[topic] = append(w.topics[topic], s)
	return s
}

// Close ends the subscription: nothing is sent to C any more. A second call does nothing.
func (s *Subscription) Close() {
	w := s.waker
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if s.index < 0 {
		return
	}
	list := w.topics[s.topic]
	last := len(list) - 1
	list[s.index] = list[last]
	list[s.index].index = s.index
	list[last] = nil
	if last == 0 {
		delete(w.topics, s.topic)
	} else {
		w.topics[s.topic] = list[:last]
	}
	s.index = -1
}

func (s *Subscription) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it has yet to look
	}
}

// Publish wakes the subscribers of a topic: those of this process at once, those of the others within milliseconds
// while Run runs and the database delivers. Call it after the commit of what they are to see. It waits for nothing and
// cannot fail.
func (w *Waker) Publish(topic string) {
	w.wake(topic)
	if len(topic) > db.MaxPayload || !utf8.ValidString(topic) || strings.ContainsRune(topic, 0) {
		topic = everything // which can be sent to the others
	}
	w.publishLater(topic)
}

func (w *Waker) wake(topic string) {
	w.mutex.RLock()
	defer w.mutex.RUnlock()
	for _, s := range w.topics[topic] {
		s.wake()
	}
}

func (w *Waker) wakeAll() {
	w.mutex.RLock()
	defer w.mutex.RUnlock()
	for _, list := range w.topics {
		for _, s := range list {
			s.wake()
		}
	}
}

// publishLater leaves topics to be sent to the other processes.
func (w *Waker) publishLater(topics ...string) {
	w.waitingMutex.Lock()
	defer w.waitingMutex.Unlock()
	for _, topic := range topics {
		if w.waiting[everything] {
			break
		}
		if topic == everything || len(w.waiting) == maxWaiting {
			clear(w.waiting)
			topic = everything
		}
		w.waiting[topic] = true
	}
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *Waker) drainWaiting() []string {
	w.waitingMutex.Lock()
	defer w.waitingMutex.Unlock()
	topics := make([]string, 0, len(w.waiting))
	for topic := range w.waiting {
		topics = append(topics, topic)
	}
	clear(w.waiting)
	return topics
}

// Run sends the other processes what is published here, and receives what is published there, until ctx is done. While
// the database does not answer or does not deliver, it is tried again.
func (w *Waker) Run(ctx context.Context) {
	var ended sync.WaitGroup
	ended.Go(func() { w.send(ctx) })
	ended.Go(func() { w.receive(ctx) })
	ended.Wait()
}

// send sends what waits, at once if nothing was sent for a while, and otherwise with what is published meanwhile.
func (w *Waker) send(ctx context.Context) {
	failureLog := failureLog{logger: w.logger, task: "sending changes to other servers"}
	pause := firstPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.more:
		}
		next := gatherTime
		if topics := w.drainWaiting(); len(topics) > 0 {
			err := w.db.Notify(ctx, channel, topics)
			failureLog.record(ctx, err)
			if err != nil {
				w.publishLater(topics...)
				next, pause = spread(pause), min(2*pause, longestWait)
			} else {
				pause = firstPause
			}
		}
		if !wait(ctx, next) {
			return
		}
	}
}

// receive wakes subscribers for the other processes. What it may have missed while it was not connected, it wakes all
// for.
func (w *Waker) receive(ctx context.Context) {
	failureLog := failureLog{logger: w.logger, task: "receiving changes from other servers"}
	for pause := firstPause; ; pause = min(2*pause, longestWait) {
		err := w.db.Listen(ctx, channel, func() {
			failureLog.record(ctx, nil)
			pause = firstPause
			w.wakeAll()
		}, func(topic string) {
			if topic == everything {
				w.wakeAll()
				return
			}
			w.wake(topic)
		})
		failureLog.record(ctx, err)
		if !wait(ctx, spread(pause)) {
			return
		}
	}
}

// spread returns between half of a pause and all of it, so that servers do not all come back at once.
func spread(pause time.Duration) time.Duration { return pause/2 + rand.N(pause/2) }

// wait reports whether the time has passed before ctx was done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// failureLog logs when a task begins to fail and when it works again, not every time it is tried.
type failureLog struct {
	logger  *slog.Logger
	task    string
	failing bool
}

func (t *failureLog) record(ctx context.Context, err error) {
	switch {
	case err == nil && t.failing:
		t.failing = false
		t.logger.InfoContext(ctx, t.task+" works again")
	case err != nil && !t.failing && ctx.Err() == nil:
		t.failing = true
		message := t.task + " does not work; changes are seen a little later"
		if errors.Is(err, db.ErrNoNotify) {
			t.logger.InfoContext(ctx, message, "error", err)
			return
		}
		t.logger.WarnContext(ctx, message, "error", err)
	}
}
