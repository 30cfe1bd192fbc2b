package core

import (
	"context"
	"time"
)

// How an operation is repeated that the database did not take: so many times in all, after pauses that double, unless
// it has lasted too long.
const (
	maxRepeats  = 5
	firstRepeat = 100 * time.Millisecond
	repeatTime  = 10 * time.Second
)

// Repeat runs an operation again whose transaction broke off, or found no connection. Running it twice must be the same
// as once: it may have been stored and not answered. It is for calls that agents do not send again.
func Repeat[T any](ctx context.Context, operation func() (T, error)) (T, error) {
	start, pause := time.Now(), firstRepeat
	for attempt := 1; ; attempt++ {
		value, err := operation()
		if !IsUnavailable(err) || attempt == maxRepeats || time.Since(start)+pause > repeatTime {
			return value, err
		}
		select {
		case <-ctx.Done():
			return value, err
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// RepeatDo is Repeat for an operation that returns nothing.
func RepeatDo(ctx context.Context, operation func() error) error {
	_, err := Repeat(ctx, func() (struct{}, error) { return struct{}{}, operation() })
	return err
}
