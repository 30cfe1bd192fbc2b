package domain

import "strings"

// Setting describes one setting of Ts, which callers send in an In: a flag, a line of text or a number of minutes.
// Columns, GraphQL and forms are made of it. REST and audit events have the struct that its field is in.
type Setting[T, In any] struct {
	Name    string // of its column, its JSON member and its field in forms
	GraphQL string // its name there

	// How a form shows it.
	FormLabel   string
	Placeholder string
	Help        string

	// Where it is in a T and in an In: one pair, by its kind.
	Flag      func(*T) *bool
	FlagIn    func(*In) *Optional[bool]
	Line      func(*T) **string
	LineIn    func(*In) *Optional[string]
	Minutes   func(*T) **int64
	MinutesIn func(*In) *Optional[int64]

	Default   bool // of a flag, in a new T
	MaxLength int  // of a line, in characters
}

// label is what faults call the setting.
func (s *Setting[T, In]) label() string {
	return strings.ToUpper(s.Name[:1]) + strings.ReplaceAll(s.Name[1:], "_", " ")
}

// setDefaults sets the settings of a new T that have a default.
func setDefaults[T, In any](settings []Setting[T, In], thing *T) {
	for i := range settings {
		if s := &settings[i]; s.Flag != nil {
			*s.Flag(thing) = s.Default
		}
	}
}

// leaveOutNullFlags makes flags absent that are null: what null means to a new T.
func leaveOutNullFlags[T, In any](settings []Setting[T, In], in *In) {
	for i := range settings {
		if s := &settings[i]; s.Flag != nil {
			*s.FlagIn(in) = s.FlagIn(in).unlessNull()
		}
	}
}

// applySettings sets those settings that are given.
func applySettings[T, In any](settings []Setting[T, In], in *In, thing *T, faults *Faults) {
	for i := range settings {
		switch s := &settings[i]; {
		case s.Flag != nil:
			applyFlag(s.Name, *s.FlagIn(in), s.Flag(thing), faults)
		case s.Line != nil:
			applyLine(s.Name, s.label(), *s.LineIn(in), s.MaxLength, s.Line(thing), faults)
		case s.Minutes != nil:
			applyTimeout(s.Name, s.label(), *s.MinutesIn(in), s.Minutes(thing), faults)
		}
	}
}
