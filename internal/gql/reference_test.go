package gql_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit/node"
)

var (
	randomDocuments = flag.Int("documents", 3000, "how many random documents to compare with the reference implementation, and half as many with a fault")
	randomSeed      = flag.Uint64("seed", 1, "what the random documents and their data are made from")
)

// TestReference compares the engine with the reference implementation: the same schema, data and documents must give the
// same answers.
func TestReference(t *testing.T) {
	t.Parallel()
	reference := startReference(t)
	stored, err := os.ReadFile("testdata/reference/data.json")
	if err != nil {
		t.Fatal(err)
	}
	sides := &sides{reference: reference, ours: newEngine(t, reference.schema)}

	t.Run("corpus", func(t *testing.T) {
		for _, clause := range slices.Sorted(maps.Keys(corpus)) {
			for _, c := range corpus[clause] {
				t.Run(clause+"/"+c.name, func(t *testing.T) {
					sides.use(t, withOverrides(t, stored, c.data))
					got := sides.compare(t, question{c.document, json.RawMessage(c.variables), c.operation})
					if got != c.want {
						t.Errorf("the reference implementation's answer is %s, should be %s", got, c.want)
					}
				})
			}
		}
	})
	t.Run("input coercion", func(t *testing.T) {
		sides.use(t, stored)
		compareCoercion(t, sides)
	})
	t.Run("null propagation", func(t *testing.T) { comparePropagation(t, sides, stored) })
	t.Run("introspection", func(t *testing.T) { compareIntrospection(t, sides) })
	t.Run("random", func(t *testing.T) { compareRandom(t, sides, *randomSeed, *randomDocuments) })
	t.Run("faults", func(t *testing.T) { compareFaults(t, sides, *randomSeed, *randomDocuments/2) })
}

// A question is what both sides answer.
type question struct {
	Document      string          `json:"document"`
	Variables     json.RawMessage `json:"variables,omitempty"` // an object, or none
	OperationName string          `json:"operationName,omitempty"`
}

// An answer is what a side made of a question.
type answer struct {
	Data   json.RawMessage `json:"data"` // nil if there is none, which is not null
	Errors []struct {
		Message string `json:"message"`
		Path    []any  `json:"path"`
	} `json:"errors"`
	Log      []string `json:"log"`      // what the mutations did
	Document string   `json:"document"` // for an introspection request: the document; for a client request: the schema
}

func (a answer) outcome() outcome {
	switch {
	case a.Data == nil:
		return refused
	case len(a.Errors) > 0:
		return partial
	}
	return answered
}

func (a answer) String() string {
	var errors []string
	for _, e := range a.Errors {
		errors = append(errors, fmt.Sprintf("\n      %s %s", pathText(e.Path), e.Message))
	}
	return fmt.Sprintf("data %s, errors %s", a.Data, strings.Join(errors, ""))
}

// sides are the two implementations, with the same data.
type sides struct {
	reference *reference
	ours      *engine
}

func (s *sides) use(t *testing.T, data []byte) {
	t.Helper()
	s.reference.ask(t, map[string]any{"data": json.RawMessage(data)})
	s.ours.use(t, data)
}

// compare fails the test unless both sides give the same answer, and returns what kind of answer that is.
func (s *sides) compare(t *testing.T, q question) outcome {
	t.Helper()
	want := s.reference.ask(t, q)
	got := s.ours.answer(t, q)
	if difference := difference(want, got); difference != "" {
		t.Errorf("%s\n  document   %s\n  variables  %s\n  operation  %q\n  reference  %s\n  ours       %s",
			difference, q.Document, q.Variables, q.OperationName, want, got)
	}
	return want.outcome()
}

