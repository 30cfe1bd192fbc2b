package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// faultsPath is where a demo is made to break.
const faultsPath = "/demo/faults"

const (
	maxFaults       = 100
	maxFaultSeconds = 60
	maxFaultBody    = 64 << 10
)

// fault is how a demo breaks on command.
type fault struct {
	Answer  string `json:"answer"`            // 429 or 503, slow, or none
	Method  string `json:"method,omitempty"`  // of the requests that it is for; all unless given
	Path    string `json:"path,omitempty"`    // how their paths begin; all unless given
	Times   int    `json:"times,omitempty"`   // how many requests it is for; all unless given
	Seconds int    `json:"seconds,omitempty"` // after which to try again, or until the answer comes
	Matched int    `json:"matched"`           // how many requests it was for
}

func (f *fault) check() string {
	switch {
	case !slices.Contains([]string{"429", "503", "slow", "none"}, f.Answer):
		return "answer must be one of 429, 503, slow, none"
	case f.Path != "" && !strings.HasPrefix(f.Path, "/"):
		return "path must begin with /"
	case f.Times < 0:
		return "times must not be negative: leave it out for all requests"
	case f.Seconds < 0 || f.Seconds > maxFaultSeconds:
		return "seconds must be from 1 to " + strconv.Itoa(maxFaultSeconds)
	}
	f.Matched, f.Seconds = 0, cmp.Or(f.Seconds, map[string]int{"slow": 5, "none": maxFaultSeconds}[f.Answer], 1)
	return ""
}

func (f *fault) matches(r *http.Request) bool {
	return (f.Times == 0 || f.Matched < f.Times) && (f.Method == "" || strings.EqualFold(f.Method, r.Method)) &&
		strings.HasPrefix(r.URL.Path, f.Path)
}

// faults breaks what a handler answers, on command.
type faults struct {
	next http.Handler
	mu   sync.Mutex
	list []*fault
}

func withFaults(next http.Handler) http.Handler { return &faults{next: next} }

func (f *faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == faultsPath {
		f.serveCommand(w, r)
		return
	}
	found, isBroken := f.match(r)
	if !isBroken {
		f.next.ServeHTTP(w, r)
		return
	}
	wait := time.Duration(found.Seconds) * time.Second
	switch found.Answer {
	case "slow":
		select {
		case <-time.After(wait):
			f.next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	case "none":
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler) // the connection ends without an answer
	default:
		status, _ := strconv.Atoi(found.Answer)
		refuse(w, r, status, found.Seconds)
	}
}

// match returns the first fault that a request is for, and counts it.
func (f *faults) match(r *http.Request) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		if one.matches(r) {
			one.Matched++
			return *one, true
		}
	}
	return fault{}, false
}

// refuse answers as a server does that is asked for too much, or that cannot serve now.
func refuse(w http.ResponseWriter, r *http.Request, status, seconds int) {
	message := "The server is told to answer so. Please try again."
	if status == http.StatusTooManyRequests {
		message = "Too many requests: the server is told to answer so. Please try again."
		w.Header().Set("RateLimit-Limit", "1")
		w.Header().Set("RateLimit-Remaining", "0")
		w.Header().Set("RateLimit-Reset", strconv.Itoa(seconds))
	}
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	answer := map[string]any{"message": message}
	if r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") {
		answer = map[string]any{"errors": []any{map[string]any{"message": message}}}
	}
	sendJSON(w, status, answer)
}

func sendJSON(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // who asked may be gone
}

// serveCommand lists, adds or removes faults.
func (f *faults) serveCommand(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		f.mu.Lock()
		list := make([]fault, len(f.list))
		for i, one := range f.list {
			list[i] = *one
		}
		f.mu.Unlock()
		sendJSON(w, http.StatusOK, list)
	case http.MethodPost:
		one, status, message := readFault(w, r)
		if message == "" {
			status, message = f.add(one)
		}
		if message != "" {
			sendJSON(w, status, map[string]any{"message": message})
			return
		}
		sendJSON(w, http.StatusCreated, one)
	case http.MethodDelete:
		f.mu.Lock()
		f.list = nil
		f.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		sendJSON(w, http.StatusMethodNotAllowed, map[string]any{"message": "Faults can be listed with GET, added with POST " +
			"and removed with DELETE"})
	}
}

func (f *faults) add(one fault) (status int, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == maxFaults {
		return http.StatusUnprocessableEntity, fmt.Sprintf("There are %d faults, which is the limit: remove them with "+
			"DELETE %s", maxFaults, faultsPath)
	}
	f.list = append(f.list, &one)
	return http.StatusCreated, ""
}

func readFault(w http.ResponseWriter, r *http.Request) (one fault, status int, message string) {
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(media) != "application/json" {
		return one, http.StatusUnsupportedMediaType, "Send the fault as application/json"
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxFaultBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&one); err != nil {
		return one, http.StatusBadRequest, "The body must be a fault, such as {\"answer\": \"503\", \"times\": 2}: " +
			strings.TrimPrefix(err.Error(), "json: ")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return one, http.StatusBadRequest, "The body must be one fault"
	}
	if message := one.check(); message != "" {
		return one, http.StatusUnprocessableEntity, "Validation failed: " + message
	}
	return one, 0, ""
}
