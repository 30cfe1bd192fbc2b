//go:build race

package policy_test

// The race detector makes everything take ten times as long or more.
func init() { maxWork *= 20 }
