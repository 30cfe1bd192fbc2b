package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// StepPosition returns the position of the n-th step of a build that has jobs; found is false if it has fewer.
func (tx Tx) StepPosition(build domain.BuildID, n int) (position string, found bool, err error) {
	return one(tx, (*db.Row).Text, `SELECT bs.position FROM build_steps bs WHERE bs.build_id = $1 AND EXISTS (SELECT 1
		FROM jobs j WHERE j.step_id = bs.id)
		ORDER BY bs.position LIMIT 1 OFFSET $2`, build, n-1)
}

// CountStepsAfter returns how many steps of a build with jobs come after a position.
func (tx Tx) CountStepsAfter(build domain.BuildID, position string) (int64, error) {
	count, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM build_steps bs WHERE bs.build_id = $1
		AND bs.position > $2
		AND EXISTS (SELECT 1 FROM jobs j WHERE j.step_id = bs.id)`, build, position)
	return count, err
}
