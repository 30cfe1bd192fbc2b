// Package domain holds Penstock's types and pure rules: ids, text and address validation, slugs,
// tokens, and the aggregates with the changes that can be made to them. It does no I/O, takes the
// time as an argument, and imports only internal/policy of ours.
package domain
