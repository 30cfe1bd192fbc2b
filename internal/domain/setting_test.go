package domain_test

import (
	"reflect"
	"strings"
	"testing"

	"penstock/internal/domain"
)

// TestSettingsAreDescribed checks that each field of the structs has its entry, in their order, and that the entry finds it in both.
func TestSettingsAreDescribed(t *testing.T) {
	t.Parallel()
	var c domain.Cluster
	var patch domain.ClusterPatch
	wantDescribed(t, domain.SettingsOfClusters, &c, &patch, &c.ClusterSettings, &patch.ClusterSettingsInput)
	var q domain.Queue
	var queue domain.QueueInput
	wantDescribed(t, domain.SettingsOfQueues, &q, &queue, &q.QueueSettings, &queue.QueueSettingsInput)
	var p domain.Pipeline
	var in domain.PipelineInput
	wantDescribed(t, domain.BuildSettingsOfPipelines, &p, &in, &p.PipelineBuildSettings, &in.PipelineBuildSettingsInput)
	wantDescribed(t, domain.JobSettingsOfPipelines, &p, &in, &p.PipelineJobSettings, &in.PipelineJobSettingsInput)
}

// wantDescribed checks the description of two structs that are in a thing and in what is sent for it.
func wantDescribed[T, In any](t *testing.T, settings []domain.Setting[T, In], thing *T, in *In, values, inputs any) {
	t.Helper()
	described := reflect.TypeOf(values).Elem()
	if described.NumField() != len(settings) {
		t.Fatalf("%v has %d fields and %d entries", described, described.NumField(), len(settings))
	}
	for i, s := range settings {
		if field := described.Field(i); field.Tag.Get("json") != s.Name || field.Tag.Get("doc") == "" || s.GraphQL == "" || s.FormLabel == "" {
			t.Errorf("%s is described as %+v", field.Name, s)
		}
		var value, input any
		switch {
		case s.Flag != nil:
			value, input = s.Flag(thing), s.FlagIn(in)
		case s.Line != nil && s.MaxLength > 0:
			value, input = s.Line(thing), s.LineIn(in)
		case s.Minutes != nil:
			value, input = s.Minutes(thing), s.MinutesIn(in)
		case s.Choice != nil:
			value, input = s.Choice(thing), s.ChoiceIn(in)
			wantChoices(t, described.Field(i), s.Choices)
		default:
			t.Fatalf("%s has no kind", s.Name)
		}
		if value != reflect.ValueOf(values).Elem().Field(i).Addr().Interface() {
			t.Errorf("%s finds another field of %T", s.Name, *thing)
		}
		if input != reflect.ValueOf(inputs).Elem().Field(i).Addr().Interface() {
			t.Errorf("%s finds another field of %T", s.Name, *in)
		}
	}
}

// wantChoices checks that REST describes the values of a choice, and forms each of them.
func wantChoices(t *testing.T, field reflect.StructField, choices []domain.Choice) {
	t.Helper()
	var values []string
	for _, c := range choices {
		values = append(values, c.Value)
		if c.FormLabel == "" {
			t.Errorf("%s has no label for %s", field.Name, c.Value)
		}
	}
	if described := strings.Join(values, ","); described == "" || field.Tag.Get("enum") != described {
		t.Errorf("%s is described with the values %q, and has %q", field.Name, field.Tag.Get("enum"), described)
	}
}
