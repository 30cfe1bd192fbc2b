package server

import (
	"testing"
	"time"
)

func TestCountingAnAnswerTakesNothingFromTheHeap(t *testing.T) { // not parallel: others would be counted too
	m := newMetrics("test")
	m.observeRequest("/v2/user", "GET", 200, time.Millisecond)
	if n := testing.AllocsPerRun(100, func() { m.observeRequest("/v2/user", "GET", 200, time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserveRequest(b *testing.B) {
	m := newMetrics("test")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.observeRequest("/v2/organizations/{org}/clusters/{id}", "GET", 200, 20*time.Microsecond)
		}
	})
}
