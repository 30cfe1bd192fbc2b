package policy

import (
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"penstock/internal/pattern"
)

// maxConditionCost is how much one evaluation may cost. A unit is about what a comparison takes, a
// fraction of a microsecond; ordinary conditions cost less than a hundred.
const maxConditionCost = 5_000

// How much work of each kind counts as one unit.
const (
	bytesPerUnit = 32
	stepsPerUnit = 32
)

// costs is the price of the functions that a condition calls. It replaces the library's, which
// charges nothing for some work that grows with its arguments (the size of a text, the comparison
// of nested lists) and guesses the work of a pattern from its length.
type costs struct{ patterns map[string]*pattern.Pattern }

var _ cost.ActualCostEstimator = costs{}

// unitCost is shared by all calls of unit cost; the library only reads it.
var unitCost uint64 = 1

// CallCost returns the cost of a call that was made. It is never less than one unit.
func (c costs) CallCost(function, overload string, args []ref.Val, _ ref.Val) *uint64 {
	var extra int
	switch {
	case function == overloads.Matches:
		extra = c.matchCost(args)
	case overload == overloads.AddList:
		extra = lengthOf(args[0]) + lengthOf(args[1])
	case function == operators.Equals, function == operators.NotEquals:
		// A comparison ends at the first difference, at the latest where the smaller value ends.
		extra = min(weigh(args[0]), weigh(args[1]))
	default:
		for _, arg := range args {
			extra += weigh(arg)
		}
	}
	if extra == 0 {
		return &unitCost
	}
	total := 1 + uint64(extra)
	return &total
}

func (c costs) matchCost(args []ref.Val) int {
	subject, ok := args[0].(types.String)
	if !ok {
		return 0
	}
	text, ok := args[1].(types.String)
	if !ok {
		return 0
	}
	steps := c.patterns[string(text)].Cost(string(subject))
	if steps > maxMatchSteps {
		return 0 // refused, not matched
	}
	return steps / stepsPerUnit
}

// weigh is the units that it costs to walk all of a value: one for so many bytes of text and one
// for each element, at any depth.
func weigh(value ref.Val) int {
	switch value := value.(type) {
	case types.String:
		return len(value) / bytesPerUnit
	case types.Bytes:
		return len(value) / bytesPerUnit
	case traits.Lister:
		return weighElements(value, weigh)
	case traits.Mapper:
		return weighElements(value, func(key ref.Val) int { return weigh(key) + weigh(value.Get(key)) })
	default:
		return 0
	}
}

// weighElements sums up what the elements of a list or the keys of a map weigh, and stops where that
// passes what an evaluation may cost.
func weighElements(container traits.Iterable, weight func(ref.Val) int) (total int) {
	for next := container.Iterator(); next.HasNext() == types.True && total <= maxConditionCost; {
		total += 1 + weight(next.Next())
	}
	return total
}

func lengthOf(value ref.Val) int {
	if sized, ok := value.(traits.Sizer); ok {
		if size, ok := sized.Size().(types.Int); ok {
			return int(size)
		}
	}
	return 0
}
