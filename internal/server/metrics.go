package server

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"penstock/internal/db"
	"penstock/internal/httpcall"
)

// metrics is what the server counts, in a registry of its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	loops    *prometheus.CounterVec
	items    *prometheus.CounterVec
	setAside *prometheus.GaugeVec
	reads    prometheus.Observer
	writes   prometheus.Observer
}

func newMetrics(version string) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "penstock_http_requests_total", Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "penstock_http_request_duration_seconds", Help: "Time from the start of a request to its answer, by route.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		loops: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "penstock_loop_runs_total", Help: "Runs of the background loops, by outcome: ok or failed.",
		}, []string{"loop", "outcome"}),
		items: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "penstock_loop_item_failures_total",
			Help: "Items on which background work failed, by outcome: failed (it is tried again), set_aside or dropped.",
		}, []string{"work", "outcome"}),
		setAside: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "penstock_items_set_aside",
			Help: "Items that failed too often and wait for an operator: see penstock postponed list.",
		}, []string{"work"}),
	}
	waits := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "penstock_database_wait_seconds", Help: "Time for which transactions waited for their connection or their " +
			"turn, by kind: read or write.",
		Buckets: []float64{.00001, .0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5},
	}, []string{"kind"})
	m.reads, m.writes = waits.WithLabelValues("read"), waits.WithLabelValues("write")
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "penstock_build_info", Help: "Always 1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version(),
			"schema": strconv.FormatInt(db.Latest(), 10)},
	})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.latency, m.loops, m.items, m.setAside, waits, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// handler is the handler that shows the metrics.
func (m *metrics) handler() http.Handler {
	page := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", httpcall.RequestID(r))
		page.ServeHTTP(w, r)
	})
}

// observeRequest counts an answer. Route must be a pattern: what a caller chooses has no bound.
func (m *metrics) observeRequest(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, knownMethod(method), strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}

func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "_OTHER" // as OpenTelemetry calls it
}

func (m *metrics) observeWait(w db.Wait) {
	if w.Kind == "write" {
		m.writes.Observe(w.Duration.Seconds())
		return
	}
	m.reads.Observe(w.Duration.Seconds())
}

func (m *metrics) observeLoop(loop string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.loops.WithLabelValues(loop, outcome).Inc()
}

func (m *metrics) observeItem(work, outcome string) { m.items.WithLabelValues(work, outcome).Inc() }

// observeSetAside shows how many items are set aside, per kind of work.
func (m *metrics) observeSetAside(counts map[string]int64) {
	m.setAside.Reset()
	for work, n := range counts {
		m.setAside.WithLabelValues(work).Set(float64(n))
	}
}

func (m *metrics) observeLimits(limits *httpcall.Limits) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "penstock_http_requests_in_flight", Help: "Requests being answered now.",
	}, func() float64 { return float64(limits.InFlight()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "penstock_http_bytes_in_flight", Help: "Bytes of requests' bodies and of answers that are held now.",
	}, func() float64 { return float64(limits.BytesHeld()) }))
}

func (m *metrics) observeDatabase(d *db.DB) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "penstock_database_connections_open", Help: "Connections to the database.",
	}, func() float64 { return float64(d.PoolUse().Open) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "penstock_database_connections_in_use", Help: "Connections to the database that run something now.",
	}, func() float64 { return float64(d.PoolUse().InUse) }), prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "penstock_database_statements_total", Help: "SQL statements run.",
		ConstLabels: prometheus.Labels{"engine": d.Engine()},
	}, func() float64 { return float64(d.Statements()) }))
}
