package read

import "penstock/internal/domain"

// MetricsOfQueues returns how queues are doing.
func (r *Snapshot) MetricsOfQueues(queues []*domain.QueueView) ([]*domain.QueueMetrics, error) {
	ids := make([]domain.QueueID, len(queues))
	for i, q := range queues {
		ids[i] = q.ID
	}
	now, err := r.tx.Now()
	if err != nil {
		return nil, err
	}
	found, err := r.tx.QueueMetrics(distinct(ids), now.Add(-domain.SampleInterval))
	metrics := make([]*domain.QueueMetrics, len(queues))
	for i, id := range ids {
		if m, ok := found[id]; ok {
			metrics[i] = &m
		}
	}
	return metrics, err
}

// maxFigures is of how many pipelines figures are read at most: each is about all builds of four weeks.
const maxFigures = 100

// MetricsOfPipelines returns how the builds of pipelines went lately.
//
// Returns Invalid if the snapshot is asked for those of more than 100 pipelines.
func (r *Snapshot) MetricsOfPipelines(pipelines []*domain.PipelineView) ([]*domain.PipelineMetrics, error) {
	if r.figures += len(pipelines); r.figures > maxFigures {
		return nil, domain.NewError(domain.Invalid, "The metrics of at most 100 pipelines can be read at once")
	}
	now, err := r.tx.Now()
	if err != nil {
		return nil, err
	}
	found, err := r.tx.PipelineMetrics(distinct(pipelineIDs(pipelines)), now.Add(-domain.MetricsPeriod))
	metrics := make([]*domain.PipelineMetrics, len(pipelines))
	for i, p := range pipelines {
		m := found[p.ID]
		metrics[i] = &m
	}
	return metrics, err
}
