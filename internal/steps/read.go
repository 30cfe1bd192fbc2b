package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a definition as agents upload it: JSON, interpolated and normalized. It fails as Spend does, too.
func (w *Work) Parse(document []byte) (*Pipeline, error) {
	var top object
	if err := json.Unmarshal(document, &top); err != nil || top == nil {
		return nil, Fault("The pipeline is not a JSON object")
	}
	if hasNUL(document) {
		return nil, Fault("The pipeline has a NUL character, which no text may have")
	}
	r := reader{work: w, keys: map[string]bool{}}
	p, err := r.readPipeline(top)
	if err != nil {
		return nil, err
	}
	if jobs := countJobs(p.Steps); jobs > MaxJobs {
		return nil, faultf("The number of jobs in this upload exceeds your organization limit of %d.", MaxJobs)
	}
	return p, nil
}

// hasNUL says whether a text in a JSON document has a NUL character.
func hasNUL(document []byte) bool {
	escape := []byte(`\u0000`)
	for {
		i := bytes.Index(document, escape)
		if i < 0 {
			return false
		}
		before := document[:i]
		if backslashes := len(before) - len(bytes.TrimRight(before, `\`)); backslashes%2 == 0 {
			return true
		}
		document = document[i+len(escape):]
	}
}

// countJobs returns how many jobs the steps become. A group counts as one more.
func countJobs(all []Step) (jobs int) {
	for _, s := range all {
		jobs += s.countJobs()
	}
	return jobs
}

func (s *Step) countJobs() int {
	switch {
	case s.Kind == Group:
		return 1 + countJobs(s.Steps)
	case s.Matrix != nil:
		return len(s.Matrix.Permutations)
	case s.Parallelism > 1:
		return s.Parallelism
	default:
		return 1
	}
}

// object is a JSON object whose members are read one by one.
type object map[string]json.RawMessage

// reader reads a definition. Its defaults are what steps inherit.
type reader struct {
	work     *Work
	keys     map[string]bool // of the steps so far
	agents   []string
	priority *int
	image    string
	secrets  []json.RawMessage
	checkout object
}

func (r *reader) readPipeline(top object) (*Pipeline, error) {
	p := &Pipeline{}
	m := members{of: top}
	p.Env = m.texts("env")
	r.agents = m.agentRules("agents")
	r.priority = m.number("priority", minInt)
	r.image = m.text("image")
	m.read("secrets", &r.secrets)
	m.read("checkout", &r.checkout)
	if m.fault == nil && top["notify"] != nil {
		p.Notify, m.fault = r.work.readNotify(top["notify"], false)
	}
	var all []json.RawMessage
	if _, ok := top["steps"]; !ok && m.fault == nil {
		return nil, Fault("The `steps` property is required")
	}
	m.read("steps", &all)
	if m.fault != nil {
		return nil, m.fault
	}
	var err error
	p.Steps, err = r.readSteps(all, false)
	return p, err
}

func (r *reader) readSteps(all []json.RawMessage, inGroup bool) ([]Step, error) {
	if len(all) > MaxJobs {
		return nil, faultf("The number of jobs in this upload exceeds your organization limit of %d.", MaxJobs)
	}
	read := make([]Step, 0, len(all))
	for _, source := range all {
		s, err := r.readStep(source, inGroup)
		if r.work.Spend(1) != nil {
			return nil, r.work.err // which is why, whatever else is wrong
		}
		if err != nil {
			return nil, err
		}
		read = append(read, s)
	}
	return read, nil
}

// readStep reads a step: an object, or a word such as "wait".
func (r *reader) readStep(source json.RawMessage, inGroup bool) (s Step, err error) {
	var word string
	if json.Unmarshal(source, &word) == nil {
		kind, ok := kindsByWord[word]
		if !ok || kind == Command || kind == Trigger || kind == Group {
			return s, faultf("Step is missing a type `%s`", source)
		}
		return Step{Kind: kind, Source: source, Manual: Manual{BlockedState: defaultBlockedState}}, nil
	}
	var o object
	if json.Unmarshal(source, &o) != nil || o == nil {
		return s, faultf("Step is missing a type `%s`", shorten(source))
	}
	if len(source) > maxStepBytes {
		return s, faultf("A step is larger than %d bytes: `%s`", maxStepBytes, shorten(source))
	}
	s.Kind, err = kindOf(o, source)
	if err != nil {
		return s, err
	}
	if s.Kind == Group && inGroup {
		return s, Fault("`group` is invalid: a group cannot have groups in it")
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(attributes[s.Kind], name) {
			return s, unknownAttribute(name, s.Kind)
		}
	}
	s.Source = source
	m := members{of: o}
	r.readCommon(&s, &m)
	switch s.Kind {
	case Command:
		r.readCommand(&s, &m)
	case Wait:
		s.ContinueOnFailure = m.flag("continue_on_failure")
	case Block, Input:
		r.readManual(&s, &m)
	case Trigger:
		readTrigger(&s, &m)
	case Group:
		r.readGroup(&s, &m)
	}
	return s, m.fault
}

var kindsByWord = map[string]Kind{
	"command": Command, "script": Command,
	"wait": Wait, "waiter": Wait,
	"block": Block, "manual": Block,
	"input":   Input,
	"trigger": Trigger,
	"group":   Group,
}

// kindOf finds what kind of step an object is: by its type, or by the members that only steps of that kind have.
func kindOf(o object, source json.RawMessage) (Kind, error) {
	if raw, ok := o["type"]; ok {
		word, _ := scalar(raw)
		if kind, ok := kindsByWord[word]; ok {
			return kind, nil
		}
		return "", faultf("Step is missing a type `%s`", shorten(source))
	}
	for _, by := range []struct {
		name string
		kind Kind
	}{
		{"command", Command}, {"commands", Command}, {"plugins", Command}, {"wait", Wait}, {"waiter", Wait}, {"block", Block},
		{"manual", Block},
		{"input", Input}, {"trigger", Trigger}, {"group", Group},
	} {
		if _, ok := o[by.name]; ok {
			return by.kind, nil
		}
	}
	return "", faultf("Step is missing a type `%s`", shorten(source))
}

// shorten returns the beginning of a step, for a message.
func shorten(source []byte) string {
	const most = 200
	var b bytes.Buffer
	if json.Compact(&b, source) != nil || b.Len() <= most {
		return b.String()
	}
	return strings.ToValidUTF8(b.String()[:most], "") + "…"
}

var attributes = func() map[Kind][]string {
	all := []string{"key", "id", "identifier", "label", "name", "if", "depends_on", "allow_dependency_failure", "type"}
	branches := []string{"branches"}
	manual := []string{"block", "input", "manual", "prompt", "submit", "fields", "blocked_state", "allowed_teams"}
	return map[Kind][]string{
		Command: slices.Concat(all, branches, []string{
			"command", "commands", "agents", "agent_query_rules", "artifact_paths", "artifacts", "cache",
			"cancel_on_build_failing", "checkout",
			"concurrency", "concurrency_group", "concurrency_method", "env", "image", "matrix", "notify", "parallelism",
			"plugins", "priority",
			"retry", "secrets", "signature", "skip", "soft_fail", "timeout", "timeout_in_minutes",
		}),
		Wait:    slices.Concat(all, branches, []string{"wait", "waiter", "continue_on_failure"}),
		Block:   slices.Concat(all, branches, manual),
		Input:   slices.Concat(all, branches, manual),
		Trigger: slices.Concat(all, branches, []string{"trigger", "async", "build", "parallelism", "skip", "soft_fail"}),
		Group:   slices.Concat(all, []string{"group", "steps", "notify", "skip"}),
	}
}()

func unknownAttribute(name string, kind Kind) error {
	best, distance := "", 3
	for _, known := range attributes[kind] {
		if d := editDistance(name, known); d < distance {
			best, distance = known, d
		}
	}
	name = shorten([]byte(strconv.Quote(name)))
	name = strings.Trim(name, `"`)
	if best != "" {
		return faultf("`%s` is not a valid property on the `%s` step, perhaps you meant `%s`?", name, kind, best)
	}
	return faultf("`%s` is not a valid property on the `%s` step. Please check the documentation to get a full list of "+
		"supported properties.", name, kind)
}

// editDistance returns how many letters differ, and 3 for all that are more.
func editDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], 3)
}

