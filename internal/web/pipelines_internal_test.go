package web

import (
	"reflect"
	"strings"
	"testing"
)

func TestEnvironmentVariablesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	env := map[string]string{"A": "1", "B": "x=y", "C": " padded ", "D": "two\nlines\r\n", "E": `"quoted"`, "F": "", "G": `a"b\n`, "H": "\t"}
	text := formatEnv(env)
	if got := readEnv(strings.ReplaceAll(text, "\n", "\n\n"), nil); !reflect.DeepEqual(got, env) {
		t.Errorf("%s is read as %q", text, got)
	}
}
