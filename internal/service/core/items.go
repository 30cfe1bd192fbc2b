package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Items is work that a loop does on items that it finds again and again, until they are done. An item that fails
// keeps no other from being done: it is left alone for a while, longer each time, and in the end set aside for an
// operator.
type Items[T any] struct {
	Kind store.ItemKind
	ID   func(T) string
	// Do works on some items, in a transaction of its own. It may be called again for a part of them.
	Do       func(ctx context.Context, some []T) error
	Batch    int // how many are done together, until that fails; 0: one
	Parallel int // how many batches are done at once; 0: one
}

// SameID is the ID of items that are ids themselves.
func SameID[T ~string](id T) string { return string(id) }

// OneByOne is the Do of work on a single item.
func OneByOne[T any](do func(context.Context, T) error) func(context.Context, []T) error {
	return func(ctx context.Context, some []T) error {
		for _, item := range some {
			if err := do(ctx, item); err != nil {
				return err
			}
		}
		return nil
	}
}

// maxUnavailable is after how many items for which a database or store did not answer it is not asked for more.
const maxUnavailable = 3

// Run works on the items that a loop has found, none of which is postponed: the store's statements leave those out.
// It returns how many are done.
//
// An error means that something is away that all items need. That is no item's failure, unless others could be done
// after it.
func (i Items[T]) Run(ctx context.Context, c *Core, found []T) (done int, err error) {
	if len(found) == 0 {
		return 0, nil
	}
	r := &itemsRun[T]{Items: i, core: c, tried: map[string]bool{}}
	err = c.Store.ReadStatement(ctx, func(tx store.Tx) error {
		tried, err := tx.TriedItems(i.Kind)
		for _, id := range tried {
			r.tried[id] = true
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	places := make(chan struct{}, max(1, i.Parallel))
	var working sync.WaitGroup
	for part := range slices.Chunk(found, max(1, i.Batch)) {
		places <- struct{}{}
		if r.isOver(ctx) {
			break
		}
		working.Go(func() {
			defer func() { <-places }()
			r.doPart(ctx, part)
		})
	}
	working.Wait()
	switch {
	case ctx.Err() != nil:
		return r.done, ctx.Err()
	case r.err == nil && len(r.unavailable) > 0:
		return r.done, r.unavailable[len(r.unavailable)-1].err
	}
	return r.done, r.err
}

// itemsRun is one run over items.
type itemsRun[T any] struct {
	Items[T]
	core  *Core
	tried map[string]bool // items that failed before

	mutex       sync.Mutex
	done        int
	unavailable []failedItem // since the last one that was done
	gaveUp      bool
	err         error // of recording what came of an item
}

// failedItem is an item and why it failed.
type failedItem struct {
	id  string
	err error
}

func (r *itemsRun[T]) isOver(ctx context.Context) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.gaveUp || ctx.Err() != nil
}

// doPart works on some items together, and on each alone if that fails.
func (r *itemsRun[T]) doPart(ctx context.Context, part []T) {
	err := r.attempt(ctx, part)
	if err == nil || len(part) == 1 {
		r.conclude(ctx, part, err)
		return
	}
	for i := range part {
		if r.isOver(ctx) {
			return
		}
		r.conclude(ctx, part[i:i+1], r.attempt(ctx, part[i:i+1]))
	}
}

// attempt calls Do. What panics has failed.
func (r *itemsRun[T]) attempt(ctx context.Context, part []T) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return r.Do(ctx, part)
}

// conclude records what came of an attempt.
func (r *itemsRun[T]) conclude(ctx context.Context, part []T, err error) {
	if ctx.Err() != nil {
		return // it was broken off
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case err == nil:
		r.done += len(part)
		r.forget(ctx, part)
		failed := r.unavailable // others could be done: it is these items
		r.unavailable = nil
		for _, item := range failed {
			r.postpone(ctx, item)
		}
	case IsUnavailable(err):
		r.unavailable = append(r.unavailable, failedItem{r.ID(part[0]), err})
		r.gaveUp = r.gaveUp || len(r.unavailable) >= maxUnavailable
	default:
		r.postpone(ctx, failedItem{r.ID(part[0]), err})
	}
}

// IsUnavailable reports whether an error says more about what all items need than about one of them.
func IsUnavailable(err error) bool {
	code := domain.CodeOf(err)
	return (code == domain.Unavailable || code == domain.UnknownOutcome) && !errors.Is(err, db.ErrDamaged)
}

// forget removes what is recorded of items that failed before and are done now.
func (r *itemsRun[T]) forget(ctx context.Context, part []T) {
	for _, item := range part {
		if id := r.ID(item); r.tried[id] {
			r.write(ctx, func(tx store.Tx) error { return tx.ForgetItem(r.Kind, id) })
		}
	}
}

// maxItemError is how many bytes are stored of an error.
const maxItemError = 1_000

// postpone records that an item failed, and logs it for the first and for the last time.
func (r *itemsRun[T]) postpone(ctx context.Context, failed failedItem) {
	reason, stack, _ := strings.Cut(domain.Explain(failed.err), "\n")
	var item domain.PostponedItem
	var counted bool
	ok := r.write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		stored := strings.ToValidUTF8(reason[:min(len(reason), maxItemError)], "?")
		item, counted, err = tx.PostponeItem(r.Kind, failed.id, stored, now)
		return err
	})
	if !ok || !counted {
		return
	}
	attrs := []slog.Attr{slog.String("work", item.Kind), slog.String("item", item.ID), slog.String("error", reason)}
	if stack != "" {
		attrs = append(attrs, slog.String("stack", stack))
	}
	switch {
	case item.SetAsideAt != nil:
		r.core.observeItem(item.Kind, "set_aside")
		r.core.Logger.LogAttrs(ctx, slog.LevelError,
			"an item failed too often and is set aside: mend it and run penstock postponed release", attrs...)
	case item.Attempts == 1:
		r.core.observeItem(item.Kind, "failed")
		r.core.Logger.LogAttrs(ctx, slog.LevelError,
			"an item failed; the others go on, and it is tried again later", attrs...)
	default:
		r.core.observeItem(item.Kind, "failed")
	}
}

