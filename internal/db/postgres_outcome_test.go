package db_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// openThroughProxy opens a database of PostgreSQL through a proxy, with settings of the connection.
func openThroughProxy(t *testing.T, settings string) (*db.DB, *testkit.PostgresProxy) {
	t.Helper()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	return opened(t, db.Options{URL: proxy.URL + settings}), proxy
}

func insertUserNamed(d *db.DB, t *testing.T, name string) error {
	t.Helper()
	return d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(insertUser, name, name+"@example.com")
		return err
	})
}

func TestACommitWhoseAnswerIsLostIsFoundStored(t *testing.T) {
	t.Parallel()
	d, proxy := openThroughProxy(t, "")
	for i := range 5 {
		proxy.Fail(testkit.LoseCommitAnswer, 1)
		if err := insertUserNamed(d, t, fmt.Sprint("u", i)); err != nil {
			t.Errorf("a write that was stored is said to have failed: %v", err)
		}
		if proxy.Left() != 0 {
			t.Fatal("no answer was lost")
		}
	}
	if n := countUsers(t, d); n != 5 {
		t.Errorf("%d users are stored", n)
	}
	// What is only sent with the commit is looked up too.
	proxy.Fail(testkit.LoseCommitAnswer, 1)
	if err := d.Write(t.Context(), func(tx *db.Tx) error { return tx.Later(insertUser, "later", "later@example.com") }); err != nil || proxy.Left() != 0 {
		t.Errorf("a write of a statement for later: %v", err)
	}
}

func TestACommitThatNeverArrivedCanBeRetried(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]testkit.PostgresFault{"broken": testkit.LoseCommit, "held": testkit.HoldCommit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, proxy := openThroughProxy(t, "")
			proxy.Fail(fault, 1)
			err := insertUserNamed(d, t, "lost")
			if !errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrUnknownOutcome) {
				t.Errorf("error %v", err)
			}
			if n := countUsers(t, d); n != 0 {
				t.Errorf("%d users are stored", n)
			}
			if err := insertUserNamed(d, t, "lost"); err != nil {
				t.Errorf("the retry: %v", err)
			}
		})
	}
}

// TestACommitThatIsHeldBehindOtherStatementsCanBeRetried has the server wait in the middle of what was sent at once.
func TestACommitThatIsHeldBehindOtherStatementsCanBeRetried(t *testing.T) {
	t.Parallel()
	d, proxy := openThroughProxy(t, "")
	proxy.Fail(testkit.HoldCommit, 1)
	err := d.Write(t.Context(), func(tx *db.Tx) error { return tx.Later(insertUser, "later", "later@example.com") })
	if !errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrUnknownOutcome) {
		t.Errorf("error %v", err)
	}
	if n := countUsers(t, d); n != 0 {
		t.Errorf("%d users are stored", n)
	}
}

func TestAnOutcomeThatNobodyKnowsIsSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	d, proxy := openThroughProxy(t, "")
	proxy.Fail(testkit.LoseCommitAnswer, 1)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(insertUser, "a", "a@example.com")
		proxy.Refuse()
		return err
	})
	if !errors.Is(err, db.ErrUnknownOutcome) || errors.Is(err, db.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestConnectionsThatGoSilentAreGivenUp(t *testing.T) {
	t.Parallel()
	d, proxy := openThroughProxy(t, "&statement_timeout=1000")
	if !strings.Contains(proxy.URL, "?") {
		t.Fatal(proxy.URL)
	}
	for _, kind := range []func(*db.DB) error{
		func(d *db.DB) error { return d.Ping(t.Context()) },
		func(d *db.DB) error { return insertUserNamed(d, t, "a") },
	} {
		_ = d.Ping(t.Context())
		proxy.Silence()
		start := time.Now()
		if err := kind(d); !errors.Is(err, db.ErrUnavailable) {
			t.Errorf("error %v after %s", err, time.Since(start))
		}
	}
	if err := d.Ping(t.Context()); err != nil {
		t.Errorf("new connections: %v", err)
	}
}