var (
	validKey = regexp.MustCompile(`^[a-zA-Z0-9_\-:${}.,]+$`)
	uuidLike = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

func (r *reader) readCommon(s *Step, m *members) {
	s.Key = m.text("key", "id", "identifier")
	s.Label = m.text("label", "name")
	s.AllowDependencyFailure = m.flag("allow_dependency_failure")
	s.Branches = m.words("branches")
	s.Skip = m.skip("skip")
	if condition := m.text("if"); condition != "" && m.fault == nil {
		var err error
		if s.If, err = r.work.ParseCondition(condition); err != nil {
			m.refuse("if", err.Error())
		}
	}
	if s.If != nil && len(s.Branches) > 0 {
		m.refuse("if", "it cannot stand beside `branches`")
	}
	if raw, ok := m.of["depends_on"]; ok {
		s.ExplicitDependencies = true
		s.DependsOn = m.dependencies(raw)
		if slices.ContainsFunc(s.DependsOn, func(d Dependency) bool { return d.Step == "" }) {
			m.refuse("depends_on", "a key is empty")
		}
	}
	if raw, ok := m.of["notify"]; ok && m.fault == nil {
		s.Notify = raw
		_, m.fault = r.work.readNotify(raw, true)
	}
	if s.Key == "" || m.fault != nil {
		return
	}
	switch {
	case len(s.Key) > MaxKeyLength:
		m.refuse("key", fmt.Sprintf("it is longer than %d characters", MaxKeyLength))
	case uuidLike.MatchString(s.Key):
		m.refuse("key", "it looks like a UUID")
	case !validKey.MatchString(s.Key):
		m.refuse("key", "it may have letters, digits, and `_-:${}.,` only")
	case r.keys[s.Key]:
		m.fault = KeyTaken(s.Key)
	}
	r.keys[s.Key] = true
}

// KeyTaken is the fault of a step whose key another step of the build has.
func KeyTaken(key string) error {
	return faultf("The key %q has already been used by another step in this build", key)
}

func (r *reader) readCommand(s *Step, m *members) {
	s.Command = m.lines("command", "commands")
	s.Agents = m.agentRules("agents", "agent_query_rules")
	if s.Agents == nil {
		s.Agents = r.agents
	}
	s.ArtifactPaths = strings.Join(m.list("artifact_paths", "artifacts"), ";")
	s.CancelOnBuildFailing = m.flag("cancel_on_build_failing")
	s.Env = m.texts("env")
	if m.of.has("plugins") {
		var plugins []json.RawMessage
		m.read("plugins", &plugins)
		if len(plugins) > 0 {
			s.Plugins = m.of["plugins"]
		}
	}
	s.Priority = m.number("priority", minInt)
	if s.Priority == nil {
		s.Priority = r.priority
	}
	s.Image = m.text("image")
	if s.Image == "" {
		s.Image = r.image
	}
	if minutes := m.number("timeout_in_minutes", 1, "timeout"); minutes != nil {
		s.TimeoutInMinutes = *minutes
	}
	if m.of.has("signature") {
		s.Signature = m.of["signature"]
	}
	s.SoftFail = m.softFail("soft_fail")
	s.Retry = m.retry("retry")
	s.Parallelism = m.parallelism()
	m.concurrency(s)
	if m.of.has("matrix") && m.fault == nil {
		var err error
		if s.Matrix, err = readMatrix(m.of["matrix"]); err != nil {
			m.refuse("matrix", err.Error())
		}
		if s.Parallelism > 0 {
			m.refuse("matrix", "it cannot stand beside `parallelism`")
		}
	}
	r.readInherited(s, m)
	if s.Matrix != nil && m.fault == nil {
		if err := s.checkTokens(); err != nil {
			m.refuse("matrix", err.Error())
		}
	}
}

// readInherited reads secrets and checkout, which steps have from the top of the definition too. The agent reads them
// in the step alone, so they are put into it. A step that is signed stays as it is, or its signature would not fit it:
// whoever signs puts them into it before.
func (r *reader) readInherited(s *Step, m *members) {
	merged := object{}
	var own []json.RawMessage
	m.read("secrets", &own)
	if len(r.secrets) > 0 {
		names := map[string]bool{}
		for _, secret := range own {
			names[secretVariable(secret)] = true
		}
		for _, secret := range r.secrets {
			if !names[secretVariable(secret)] {
				own = append(own, secret)
			}
		}
		merged["secrets"], _ = json.Marshal(own) // of what was JSON
	}
	var checkout object
	m.read("checkout", &checkout)
	if len(r.checkout) > 0 {
		whole := maps.Clone(r.checkout)
		maps.Copy(whole, checkout)
		checkout = whole
		merged["checkout"], _ = json.Marshal(whole) // of what was JSON
	}
	s.Checkout = m.checkout(checkout)
	if key := s.Checkout.SSHSecret; key != "" && !slices.ContainsFunc(own, func(secret json.RawMessage) bool {
		return secretVariable(secret) == sshKeyVariable
	}) {
		secret, _ := json.Marshal(map[string]string{"key": key, "environment_variable": sshKeyVariable}) // of texts
		merged["secrets"], _ = json.Marshal(append(own, secret))                                         // of what was JSON
	}
	if m.of.has("signature") {
		merged = nil
	}
	if m.fault == nil && len(merged) > 0 {
		whole := maps.Clone(m.of)
		maps.Copy(whole, merged)
		s.Source, _ = json.Marshal(whole) // of what was JSON
	}
	if secrets, ok := m.of["secrets"]; ok && string(bytes.TrimSpace(secrets)) == "null" && len(merged) == 0 {
		whole := maps.Clone(m.of)
		delete(whole, "secrets") // which agents cannot read
		s.Source, _ = json.Marshal(whole)
	}
}

// sshKeyVariable is the variable that agents find the key in with which they get the code.
const sshKeyVariable = "BUILDKITE_GIT_SSH_KEY"

// secretVariable returns the name of the variable that a secret is put into.
func secretVariable(raw json.RawMessage) string {
	var secret struct {
		Key      string `json:"key"`
		Variable string `json:"environment_variable"`
	}
	if json.Unmarshal(raw, &secret) != nil {
		return ""
	}
	if secret.Variable != "" {
		return secret.Variable
	}
	return secret.Key
}

// Blocked states that a build can be shown with.
const defaultBlockedState = "passed"

var validFieldKey = regexp.MustCompile(`^[a-zA-Z0-9/_-]+$`)

func (r *reader) readManual(s *Step, m *members) {
	if s.Label == "" {
		s.Label = m.text("block", "input", "manual")
	}
	s.Prompt = m.text("prompt")
	s.Submit = m.text("submit")
	s.AllowedTeams = m.list("allowed_teams")
	if len(s.AllowedTeams) > MaxAllowedTeams {
		m.refuse("allowed_teams", fmt.Sprintf("there are more than %d", MaxAllowedTeams))
	}
	s.BlockedState = m.text("blocked_state")
	switch s.BlockedState {
	case "":
		s.BlockedState = defaultBlockedState
	case "passed", "failed", "running":
	default:
		m.refuse("blocked_state", "it is passed, failed or running")
	}
	var fields []object
	m.read("fields", &fields)
	keys := map[string]bool{}
	for _, o := range fields {
		f := r.readField(m, o)
		if m.fault != nil {
			return
		}
		if keys[f.Key] {
			m.refuse("fields", fmt.Sprintf("the key %q stands twice", f.Key))
		}
		keys[f.Key] = true
		s.Fields = append(s.Fields, f)
	}
}

func (r *reader) readField(m *members, o object) (f Field) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains([]string{"text", "select", "key", "hint", "required", "default", "format", "options", "multiple"},
			name) {
			m.refuse("fields", fmt.Sprintf("`%s` is not a property of a field", name))
			return f
		}
	}
	in := members{of: o}
	f.Key, f.Text, f.Select, f.Hint, f.Format = in.text("key"), in.text("text"), in.text("select"), in.text("hint"),
		in.text("format")
	f.Required = !o.has("required") || in.flag("required")
	f.Multiple = in.flag("multiple")
	f.Default = in.list("default")
	var options []object
	in.read("options", &options)
	for _, option := range options {
		of := members{of: option}
		f.Options = append(f.Options, Option{Label: of.text("label"), Value: of.text("value")})
		in.adopt(of.fault)
	}
	if f.Format != "" {
		if _, err := r.work.compile(f.Format); err != nil {
			m.refuse("fields", fmt.Sprintf("`format` of %q: %s", f.Key, err))
		}
	}
	switch {
	case in.fault != nil:
		m.adopt(in.fault)
	case !validFieldKey.MatchString(f.Key):
		m.refuse("fields", "a key has letters, digits, and `/_-`, and every field needs one")
	case o.has("text") == o.has("select"):
		m.refuse("fields", fmt.Sprintf("%q needs either `text` or `select`", f.Key))
	case o.has("select") && len(f.Options) == 0:
		m.refuse("fields", fmt.Sprintf("%q needs `options`", f.Key))
	}
	return f
}

