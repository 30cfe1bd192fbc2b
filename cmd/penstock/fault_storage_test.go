package main

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"penstock/internal/db"
)

func TestFaultKill9(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		environment, args := bootstrapped(t, database)
		l := newLedger(t)
		for range rounds(3, 25) {
			server := start(t, environment, args...)
			l.during(server, func() {
				l.more("2xx", 20+rand.IntN(200))
				server.signal(syscall.SIGKILL)
				server.wait()
			})
			l.faults++
		}
		server := start(t, environment, args...)
		l.compare(server)
		l.report("kill -9", "none")
		server.stop()
	})
}

func TestFaultStopWithAnUnfinishedBody(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		environment, args := bootstrapped(t, database)
		l := newLedger(t)
		for range rounds(1, 4) {
			server := start(t, environment, args...)
			beginRequest(t, server)
			l.during(server, func() {
				l.more("2xx", 20+rand.IntN(100))
				begun := time.Now()
				server.stop()
				t.Logf("stopped after %v", time.Since(begun).Round(10*time.Millisecond))
			})
			l.faults++
		}
		server := start(t, environment, args...)
		l.compare(server)
		l.report("SIGTERM with an unfinished body", "503", "none")
	})
}

// mounted returns a directory with a file system of its own, made by mount with these arguments.
func mounted(t *testing.T, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

const full = "The disk is full."

func TestFaultFullDisk(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "-t", "tmpfs", "-o", "size=24m", "penstock-test")
	environment, args := bootstrapped(t, []string{"--data", filepath.Join(disk, "data")})
	server := start(t, environment, args...)
	l := newLedger(t)
	ballast := filepath.Join(disk, "ballast")
	l.during(server, func() {
		for range rounds(1, 5) {
			l.more("2xx", 50)
			l.faults++
			fill(t, ballast)
			l.more("503", 20)
			server.awaitReadiness(http.StatusServiceUnavailable, full)
			l.read()
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			l.more("2xx", 20)
			server.awaitReadiness(http.StatusOK, "ready")
		}
	})
	l.compare(server)
	server.stop()

	fill(t, ballast)
	refused(t, penstock(t, environment, append(args, "--log-level", "error")...), failure, "disk I/O error") // SQLite has no room for its index of the log
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	server = start(t, environment, args...)
	l.compare(server)
	l.report("full disk", "503")
}

// fill writes a file until there is no room.
func fill(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 4096} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	if err = errors.Join(file.Close(), unless(err, syscall.ENOSPC)); err != nil {
		t.Fatal(err)
	}
}

// unless returns the error unless it is the expected one.
func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// TestFaultFilesThatCannotGrow has no disk of its own: the system lets the server's files grow no more, then again.
func TestFaultFilesThatCannotGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	environment, args := bootstrapped(t, []string{"--data", dir})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.during(server, func() {
		for range rounds(1, 5) {
			l.more("2xx", 50)
			l.faults++
			limitFiles(t, server, "65536")
			l.more("503", 20)
			server.awaitReadiness(http.StatusServiceUnavailable, "The database cannot be written.")
			l.read()
			limitFiles(t, server, "unlimited")
			l.more("2xx", 20)
			server.awaitReadiness(http.StatusOK, "ready")
		}
	})
	l.compare(server)
	server.stop()
	server = start(t, environment, args...)
	l.compare(server)
	l.report("files cannot grow", "503")
}

// limitFiles limits how long the files of a running server may become.
func limitFiles(t *testing.T, server *process, bytes string) {
	t.Helper()
	pid := strconv.Itoa(server.cmd.Process.Pid)
	if out, err := exec.CommandContext(t.Context(), "prlimit", "--pid", pid, "--fsize="+bytes+":").CombinedOutput(); err != nil {
		t.Fatalf("prlimit: %v: %s", err, out)
	}
}

func TestFaultReadOnlyDisk(t *testing.T) {
	t.Parallel()
	image := write(t, "image", "")
	if err := os.Truncate(image, 32<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s", err, out)
	}
	disk := mounted(t, "-o", "loop", image)
	environment, args := bootstrapped(t, []string{"--data", filepath.Join(disk, "data")})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.during(server, func() {
		l.more("2xx", 50)
		l.faults++
		// As the system does after an error of the device.
		if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,abort", disk).CombinedOutput(); err != nil {
			t.Skipf("mount: %v: %s", err, out)
		}
		l.more("503", 20)
		server.awaitReadiness(http.StatusServiceUnavailable, "The database can")
	})
	l.compare(server)
	server.signal(syscall.SIGKILL)
	server.wait()
	// What was acknowledged is on the disk, and not only in the system's memory.
	if err := syscall.Unmount(disk, 0); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "loop", image, disk).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v: %s", err, out)
	}
	server = start(t, environment, args...)
	l.compare(server)
	server.stop()
	l.report("disk can only be read", "503", "504")
}

func TestFaultLostFiles(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(dir string) error{
		"directory removed": os.RemoveAll,
		"file removed":      func(dir string) error { return os.Remove(filepath.Join(dir, db.FileName)) },
		"file emptied":      func(dir string) error { return os.Truncate(filepath.Join(dir, db.FileName), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			environment, args := bootstrapped(t, []string{"--data", dir})
			server := start(t, environment, args...)
			l := newLedger(t)
			l.during(server, func() {
				l.more("2xx", rounds(50, 1000))
				l.faults++
				if err := fault(dir); err != nil {
					t.Fatal(err)
				}
				l.failed.Store(true)
				l.more("503", rounds(50, 1000))
				server.awaitReadiness(http.StatusServiceUnavailable, "The database file is gone, or was replaced or cut short.")
			})
			if l.tooLate != 0 || l.after == 0 {
				t.Errorf("%d of %d writes after the fault were acknowledged", l.tooLate, l.after)
			}
			server.signal(syscall.SIGKILL)
			server.wait()
			if name != "directory removed" {
				refused(t, penstock(t, environment, append(args, "--log-level", "error")...), failure, "does not hold its database")
			}
			l.report(name, "503", "504")
		})
	}
}

func TestFaultDirectoryAwayForAWhile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	environment, args := bootstrapped(t, []string{"--data", dir})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.during(server, func() {
		for range rounds(1, 10) {
			l.more("2xx", 50)
			l.faults++
			if err := os.Rename(dir, dir+".away"); err != nil {
				t.Fatal(err)
			}
			l.more("503", 20)
			server.awaitReadiness(http.StatusServiceUnavailable, "The database file is gone")
			if err := os.Rename(dir+".away", dir); err != nil {
				t.Fatal(err)
			}
			l.more("2xx", 20)
			server.awaitReadiness(http.StatusOK, "ready")
		}
	})
	l.compare(server)
	server.stop()
	server = start(t, environment, args...)
	l.compare(server)
	l.report("data directory away for a while", "503", "504")
}
