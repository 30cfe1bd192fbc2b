package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
)

const variablePrefix = "PENSTOCK_"

// Variable returns the name of the environment variable of a flag.
func Variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// ErrHelp means that --help or -h was given.
var ErrHelp = flag.ErrHelp

// Fault is a setting that cannot be used.
type Fault struct {
	Setting  string // the flag's name, without dashes
	Variable bool   // it was given by its environment variable
	Reason   string // continues the sentence that the setting's name begins
}

// Error returns a sentence that begins with the flag or the variable, whichever was given.
func (f *Fault) Error() string {
	if f.Variable {
		return Variable(f.Setting) + " " + f.Reason
	}
	return "--" + f.Setting + " " + f.Reason
}

// Flags are the flags of one command. Each is added with where its value goes; what is there already is
// the default.
type Flags struct {
	set       *flag.FlagSet
	all       []*option
	variables map[string]bool // the flags that were given by their variables
}

type option struct {
	name, placeholder, usage, fallback string
	required, given, empty             bool
	put                                func(string) error
	fault                              error
}

// NewFlags returns no flags yet.
func NewFlags() *Flags {
	f := &Flags{set: flag.NewFlagSet("", flag.ContinueOnError), variables: map[string]bool{}}
	f.set.SetOutput(io.Discard)
	f.set.Usage = func() {}
	return f
}

func (f *Flags) add(o *option) {
	f.all = append(f.all, o)
	set := func(value string) error {
		o.fault = o.put(value)
		o.given, o.empty = true, value == ""
		return o.fault
	}
	if o.placeholder == "" {
		f.set.BoolFunc(o.name, "", set)
	} else {
		f.set.Func(o.name, "", set)
	}
}

// Text adds a flag whose value can be anything.
func (f *Flags) Text(to *string, name, placeholder, usage string) {
	f.add(&option{name: name, placeholder: placeholder, usage: usage, fallback: *to, put: func(value string) error {
		*to = value
		return nil
	}})
}

// Secret adds a flag for a URL that may hold a password.
func (f *Flags) Secret(to *SecretURL, name, placeholder, usage string) {
	f.add(&option{name: name, placeholder: placeholder, usage: usage, fallback: to.String(),
		put: func(value string) error {
			*to = SecretURL(value)
			return nil
		}})
}

// Hidden adds a flag whose value is a secret.
func (f *Flags) Hidden(to *domain.Secret, name, placeholder, usage string) {
	f.add(&option{name: name, placeholder: placeholder, usage: usage, put: func(value string) error {
		*to = domain.Secret(value)
		return nil
	}})
}

// Bool adds a flag that needs no value.
func (f *Flags) Bool(to *bool, name, usage string) {
	f.add(&option{name: name, usage: usage, put: func(value string) (err error) {
		if *to, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("must be true or false, not %q", value)
		}
		return nil
	}})
}

// Int adds a flag for a whole number.
func (f *Flags) Int(to *int, name, usage string) {
	f.add(&option{name: name, placeholder: "N", usage: usage, fallback: strconv.Itoa(*to),
		put: func(value string) (err error) {
			if *to, err = strconv.Atoi(value); err != nil {
				return fmt.Errorf("must be a whole number, not %q", value)
			}
			return nil
		}})
}

// Duration adds a flag for a length of time.
func (f *Flags) Duration(to *time.Duration, name, usage string) {
	f.add(&option{name: name, placeholder: "TIME", usage: usage, fallback: to.String(),
		put: func(value string) (err error) {
			if *to, err = time.ParseDuration(value); err != nil {
				return fmt.Errorf("must be a number and a unit, such as 30s or 5m, not %q", value)
			}
			return nil
		}})
}

// List adds a flag for words with commas or spaces between them. Given again, it adds to them.
func (f *Flags) List(to *[]string, name, placeholder, usage string) {
	o := &option{name: name, placeholder: placeholder, usage: usage, fallback: strings.Join(*to, ",")}
	o.put = func(value string) error {
		if !o.given {
			*to = nil
		}
		*to = append(*to, splitWords(value)...)
		return nil
	}
	f.add(o)
}

// Prefixes adds a flag for CIDRs, or single addresses, with commas or spaces between them. Given again, it
// adds to them.
func (f *Flags) Prefixes(to *[]netip.Prefix, name, usage string) {
	o := &option{name: name, placeholder: "CIDRS", usage: usage}
	o.put = func(value string) error {
		if !o.given {
			*to = nil
		}
		for _, word := range splitWords(value) {
			prefix, err := parsePrefix(word)
			if err != nil {
				return err
			}
			*to = append(*to, prefix)
		}
		return nil
	}
	f.add(o)
}

