package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/config"
)

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	for _, cmd := range commands() {
		t.Run(cmd.name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(cmd.name)
			help := output(t, append(words, "--help")...)
			if short := output(t, append(words, "-h")...); short != help {
				t.Errorf("-h says something else than --help: %s", short)
			}
			if long := output(t, append([]string{"help"}, words...)...); long != help {
				t.Errorf("penstock help %s says something else than --help: %s", cmd.name, long)
			}
			wants := append([]string{"Usage: penstock " + cmd.name, cmd.summary}, cmd.examples...)
			if cmd.prepare == nil {
				for _, member := range cmd.subcommands() {
					wants = append(wants, member.name, member.summary)
				}
			} else {
				flags := config.NewFlags()
				cmd.prepare(flags)
				wants = append(wants, flags.Variables()...)
				if len(cmd.examples) == 0 && len(flags.Variables()) > 0 {
					t.Error("there is no example")
				}
			}
			for _, want := range wants {
				if !strings.Contains(help, want) {
					t.Errorf("no %q in:\n%s", want, help)
				}
			}
		})
	}
}

func TestEveryFlagHasAnEnvironmentVariable(t *testing.T) {
	t.Parallel()
	flag := regexp.MustCompile(`(?m)^  --([a-z-]+)`)
	for _, cmd := range commands() {
		if cmd.prepare == nil {
			continue
		}
		flags := config.NewFlags()
		cmd.prepare(flags)
		var want []string
		for _, match := range flag.FindAllStringSubmatch(flags.Help(), -1) {
			if match[1] != "help" {
				want = append(want, "PENSTOCK_"+strings.ToUpper(strings.ReplaceAll(match[1], "-", "_")))
			}
		}
		if got := flags.Variables(); !slices.Equal(got, want) {
			t.Errorf("%s has the variables %q, want %q", cmd.name, got, want)
		}
	}
	data := newData(t)[1]
	r := run(t, penstock(t, []string{"PENSTOCK_DATA=" + data, "PENSTOCK_EMAIL=dev@example.com", "PENSTOCK_NAME=Dev"}, "user", "create"))
	if r.code != 0 {
		t.Errorf("user create: %v", r)
	}
	refused(t, penstock(t, nil, with("user create --email dev@example.com --name Dev --data", data)...), failure, "Email has already been taken")
}

func TestTheOverviewHasEveryCommand(t *testing.T) {
	t.Parallel()
	help := output(t, "help")
	for _, args := range [][]string{{"--help"}, {"-h"}} {
		if other := output(t, args...); other != help {
			t.Errorf("penstock %s says something else than penstock help", args[0])
		}
	}
	for _, cmd := range commands() {
		if cmd.prepare != nil && !strings.Contains(help, "\n  "+cmd.name+" ") {
			t.Errorf("%s is missing", cmd.name)
		}
	}
	if r := run(t, penstock(t, nil)); r.code != misuse || r.stdout != "" || strings.TrimSpace(r.stderr) != help {
		t.Errorf("penstock alone: %v", r)
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for args, wants := range map[string][]string{
		"srve":                        {`there is no command "srve"; did you mean serve?`, "penstock help"},
		"frobnicate":                  {`there is no command "frobnicate"`},
		"help srve":                   {"did you mean serve?"},
		"help version more":           {`there is no command "version more"`},
		"token":                       {"token create, token list, token revoke", "penstock token --help"},
		"token crate":                 {`there is no command "token crate"; did you mean token create?`},
		"serve --lisen x":             {"there is no flag --lisen; did you mean --listen?", "penstock serve --help"},
		"serve --listen":              {"--listen needs a value"},
		"serve --listen 8080":         {"--listen must be a host and a port"},
		"serve now":                   {`"now" is one argument too many`},
		"serve --database mysql://h":  {"--database must be a postgres:// URL"},
		"user create --name x":        {"--email is required", "penstock user create --help"},
		"backup":                      {"the argument FILE is missing"},
		"backup a b":                  {`"b" is one argument too many`},
		"restore f --replace=perhaps": {"--replace must be true or false"},
		"token create --user u --description d --expires-in-days -1": {"--expires-in-days must be from 0"},
		"token list --database x":                                    {"--database must be a postgres:// URL"},
		"policy check p --claims c --action delete":                  {"--action must be save or restore"},
	} {
		cmd := penstock(t, nil, strings.Fields(args)...)
		refused(t, cmd, misuse, append(wants, "\nRun penstock ")...)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	version := output(t, "version")
	for _, want := range []string{"penstock " + testVersion + "\n", "\ngo ", "\nschema "} {
		if !strings.Contains(version, want) {
			t.Errorf("no %q in %q", want, version)
		}
	}
	if other := output(t, "--version"); other != version {
		t.Errorf("--version says %q", other)
	}
}
