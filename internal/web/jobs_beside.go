package web

import (
	"cmp"
	"slices"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

// jobsBeside are the jobs of the build that a job's page is about, which stand beside its log: those that failed first.
type jobsBeside struct {
	Rows                 []besideRow
	HasMore              bool   // jobs of the build are not listed
	Failed               int    // jobs of the build
	NextFailed, Previous string // addresses of the failed jobs after and before this one; empty: there is no other
}

type besideRow struct {
	jobRow
	Current bool
}

// maxJobsBeside is how many jobs are listed.
const maxJobsBeside = 60

// jobsBeside returns the jobs of a build, of which the page is about one: those that failed come first, then those
// whose failure counts for nothing.
func (c *call) jobsBeside(of *builds.BuildPage, present *domain.JobView) (beside jobsBeside) {
	rowsOf := func(jobs []*domain.JobView) (rows []besideRow) {
		for _, j := range jobs {
			if j.Type() == domain.CommandJob && (j.RetriedByID == nil || j.ID == present.ID) {
				rows = append(rows, besideRow{c.jobRow(&of.Build, j, false), j.ID == present.ID})
			}
		}
		return rows
	}
	rank := func(r besideRow) int { return slices.Index([]string{softState, badState}, r.State.Class) }
	shown := rowsOf(of.Build.Jobs)
	failed := slices.DeleteFunc(rowsOf(of.Failed), func(r besideRow) bool { return r.State.Class != badState })
	beside.Failed = len(failed)
	beside.chooseFailures(failed, shown)
	all := slices.Concat(failed, slices.DeleteFunc(shown, func(r besideRow) bool { return r.State.Class == badState }))
	isPresent := func(r besideRow) bool { return r.Current }
	if !slices.ContainsFunc(all, isPresent) {
		all = append(all, rowsOf([]*domain.JobView{present})...)
	}
	slices.SortStableFunc(all, func(a, b besideRow) int { return cmp.Compare(rank(b), rank(a)) })
	if len(all) < 2 {
		return beside
	}
	beside.Rows = slices.Clone(all[:min(len(all), maxJobsBeside)])
	if at := slices.IndexFunc(all, isPresent); at >= maxJobsBeside {
		beside.Rows[maxJobsBeside-1] = all[at]
	}
	beside.HasMore = of.StepsLeft > 0 || len(all) > len(beside.Rows)
	return beside
}

// chooseFailures finds the failed jobs before and after the present one, in the order of the build. After the last
// comes the first.
func (b *jobsBeside) chooseFailures(failed, shown []besideRow) {
	isPresent := func(r besideRow) bool { return r.Current }
	before := slices.IndexFunc(failed, isPresent) // how many of the failed ones come before it
	others := slices.DeleteFunc(slices.Clone(failed), isPresent)
	if len(others) == 0 {
		return
	}
	if before < 0 {
		before = 0
		for _, r := range shown[:max(0, slices.IndexFunc(shown, isPresent))] {
			if r.State.Class == badState {
				before++
			}
		}
	}
	b.NextFailed, b.Previous = others[before%len(others)].To, others[(before+len(others)-1)%len(others)].To
}
