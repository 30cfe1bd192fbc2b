package core_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// One of four processors is left to others, and a caller has two of them at most.
func TestProcessorsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		processors := core.NewProcessors(4)
		var mutex sync.Mutex
		running := map[string]int{}
		end := make(chan struct{})
		use := func(caller string) {
			go func() {
				err := processors.Use(t.Context(), caller, func() error {
					mutex.Lock()
					running[caller]++
					mutex.Unlock()
					<-end
					return nil
				})
				if err != nil {
					t.Errorf("work of %s: %v", caller, err)
				}
			}()
		}
		for range 3 {
			use("greedy")
		}
		synctest.Wait()
		for range 2 {
			use("modest")
		}
		synctest.Wait()
		mutex.Lock()
		if running["greedy"] != 2 || running["modest"] != 1 {
			t.Errorf("at once run: %v", running)
		}
		mutex.Unlock()
		close(end)
		synctest.Wait()
		mutex.Lock()
		defer mutex.Unlock()
		if running["greedy"] != 3 || running["modest"] != 2 {
			t.Errorf("in the end have run: %v", running)
		}
	})
}

func TestWorkWaitsForAProcessorForSomeTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		processors := core.NewProcessors(1)
		end := make(chan struct{})
		go func() {
			_ = processors.Use(t.Context(), "first", func() error { <-end; return nil })
		}()
		synctest.Wait()
		never := func() error { t.Error("it has run"); return nil }
		if err := processors.Use(t.Context(), "second", never); domain.CodeOf(err) != domain.Unavailable {
			t.Errorf("after a long wait: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := processors.Use(gone, "first", never); !errors.Is(err, context.Canceled) {
			t.Errorf("for a caller who has gone: %v", err)
		}
		close(end)
		want := errors.New("its own")
		if err := processors.Use(t.Context(), "second", func() error { return want }); !errors.Is(err, want) {
			t.Errorf("work that fails: %v", err)
		}
	})
}
