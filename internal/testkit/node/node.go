// Package node runs JavaScript programs in tests: what others wrote, to compare ours with. Only tests import it.
package node

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"penstock/internal/testkit/used"
)

// Command returns the command that runs script, a file of dir, after it has installed the packages that
// package-lock.json in dir names. Where node is missing it does as Install does.
func Command(t testing.TB, dir, script string) *exec.Cmd {
	t.Helper()
	program := Install(t, dir)
	command := exec.CommandContext(t.Context(), program, script)
	command.Dir = dir
	command.Stderr = os.Stderr
	return command
}

// Install installs the packages that package-lock.json in dir names, and returns the path of node. Where node is missing it skips
// the test, or with CI=true fails it.
func Install(t testing.TB, dir string) (program string) {
	t.Helper()
	program, why := findNode()
	if why != "" && os.Getenv("CI") == "true" {
		t.Fatalf("in CI node is a must: %s", why)
	}
	if why != "" {
		t.Skipf("without node: %s", why)
	}
	installing.Lock()
	defer installing.Unlock()
	if !isInstalled(t, dir) {
		install := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline", "--ignore-scripts")
		install.Dir = dir
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("%s in %s: %v\n%s", install, dir, err, out)
		}
	}
	used.Record(t, "node")
	return program
}

// installing keeps tests that run at the same time from installing into the same directory.
var installing sync.Mutex

func findNode() (program, why string) {
	if why := os.Getenv("PENSTOCK_TEST_NODE_MISSING"); why != "" {
		return "", why
	}
	program, err := exec.LookPath("node")
	if err == nil {
		_, err = exec.LookPath("npm")
	}
	if err != nil {
		return "", err.Error()
	}
	return program, ""
}

// isInstalled says whether dir/node_modules is what dir/package-lock.json asks for, by the record that npm keeps in it.
func isInstalled(t testing.TB, dir string) bool {
	t.Helper()
	wanted, err := readPackages(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	delete(wanted, "") // dir itself
	is, err := readPackages(filepath.Join(dir, "node_modules", ".package-lock.json"))
	return err == nil && maps.Equal(is, wanted)
}

type installedPackage struct{ Version, Integrity string }

func readPackages(lockfile string) (map[string]installedPackage, error) {
	text, err := os.ReadFile(lockfile)
	if err != nil {
		return nil, err
	}
	var lock struct{ Packages map[string]installedPackage }
	err = json.Unmarshal(text, &lock)
	return lock.Packages, err
}
