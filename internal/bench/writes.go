package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"penstock/internal/db"
)

// writers is how many goroutines share the writing, each with a row of its own, so that they do not wait for each other's locks.
const writers = 8

// background commits small writes beside a load, as the agents of a busy installation do.
type background struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
	start   time.Time
	written atomic.Int64
	failure atomic.Pointer[error]
}

// startWriting commits perSecond small changes a second in the database until stop is called, and as many of what lists are read from as the flag
// says.
func startWriting(ctx context.Context, d *db.DB, perSecond int) (*background, error) {
	b := &background{start: time.Now()}
	ctx, b.cancel = context.WithCancel(ctx)
	if *listWrites > 0 {
		b.running.Go(func() {
			b.write(ctx, d, b.start, time.Second/time.Duration(*listWrites), changeLists)
		})
	}
	if perSecond == 0 {
		return b, nil
	}
	if err := prepareWriting(ctx, d); err != nil {
		return nil, err
	}
	between := time.Second / time.Duration(perSecond)
	for writer := range writers {
		// They take turns: writes that come at the same moment would share a commit.
		first := b.start.Add(between * time.Duration(writer))
		b.running.Go(func() {
			b.write(ctx, d, first, between*writers, func(tx *db.Tx) error {
				_, err := tx.Exec(`UPDATE bench_writes SET written = written + 1 WHERE writer = $1`, writer)
				return err
			})
		})
	}
	return b, nil
}

func prepareWriting(ctx context.Context, d *db.DB) error {
	return d.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`CREATE TABLE IF NOT EXISTS bench_writes (writer BIGINT PRIMARY KEY, written BIGINT NOT NULL)`); err != nil {
			return err
		}
		for writer := range writers {
			if _, err := tx.Exec(`INSERT INTO bench_writes (writer, written) VALUES ($1, 0) ON CONFLICT DO NOTHING`, writer); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeLists changes a cluster and a pipeline, if there are any.
func changeLists(tx *db.Tx) error {
	for _, table := range []string{"clusters", "pipelines"} {
		if _, err := tx.Exec(`UPDATE ` + table + ` SET description = 'Changed' WHERE id = (SELECT min(id) FROM ` + table + `)`); err != nil {
			return err
		}
	}
	return nil
}

func (b *background) write(ctx context.Context, d *db.DB, next time.Time, every time.Duration, change func(*db.Tx) error) {
	for ; ; next = next.Add(every) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		if err := d.Write(context.WithoutCancel(ctx), change); err != nil {
			b.failure.Store(&err)
			return
		}
		b.written.Add(1)
	}
}

// stop ends the writing and returns how many writes a second there were.
func (b *background) stop() (perSecond float64, err error) {
	b.cancel()
	b.running.Wait()
	if failure := b.failure.Load(); failure != nil {
		return 0, *failure
	}
	return float64(b.written.Load()) / time.Since(b.start).Seconds(), nil
}

// writeRates returns how many writes a second the loads are to run beside.
func writeRates() (rates []int, err error) {
	for text := range strings.SplitSeq(*writes, ",") {
		rate, err := strconv.Atoi(text)
		if err != nil || rate < 0 {
			return nil, fmt.Errorf("-writes: %q is not a number of writes", text)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}
