package config

import "strings"

// Closest returns the candidate that name is most likely a misspelling or the beginning of, or "" if none is near.
func Closest(name string, candidates []string) string {
	best, distance := "", max(1, len(name)/3)+1
	for _, candidate := range candidates {
		if d := editDistance(name, candidate); d < distance {
			best, distance = candidate, d
		}
	}
	for _, candidate := range candidates {
		if best == "" && len(name) > 2 && strings.HasPrefix(candidate, name) {
			best = candidate
		}
	}
	return best
}

// editDistance returns how many bytes must be put in, taken out or replaced to make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
