package store_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// TestAStoreWhoseConnectionsAreSilentIsNotReady lets the open connections say nothing more, while the probe's own works.
func TestAStoreWhoseConnectionsAreSilentIsNotReady(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("pool_max_conns", "2")
	address.RawQuery = query.Encode()
	d, err := db.Open(t.Context(), db.Options{URL: address.String(), Application: "penstock test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	s := store.New(d)
	ask := func(ctx context.Context) error {
		return s.Read(ctx, func(tx store.Tx) error {
			_, err := tx.Now()
			return err
		})
	}
	var connecting sync.WaitGroup
	for range 2 {
		connecting.Go(func() {
			if err := ask(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	connecting.Wait()
	proxy.Silence() // before the probe connects
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	var mutex sync.Mutex
	overloaded := 0
	for range 40 {
		asking.Go(func() {
			if err := ask(ctx); domain.CodeOf(err) == domain.Unavailable {
				mutex.Lock()
				defer mutex.Unlock()
				overloaded++
			}
		})
	}
	enough := func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return overloaded >= 30
	}
	for start := time.Now(); !enough(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatal("nobody waits in vain")
		}
	}
	probe, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	err = s.Ready(probe)
	if unready := (*db.Unready)(nil); err == nil || errors.As(err, &unready) {
		t.Errorf("a store that answers nobody, while the probe's own connection works, says %v", err)
	}
	cancel()
	asking.Wait()
}
