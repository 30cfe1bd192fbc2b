-- Tables:
-- The agent let the job lapse that it was offered last: others are offered jobs before it, until it accepts one.
ALTER TABLE agents ADD COLUMN missed_offer BOOLEAN NOT NULL DEFAULT FALSE;
