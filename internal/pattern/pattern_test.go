package pattern_test

import (
	"errors"
	"strings"
	"testing"

	"penstock/internal/pattern"
)

var limits = pattern.Limits{Bytes: 2000, Instructions: 1000, Classes: 2}

func TestPatternsAreBoundedBeforeTheyAreCompiled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                                    nil,
		`^v\d+\.\d+$`:                         nil,
		"a{0,400}":                            nil,
		`\pL\PN`:                              nil,
		"(?i)ünit[a-z]":                       nil,
		`[\x{4e00}-\x{9fff}]`:                 nil,
		strings.Repeat("a", 900):              nil,
		strings.Repeat("a", 2001):             pattern.ErrTooLong,
		strings.Repeat("a", 1500):             pattern.ErrTooLarge,
		strings.Repeat("a{0,999}", 240) + "b": pattern.ErrTooLarge,
		strings.Repeat("(a|aa)+", 250) + "b$": pattern.ErrTooLarge,
		"((a{10}){10}){10}":                   pattern.ErrTooLarge,
		"(((((x{9}){9}){9}){9}){9}|a{1000})":  nil, // Go refuses it
		`\pL\pN\pZ`:                           pattern.ErrTooManyClasses,
		`(?i)[\x{100}-\x{1ffff}]`:             pattern.ErrWideRange,
		"a(?si:[\u0100-\U0001ffff])":          pattern.ErrWideRange,
		"(":                                   nil,
	} {
		compiled, err := pattern.Compile(text, limits)
		isInvalid := text == "(" || strings.Contains(text, "x{9}")
		switch {
		case isInvalid && (err == nil || errors.Is(err, pattern.ErrTooLarge)):
			t.Errorf("%.40q: %v, want what Go says", text, err)
		case !isInvalid && !errors.Is(err, want):
			t.Errorf("%.40q: %v, want %v", text, err, want)
		case err == nil && compiled.Size() > limits.Instructions:
			t.Errorf("%.40q has %d instructions", text, compiled.Size())
		}
	}
}

func TestTheCostOfAMatchIsToldBefore(t *testing.T) {
	t.Parallel()
	for text, isProportional := range map[string]bool{"skip ci": false, `\[skip\]`: false, "(a|aa)+b": true, "^main$": false, "(?i)main": true} {
		compiled, err := pattern.Compile(text, limits)
		if err != nil {
			t.Fatal(err)
		}
		cost := compiled.Cost(strings.Repeat("a", 99))
		if isProportional && cost != 100*compiled.Size() || !isProportional && cost != 100 {
			t.Errorf("%q of %d instructions costs %d for 99 bytes", text, compiled.Size(), cost)
		}
		if compiled.Match("x") {
			t.Errorf("%q matches x", text)
		}
	}
}
