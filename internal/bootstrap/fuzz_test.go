package bootstrap_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"penstock/internal/bootstrap"
)

// FuzzParse holds that no file makes Parse panic, and that what it returns is whole.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"contract.yaml", "full.yaml"} {
		source, err := fs.ReadFile(os.DirFS("testdata"), name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	for _, c := range faultCases {
		f.Add([]byte(c.source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		file, err := bootstrap.Parse("b.yaml", source, environment)
		if err != nil {
			checkError(t, source, err)
			return
		}
		for _, o := range file.Organizations {
			for _, c := range o.Clusters {
				for _, r := range c.CacheRegistries {
					if r.Policy != nil && !json.Valid(r.Policy) {
						t.Errorf("policy is not JSON: %s", r.Policy)
					}
				}
			}
		}
	})
}

func checkError(t *testing.T, source []byte, err error) {
	t.Helper()
	e, ok := errors.AsType[*bootstrap.Error](err)
	if !ok || len(e.Faults) == 0 {
		t.Fatalf("not an Error with faults: %v", err)
	}
	// YAML has further line breaks; each is at least one byte.
	for _, fault := range e.Faults {
		if fault.Line < 0 || fault.Line > len(source)+1 {
			t.Errorf("line %d of %d bytes", fault.Line, len(source))
		}
		if strings.Contains(fault.Reason, "\n") {
			t.Errorf("reason of several lines: %q", fault.Reason)
		}
	}
}
