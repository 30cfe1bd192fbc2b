-- Tables:
-- How often what an organization's lists of clusters and pipelines have, or their order, has changed: what is remembered
-- of a list is good as long as this stays the same.
ALTER TABLE organization_counts ADD COLUMN cluster_changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organization_counts ADD COLUMN pipeline_changes BIGINT NOT NULL DEFAULT 0;
