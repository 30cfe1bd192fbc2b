-- Tables: former_pipeline_slugs
-- What pipelines were called before. A former slug finds its pipeline until another pipeline takes the slug.
CREATE TABLE former_pipeline_slugs (
    organization_id {{.Text}} NOT NULL,
    slug            {{.Text}} NOT NULL,
    pipeline_id     {{.Text}} NOT NULL,
    PRIMARY KEY (organization_id, slug),
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines (organization_id, id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX former_pipeline_slugs_pipeline ON former_pipeline_slugs (organization_id, pipeline_id);
