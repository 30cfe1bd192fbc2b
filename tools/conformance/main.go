// Command conformance checks docs/conformance.md, the account of which tests hold which rule of the interface.
//
// A rule is a table row "| C5.12 | the rule | TestName, TestOther/a case |". Each number stands once, each rule names a
// test, and each named test function exists.
//
// Its one argument is the root of the repository.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance REPOSITORY")
		os.Exit(2)
	}
	faults, err := run(os.DirFS(os.Args[1]))
	if err != nil {
		faults = []string{err.Error()}
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// run returns what is wrong with the document of repository.
func run(repository fs.FS) (faults []string, err error) {
	document, err := fs.ReadFile(repository, "docs/conformance.md")
	if err != nil {
		return nil, err
	}
	tests, err := findTests(repository)
	if err != nil {
		return nil, err
	}
	for _, fault := range check(string(document), tests) {
		faults = append(faults, "docs/conformance.md:"+fault)
	}
	return faults, nil
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(\w+ \*testing\.[TF]\)`)

// findTests returns the names of all test and fuzz functions of repository.
func findTests(repository fs.FS) (map[string]bool, error) {
	tests := map[string]bool{}
	err := fs.WalkDir(repository, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(repository, path)
		for _, match := range testFunction.FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	return tests, err
}

var (
	row      = regexp.MustCompile(`^\|\s*([A-Z]\d[\w.]*)\s*\|`)
	testName = regexp.MustCompile(`^((?:Test|Fuzz)\w*)(?:/.*)?$`)
)

// check returns what is wrong with document, each fault with its line number.
func check(document string, tests map[string]bool) (faults []string) {
	firstLine := map[string]int{} // by rule number
	fenced := false
	for i, line := range strings.Split(document, "\n") {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%d: ", i+1)+fmt.Sprintf(format, args...))
		}
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		match := row.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		number := match[1]
		if first, taken := firstLine[number]; taken {
			fault("%s stands in line %d already", number, first)
		} else {
			firstLine[number] = i + 1
		}
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, ""), "|")
		if len(cells) != 5 { // with the empty ones outside the first and the last bar
			fault("%s has %d columns, not 3 (a bar inside a column is written \\|)", number, len(cells)-2)
			continue
		}
		named := strings.TrimSpace(cells[3])
		if named == "" {
			fault("%s names no test", number)
			continue
		}
		for name := range strings.SplitSeq(named, ",") {
			name = strings.Trim(name, " `")
			if match := testName.FindStringSubmatch(name); match == nil {
				fault("%s: %q is not the name of a test", number, name)
			} else if !tests[match[1]] {
				fault("%s: there is no %s", number, match[1])
			}
		}
	}
	if len(firstLine) == 0 {
		faults = append(faults, "1: has no rules")
	}
	return faults
}
