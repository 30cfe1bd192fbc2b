package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"penstock/internal/config"
)

func nothing(string) (string, bool) { return "", false }

func TestFlagsAndOperandsMix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args     string
		operands string
		data     string
		replace  bool
	}{
		{"FILE --replace --data d", "FILE", "d", true},
		{"--data d FILE", "FILE", "d", false},
		{"a --data=d b", "a b", "d", false},
		{"-", "-", "", false},
		{"--replace=false - --data -", "-", "-", false},
		{"a -- --replace b", "a --replace b", "", false},
		{"-- -h", "-h", "", false},
	} {
		var data string
		var replace bool
		flags := config.NewFlags()
		flags.Text(&data, "data", "DIR", "")
		flags.Bool(&replace, "replace", "")
		operands, err := flags.Parse(strings.Fields(c.args), nothing)
		if err != nil || strings.Join(operands, " ") != c.operands || data != c.data || replace != c.replace {
			t.Errorf("%s: operands %q, data %q, replace %v, %v", c.args, operands, data, replace, err)
		}
	}
}

func TestWhatCannotBeParsed(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--dta d --user u":         "there is no flag --dta; did you mean --data?",
		"--zzzzzz":                 "there is no flag --zzzzzz",
		"--user":                   "--user needs a value",
		"--replace=perhaps":        `--replace must be true or false, not "perhaps"`,
		"--data d":                 "--user is required",
		"--user=":                  "--user is required",
		"--user u --n x":           `--n must be a whole number, not "x"`,
		"--user u ---data":         "bad flag syntax: ---data",
		"--user=u --n=2 -- --nope": "",
	} {
		var data, user string
		var replace bool
		var n int
		flags := config.NewFlags()
		flags.Text(&data, "data", "DIR", "")
		flags.Text(&user, "user", "EMAIL", "")
		flags.Bool(&replace, "replace", "")
		flags.Int(&n, "n", "")
		flags.Require("user")
		_, err := flags.Parse(strings.Fields(args), nothing)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestHelpIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"-h", "--help", "-help"} {
		flags := config.NewFlags()
		flags.Require("nothing")
		if _, err := flags.Parse([]string{"operand", arg}, nothing); !errors.Is(err, config.ErrHelp) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestListsAdd(t *testing.T) {
	t.Parallel()
	scopes := []string{"default"}
	flags := config.NewFlags()
	flags.List(&scopes, "scopes", "SCOPES", "")
	_, err := flags.Parse([]string{"--scopes", "a,b", "--scopes", "c d"}, func(string) (string, bool) { return "e", true })
	if err != nil || !slices.Equal(scopes, []string{"a", "b", "c", "d"}) {
		t.Errorf("%q, %v", scopes, err)
	}
}

func TestHelpShowsDefaultsAndVariables(t *testing.T) {
	t.Parallel()
	cfg, user, flags := config.Default(), "", config.NewFlags()
	cfg.ListenFlags(flags)
	cfg.ServeFlags(flags)
	flags.Text(&user, "user", "EMAIL", "who")
	flags.Require("user")
	help := flags.Help()
	for _, want := range []string{
		"  --listen HOST:PORT\n", "[default 127.0.0.1:8080, PENSTOCK_LISTEN]", "[PENSTOCK_BOOTSTRAP]", "[required, PENSTOCK_USER]",
		"[default 30s, PENSTOCK_SHUTDOWN_TIMEOUT]",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in\n%s", want, help)
		}
	}
	for line := range strings.Lines(help) {
		if len(line) > 100 {
			t.Errorf("%q is too long", line)
		}
	}
}

func TestUnknownVariablesAreWarnedOf(t *testing.T) {
	t.Parallel()
	warnings := config.UnknownVariables(
		[]string{"HOME=/", "PENSTOCK_LISTEN=x", "PENSTOCK_PORT=y", "PENSTOCK_DATABSE=postgres://u:hunter2@h/n"},
		[]string{"PENSTOCK_LISTEN", "PENSTOCK_DATABASE", "PENSTOCK_ROLE"})
	want := []string{
		"the environment variable PENSTOCK_DATABSE is not a setting and is ignored; did you mean PENSTOCK_DATABASE?",
		"the environment variable PENSTOCK_PORT is not a setting and is ignored",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("%q", warnings)
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"srve": "serve", "server": "serve", "versoin": "version", "demos": "demo", "x": "", "": "", "frobnicate": "", "vers": "version",
	} {
		if got := config.Closest(name, []string{"serve", "demo", "version", "restore"}); got != want {
			t.Errorf("%q is closest to %q, want %q", name, got, want)
		}
	}
}
