package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
		"a statement's lock": {[]func(Tx) error{organization, func(tx Tx) error { return tx.RemoveArchivedPipelines("a") }}, true},
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

// TestEveryLockIsInTheOrder keeps others from locking rows beside the order: whatever locks rows and waits for them is a method of locks*.go
// that goes through it.
func TestEveryLockIsInTheOrder(t *testing.T) {
	t.Parallel()
	locking := regexp.MustCompile(`\.(ForUpdate|ForUpdateOf|SkipLocked)\(|(?i)\bFOR\s+(NO\s+KEY\s+)?(UPDATE|SHARE)\b`)
	files := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inLocks := filepath.Dir(file) == "." || filepath.Dir(file) == filepath.Join("..", "store")
		if inLocks && strings.HasPrefix(filepath.Base(file), "locks") {
			wantOrder(t, file, string(text))
			return nil
		}
		for n, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if filepath.Base(filepath.Dir(file)) != "db" && locking.MatchString(code) {
				t.Errorf("%s:%d locks rows; locks.go, locks_builds.go and locks_caches.go are the places for that", file, n+1)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
}

// wantOrder looks for functions that lock rows, wait for them, and do not go through the order.
func wantOrder(t *testing.T, file, text string) {
	t.Helper()
	ordered := regexp.MustCompile(`tx\.locks\.acquire(Job)?\(|tx\.lock(Row|Jobs)\(`)
	for function := range strings.SplitSeq(text, "\n}\n") {
		if strings.Contains(function, "tx.ForUpdate") && !strings.Contains(function, "SKIP LOCKED") && !ordered.MatchString(function) {
			t.Errorf("%s: this locks rows beside the order:\n%s", file, function)
		}
	}
}

// What transactions of builds and caches lock is in the order too.
func TestLocksOfBuildsAndCachesAreTakenInOneOrder(t *testing.T) {
	t.Parallel()
	s := New(migrated(t))
	for name, c := range map[string]struct {
		locks   func(tx Tx) error
		refused bool
	}{
		"jobs of a locked build in any order": {func(tx Tx) error {
			return errors.Join(tx.lockTestBuild("b"), tx.locks.acquireJob("b", "2"), tx.locks.acquireJob("b", "1"), tx.LockConcurrencyGroup("g"), lockAgent(tx, "a"))
		}, false},
		"one job alone, twice":         {func(tx Tx) error { return errors.Join(tx.locks.acquireJob("b", "1"), tx.locks.acquireJob("b", "1")) }, false},
		"two jobs without their build": {func(tx Tx) error { return errors.Join(tx.locks.acquireJob("b", "1"), tx.locks.acquireJob("b", "2")) }, true},
		"a build after a job":          {func(tx Tx) error { return errors.Join(tx.locks.acquireJob("b", "1"), tx.lockTestBuild("b")) }, true},
		"a job after a group":          {func(tx Tx) error { return errors.Join(tx.LockConcurrencyGroup("g"), tx.locks.acquireJob("b", "1")) }, true},
		"a build after an agent":       {func(tx Tx) error { return errors.Join(lockAgent(tx, "a"), tx.lockTestBuild("b")) }, true},
		"agents against their ids":     {func(tx Tx) error { return errors.Join(lockAgent(tx, "b"), lockAgent(tx, "a")) }, true},
		"a registry, then an upload":   {func(tx Tx) error { return errors.Join(lockRegistry(tx), lockUpload(tx)) }, false},
		"an upload, then its registry": {func(tx Tx) error { return errors.Join(lockUpload(tx), lockRegistry(tx)) }, true},
	} {
		if err := s.Write(t.Context(), c.locks); errors.Is(err, ErrLockOrder) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (tx Tx) lockTestBuild(id domain.BuildID) error {
	_, _, err := tx.LockBuild(id)
	return err
}

func lockAgent(tx Tx, id domain.AgentID) error {
	_, _, err := tx.AgentForUpdate(id)
	return err
}

func lockRegistry(tx Tx) error {
	_, _, err := tx.LockCacheRegistry("r")
	return err
}

func lockUpload(tx Tx) error {
	_, _, err := tx.CacheUploadForUpdate("u")
	return err
}
