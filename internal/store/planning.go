package store

import (
	"maps"
	"slices"
	"strings"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

// NewBuildContext is JobContext for a build that is to be created.
func (tx Tx) NewBuildContext(b domain.Build, creator domain.UserID) (JobContext, error) {
	x, _, err := selectOne(tx, jobContext.read, selectNewBuildContext,
		b.PipelineID, orNull(creator), b.RebuiltFromID, b.TriggeredFromID)
	return x, err
}

// The build has no meta-data and no jobs yet.
var selectNewBuildContext = `SELECT ` + jobContext.columns + ` FROM pipelines p
	JOIN organizations o ON o.id = p.organization_id
	LEFT JOIN clusters c ON c.id = p.cluster_id
	LEFT JOIN users cb ON cb.id = $2
	LEFT JOIN builds rb ON rb.id = $3
	LEFT JOIN jobs tj ON tj.id = $4
	LEFT JOIN builds tb ON tb.id = tj.build_id
	LEFT JOIN pipelines tpi ON tpi.id = tb.pipeline_id
	LEFT JOIN builds b ON b.id = ''
	LEFT JOIN users ub ON ub.id = ''
	WHERE p.id = $1`

// JobStatesOf returns the states of the newest attempts at jobs of a build, by their steps.
func (tx Tx) JobStatesOf(build domain.BuildID) (map[domain.StepID][]flow.JobState, error) {
	states := map[domain.StepID][]flow.JobState{}
	const newest = `SELECT j.step_id, jr.state FROM ` + jobTables + ` WHERE j.build_id = $1 AND jr.retried_by_id IS NULL`
	err := tx.Query(newest, func(r *db.Row) error {
		step := domain.StepID(r.Text())
		states[step] = append(states[step], flow.JobState(r.Text()))
		return nil
	}, build)
	return states, err
}

// QueuesOf returns the queues of a cluster that jobs with these keys are for, by the keys; "" is that of the default
// queue.
func (tx Tx) QueuesOf(cluster domain.ClusterID, keys []string) (map[string]domain.QueueID, error) {
	byName := map[string]domain.QueueID{}
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[strings.TrimSpace(key)] = true
	}
	err := eachChunk(slices.Sorted(maps.Keys(wanted)), func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT q.key, q.id FROM cluster_queues q WHERE q.cluster_id = ? AND ?
			UNION ALL SELECT '', c.default_queue_id FROM clusters c WHERE c.id = ? AND c.default_queue_id IS NOT NULL`,
			cluster, oneOfTexts(`q.key`, some), cluster))
		return tx.Query(sql, func(r *db.Row) error {
			key := r.Text()
			byName[key] = domain.QueueID(r.Text())
			return nil
		}, a.values...)
	})
	queues := make(map[string]domain.QueueID, len(keys))
	for _, key := range keys {
		if id, found := byName[strings.TrimSpace(key)]; found {
			queues[key] = id
		}
	}
	return queues, err
}

// EnsureConcurrencyGroups returns the ids of an organization's concurrency groups by their names.
func (tx Tx) EnsureConcurrencyGroups(organization domain.OrganizationID,
	names []string) (map[string]domain.ConcurrencyGroupID, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names))) // so that two who do this do not wait for each other
	ids, err := tx.concurrencyGroups(organization, names)
	if err != nil || len(ids) == len(names) {
		return ids, err
	}
	made := db.RowSet{Table: "concurrency_groups", Columns: []string{"id", "organization_id", "name"},
		OnConflict: "ON CONFLICT DO NOTHING"}
	for _, name := range names {
		if ids[name] == "" {
			made.Rows = append(made.Rows, []any{domain.NewID[domain.ConcurrencyGroupID](), organization, name})
		}
	}
	if err := tx.InsertSet(tx.Later, made); err != nil {
		return nil, err
	}
	return tx.concurrencyGroups(organization, names)
}

// concurrencyGroups returns those of the groups that there are.
func (tx Tx) concurrencyGroups(organization domain.OrganizationID,
	names []string) (map[string]domain.ConcurrencyGroupID, error) {
	ids := make(map[string]domain.ConcurrencyGroupID, len(names))
	err := eachChunk(names, func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT name, id FROM concurrency_groups WHERE organization_id = ? AND ?`,
			organization, oneOf(`name`, some)))
		return tx.Query(sql, func(r *db.Row) error {
			name := r.Text()
			ids[name] = domain.ConcurrencyGroupID(r.Text())
			return nil
		}, a.values...)
	})
	return ids, err
}
