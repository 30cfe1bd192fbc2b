package domain

import (
	"cmp"
	"strings"
	"time"

	"penstock/internal/cron"
)

// PipelineScheduleID identifies a schedule.
type PipelineScheduleID string

// MaxSchedules is how many schedules a pipeline can have.
const MaxSchedules = 100

// TooManySchedules is why a pipeline gets no more schedules.
const TooManySchedules = "The pipeline has too many schedules (maximum is 100)"

// PipelineSchedule says when builds of a pipeline are to be created, and which.
type PipelineSchedule struct {
	ID             PipelineScheduleID
	OrganizationID OrganizationID
	PipelineID     PipelineID
	Label          string
	Cronline       string
	Message        *string
	Commit         string
	Branch         *string // nil: the pipeline's default branch
	Env            map[string]string
	Enabled        bool
	NextBuildAt    *time.Time // nil: none
	FailedMessage  *string    // why no build was created the last time
	FailedAt       *time.Time
	CreatedAt      time.Time
}

// PipelineScheduleInput is what a caller sends to make or change a schedule.
type PipelineScheduleInput struct {
	Label    Optional[string]
	Cronline Optional[string]
	Message  Optional[string]
	Commit   Optional[string]
	Branch   Optional[string]
	Env      Optional[map[string]string]
	Enabled  Optional[bool]
}

// PipelineScheduleRef names a schedule of a pipeline.
type PipelineScheduleRef struct {
	Pipeline PipelineRef
	ID       string
}

// NewPipelineSchedule returns the schedule that the input describes.
func NewPipelineSchedule(in PipelineScheduleInput, now time.Time, faults *Faults) PipelineSchedule {
	s := PipelineSchedule{ID: NewID[PipelineScheduleID](), Commit: "HEAD", Enabled: true, CreatedAt: now}
	if !in.Cronline.HasValue() && !faults.Has("cronline") {
		in.Cronline = Some("")
	}
	s.Apply(in, now, faults)
	return s
}

// Apply makes the changes of the input. A schedule that is enabled again has not failed yet.
func (s *PipelineSchedule) Apply(in PipelineScheduleInput, now time.Time, faults *Faults) {
	if in.Label.Given {
		s.Label = CheckLine("label", "Label", strings.TrimSpace(in.Label.Value), nameLimit, faults)
	}
	s.applyBuild(in, faults)
	wasEnabled, wasCronline := s.Enabled, s.Cronline
	if in.Enabled.HasValue() {
		s.Enabled = in.Enabled.Value
	}
	if in.Cronline.Given {
		s.Cronline = strings.TrimSpace(in.Cronline.Value)
	}
	if s.Enabled && !wasEnabled {
		s.FailedMessage, s.FailedAt = nil, nil
	}
	if faults.Has("cronline") {
		return
	}
	next, err := NextCronTimes(s.Cronline, now, 1)
	switch {
	case err != nil:
		faults.Add("cronline", "Cronline "+cmp.Or(map[bool]string{true: "can't be blank"}[s.Cronline == ""], "is not valid: "+
			err.Error()))
	case !s.Enabled:
		s.NextBuildAt = nil
	case !wasEnabled || s.Cronline != wasCronline || s.NextBuildAt == nil:
		s.NextBuildAt = &next[0]
	}
}

// applyBuild makes the changes of what builds are to be.
func (s *PipelineSchedule) applyBuild(in PipelineScheduleInput, faults *Faults) {
	if in.Message.Given {
		s.Message = in.Message.Ptr()
		if s.Message != nil && (len(*s.Message) > MaxBuildMessage || !ValidText(*s.Message)) {
			faults.Add("message", "Message is too long (maximum is 64 KiB), or not valid text")
		}
	}
	if in.Commit.Given {
		s.Commit = cmp.Or(strings.TrimSpace(in.Commit.Value), "HEAD")
		checkLine("commit", "Commit", s.Commit, maxBranch, faults)
	}
	if in.Branch.Given {
		if s.Branch = nil; strings.TrimSpace(in.Branch.Value) != "" {
			branch := strings.TrimSpace(in.Branch.Value)
			checkLine("branch", "Branch", branch, maxBranch, faults)
			s.Branch = &branch
		}
	}
	if in.Env.Given {
		checkEnv(in.Env.Value, faults)
		if s.Env = nil; len(in.Env.Value) > 0 {
			s.Env = in.Env.Value
		}
	}
}

// NextCronTimes returns the first times after a moment at which a line creates builds, at most count and at least one.
func NextCronTimes(line string, after time.Time, count int) ([]time.Time, error) {
	s, err := cron.Parse(line)
	if err != nil {
		return nil, err
	}
	times := s.NextFew(after, count)
	if len(times) == 0 {
		return nil, cron.ErrNever
	}
	return times, nil
}

// BuildInput returns the build that the schedule creates in a pipeline.
func (s *PipelineSchedule) BuildInput(p Pipeline) BuildInput {
	in := BuildInput{Commit: s.Commit, Branch: ScheduledBranch(s.Branch, p.DefaultBranch),
		Message: cmp.Or(s.Label, "Scheduled build"), Env: s.Env}
	if s.Message != nil && *s.Message != "" {
		in.Message = *s.Message
	}
	return in
}

// ScheduledBranch returns the branch that a schedule builds.
func ScheduledBranch(own, byDefault *string) string {
	for _, branch := range []*string{own, byDefault} {
		if branch != nil && *branch != "" {
			return *branch
		}
	}
	return "main"
}

// ParseEnvLines reads variables of an environment, NAME=value one a line. A value may be in double quotes.
func ParseEnvLines(text string, faults *Faults) map[string]string {
	env := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			faults.Add("env", "Env must have lines such as NAME=value")
			return nil
		}
		if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
			if unquoted, ok := unquote(value); ok {
				value = unquoted
			}
		}
		env[strings.TrimSpace(name)] = value
	}
	return env
}

// unquote replaces what is escaped between double quotes.
func unquote(text string) (string, bool) {
	if !strings.Contains(text, `\`) {
		return text, true
	}
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			plain.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return "", false
		}
		switch text[i] {
		case 'n':
			plain.WriteByte('\n')
		case 't':
			plain.WriteByte('\t')
		case 'r':
			plain.WriteByte('\r')
		case '"', '\\':
			plain.WriteByte(text[i])
		default:
			return "", false
		}
	}
	return plain.String(), true
}

// PipelineScheduleView is a schedule with what is shown along with it.
type PipelineScheduleView struct {
	PipelineSchedule
	OrganizationSlug string
	PipelineSlug     string
	DefaultBranch    *string // of the pipeline
	CreatedBy        *User
	Owner            *User // in whose name builds are created
}

// ShownBranch returns the branch that is built.
func (v *PipelineScheduleView) ShownBranch() string {
	return ScheduledBranch(v.Branch, v.DefaultBranch)
}

// WithoutCounts returns the schedule without what became of it last, which changes by itself.
func (v PipelineScheduleView) WithoutCounts() PipelineScheduleView {
	v.NextBuildAt, v.FailedMessage, v.FailedAt = nil, nil, nil
	return v
}
