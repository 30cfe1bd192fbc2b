package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Matrix is a step that becomes a job for each combination of values.
type Matrix struct {
	Permutations []Permutation // those that are not skipped and those that are
}

// Permutation is a combination: the value of each dimension. The one dimension of a plain list has the name "".
type Permutation struct {
	Values   map[string]string
	Skip     string // the reason; "": it is not skipped
	SoftFail *SoftFail
}

func readMatrix(raw json.RawMessage) (*Matrix, error) {
	setup, adjustments := raw, []object(nil)
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		var o object
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, Fault("it is a list, or an object with `setup` and `adjustments`")
		}
		m := members{of: o}
		m.read("adjustments", &adjustments)
		if m.fault != nil || !o.has("setup") {
			return nil, Fault("it is a list, or an object with `setup` and `adjustments`")
		}
		setup = o["setup"]
	}
	dimensions, err := readDimensions(setup)
	if err != nil {
		return nil, err
	}
	if len(adjustments) > maxAdjustments {
		return nil, faultf("it has more than %d adjustments", maxAdjustments)
	}
	m := &Matrix{Permutations: []Permutation{{Values: map[string]string{}}}}
	names := slices.Sorted(maps.Keys(dimensions))
	for _, name := range names {
		if len(m.Permutations)*len(dimensions[name]) > maxMatrixJobs {
			return nil, faultf("it makes more than %d jobs", maxMatrixJobs)
		}
		var longer []Permutation
		for _, p := range m.Permutations {
			for _, value := range dimensions[name] {
				values := maps.Clone(p.Values)
				values[name] = value
				longer = append(longer, Permutation{Values: values})
			}
		}
		m.Permutations = longer
	}
	for _, o := range adjustments {
		if err := m.adjust(o, names); err != nil {
			return nil, err
		}
	}
	if len(m.Permutations) > maxMatrixJobs {
		return nil, faultf("it makes more than %d jobs", maxMatrixJobs)
	}
	return m, nil
}

// readDimensions reads a list of values, or an object of lists.
func readDimensions(raw json.RawMessage) (map[string][]string, error) {
	in := members{of: object{"": raw}}
	dimensions := map[string][]string{}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		var named object
		in.read("", &named)
		in.of = named
		for name := range named {
			if !dimensionName.MatchString(name) {
				return nil, faultf("%q is not the name of a dimension: it may have letters, digits, `_`, `-` and `.`", name)
			}
		}
	}
	if len(in.of) == 0 || len(in.of) > maxDimensions {
		return nil, faultf("it has one to %d dimensions", maxDimensions)
	}
	for name := range in.of {
		values := in.list(name)
		if in.fault != nil {
			return nil, Fault("a dimension is a list of texts")
		}
		if len(values) > maxElements {
			return nil, faultf("a dimension has more than %d elements", maxElements)
		}
		for _, value := range values {
			if len(value) > maxElementBytes {
				return nil, faultf("an element is longer than %d bytes", maxElementBytes)
			}
		}
		dimensions[name] = values
	}
	return dimensions, nil
}

var (
	dimensionName = regexp.MustCompile(`^[\w.-]+$`)
	matrixToken   = regexp.MustCompile(`\{\{\s*matrix(?:\.([\w.-]+))?\s*\}\}`)
)

// adjust changes the combination that an adjustment names, or adds it.
func (m *Matrix) adjust(o object, names []string) error {
	in := members{of: o}
	for key := range o {
		if key != "with" && key != "skip" && key != "soft_fail" {
			return faultf("`%s` is not a property of an adjustment", key)
		}
	}
	var with map[string]string
	if o.has("with") && !bytes.HasPrefix(bytes.TrimSpace(o["with"]), []byte("{")) {
		with = map[string]string{"": in.text("with")}
	} else {
		with = in.texts("with")
	}
	if in.fault != nil || !slices.Equal(slices.Sorted(maps.Keys(with)), names) {
		return Fault("`with` of an adjustment has a value for each dimension")
	}
	for _, value := range with {
		if len(value) > maxElementBytes {
			return faultf("an element is longer than %d bytes", maxElementBytes)
		}
	}
	i := slices.IndexFunc(m.Permutations, func(p Permutation) bool { return maps.Equal(p.Values, with) })
	if i < 0 {
		m.Permutations = append(m.Permutations, Permutation{Values: with})
		i = len(m.Permutations) - 1
	}
	p := &m.Permutations[i]
	if reason := in.skip("skip"); reason != "" {
		p.Skip = reason
	}
	if o.has("soft_fail") {
		softFail := in.softFail("soft_fail")
		p.SoftFail = &softFail
	}
	return in.fault
}

