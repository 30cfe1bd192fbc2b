package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"penstock/internal/bench/load"
)

const (
	chunkBytes   = 256 << 10 // as agents are told
	logWriters   = 16        // jobs that write logs at once
	logDuration  = 2 * time.Second
	logLineBytes = 80
)

// measureLogs has jobs send their logs, and returns how many bytes a second are stored, beside a bare handler that unpacks the pieces and appends
// and flushes each to a file.
func (in *installation) measureLogs(ctx context.Context) (string, error) {
	for range logWriters {
		if err := in.createBuild(ctx, singlePipeline); err != nil {
			return "", err
		}
	}
	chunk, err := newChunk()
	if err != nil {
		return "", err
	}
	bareAddress, stop, err := serveBareLogs()
	if err != nil {
		return "", err
	}
	defer stop()
	var perSecond [2]float64
	var failure error
	var ready, done sync.WaitGroup
	ready.Add(logWriters)
	done.Add(1)
	agents := make([]*agent, logWriters)
	go func() {
		defer done.Done()
		ready.Wait()
		for i, address := range []string{bareAddress, in.address} {
			if failure == nil {
				perSecond[i], failure = writeLogs(ctx, address, agents, chunk)
			}
		}
	}()
	_, err = in.withAgents(ctx, logWriters, func(i int, a *agent) error {
		job, err := a.ping()
		if err == nil {
			err = a.startJob(job)
		}
		agents[i] = a
		ready.Done()
		done.Wait()
		return errors.Join(err, a.finishJob(job))
	})
	if err := errors.Join(err, failure); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.1f MB of logs a second of %d jobs, %.2f of %.1f of a handler that unpacks and flushes them", perSecond[1]/1e6, logWriters,
		perSecond[1]/perSecond[0], perSecond[0]/1e6), nil
}

// newChunk returns a piece of a log as it goes over the wire.
func newChunk() (string, error) {
	var lines strings.Builder
	for i := 0; lines.Len() < chunkBytes; i++ {
		line := fmt.Sprintf("%08d %x compiled package number %d of the benchmark", i, i*2654435761, i)
		lines.WriteString(line + strings.Repeat(".", max(0, logLineBytes-1-len(line))) + "\n")
	}
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	if _, err := io.WriteString(out, lines.String()[:chunkBytes]); err != nil {
		return "", err
	}
	err := out.Close()
	return packed.String(), err
}

// writeLogs has each agent send pieces of its job's log one after the other, and returns how many bytes a second they were before they were packed.
func writeLogs(ctx context.Context, address string, agents []*agent, chunk string) (float64, error) {
	var running sync.WaitGroup
	var sent atomic.Int64
	failures := make([]error, len(agents))
	start := time.Now()
	for i, a := range agents {
		running.Go(func() {
			own, err := dialAgent(ctx, address)
			for n := 0; err == nil && time.Since(start) < logDuration; n++ {
				_, err = own.call(http.MethodPost, fmt.Sprintf("/v3/jobs/%s/chunks?sequence=%d&offset=%d&size=%d", a.job, n+1, n*chunkBytes, chunkBytes), a.jobToken, chunk)
				sent.Add(1)
			}
			if own != nil {
				_ = own.Close()
			}
			failures[i] = err
		})
	}
	running.Wait()
	return float64(sent.Load()) * chunkBytes / time.Since(start).Seconds(), errors.Join(failures...)
}

// serveBareLogs serves a handler that unpacks what it is sent, and appends and flushes it to a file for each job.
func serveBareLogs() (address string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "penstock-bench")
	if err != nil {
		return "", nil, err
	}
	address, end, err := load.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := appendLog(dir, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(2))
		_, _ = io.WriteString(w, "{}")
	}))
	return address, func() {
		if end != nil {
			end()
		}
		_ = os.RemoveAll(dir)
	}, err
}

func appendLog(dir string, r *http.Request) error {
	packed, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, filepath.Base(filepath.Dir(r.URL.Path))), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(packed)
	return errors.Join(err, f.Sync(), f.Close())
}
