// Package load sends requests to servers on the loopback address in turns and measures what comes of them.
package load

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Load sends requests over keep-alive connections with a client that does as little as a client can, so that the
// server is what is measured.
type Load struct {
	Connections int
	Duration    time.Duration
	Request     func(n int64) string // the n-th request, as it goes over the wire
	Status      int
}

// Result is what a load came to.
type Result struct {
	PerSecond float64
	CPU       time.Duration // a request, server and client
	Median    time.Duration
	P99       time.Duration
	Bytes     int // of the last answer's body
}

// InTurns runs the load at each address in turn, so many rounds, and returns the middle result of each address.
func (l Load) InTurns(rounds int, addresses ...string) ([]Result, error) {
	results := make([][]Result, len(addresses))
	for round := range rounds {
		for i := range addresses {
			i = (i + round) % len(addresses) // none always comes first
			r, err := l.Run(addresses[i])
			if err != nil {
				return nil, err
			}
			results[i] = append(results[i], r)
		}
	}
	middles := make([]Result, len(addresses))
	for i, all := range results {
		slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
		middles[i] = all[rounds/2]
	}
	return middles, nil
}

// Run runs the load at one address.
func (l Load) Run(address string) (Result, error) {
	var (
		wg      sync.WaitGroup
		mutex   sync.Mutex
		failure error
		times   []time.Duration
		size    int
	)
	used := ProcessorTime()
	stop := time.Now().Add(l.Duration)
	start := time.Now()
	for range l.Connections {
		wg.Go(func() {
			took, bytes, err := l.connection(address, stop)
			mutex.Lock()
			defer mutex.Unlock()
			times = append(times, took...)
			size = bytes
			if err != nil {
				failure = err
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	used = ProcessorTime() - used
	if failure != nil {
		return Result{}, failure
	}
	slices.Sort(times)
	return Result{
		CPU:       used / time.Duration(len(times)),
		PerSecond: float64(len(times)) / elapsed.Seconds(),
		Median:    times[len(times)/2],
		P99:       times[len(times)*99/100],
		Bytes:     size,
	}, nil
}

// ProcessorTime returns how much processor time this process has used.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // never fails for oneself
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// requests counts all requests, so that no two have the same number.
var requests atomic.Int64

func (l Load) connection(address string, stop time.Time) (times []time.Duration, size int, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 64<<10)
	for now := time.Now(); len(times) == 0 || now.Before(stop); {
		if _, err := io.WriteString(conn, l.Request(requests.Add(1))); err != nil {
			return times, size, err
		}
		if size, err = l.answer(in); err != nil {
			return times, size, err
		}
		done := time.Now()
		times = append(times, done.Sub(now))
		now = done
	}
	return times, size, nil
}

// answer reads an answer that has a Content-Length or comes in chunks.
func (l Load) answer(in *bufio.Reader) (size int, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || string(line[9:12]) != strconv.Itoa(l.Status) {
		rest, _ := in.Peek(min(in.Buffered(), 2000))
		return 0, fmt.Errorf("want status %d: %s%s", l.Status, line, rest)
	}
	chunked := false
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if string(line) == "Transfer-Encoding: chunked\r\n" {
			chunked = true
		}
		if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, err
			}
		}
	}
	if chunked {
		n, err := io.Copy(io.Discard, httputil.NewChunkedReader(in))
		if err == nil {
			_, err = in.Discard(len("\r\n"))
		}
		return int(n), err
	}
	_, err = in.Discard(size)
	return size, err
}

// Wire returns a request as it goes over the wire.
func Wire(method, path, token, body string) string {
	request := method + " " + path + " HTTP/1.1\r\nHost: penstock\r\nAuthorization: Bearer " + token + "\r\n"
	if body != "" {
		request += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return request + "\r\n" + body
}

// Bare is a handler that does nothing but read the body and send an answer of the given size.
func Bare(status, size int) http.Handler {
	body := []byte(strings.Repeat("x", size))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

// Serve serves a handler on a free port of the loopback address.
func Serve(h http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}
