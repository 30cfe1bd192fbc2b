package web

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/html"

	"penstock/internal/domain"
	"penstock/internal/flow"
)

// stateWords is how a state is shown: in words, and as a class that has its color.
type stateWords struct{ Label, Class string }

// The classes of states.
const (
	goodState    = "good"
	badState     = "bad"
	softState    = "soft"
	activeState  = "active"
	waitingState = "waiting"
	blockedState = "blocked"
	quietState   = "quiet"
)

var buildStates = map[flow.BuildState]stateWords{
	flow.BuildCreating:  {"Creating", waitingState},
	flow.BuildScheduled: {"Scheduled", waitingState},
	flow.BuildRunning:   {"Running", activeState},
	flow.BuildFailing:   {"Failing", badState},
	flow.BuildPassed:    {"Passed", goodState},
	flow.BuildFailed:    {"Failed", badState},
	flow.BuildBlocked:   {"Blocked", blockedState},
	flow.BuildCanceling: {"Canceling", quietState},
	flow.BuildCanceled:  {"Canceled", quietState},
	flow.BuildSkipped:   {"Skipped", quietState},
	flow.BuildNotRun:    {"Not run", quietState},
}

func describeBuildState(b *domain.BuildView) stateWords {
	if b.State == flow.BuildBlocked && b.ShownState() == string(flow.BuildFailed) {
		return stateWords{"Failed, blocked", badState}
	}
	return buildStates[b.State]
}

var jobStates = map[flow.JobState]stateWords{
	flow.Pending:         {"Pending", waitingState},
	flow.Waiting:         {"Waiting", waitingState},
	flow.WaitingFailed:   {"Not run", quietState},
	flow.Blocked:         {"Blocked", waitingState},
	flow.BlockedFailed:   {"Not run", quietState},
	flow.Unblocked:       {"Unblocked", goodState},
	flow.UnblockedFailed: {"Not run", quietState},
	flow.Limiting:        {"Waiting for its turn", waitingState},
	flow.Limited:         {"Waiting for its turn", waitingState},
	flow.Scheduled:       {"Waiting for an agent", waitingState},
	flow.Reserved:        {"Reserved for an agent", waitingState},
	flow.Assigned:        {"Starting", activeState},
	flow.Accepted:        {"Starting", activeState},
	flow.Running:         {"Running", activeState},
	flow.Canceling:       {"Canceling", quietState},
	flow.Canceled:        {"Canceled", quietState},
	flow.TimingOut:       {"Timing out", badState},
	flow.TimedOut:        {"Timed out", badState},
	flow.Expired:         {"Expired", badState},
	flow.Skipped:         {"Skipped", quietState},
	flow.Broken:          {"Not run", quietState},
}

func describeJobState(j *domain.Job) stateWords {
	switch {
	case j.State == flow.Finished && j.SoftFailed:
		return stateWords{"Soft failed", softState}
	case j.State == flow.Canceled && j.SoftFailed:
		return stateWords{"Canceled, soft failed", softState}
	case j.ShownState() == "failed":
		return stateWords{"Failed", badState}
	case j.ShownState() == "passed":
		return stateWords{"Passed", goodState}
	case j.State == flow.Blocked && j.Type() == domain.BlockJob:
		return stateWords{"Waiting to be unblocked", blockedState}
	}
	return jobStates[j.State]
}

var brokenReasons = map[string]string{
	"conditional_failed": "its condition is false",
	"branch_mismatch":    "it is for other branches",
}

// explainJob says why a job is in its state, where the state does not say so; "": there is nothing to say.
func explainJob(j *domain.JobView) string {
	switch j.State {
	case flow.WaitingFailed, flow.BlockedFailed, flow.UnblockedFailed:
		return "a step it depends on didn't pass"
	case flow.Broken, flow.Skipped:
		reason := textOrEmpty(j.BrokenReason)
		if words := brokenReasons[reason]; words != "" {
			return words
		}
		return reason
	case flow.Limiting, flow.Limited:
		return "others of the concurrency group " + textOrEmpty(j.ConcurrencyGroup) + " run"
	case flow.Scheduled:
		if why := j.WhyNoAgent(); why != "" {
			return why
		}
		if len(j.AgentRules) > 0 {
			return "one with " + strings.Join(j.AgentRules, ", ")
		}
	case flow.Finished, flow.TimedOut, flow.Canceled:
		return explainEnd(j)
	}
	return ""
}

// explainEnd says how a job's command ended.
func explainEnd(j *domain.JobView) string {
	var words []string
	if j.ExitStatus != nil && (*j.ExitStatus != 0 || j.ShownState() != "passed") {
		words = append(words, fmt.Sprint("exit status ", *j.ExitStatus))
	}
	if signal := textOrEmpty(j.Signal); signal != "" {
		words = append(words, signal)
	}
	if reason := textOrEmpty(j.SignalReason); reason != "" {
		words = append(words, strings.ReplaceAll(reason, "_", " "))
	}
	if j.Detail != nil {
		words = append(words, *j.Detail)
	}
	return strings.Join(words, ", ")
}

var sourceWords = map[domain.BuildSource]string{
	domain.SourceWebhook:  "a webhook",
	domain.SourceAPI:      "the API",
	domain.SourceUI:       "the web interface",
	domain.SourceTrigger:  "a step of another build",
	domain.SourceSchedule: "a schedule",
}

// describeSource says what a build came from.
func describeSource(s domain.BuildSource) string { return sourceWords[s] }

// duration is how long something took, or has taken so far.
type duration struct {
	Length time.Duration
	Since  *time.Time // nil: it is over, or has not begun
	Begun  bool
}

func durationOf(from, to *time.Time, now time.Time) duration {
	switch {
	case from == nil:
		return duration{}
	case to == nil:
		return duration{max(0, now.Sub(*from)), from, true}
	}
	return duration{max(0, to.Sub(*from)), nil, true}
}

// String is the duration in words: 1h 2m, 3m 4s, 5s.
func (d duration) String() string {
	seconds := int(d.Length.Round(time.Second) / time.Second)
	switch {
	case seconds >= 24*3600:
		return fmt.Sprintf("%dd %dh", seconds/86400, seconds/3600%24)
	case seconds >= 3600:
		return fmt.Sprintf("%dh %dm", seconds/3600, seconds/60%60)
	case seconds >= 60:
		return fmt.Sprintf("%dm %ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%ds", seconds)
}

// replaceEmoji returns a label with the characters that its shortcodes stand for.
func replaceEmoji(label string) string {
	var b strings.Builder
	for rest := label; ; {
		from := strings.IndexByte(rest, ':')
		if from < 0 {
			b.WriteString(rest)
			return b.String()
		}
		name, after, found := strings.Cut(rest[from+1:], ":")
		character := emojiCharacters[name]
		if !found || character == "" {
			b.WriteString(rest[:from+1])
			rest = rest[from+1:]
			continue
		}
		b.WriteString(rest[:from] + character)
		rest = after
	}
}

// replaceEmojiInHTML returns HTML with the characters that the shortcodes in its text stand for. Code, and what stands
// in tags, stays as it is.
func replaceEmojiInHTML(source string) string {
	if strings.Count(source, ":") < 2 {
		return source
	}
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(source))
	for code := 0; ; {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		switch kind {
		case html.ErrorToken:
			b.WriteString(raw)
			return b.String()
		case html.TextToken:
			if code == 0 {
				raw = replaceEmoji(raw)
			}
		case html.StartTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			if word := string(name); word == "code" || word == "pre" {
				if code++; kind == html.EndTagToken {
					code = max(0, code-2)
				}
			}
		}
		b.WriteString(raw)
	}
}
