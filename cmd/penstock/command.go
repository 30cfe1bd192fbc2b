package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"penstock/internal/config"
)

// command is a command, or a group of commands.
type command struct {
	name     string   // its words, such as "token create"
	operands []string // what it needs besides flags, by name
	summary  string   // one line
	about    string   // paragraphs; empty: the summary says it all
	examples []string
	// prepare adds the command's flags and returns what is done once they are set. Nil: this is a group.
	prepare func(*config.Flags) action
}

// action does what a command is for.
type action func(ctx context.Context, c *console, operands []string) error

// commands is the table of all commands, in the order of the overview; a group stands before its commands.
func commands() []*command {
	return slices.Concat(serverCommands(), operatorCommands(), usageCommands(), postponedCommands(), databaseCommands(),
		policyCommands(), []*command{
			{
				name:    "version",
				summary: "print the version of penstock, of Go and of the database schema",
				prepare: func(*config.Flags) action { return printVersion },
			},
			{
				name:     "help",
				operands: []string{"[COMMAND...]"},
				summary:  "explain a command",
				examples: []string{"penstock help token create"},
				prepare: func(*config.Flags) action {
					return func(_ context.Context, c *console, words []string) error { return c.help(words) }
				},
			},
		})
}

func commandNamed(words ...string) *command {
	all := commands()
	i := slices.IndexFunc(all, func(cmd *command) bool { return cmd.name == strings.Join(words, " ") })
	if i < 0 {
		return nil
	}
	return all[i]
}

// subcommands returns the commands of a group.
func (cmd *command) subcommands() []*command {
	var members []*command
	for _, other := range commands() {
		if rest, ok := strings.CutPrefix(other.name, cmd.name+" "); ok && !strings.Contains(rest, " ") {
			members = append(members, other)
		}
	}
	return members
}

// run finds the command that args name and runs it.
func (c *console) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		c.printError("%s", overviewText())
		return exitError(misuse)
	}
	switch args[0] {
	case "-h", "-help", "--help":
		return c.help(args[1:])
	case "-version", "--version":
		args[0] = "version"
	}
	cmd, rest, err := findCommand(args)
	if err != nil {
		return err
	}
	if cmd.prepare == nil {
		if len(rest) > 0 && isHelp(rest[0]) {
			return c.print("%s", cmd.help())
		}
		return &usageError{cmd.name + " needs one of its commands: " + commandNames(cmd.subcommands()), cmd.name}
	}
	flags := config.NewFlags()
	do := cmd.prepare(flags)
	operands, err := flags.Parse(rest, os.LookupEnv)
	if errors.Is(err, config.ErrHelp) {
		return c.print("%s", cmd.help())
	}
	if err != nil {
		return &usageError{err.Error(), cmd.name}
	}
	if fault := cmd.operandFault(operands); fault != "" {
		return &usageError{fault, cmd.name}
	}
	c.warnings = config.UnknownVariables(c.environ, allVariables())
	err = flags.Attribute(do(ctx, c, operands))
	if fault, ok := errors.AsType[*config.Fault](err); ok {
		return &usageError{fault.Error(), cmd.name}
	}
	return err
}

// findCommand returns the command that args begin with, and what follows it.
func findCommand(args []string) (cmd *command, rest []string, err error) {
	first := commandNamed(args[0])
	if first == nil {
		return nil, nil, unknownCommandError("", args[0])
	}
	if first.prepare != nil || len(args) == 1 || strings.HasPrefix(args[1], "-") {
		return first, args[1:], nil
	}
	second := commandNamed(args[0], args[1])
	if second == nil {
		return nil, nil, unknownCommandError(args[0], args[1])
	}
	return second, args[2:], nil
}

func unknownCommandError(group, word string) error {
	candidates := (&command{name: group}).subcommands()
	if group == "" {
		candidates = slices.DeleteFunc(commands(), func(cmd *command) bool { return strings.Contains(cmd.name, " ") })
	}
	name := strings.TrimSpace(group + " " + word)
	message := fmt.Sprintf("there is no command %q", name)
	words := make([]string, len(candidates))
	for i, cmd := range candidates {
		words[i] = cmd.name
	}
	if closest := config.Closest(name, words); closest != "" {
		message += "; did you mean " + closest + "?"
	}
	return &usageError{message, group}
}

func (cmd *command) operandFault(given []string) string {
	if len(cmd.operands) > 0 && strings.HasSuffix(cmd.operands[0], "...]") {
		return ""
	}
	switch {
	case len(given) > len(cmd.operands):
		return fmt.Sprintf("%q is one argument too many", given[len(cmd.operands)])
	case len(given) < len(cmd.operands):
		return "the argument " + cmd.operands[len(given)] + " is missing"
	}
	return ""
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// help explains the command that words name, or prints the overview.
func (c *console) help(words []string) error {
	if len(words) == 0 {
		return c.print("%s", overviewText())
	}
	cmd, rest, err := findCommand(words)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return unknownCommandError(cmd.name, rest[0])
	}
	return c.print("%s", cmd.help())
}

func overviewText() string {
	var b strings.Builder
	b.WriteString("Penstock is a self-hosted control plane for build pipelines.\n\n")
	b.WriteString("Usage: penstock COMMAND [FLAG...]\n\nCommands:\n")
	for _, cmd := range commands() {
		if cmd.prepare != nil {
			fmt.Fprintf(&b, "  %-18s %s\n", cmd.name, cmd.summary)
		}
	}
	b.WriteString("\nEvery flag can also be set as an environment variable: --base-url is PENSTOCK_BASE_URL.\n")
	b.WriteString("Run penstock COMMAND --help for details. To try Penstock, start with penstock demo.")
	return b.String()
}

// help returns everything there is to know about the command.
func (cmd *command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "penstock %s: %s\n\nUsage: ", cmd.name, cmd.summary)
	if cmd.prepare == nil {
		fmt.Fprintf(&b, "penstock %s COMMAND [FLAG...]\n\nCommands:\n", cmd.name)
		for _, member := range cmd.subcommands() {
			fmt.Fprintf(&b, "  %-18s %s\n", member.name, member.summary)
		}
	} else {
		flags := config.NewFlags()
		cmd.prepare(flags)
		text := flags.Help()
		b.WriteString(strings.Join(append([]string{"penstock", cmd.name}, cmd.operands...), " "))
		if text != "" {
			b.WriteString(" [FLAG...]")
		}
		b.WriteString("\n")
		if cmd.about != "" {
			b.WriteString("\n" + cmd.about + "\n")
		}
		if text != "" {
			b.WriteString("\nFlags, with their defaults and their environment variables:\n" + text)
		}
	}
	if len(cmd.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, example := range cmd.examples {
			b.WriteString("  " + example + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// allVariables returns the environment variables of all commands.
func allVariables() []string {
	var all []string
	for _, cmd := range commands() {
		if cmd.prepare != nil {
			flags := config.NewFlags()
			cmd.prepare(flags)
			all = append(all, flags.Variables()...)
		}
	}
	return all
}

func commandNames(all []*command) string {
	words := make([]string, len(all))
	for i, cmd := range all {
		words[i] = cmd.name
	}
	return strings.Join(words, ", ")
}

// warn prints the warnings about the environment. A server logs them instead.
func (c *console) warn() {
	for _, warning := range c.warnings {
		c.printError("penstock: warning: %s", warning)
	}
}
