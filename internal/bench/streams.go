package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"penstock/internal/db"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

// measureStreams lets agents wait for messages at a server of its own with the usual settings, each with another connection that it sent a
// heartbeat on, as far as there are descriptors for that, and prints what memory the server takes.
func measureStreams(ctx context.Context, engine string, agents int) error {
	options, remove, err := place(ctx, engine)
	if err != nil || remove == nil {
		return err
	}
	defer remove()
	in, err := prepareAt(ctx, options, agents)
	if err != nil {
		return err
	}
	s, err := startServer(ctx, options)
	if err != nil {
		return err
	}
	defer s.stop()
	in.address = s.address
	before, err := s.memory()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	idle := min(agents, maxIdle(agents))
	var waiting, beating atomic.Int64
	failures := make(chan error, 2*agents)
	start := time.Now()
	places := make(chan struct{}, 64) // that many connect at once
	for i := range agents {
		running.Go(func() { failures <- in.waitForMessages(ctx, i, places, &waiting) })
		if i < idle {
			running.Go(func() { failures <- in.beat(ctx, i, places, &beating) })
		}
	}
	for waiting.Load() < int64(agents) || beating.Load() < int64(idle) {
		select {
		case err := <-failures:
			return fmt.Errorf("%d streams and %d other connections were open: %w", waiting.Load(), beating.Load(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	took := time.Since(start)
	<-time.After(2 * time.Second) // all are connected, and go on to be
	after, err := s.memory()
	if err != nil {
		return err
	}
	fmt.Printf("%-9s %9d  streams: the server takes %d MiB, %d of them before, with %d other connections; all were open after %s\n",
		engine, waiting.Load(), after, before, beating.Load(), took.Round(time.Millisecond))
	return nil
}

// maxIdle returns for how many connections besides the streams this process, and so the server, has descriptors.
func maxIdle(streams int) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return 0
	}
	return max(0, int(min(files.Cur, 1<<20))-2_000-streams)
}

// prepareAt makes an installation with agents, which is not served yet.
func prepareAt(ctx context.Context, options db.Options, agents int) (*installation, error) {
	d, err := openAt(ctx, options)
	if err != nil {
		return nil, err
	}
	in := &installation{db: d}
	err = setUp(ctx, service.New(service.Options{Core: core.New(core.Options{DB: d})}))
	if err == nil {
		err = in.prepare(ctx)
	}
	if err == nil {
		err = in.addAgents(ctx, agents)
	}
	return in, errors.Join(err, d.Close())
}

// waitForMessages keeps a stream open until ctx is done, and counts it once it has its first message.
func (in *installation) waitForMessages(ctx context.Context, i int, places chan struct{}, waiting *atomic.Int64) error {
	for counted := false; ctx.Err() == nil; {
		places <- struct{}{}
		s, err := openStream(ctx, in.address, string(in.agentIDs[i]), in.sessions[i])
		if err == nil {
			_, err = s.next()
		}
		<-places
		if err == nil && !counted {
			waiting.Add(1)
			counted = true
		}
		if s != nil {
			end := context.AfterFunc(ctx, func() { _ = s.Close() })
			for err == nil {
				_, err = s.next()
			}
			end()
			_ = s.Close()
		}
		if err != nil && !errors.Is(err, errStreamEnded) && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// beat sends a heartbeat and leaves its connection open until ctx is done.
func (in *installation) beat(ctx context.Context, i int, places chan struct{}, beating *atomic.Int64) error {
	places <- struct{}{}
	a, err := dialAgent(ctx, in.address)
	if err == nil {
		_, err = a.call(http.MethodPost, "/v3/heartbeat", in.sessions[i], `{"sent_at":"2026-01-01T00:00:00Z"}`)
	}
	<-places
	if err != nil {
		return err
	}
	beating.Add(1)
	<-ctx.Done()
	return a.Close()
}

// serverProcess is a built server that runs in a process of its own.
type serverProcess struct {
	address string
	command *exec.Cmd
	dir     string
}

// startServer builds the server and runs it.
func startServer(ctx context.Context, options db.Options) (*serverProcess, error) {
	dir, err := os.MkdirTemp("", "penstock-bench")
	if err != nil {
		return nil, err
	}
	s := &serverProcess{dir: dir}
	binary := filepath.Join(dir, "penstock")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/penstock").CombinedOutput(); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", dir}
	if options.URL != "" {
		args = append(args, "--database", options.URL)
	} else {
		args[len(args)-1] = options.Dir
	}
	s.command = exec.CommandContext(ctx, binary, args...)
	s.command.Stderr = os.Stderr
	out, err := s.command.StdoutPipe()
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		s.command = nil
		s.stop()
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !found {
		s.stop()
		return nil, fmt.Errorf("the server did not start: %s: %w", line, err)
	}
	s.address = address
	return s, nil
}

func (s *serverProcess) stop() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// memory returns the resident memory of the server in MiB.
func (s *serverProcess) memory() (int64, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, err := strconv.ParseInt(number, 10, 64)
	return kilobytes >> 10, err
}
