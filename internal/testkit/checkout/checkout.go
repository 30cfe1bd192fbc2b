// Package checkout finds the project's own files in tests, wherever a test runs and however it was built. Only tests and what they share import it.
package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Path returns the path of a file of the project, which names its directories from the root on. The test runs in a directory below the root.
func Path(names ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(module), "module penstock\n") {
			return filepath.Join(append([]string{dir}, names...)...), nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the test does not run in a directory of the project")
		}
		dir = filepath.Dir(dir)
	}
}