// Job is one of the jobs that a step becomes.
type Job struct {
	Matrix        map[string]string // nil: none
	ParallelIndex int
	ParallelTotal int    // 0: it is the only one
	Skip          string // the reason; "": it is not skipped
	SoftFail      SoftFail
}

// Jobs returns the jobs that a step becomes, in their order.
func (s *Step) Jobs() []Job {
	switch {
	case s.Matrix != nil:
		jobs := make([]Job, 0, len(s.Matrix.Permutations))
		for _, p := range s.Matrix.Permutations {
			job := Job{Matrix: p.Values, Skip: s.Skip, SoftFail: s.SoftFail}
			if job.Skip == "" {
				job.Skip = p.Skip
			}
			if p.SoftFail != nil {
				job.SoftFail = *p.SoftFail
			}
			jobs = append(jobs, job)
		}
		return jobs
	case s.Parallelism > 0:
		jobs := make([]Job, 0, s.Parallelism)
		for i := range s.Parallelism {
			jobs = append(jobs, Job{ParallelIndex: i, ParallelTotal: s.Parallelism, Skip: s.Skip, SoftFail: s.SoftFail})
		}
		return jobs
	default:
		return []Job{{Skip: s.Skip, SoftFail: s.SoftFail}}
	}
}

// Fill returns the step with the values of a combination in the place of {{matrix}}, as its job runs it.
func (s *Step) Fill(values map[string]string) (filled Step, err error) {
	filled = *s
	if len(values) == 0 {
		return filled, nil
	}
	unknown := ""
	fill := func(text string) string {
		return matrixToken.ReplaceAllStringFunc(text, func(token string) string {
			value, ok := values[matrixToken.FindStringSubmatch(token)[1]]
			if !ok {
				unknown = token
			}
			return value
		})
	}
	filled.Command, filled.Label, filled.ConcurrencyGroup = fill(s.Command), fill(s.Label), fill(s.ConcurrencyGroup)
	filled.Env = maps.Clone(s.Env)
	for name, value := range filled.Env {
		filled.Env[name] = fill(value)
	}
	filled.Agents = slices.Clone(s.Agents)
	for i, rule := range filled.Agents {
		filled.Agents[i] = fill(rule)
	}
	if s.Plugins != nil {
		if filled.Plugins, err = fillJSON(s.Plugins, fill); err != nil {
			return filled, err
		}
	}
	if unknown != "" {
		return filled, faultf("there is no dimension for %s", unknown)
	}
	return filled, nil
}

// checkTokens checks that every {{matrix}} of the step names a dimension, without filling any in.
func (s *Step) checkTokens() error {
	values := s.Matrix.Permutations
	if len(values) == 0 {
		return nil
	}
	for _, found := range matrixToken.FindAllSubmatch(s.Source, -1) {
		if _, ok := values[0].Values[string(found[1])]; !ok {
			return faultf("there is no dimension for %s", found[0])
		}
	}
	return nil
}

// fillJSON applies fill to all texts of a JSON value, names of members too. Numbers stay as they are written.
func fillJSON(raw json.RawMessage, fill func(string) string) (json.RawMessage, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("filling in a matrix: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fillTexts(value, fill)); err != nil {
		return nil, fmt.Errorf("filling in a matrix: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func fillTexts(value any, fill func(string) string) any {
	switch value := value.(type) {
	case string:
		return fill(value)
	case []any:
		for i, one := range value {
			value[i] = fillTexts(one, fill)
		}
	case map[string]any:
		filled := make(map[string]any, len(value))
		for key, one := range value {
			filled[fill(key)] = fillTexts(one, fill)
		}
		return filled
	}
	return value
}
