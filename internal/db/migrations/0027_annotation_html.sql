-- Tables:
-- What the bodies of annotations look like, rendered once. rendered_at is the updated_at of the body that body_html was made of: any other
-- value says that it is still to be made.
ALTER TABLE annotations ADD COLUMN body_html {{.Text}} NOT NULL DEFAULT '';
ALTER TABLE annotations ADD COLUMN rendered_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX annotations_unrendered ON annotations (id) WHERE rendered_at <> updated_at;
