-- Tables:
-- The jobs that wait for something else than an agent. Those that wait for an agent are in ready_jobs: an assignment does not change this index.
CREATE INDEX job_runs_held ON job_runs (list_state) WHERE list_state IN ('limited', 'limiting', 'reserved');
DROP INDEX job_runs_waiting;
