-- Tables:
-- Where a registry's entries are kept: the address of a store, or NULL where the agents see to that themselves.
ALTER TABLE cache_registries ADD COLUMN cache_store {{.Text}};
