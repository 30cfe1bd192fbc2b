-- Tables:
-- The jobs of a queue, those that have not finished apart from the others. An assignment does not change it, as it did the index of states.
CREATE INDEX job_runs_of_queue ON job_runs (queue_id, finished_at);
DROP INDEX job_runs_queue;
DROP INDEX job_runs_finished;
