package domain

import (
	"strconv"
	"time"
)

// MetricsPeriod is how far back the builds go that the figures of a pipeline are about.
const MetricsPeriod = 4 * 7 * 24 * time.Hour

// PipelineMetrics is how the builds of a pipeline went lately.
type PipelineMetrics struct {
	Builds         int64
	Passed, Failed int64         // of those that have ended
	Mean           time.Duration // that those that passed took
}

// Speed is how long builds that pass take, such as 3m 20s; nil if none passed.
func (m PipelineMetrics) Speed() *string {
	if m.Passed == 0 {
		return nil
	}
	total := int64(m.Mean.Round(time.Second) / time.Second)
	hours, minutes, seconds := total/3600, total/60%60, total%60
	text := strconv.FormatInt(seconds, 10) + "s"
	switch {
	case hours > 0:
		text = strconv.FormatInt(hours, 10) + "h " + strconv.FormatInt(minutes, 10) + "m"
	case minutes > 0:
		text = strconv.FormatInt(minutes, 10) + "m " + text
	}
	return &text
}

// Reliability is how many of the builds that ended passed, such as 98%; nil if none ended.
func (m PipelineMetrics) Reliability() *string {
	if m.Passed+m.Failed == 0 {
		return nil
	}
	text := strconv.FormatInt(m.Passed*100/(m.Passed+m.Failed), 10) + "%" // rounded down: 100% is that none failed
	return &text
}

// BuildsPerWeek is how many builds there were in a week, on average; nil if there was none.
func (m PipelineMetrics) BuildsPerWeek() *string {
	if m.Builds == 0 {
		return nil
	}
	weeks := int64(MetricsPeriod / (7 * 24 * time.Hour))
	text := strconv.FormatInt(max(1, (m.Builds+weeks/2)/weeks), 10)
	return &text
}