// Level adds a flag for a log level.
func (f *Flags) Level(to *slog.Level, name, usage string) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError}
	f.add(&option{name: name, placeholder: "LEVEL", usage: usage, fallback: strings.ToLower(to.String()),
		put: func(value string) error {
			level, ok := levels[value]
			if !ok {
				return fmt.Errorf("must be debug, info, warn or error, not %q", value)
			}
			*to = level
			return nil
		}})
}

// Require makes Parse refuse a command line that leaves any of the named flags unset or empty.
func (f *Flags) Require(names ...string) {
	for _, o := range f.all {
		o.required = o.required || slices.Contains(names, o.name)
	}
}

// Parse reads flags, which may stand before, between and after the operands, and then the environment.
// What stands after -- is an operand. It returns the operands, ErrHelp if help was asked for, and otherwise
// an error that says in one line what is wrong; it is a *Fault if that is a setting's value.
func (f *Flags) Parse(args []string, lookup func(string) (string, bool)) (operands []string, err error) {
	for len(args) > 0 {
		if err := f.set.Parse(args); err != nil {
			return nil, f.explain(err)
		}
		rest := f.set.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			operands = append(operands, rest...)
			break
		}
		if len(rest) > 0 {
			operands, rest = append(operands, rest[0]), rest[1:]
		}
		args = rest
	}
	for _, o := range f.all {
		value, ok := lookup(Variable(o.name))
		if ok && value != "" && !o.given {
			if err := o.put(value); err != nil {
				return nil, &Fault{Setting: o.name, Variable: true, Reason: err.Error()}
			}
			o.given, f.variables[o.name] = true, true
		}
		if o.required && (!o.given || o.empty) {
			return nil, fmt.Errorf("--%s is required", o.name)
		}
	}
	return operands, nil
}

// explain puts the flag package's errors into our words. It never repeats a value, which may be secret.
func (f *Flags) explain(err error) error {
	for _, o := range f.all {
		if o.fault != nil {
			return &Fault{Setting: o.name, Reason: o.fault.Error()}
		}
	}
	if errors.Is(err, flag.ErrHelp) {
		return ErrHelp
	}
	if _, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -"); ok {
		message := "there is no flag --" + name
		if closest := Closest(name, f.names()); closest != "" {
			message += "; did you mean --" + closest + "?"
		}
		return errors.New(message)
	}
	if _, name, ok := strings.Cut(err.Error(), "flag needs an argument: -"); ok {
		return fmt.Errorf("--%s needs a value", name)
	}
	return err
}

// Attribute makes a *Fault in err name the environment variable if that is where the value came from.
func (f *Flags) Attribute(err error) error {
	if fault, ok := errors.AsType[*Fault](err); ok && f.variables[fault.Setting] {
		return &Fault{Setting: fault.Setting, Variable: true, Reason: fault.Reason}
	}
	return err
}

func (f *Flags) names() []string {
	names := make([]string, len(f.all))
	for i, o := range f.all {
		names[i] = o.name
	}
	return names
}

// Variables returns the names of the flags' environment variables.
func (f *Flags) Variables() []string {
	names := f.names()
	for i, name := range names {
		names[i] = Variable(name)
	}
	return names
}

// Help returns a paragraph for each flag: what it is, its default and its variable.
func (f *Flags) Help() string {
	var b strings.Builder
	for _, o := range f.all {
		b.WriteString("  --" + o.name)
		if o.placeholder != "" {
			b.WriteString(" " + o.placeholder)
		}
		b.WriteString("\n" + wrapText(o.usage, "        ") + "\n        [")
		switch {
		case o.required:
			b.WriteString("required, ")
		case o.fallback != "":
			b.WriteString("default " + o.fallback + ", ")
		}
		b.WriteString(Variable(o.name) + "]\n")
	}
	return b.String()
}

// UnknownVariables returns a warning for each variable of the environment (NAME=value) that looks like one
// of ours and is not among those known.
func UnknownVariables(environ, known []string) []string {
	var warnings []string
	settings := make([]string, len(known))
	for i, name := range known {
		settings[i] = strings.TrimPrefix(name, variablePrefix)
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		setting, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || slices.Contains(settings, setting) {
			continue
		}
		warning := "the environment variable " + name + " is not a setting and is ignored"
		if closest := Closest(setting, settings); closest != "" {
			warning += "; did you mean " + variablePrefix + closest + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return warnings
}

func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

func parsePrefix(text string) (netip.Prefix, error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("must be CIDRs or addresses, such as 10.0.0.0/8, not %q", text)
	}
	return address.Prefix(address.BitLen())
}

// wrapText breaks text into lines of at most 80 characters that begin with indent.
func wrapText(text, indent string) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case width == 0:
			b.WriteString(indent)
			width = len(indent)
		case width+1+len(word) > 80:
			b.WriteString("\n" + indent)
			width = len(indent)
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
