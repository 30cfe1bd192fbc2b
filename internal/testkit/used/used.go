// Package used reports to make test which engines and programs tests really used. Only tests and what they share import
// it.
package used

import (
	"os"
	"sync"
	"testing"
)

var recordedNames sync.Map

// Record writes its name to the file, once a process.
func Record(t testing.TB, name string) {
	t.Helper()
	file := os.Getenv("PENSTOCK_TEST_ENGINES_FILE")
	if _, again := recordedNames.LoadOrStore(name, true); again || file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(name + "\n")
	if closeErr := f.Close(); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
}
