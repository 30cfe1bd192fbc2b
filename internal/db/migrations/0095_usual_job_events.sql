-- Tables:
-- What happens to every job: type, time, agent and user, with commas between the events. Other events are rows of job_events.
ALTER TABLE job_runs ADD COLUMN events {{.Text}};
