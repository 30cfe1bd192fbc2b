package domain

import (
	"slices"
	"strings"
)

// Setting describes one setting of Ts, which callers send in an In: a flag, a text, a number of minutes or a choice.
// Columns, GraphQL and forms are made of it. REST and audit events have the struct that its field is in.
type Setting[T, In any] struct {
	Name    string // of its column, its JSON member and its field in forms
	GraphQL string // its name there

	// How a form shows it.
	FormLabel   string
	FormNoun    string // what its faults call it there; empty: as the label does
	Placeholder string
	Help        string
	Rows        int // of a text that may have several lines

	// Where it is in a T and in an In: one pair, by its kind.
	Flag      func(*T) *bool
	FlagIn    func(*In) *Optional[bool]
	Line      func(*T) **string
	LineIn    func(*In) *Optional[string]
	Minutes   func(*T) **int64
	MinutesIn func(*In) *Optional[int64]
	Choice    func(*T) *string
	ChoiceIn  func(*In) *Optional[string]

	Default   bool     // of a flag, in a new T
	MaxLength int      // of a line, in characters
	Choices   []Choice // the first is that of a new T

	// Which Ts a flag can be changed of, and what they are called; nil: all.
	AppliesTo func(*T) bool
	OnlyOn    string
}

// Choice is one of the values of a setting that is a choice.
type Choice struct {
	Value string

	// How a form shows it.
	FormLabel string
	Help      string
}

// label is what faults call the setting.
func (s *Setting[T, In]) label() string {
	return strings.ToUpper(s.Name[:1]) + strings.ReplaceAll(s.Name[1:], "_", " ")
}

// setDefaults sets the settings of a new T that have a default.
func setDefaults[T, In any](settings []Setting[T, In], thing *T) {
	for i := range settings {
		switch s := &settings[i]; {
		case s.Flag != nil:
			*s.Flag(thing) = s.Default
		case s.Choice != nil:
			*s.Choice(thing) = s.Choices[0].Value
		}
	}
}

// LeaveOutNulls makes flags and choices absent that are null: what null means to a new T.
func LeaveOutNulls[T, In any](settings []Setting[T, In], in *In) {
	for i := range settings {
		switch s := &settings[i]; {
		case s.Flag != nil:
			*s.FlagIn(in) = s.FlagIn(in).UnlessNull()
		case s.Choice != nil:
			*s.ChoiceIn(in) = s.ChoiceIn(in).UnlessNull()
		}
	}
}

// applySettings sets those settings that are given.
func applySettings[T, In any](settings []Setting[T, In], in *In, thing *T, faults *Faults) {
	for i := range settings {
		switch s := &settings[i]; {
		case s.Flag != nil:
			s.applyFlag(*s.FlagIn(in), thing, faults)
		case s.Line != nil:
			apply := applyLine
			if s.Rows > 0 {
				apply = applyText
			}
			apply(s.Name, s.label(), *s.LineIn(in), s.MaxLength, s.Line(thing), faults)
		case s.Minutes != nil:
			applyTimeout(s.Name, s.label(), *s.MinutesIn(in), s.Minutes(thing), faults)
		case s.Choice != nil:
			s.applyChoice(*s.ChoiceIn(in), s.Choice(thing), faults)
		}
	}
}

func (s *Setting[T, In]) applyFlag(given Optional[bool], thing *T, faults *Faults) {
	target := s.Flag(thing)
	if given.HasValue() && given.Value != *target && s.AppliesTo != nil && !s.AppliesTo(thing) {
		faults.AddWhole(s.Name, s.Name+" can only be changed on "+s.OnlyOn)
		return
	}
	applyFlag(s.Name, given, target, faults)
}

func (s *Setting[T, In]) applyChoice(given Optional[string], target *string, faults *Faults) {
	if !given.Given {
		return
	}
	var values []string
	for _, c := range s.Choices {
		values = append(values, c.Value)
	}
	if !slices.Contains(values, given.Value) {
		faults.Add(s.Name, s.label()+" must be "+strings.Join(values, " or "))
	}
	*target = given.Value
}
