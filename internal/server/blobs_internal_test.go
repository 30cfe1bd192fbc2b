package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestRememberedCheck has a store asked now and then only, however many ask whether it is ready.
func TestRememberedCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, result := 0, errors.New("away")
		c := &rememberedCheck{good: 10 * time.Second, check: func(context.Context) error {
			asked++
			return result
		}}
		for _, step := range []struct {
			after time.Duration
			asked int
			err   error
		}{{0, 1, result}, {0, 1, result}, {9 * time.Second, 1, result}, {time.Second, 2, nil}, {9 * time.Second, 2, nil}, {time.Minute, 3, nil}} {
			<-time.After(step.after)
			if step.asked == 2 {
				result = nil
			}
			if err := c.run(t.Context()); !errors.Is(err, step.err) || asked != step.asked {
				t.Errorf("%v after being asked %d times; want %v after %d", err, asked, step.err, step.asked)
			}
		}
	})
}
