package gql

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// needsNoEscape marks the bytes that a JSON string has as they are.
var needsNoEscape = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// AppendString appends s as a JSON string, escaped as JavaScript's JSON.stringify does; invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if !needsNoEscape[s[i]] {
			dst, _ = jsontext.AppendQuote(dst, s) // the error is the invalid UTF-8
			return dst
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// AppendInt appends a number.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendFloat appends a number as JavaScript writes it; what is not finite is null.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return AppendNull(dst)
	}
	return append(dst, jsontext.Float(f+0).String()...) // there is no -0
}

// AppendBool appends true or false.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendNull appends null.
func AppendNull(dst []byte) []byte { return append(dst, "null"...) }

// ListOf makes a writer of lists from a writer of elements. A nil slice is null.
func ListOf[V any](element func(dst []byte, value V) []byte) func(dst []byte, values []V) []byte {
	return func(dst []byte, values []V) []byte {
		if values == nil {
			return AppendNull(dst)
		}
		dst = append(dst, '[')
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element(dst, v)
		}
		return append(dst, ']')
	}
}
