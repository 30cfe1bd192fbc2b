package web

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// auditData is what an audit event says of its subject, before and after.
type auditData struct {
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
}

func readAuditData(text string) (data auditData) {
	_ = json.Unmarshal([]byte(text), &data) // the service wrote it
	return data
}

// propertyChange is a property of an event's subject, before and after. Of what was made or deleted, there is one of
// the two.
type propertyChange struct {
	Name          string
	Before, After string
	HadBefore     bool
	HasAfter      bool
	Lines         []diffLine // instead, if the values have several lines
}

// changes returns what an event changed, by name.
func (d auditData) changes() (changes []propertyChange) {
	names := slices.Collect(maps.Keys(d.Before))
	names = slices.AppendSeq(names, maps.Keys(d.After))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, had := d.Before[name]
		after, has := d.After[name]
		if d.Before != nil && d.After != nil && reflect.DeepEqual(before, after) {
			continue
		}
		one := propertyChange{Name: strings.ReplaceAll(name, "_", " "), HadBefore: had, HasAfter: has}
		if had {
			one.Before = showValue(before)
		}
		if has {
			one.After = showValue(after)
		}
		if one.Before == "" && one.After == "" {
			continue // it was not set
		}
		if strings.Contains(one.Before+one.After, "\n") {
			one.Lines = diffLines(one.Before, one.After)
		}
		changes = append(changes, one)
	}
	return changes
}

// showValue writes a value for readers. What is not set is empty.
func showValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if strings.HasPrefix(v, "{") && jsontext.Value(v).IsValid() { // a policy
			return indentJSON([]byte(v))
		}
		return v
	case float64:
		return fmt.Sprint(int64(v))
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = showValue(part)
		}
		return strings.Join(parts, ", ")
	default:
		text, _ := json.Marshal(v, json.Deterministic(true)) // it was JSON
		return string(text)
	}
}

// indentJSON returns JSON with a line for each value.
func indentJSON(text []byte) string {
	value := jsontext.Value(text)
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		return string(text)
	}
	return string(value)
}

// diffLine is a line of a text that was changed: it stayed (" "), went ("-") or came ("+").
type diffLine struct{ Sign, Text string }

// maxDiff is how many lines are compared; longer texts are shown one after the other.
const maxDiff = 600

// diffLines returns the lines of two texts, with those in common once.
func diffLines(before, after string) (lines []diffLine) {
	a, b := splitLines(before), splitLines(after)
	common := commonLines(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case common != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, diffLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && (common == nil || common[i+1][j] >= common[i][j+1]):
			lines = append(lines, diffLine{"-", a[i]})
			i++
		default:
			lines = append(lines, diffLine{"+", b[j]})
			j++
		}
	}
	return lines
}

// commonLines returns how many lines, in their order, each rest of a has in common with each rest of b; nil if they are
// too long.
func commonLines(a, b []string) [][]int {
	if len(a) > maxDiff || len(b) > maxDiff {
		return nil
	}
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
