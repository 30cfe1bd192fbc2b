-- Tables:
-- How many jobs of a pipeline have not ended.
CREATE INDEX jobs_unfinished ON jobs (pipeline_id, state) WHERE kind = 'command'
    AND state IN ('waiting', 'blocked', 'limiting', 'limited', 'scheduled', 'reserved', 'assigned', 'accepted', 'running', 'canceling', 'timing_out');