func readTrigger(s *Step, m *members) {
	s.Trigger = m.text("trigger")
	if s.Trigger == "" {
		m.refuse("trigger", "it is the slug of a pipeline")
	}
	s.Async = m.flag("async")
	s.SoftFail.All = m.flag("soft_fail")
	s.Parallelism = m.parallelism()
	var build object
	m.read("build", &build)
	for _, name := range slices.Sorted(maps.Keys(build)) {
		if !slices.Contains([]string{"message", "commit", "branch", "meta_data", "env"}, name) {
			m.refuse("build", fmt.Sprintf("`%s` is not a property of it", name))
		}
	}
	in := members{of: build}
	s.Build = TriggeredBuild{
		Message: in.text("message"), Commit: in.text("commit"), Branch: in.text("branch"), MetaData: in.texts("meta_data"),
		Env: in.texts("env"),
	}
	if s.Build.Message == "" {
		s.Build.Message = s.Label
	}
	if s.Build.Commit == "" {
		s.Build.Commit = "HEAD"
	}
	m.adopt(in.fault)
}

const errGroupWithoutSteps = Fault("The `steps` property is required for a group")

func (r *reader) readGroup(s *Step, m *members) {
	if s.Label == "" {
		s.Label = m.text("group")
	}
	var all []json.RawMessage
	m.read("steps", &all)
	if m.fault == nil && len(all) == 0 {
		m.fault = errGroupWithoutSteps
	}
	if m.fault == nil {
		s.Steps, m.fault = r.readSteps(all, true)
	}
}

// IsAttribute says whether a step of a kind can have an attribute.
func IsAttribute(kind Kind, name string) bool { return slices.Contains(attributes[kind], name) }
