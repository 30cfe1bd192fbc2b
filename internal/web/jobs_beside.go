package web

import (
	"slices"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

// jobsBeside are the jobs of the build that a job's page is about, which stand beside its log: those that failed first.
type jobsBeside struct {
	Rows                 []besideRow
	Left                 int    // jobs that are not listed
	Failed               int    // jobs of the build
	NextFailed, Previous string // addresses of the failed jobs after and before this one; empty: there is no other
}

type besideRow struct {
	jobRow
	Current bool
}

// maxJobsBeside is how many jobs are listed.
const maxJobsBeside = 60

// jobsBeside returns the jobs of a build, of which the page is about one.
func (c *call) jobsBeside(of *builds.BuildPage, current domain.JobID) (beside jobsBeside) {
	rowsOf := func(jobs []*domain.JobView) (rows []besideRow) {
		for _, j := range jobs {
			if j.Type() == domain.CommandJob && (j.RetriedByID == nil || j.ID == current) {
				rows = append(rows, besideRow{c.jobRow(&of.Build, j, false), j.ID == current})
			}
		}
		return rows
	}
	isBad := func(r besideRow) bool { return r.State.Class == badState }
	shown := rowsOf(of.Build.Jobs)
	failed := slices.DeleteFunc(rowsOf(of.Failed), func(r besideRow) bool { return !isBad(r) })
	beside.Failed = len(failed)
	beside.chooseFailures(failed, shown)
	all := slices.Concat(failed, slices.DeleteFunc(shown, isBad))
	if len(all) < 2 {
		return beside
	}
	beside.Rows = slices.Clone(all[:min(len(all), maxJobsBeside)])
	if at := slices.IndexFunc(all, func(r besideRow) bool { return r.Current }); at >= maxJobsBeside {
		beside.Rows[maxJobsBeside-1] = all[at]
	}
	beside.Left = len(all) - len(beside.Rows)
	return beside
}

// chooseFailures finds the failed jobs before and after the present one, in the order of the build. After the last comes the first.
func (b *jobsBeside) chooseFailures(failed, all []besideRow) {
	others := slices.DeleteFunc(slices.Clone(failed), func(r besideRow) bool { return r.Current })
	if len(others) == 0 {
		return
	}
	place := func(r besideRow) int {
		if i := slices.IndexFunc(all, func(other besideRow) bool { return other.ID == r.ID }); i >= 0 {
			return i
		}
		return len(all) // those that are not shown come later
	}
	at := slices.IndexFunc(all, func(r besideRow) bool { return r.Current })
	b.NextFailed, b.Previous = others[0].To, others[len(others)-1].To
	if i := slices.IndexFunc(others, func(r besideRow) bool { return place(r) > at }); i >= 0 {
		b.NextFailed = others[i].To
	}
	for _, r := range slices.Backward(others) {
		if place(r) < at {
			b.Previous = r.To
			break
		}
	}
}
