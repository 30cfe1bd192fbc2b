package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// load sends requests over keep-alive connections with a client that does as little as a client can, so that the
// server is what is measured.
type load struct {
	connections int
	duration    time.Duration
	request     func(n int64) string // the n-th request, as it goes over the wire
	status      int
}

// result is what a load came to.
type result struct {
	perSecond float64
	cpu       time.Duration // a request, server and client
	median    time.Duration
	p99       time.Duration
	bytes     int // of the last answer's body
}

func (l load) run(address string) (result, error) {
	var (
		wg      sync.WaitGroup
		mutex   sync.Mutex
		failure error
		times   []time.Duration
		size    int
	)
	used := processorTime()
	stop := time.Now().Add(l.duration)
	start := time.Now()
	for range l.connections {
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
	used = processorTime() - used
	if failure != nil {
		return result{}, failure
	}
	slices.Sort(times)
	return result{
		cpu:       used / time.Duration(len(times)),
		perSecond: float64(len(times)) / elapsed.Seconds(),
		median:    times[len(times)/2],
		p99:       times[len(times)*99/100],
		bytes:     size,
	}, nil
}

// processorTime returns how much processor time this process has used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // never fails for oneself
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// requests counts all requests, so that no two have the same number.
var requests atomic.Int64

func (l load) connection(address string, stop time.Time) (times []time.Duration, size int, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 64<<10)
	for now := time.Now(); now.Before(stop); {
		if _, err := io.WriteString(conn, l.request(requests.Add(1))); err != nil {
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

// answer reads an answer that has a Content-Length.
func (l load) answer(in *bufio.Reader) (size int, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || string(line[9:12]) != strconv.Itoa(l.status) {
		rest, _ := in.Peek(min(in.Buffered(), 2000))
		return 0, fmt.Errorf("want status %d: %s%s", l.status, line, rest)
	}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, err
			}
		}
	}
	_, err = in.Discard(size)
	return size, err
}

// wire returns a request as it goes over the wire.
func wire(method, path, body string) string {
	request := method + " " + path + " HTTP/1.1\r\nHost: penstock\r\nAuthorization: Bearer " + token + "\r\n"
	if body != "" {
		request += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return request + "\r\n" + body
}

// bare is a handler that does nothing but read the body and send an answer of the given size.
func bare(status, size int) http.Handler {
	body := []byte(strings.Repeat("x", size))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

// serve serves a handler on a free port of the loopback address.
func serve(h http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}
