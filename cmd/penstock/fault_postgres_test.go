package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"penstock/internal/testkit"
)

var commitFaults = []testkit.PostgresFault{testkit.LoseCommitAnswer, testkit.LoseCommit, testkit.HoldCommit}

// loseCommits has commits meet one fault after the other.
func (l *ledger) loseCommits(proxy *testkit.PostgresProxy, n int) {
	l.t.Helper()
	for i := range n {
		l.more("2xx", 5)
		proxy.Fail(commitFaults[i%len(commitFaults)], 1)
		eventually(l.t, "a commit meets the fault", func() bool { return proxy.Left() == 0 })
		l.faults++
	}
}

// TestFaultPostgresLosesCommits has callers without keys: they repeat what they are told to repeat, and nothing else.
func TestFaultPostgresLosesCommits(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	environment, args := bootstrapped(t, []string{"--database", proxy.URL})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.during(server, func() { l.loseCommits(proxy, rounds(9, 150)) })
	l.compare(server)
	l.report("commit or its answer lost", "503")
}

// TestFaultPostgresLosesCommitsAndAnswers has callers with keys, who repeat until they hear what became of it, also of another server.
func TestFaultPostgresLosesCommitsAndAnswers(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	environment, args := bootstrapped(t, []string{"--database", proxy.URL})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.keyed = true
	l.during(server, func() {
		for range rounds(2, 15) {
			l.loseCommits(proxy, rounds(3, 9))
			l.more("2xx", rand.IntN(50))
			server.signal(syscall.SIGKILL)
			server.wait()
			server = start(t, environment, args...)
			l.server.Store(server)
			l.faults++
		}
		l.more("2xx", 20)
	})
	l.compare(server)
	l.report("the same, and kill -9, with keys", "503", "409", "none")
}

// ownPostgres is a PostgreSQL server of the test's own, reached through a socket in its directory.
type ownPostgres struct {
	t     *testing.T
	bin   string
	dir   string
	owner *syscall.Credential // nil: ourselves
}

// newOwnPostgres returns a place for a server, or skips the test where its programs are missing.
func newOwnPostgres(t *testing.T) *ownPostgres {
	t.Helper()
	p := &ownPostgres{t: t}
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if out, err := exec.CommandContext(t.Context(), "pg_config", "--bindir").Output(); err == nil {
		places = append(places, strings.TrimSpace(string(out)))
	}
	place := slices.IndexFunc(places, func(bin string) bool {
		_, err := os.Stat(filepath.Join(bin, "initdb"))
		return err == nil
	})
	if place < 0 {
		skipUnlessCI(t, "there are no programs of a PostgreSQL server")
	}
	p.bin = places[place]
	dir, err := os.MkdirTemp("/tmp", "penstock-pg-") // a socket's path has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.dir = dir
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		account, err := user.Lookup("postgres")
		if err != nil {
			skipUnlessCI(t, err.Error())
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		p.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// run runs one of the server's programs, which must succeed.
func (p *ownPostgres) run(program string, args ...string) {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, program), args...) // not until the test's end: it stops the server after that too
	cmd.Dir, cmd.SysProcAttr = p.dir, &syscall.SysProcAttr{Credential: p.owner}
	if out, err := cmd.Output(); err != nil {
		log, _ := os.ReadFile(filepath.Join(p.dir, "log"))
		p.t.Fatalf("%s %v: %v\n%s\n%s", program, args, err, out, log)
	}
}

// start makes a server and starts it. What it has committed survives its own crash, as the system goes on.
func (p *ownPostgres) start() {
	p.t.Helper()
	p.run("initdb", "--pgdata=data", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	settings := fmt.Sprintf("listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\n", p.dir)
	file, err := os.OpenFile(filepath.Join(p.dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := file.WriteString(settings); err != nil {
		p.t.Fatal(err)
	}
	_ = file.Close()
	p.control("data", "start")
}

// control has pg_ctl do something with the server whose data is in a directory.
func (p *ownPostgres) control(data, action string, args ...string) {
	p.t.Helper()
	p.run("pg_ctl", append([]string{action, "--pgdata=" + data, "--log=log", "--wait", "--silent"}, args...)...)
	if action == "start" {
		p.t.Cleanup(func() {
			if _, err := os.Stat(filepath.Join(p.dir, data, "postmaster.pid")); err == nil {
				p.run("pg_ctl", "stop", "--pgdata="+data, "--mode=immediate", "--wait", "--silent")
			}
		})
	}
}

func (p *ownPostgres) url(port int) string {
	return fmt.Sprintf("postgres://postgres@/postgres?host=%s&port=%d&pool_max_conns=8", p.dir, port)
}

func TestFaultPostgresRestarted(t *testing.T) {
	t.Parallel()
	postgres := newOwnPostgres(t)
	postgres.start()
	environment, args := bootstrapped(t, []string{"--database", postgres.url(5432)})
	server := start(t, environment, args...)
	l := newLedger(t)
	l.during(server, func() {
		for i := range rounds(2, 12) {
			l.more("2xx", 20+rand.IntN(50))
			postgres.control("data", "stop", []string{"--mode=fast", "--mode=immediate"}[i%2])
			l.faults++
			l.more("503", 10)
			server.awaitReadiness(http.StatusServiceUnavailable, "The database does not answer.")
			postgres.control("data", "start")
			l.more("2xx", 20)
			server.awaitReadiness(http.StatusOK, "ready")
		}
	})
	l.compare(server)
	l.report("database server stopped and started", "503", "504")
}

func TestFaultPostgresStandbyThatWasNotPromoted(t *testing.T) {
	t.Parallel()
	postgres := newOwnPostgres(t)
	postgres.start()
	environment, args := bootstrapped(t, []string{"--database", postgres.url(5432)})
	first := start(t, environment, args...)
	l := newLedger(t)
	l.during(first, func() { l.more("2xx", 20) })
	first.stop()
	postgres.run("pg_basebackup", "--host="+postgres.dir, "--username=postgres", "--pgdata=standby", "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	postgres.control("standby", "start", "--options=-c port=5433")
	server := start(t, nil, "serve", "--database", postgres.url(5433))
	l.during(server, func() {
		l.faults++
		l.more("503", 20)
		server.awaitReadiness(http.StatusServiceUnavailable, "The database can only be read.")
		postgres.control("data", "stop", "--mode=fast")
		postgres.control("standby", "promote")
		l.more("2xx", 20)
		server.awaitReadiness(http.StatusOK, "ready")
	})
	l.compare(server)
	l.report("standby that was not promoted yet", "503")
}

// skipUnlessCI skips a test for which a program is missing. In CI it has to be there.
func skipUnlessCI(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