// Drop counts and logs that something was not stored which is only known in memory, and is not tried again.
func (c *Core) Drop(ctx context.Context, kind, id string, err error) {
	c.observeItem(kind, "dropped")
	c.Logger.ErrorContext(ctx, "an item could not be stored and is dropped", "work", kind, "item", id,
		"error", domain.Explain(err))
}

// write stores something about items. If that fails, the run is over.
func (r *itemsRun[T]) write(ctx context.Context, fn func(store.Tx) error) bool {
	err := r.core.Store.Write(ctx, fn)
	if err != nil {
		r.err, r.gaveUp = err, true
	}
	return err == nil
}

// FindItems returns what find finds at the database's time.
func FindItems[T any](ctx context.Context, c *Core, find func(tx store.Tx, now time.Time) ([]T, error)) (
	found []T, err error) {
	err = c.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		found, err = find(tx, now)
		return err
	})
	return found, err
}

// RunPages works on items until there are no more. Find finds at most a page of them, and none that is done or
// postponed: a page that comes again has only what somebody else works on.
func RunPages[T any](ctx context.Context, c *Core, page int, find func(tx store.Tx, now time.Time) ([]T, error),
	items Items[T]) error {
	var before []T
	same := func(a, b T) bool { return items.ID(a) == items.ID(b) }
	for {
		found, err := FindItems(ctx, c, find)
		if err != nil || slices.EqualFunc(before, found, same) {
			return err
		}
		before = found
		if _, err := items.Run(ctx, c, found); err != nil || len(found) < page {
			return err
		}
	}
}

// RunAll runs steps that do not depend on each other: one that fails, or panics, does not prevent the others from being
// run.
func RunAll(ctx context.Context, steps ...func(context.Context) error) error {
	var failures []error
	for _, step := range steps {
		failures = append(failures, runStep(ctx, step))
	}
	return errors.Join(failures...)
}

func runStep(ctx context.Context, step func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return step(ctx)
}

// RunItems finds items and works on each in a transaction of its own, as an operator. One that fails does not keep
// the others from being done.
func RunItems[T ~string](ctx context.Context, c *Core, actor authz.Actor, kind store.ItemKind,
	find func(tx store.Tx, now time.Time) ([]T, error), do func(ctx context.Context, id T) error) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	found, err := FindItems(ctx, c, find)
	if err != nil {
		return err
	}
	_, err = Items[T]{Kind: kind, ID: SameID[T], Do: OneByOne(do)}.Run(ctx, c, found)
	return err
}
