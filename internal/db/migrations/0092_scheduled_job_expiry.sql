-- Tables:
-- How many minutes a pipeline's jobs wait for an agent before they expire. NULL or 0 is no limit of its own.
ALTER TABLE pipelines ADD COLUMN scheduled_job_expiry_in_minutes BIGINT;
