-- Tables:
-- A build that a trigger step created counts as one of the branch of its origin, the first build of the chain, where a branch decides what it may do.
-- NULL: nobody triggered it.
ALTER TABLE builds ADD COLUMN origin_build_id {{.Text}};
ALTER TABLE builds ADD COLUMN origin_branch {{.Text}};
ALTER TABLE builds ADD COLUMN origin_tag {{.Text}};
-- The commit is what the build's own first checkout has reported, and not what the build was created with.
ALTER TABLE builds ADD COLUMN commit_resolved BOOLEAN NOT NULL DEFAULT FALSE;
-- Why the job has ended so, in words, where the server knows it.
ALTER TABLE job_runs ADD COLUMN detail {{.Text}};

WITH RECURSIVE chain (id, origin_id) AS (
    SELECT b.id, p.id FROM builds p JOIN jobs j ON j.build_id = p.id JOIN builds b ON b.triggered_from_id = j.id WHERE p.trigger_depth = 0 AND b.trigger_depth > 0
    UNION ALL
    SELECT b.id, c.origin_id FROM chain c JOIN jobs j ON j.build_id = c.id JOIN builds b ON b.triggered_from_id = j.id
)
UPDATE builds SET origin_build_id = o.id, origin_branch = o.branch, origin_tag = o.tag FROM chain c JOIN builds o ON o.id = c.origin_id WHERE builds.id = c.id;
-- The origin of these is gone. They count as builds of no branch.
UPDATE builds SET origin_branch = '', origin_tag = '' WHERE trigger_depth > 0 AND origin_branch IS NULL;
UPDATE builds SET commit_resolved = TRUE WHERE id IN (SELECT build_id FROM build_meta_data WHERE key = 'buildkite:git:commit');
UPDATE job_runs SET detail = signal_reason, signal_reason = NULL
    WHERE signal_reason IS NOT NULL AND job_id IN (SELECT id FROM jobs WHERE kind = 'trigger');
