package testkit

import "os"

// IsThorough reports whether tests that try very many things try all of them (make thorough), and not a sample.
func IsThorough() bool { return os.Getenv("PENSTOCK_THOROUGH") != "" }

// Sample picks some of very many things that a test tries, each time the same ones; of all tests together, all of them are tried by make thorough.
type Sample struct{ seen int }

// Has reports whether the next thing is to be tried.
func (s *Sample) Has() bool {
	const oneOf = 7
	s.seen++
	return IsThorough() || s.seen%oneOf == 1
}
