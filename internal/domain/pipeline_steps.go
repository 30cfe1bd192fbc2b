package domain

import (
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"penstock/internal/steps"
)

// ReadDefinition checks the configuration of the input or, if the steps are given as a list, makes one of them, and
// records which steps are shown of it. As it takes long, it is to be done before a transaction that others wait for.
func (in *PipelineInput) ReadDefinition(faults *Faults) {
	if in.Steps.HasValue() {
		in.readSteps(faults)
		return
	}
	shown, err := ShowSteps(in.Configuration.Value)
	if err != nil {
		faults.Add("configuration", err.Error())
	}
	in.shownSteps = shown
}

func (in *PipelineInput) readSteps(faults *Faults) {
	size := 0
	for _, step := range in.Steps.Value {
		size += len(step)
	}
	switch {
	case in.Configuration.HasValue():
		faults.Add("steps", "Steps and configuration can't both be given")
		return
	case size > steps.MaxConfiguration:
		faults.Add("steps", "Steps are too long (maximum is 256 KiB)")
		return
	}
	made := make([]any, len(in.Steps.Value))
	for i, given := range in.Steps.Value {
		var step any
		if err := json.Unmarshal(given, &step); err != nil {
			faults.Add("steps", fmt.Sprintf("steps[%d] must be valid UTF-8, without the same member twice", i))
			return
		}
		switch step := step.(type) {
		case string:
			made[i] = step
		case map[string]any:
			made[i] = configuredStep(step)
		default:
			faults.Add("steps", fmt.Sprintf("steps[%d] must be an object or a string", i))
			return
		}
	}
	text, err := yaml.Dump(map[string]any{"steps": made})
	if err != nil {
		faults.Add("steps", "Steps can't be written as YAML")
		return
	}
	configuration := string(text)
	if _, err := ShowSteps(configuration); err != nil {
		faults.Add("configuration", err.Error())
		return
	}
	shown, err := json.Marshal(in.Steps.Value)
	if err != nil {
		faults.Add("steps", "Steps must be valid JSON")
		return
	}
	in.Configuration, in.shownSteps = Some(configuration), string(shown)
}

// configuredStep returns a step of a list as a configuration has it: lists have other names for some things.
func configuredStep(given map[string]any) any {
	step := map[string]any{}
	for name, value := range given {
		if value != nil {
			step[name] = plainNumbers(value)
		}
	}
	kind := step["type"]
	switch kind {
	case "waiter", "wait":
		delete(step, "type")
		step["wait"] = nil
	case "manual", "block":
		delete(step, "type")
		rename(step, "label", "block")
		rename(step, "name", "block")
		if _, labelled := step["block"]; !labelled {
			step["block"] = nil
		}
	case "trigger":
		delete(step, "type")
		rename(step, "trigger_project_slug", "trigger")
		rename(step, "trigger_async", "async")
		build, _ := step["build"].(map[string]any)
		if build == nil {
			build = map[string]any{}
		}
		for _, name := range []string{"message", "commit", "branch", "env"} {
			if value, ok := step["trigger_"+name]; ok {
				build[name] = value
				delete(step, "trigger_"+name)
			}
		}
		if len(build) > 0 {
			step["build"] = build
		}
	case "script", nil:
		delete(step, "type")
		rename(step, "name", "label")
		rename(step, "agent_query_rules", "agents")
	}
	rename(step, "branch_configuration", "branches")
	return step
}

// rename changes the name of a member, unless there is one with that name.
func rename(step map[string]any, from, to string) {
	if value, ok := step[from]; ok && step[to] == nil {
		step[to] = value
		delete(step, from)
	}
}

// plainNumbers writes whole numbers without a point or an exponent.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	}
	return value
}

// ShowSteps returns the steps of a configuration as a JSON list in the form that clients know. It is a summary: the
// configuration says all.
func ShowSteps(configuration string) (string, error) {
	outline, err := steps.ReadOutline(configuration)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(showSteps(outline.Steps), json.Deterministic(true))
	return string(text), err
}

func showSteps(all []steps.OutlinedStep) []any {
	shown := make([]any, len(all))
	for i, s := range all {
		shown[i] = showStep(s)
	}
	return shown
}

func showStep(s steps.OutlinedStep) any {
	switch s.Kind {
	case steps.Wait:
		return map[string]any{"type": "waiter"}
	case steps.Block, steps.Input:
		return map[string]any{"type": "manual", "label": s.Label}
	case steps.Trigger:
		return map[string]any{"type": "trigger", "label": s.Label, "pipeline": s.Trigger, "branch_configuration": s.Branches}
	case steps.Group:
		return map[string]any{"type": "group", "name": s.Label, "steps": showSteps(s.Steps)}
	default:
		return map[string]any{
			"type": "script", "name": s.Label, "command": s.Command, "artifact_paths": s.ArtifactPaths,
			"branch_configuration": s.Branches,
			"env":                  s.Env, "timeout_in_minutes": s.Timeout, "agent_query_rules": s.Agents,
			"concurrency": s.Concurrency, "parallelism": s.Parallelism,
		}
	}
}

// ShownSteps returns the pipeline's steps as a JSON list. Those of a release that did not store them are made of the
// configuration.
func (p *Pipeline) ShownSteps() jsontext.Value {
	if p.Steps != "" {
		return jsontext.Value(p.Steps)
	}
	shown, err := ShowSteps(p.Configuration)
	if err != nil {
		return jsontext.Value("[]")
	}
	return jsontext.Value(shown)
}

// HasMoreThanSteps reports whether a configuration says more than a list of steps can.
func HasMoreThanSteps(configuration string) bool {
	outline, err := steps.ReadOutline(configuration)
	return err == nil && outline.HasMore
}
