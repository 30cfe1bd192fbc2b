package domain_test

import (
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestPipelineMetricsAreWritten(t *testing.T) {
	t.Parallel()
	text := func(s *string) string {
		if s == nil {
			return "none"
		}
		return *s
	}
	for want, m := range map[string]domain.PipelineMetrics{
		"none none none":   {},
		"none none 1":      {Builds: 1},
		"none 0% 1":        {Builds: 4, Failed: 4},
		"45s 100% 3":       {Builds: 10, Passed: 10, Mean: 45 * time.Second},
		"3m 20s 99% 50":    {Builds: 200, Passed: 199, Failed: 1, Mean: 200 * time.Second},
		"1h 1m 50% 1":      {Builds: 2, Passed: 1, Failed: 1, Mean: 3_699 * time.Second},
		"1m 0s 100% 1":     {Builds: 1, Passed: 1, Mean: 59_600 * time.Millisecond},
		"0s 66% 250000000": {Builds: 1e9, Passed: 2, Failed: 1},
		"25h 0m 100% 1":    {Builds: 1, Passed: 1, Mean: 25 * time.Hour},
	} {
		if got := text(m.Speed()) + " " + text(m.Reliability()) + " " + text(m.BuildsPerWeek()); got != want {
			t.Errorf("%+v is written %s, not %s", m, got, want)
		}
	}
}
