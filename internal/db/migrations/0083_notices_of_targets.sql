-- Tables:
-- The last notices of a target are shown beside it.
CREATE INDEX notices_target ON notices (target, id);
