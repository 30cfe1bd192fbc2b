package dispatch

import (
	"slices"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

func TestTheOrderOfAgents(t *testing.T) {
	t.Parallel()
	priority := func(n int64) *int64 { return &n }
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	sorted := []builds.AgentStatus{
		{Agent: "urgent", Priority: priority(5)},
		{Agent: "passed last", Priority: priority(1), LastPassedAt: &late},
		{Agent: "passed first", Priority: priority(1), LastPassedAt: &early},
		{Agent: "never passed", Priority: priority(1)},
		{Agent: "without priority"},
		{Agent: "urgent, missed an offer", Priority: priority(5), LastPassedAt: &late, MissedOffer: true},
		{Agent: "missed an offer", MissedOffer: true},
	}
	var waiters []*Waiter
	for _, s := range slices.Backward(sorted) {
		waiters = append(waiters, &Waiter{situation: s})
	}
	slices.SortFunc(waiters, compareAgents)
	var got, want []domain.AgentID
	for i, w := range waiters {
		got, want = append(got, w.situation.Agent), append(want, sorted[i].Agent)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
