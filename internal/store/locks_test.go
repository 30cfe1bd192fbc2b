package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestLocksAreTakenInOneOrder(t *testing.T) {
	t.Parallel()
	s := New(migrated(t))
	cluster := func(id domain.ClusterID) func(Tx) error {
		return func(tx Tx) error {
			_, _, err := tx.LockCluster(id)
			return err
		}
	}
	organization := func(tx Tx) error { return tx.LockOrganization("o") }
	usage := func(tx Tx) error { return tx.LockUsage("o") }
	makeCluster := func(tx Tx) error {
		tx.locks.made(clusterLock, "made")
		return nil
	}
	for name, c := range map[string]struct {
		locks   []func(Tx) error
		refused bool
	}{
		"as listed":          {[]func(Tx) error{cluster("a"), Tx.LockBilling, organization}, false},
		"the other way":      {[]func(Tx) error{organization, cluster("a")}, true},
		"a kind in between":  {[]func(Tx) error{cluster("a"), organization, Tx.LockBilling}, true},
		"by id":              {[]func(Tx) error{cluster("a"), cluster("b")}, false},
		"against the ids":    {[]func(Tx) error{cluster("b"), cluster("a")}, true},
		"once more":          {[]func(Tx) error{cluster("a"), cluster("b"), organization, cluster("a")}, false},
		"what was made":      {[]func(Tx) error{organization, makeCluster, cluster("made")}, false},
		"a statement's lock": {[]func(Tx) error{organization, func(tx Tx) error { return tx.TakeOutArchivedPipelines("a") }}, true},
	} {
		err := s.Write(t.Context(), func(tx Tx) error {
			for _, lock := range c.locks {
				if err := lock(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, ErrLockOrder) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Read(t.Context(), usage); !errors.Is(err, errLockInRead) {
		t.Errorf("a reading transaction locks: %v", err)
	}
}

func TestALockThatIsRefusedNamesBoth(t *testing.T) {
	t.Parallel()
	err := New(migrated(t)).Write(t.Context(), func(tx Tx) error {
		return errors.Join(tx.LockOrganization("acme"), tx.LockTeam("platform"))
	})
	if want := "locks are taken out of order: team platform after organization acme"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestEveryLockIsInOneFile keeps others from locking rows beside the order.
func TestEveryLockIsInOneFile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(file, "locks") && strings.Contains(string(text), "ForUpdate") {
			t.Errorf("%s locks rows; locks.go is the place for that", file)
		}
	}
}
