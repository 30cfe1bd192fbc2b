// Command penstock is a self-hosted control plane for build pipelines: its server, and the commands with
// which an operator looks after it. This package only reads the command line; the work is done elsewhere.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"penstock/internal/domain"
)

// version is set when a release is built, with -ldflags '-X main.version=…'.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean stop. A second one has its default effect, and ends the process.
	context.AfterFunc(ctx, stop)
	c := &console{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ()}
	os.Exit(c.exit(c.run(ctx, os.Args[1:])))
}

// console is what a command talks to.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	warnings       []string // about the environment, not printed yet
}

const (
	failure = 1
	misuse  = 2
)

// usageError is a command line that cannot be understood.
type usageError struct {
	message string
	command string // the words that explain it with --help; empty: the overview does
}

func (e *usageError) Error() string { return e.message }

// exitError ends the process with a code of its own, after everything was said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exit prints err for the user and returns the code to exit with.
func (c *console) exit(err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	c.printError("penstock: %s", domain.Explain(err))
	if usage, ok := errors.AsType[*usageError](err); ok {
		if usage.command == "" {
			c.printError("Run penstock help for a list of commands.")
		} else {
			c.printError("Run penstock %s --help to see how to use it.", usage.command)
		}
		return misuse
	}
	return failure
}

// printError writes a line to the standard error output.
func (c *console) printError(format string, args ...any) {
	_, _ = fmt.Fprintf(c.stderr, format+"\n", args...)
}

// print writes a line to the standard output.
func (c *console) print(format string, args ...any) error {
	_, err := fmt.Fprintf(c.stdout, format+"\n", args...)
	return err
}

// read returns the content of a file, or of the standard input if the name is -.
func (c *console) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(name) //nolint:gosec // the operator names it
}
