-- Tables:
-- How many jobs of a queue ended lately.
CREATE INDEX job_runs_finished ON job_runs (queue_id, finished_at) WHERE finished_at IS NOT NULL;

-- How the builds of a pipeline went lately.
CREATE INDEX builds_pipeline_created ON builds (pipeline_id, created_at);
