-- Tables:
-- Whom the configuration of the build notifies, as JSON; null: nobody.
ALTER TABLE builds ADD COLUMN notifications {{.Text}} NOT NULL DEFAULT 'null';

-- Which mails about their builds people want: all, failed or none.
ALTER TABLE users ADD COLUMN build_mails {{.Text}} NOT NULL DEFAULT 'failed';

-- Some notices turn out to be unwanted when they are to be sent.
DROP INDEX notices_over;
CREATE INDEX notices_over ON notices (created_at) WHERE state IN ('sent', 'failed', 'replaced', 'unwanted');
CREATE INDEX notices_build ON notices (build_id, id) WHERE build_id IS NOT NULL;