// difference says how got is not an answer that the specification allows, if want is one. The data must be the same bytes.
// Errors must have the same paths; only those below a position that is null because of an error are free, as long as there is one.
func difference(want, got answer) string {
	switch {
	case (want.Data == nil) != (got.Data == nil):
		return "one has data, the other not"
	case want.Data == nil && len(got.Errors) == 0:
		return "neither data nor errors"
	case want.Data == nil:
		return ""
	case !bytes.Equal(want.Data, got.Data):
		return "data differ"
	}
	wantErrors, err := errorPositions(want)
	if err != nil {
		return "in the reference: " + err.Error()
	}
	gotErrors, err := errorPositions(got)
	if err != nil {
		return err.Error()
	}
	if !maps.Equal(wantErrors, gotErrors) {
		return fmt.Sprintf("error positions differ: reference %v, ours %v", wantErrors, gotErrors)
	}
	if !bytes.Equal(want.Data, []byte("null")) && !slices.Equal(want.Log, got.Log) { // null at the root may stop the other mutations
		return fmt.Sprintf("mutations differ: reference %q, ours %q", want.Log, got.Log)
	}
	return ""
}

// errorPositions returns the positions that are null because of an error, and for each whether an error has just that path.
func errorPositions(a answer) (map[string]bool, error) {
	var data any
	if err := json.Unmarshal(a.Data, &data); err != nil {
		return nil, err
	}
	positions := map[string]bool{}
	seen := map[string]bool{}
	for _, e := range a.Errors {
		path := pathText(e.Path)
		if seen[path] {
			return nil, fmt.Errorf("two errors at %s", path)
		}
		seen[path] = true
		position, err := nulled(data, e.Path)
		if err != nil {
			return nil, fmt.Errorf("error at %s: %w", path, err)
		}
		positions[position] = positions[position] || position == path
	}
	return positions, nil
}

// nulled returns the first position on path that is null in data.
func nulled(data any, path []any) (string, error) {
	for i, step := range path {
		switch at := data.(type) {
		case nil:
			return pathText(path[:i]), nil
		case map[string]any:
			key, isKey := step.(string)
			value, found := at[key]
			if !isKey || !found {
				return "", fmt.Errorf("no %v in the data", step)
			}
			data = value
		case []any:
			index, isIndex := step.(float64)
			if !isIndex || index < 0 || int(index) >= len(at) {
				return "", fmt.Errorf("no %v in the data", step)
			}
			data = at[int(index)]
		default:
			return "", fmt.Errorf("%v is below a leaf", step)
		}
	}
	if data != nil {
		return "", fmt.Errorf("the data there is not null")
	}
	return pathText(path), nil
}

func pathText(path []any) string {
	text := "/"
	for i, step := range path {
		if i > 0 {
			text += "/"
		}
		text += fmt.Sprint(step)
	}
	return text
}

// withOverrides returns the data with some fields of the object "query" replaced, and with those under $mutation of "mutation".
func withOverrides(t *testing.T, data []byte, overrides string) []byte {
	t.Helper()
	if overrides == "" {
		return data
	}
	type object = map[string]json.RawMessage
	var objects map[string]object
	var query, mutation object
	unmarshal(t, data, &objects)
	unmarshal(t, []byte(overrides), &query)
	if fields, ok := query["$mutation"]; ok {
		unmarshal(t, fields, &mutation)
		delete(query, "$mutation")
	}
	maps.Copy(objects["query"], query)
	maps.Copy(objects["mutation"], mutation)
	return marshal(t, objects)
}

// reference is the reference implementation, in a process of its own.
type reference struct {
	schema string
	in     io.Writer
	out    *bufio.Reader
}

func startReference(t *testing.T) *reference {
	t.Helper()
	schema, err := os.ReadFile("testdata/reference/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	command := node.Command(t, "testdata/reference", "run.mjs")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Wait() }) // the test's context has ended it
	r := &reference{string(schema), in, bufio.NewReader(out)}
	r.ask(t, map[string]any{"schema": r.schema})
	return r
}

func (r *reference) ask(t *testing.T, request any) (a answer) {
	t.Helper()
	if _, err := r.in.Write(append(marshal(t, request), '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		t.Fatal("the reference implementation ended: ", err)
	}
	unmarshal(t, line, &a)
	return a
}

// clientSchema returns the schema that a client builds from the answer to an introspection.
func (r *reference) clientSchema(t *testing.T, introspection json.RawMessage) string {
	t.Helper()
	a := r.ask(t, map[string]any{"client": introspection})
	for _, e := range a.Errors {
		t.Error(e.Message)
	}
	return a.Document
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
