-- Tables: cache_entry_sets cache_entries cache_entry_prefixes cache_uploads cache_decisions cache_days
-- The entries that are a registry's have this in set_id. NULL: the registry's own id. It changes with the registry's store, which drops the entries.
ALTER TABLE cache_registries ADD COLUMN entry_set_id {{.Text}};

-- How many entries there are together, and their size. A set outlives its registry until its entries are deleted.
CREATE TABLE cache_entry_sets (
    id          {{.Text}} PRIMARY KEY,
    registry_id {{.Text}} NOT NULL,
    entries     BIGINT NOT NULL,
    bytes       BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- What is known of the content that jobs saved. The content is with the store that agents use.
CREATE TABLE cache_entries (
    id             {{.Text}} PRIMARY KEY,
    set_id         {{.Text}} NOT NULL,
    hash           {{.Text}} NOT NULL UNIQUE, -- of the set, the scopes, the paths and the key
    scope_pipeline {{.Text}} NOT NULL, -- '': it is not scoped by it
    scope_branch   {{.Text}} NOT NULL,
    scope_build    {{.Text}} NOT NULL,
    target_paths   {{.Text}} NOT NULL, -- a JSON list
    cache_key      {{.Text}} NOT NULL, -- a JSON list
    blobs          {{.Text}} NOT NULL, -- a JSON list
    platform       {{.Text}} NOT NULL,
    size           BIGINT NOT NULL,
    job_id         {{.Text}} NOT NULL, -- that saved it
    created_at     BIGINT NOT NULL,
    used_at        BIGINT, -- when it was restored by its exact key last
    restores       BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cache_entries_set ON cache_entries (set_id, created_at, id);
CREATE INDEX cache_entries_expires ON cache_entries (expires_at);

-- The beginnings of entries' keys, by which they are found where no entry has the whole key.
CREATE TABLE cache_entry_prefixes (
    hash       {{.Text}} NOT NULL,
    created_at BIGINT NOT NULL,
    entry_id   {{.Text}} NOT NULL REFERENCES cache_entries (id) ON DELETE CASCADE,
    PRIMARY KEY (hash, created_at, entry_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cache_entry_prefixes_entry ON cache_entry_prefixes (entry_id);

-- Entries that jobs are saving: they become entries when they are committed.
CREATE TABLE cache_uploads (
    id           {{.Text}} PRIMARY KEY,
    set_id       {{.Text}} NOT NULL,
    job_id       {{.Text}} NOT NULL,
    target_paths {{.Text}} NOT NULL, -- a JSON list
    cache_key    {{.Text}} NOT NULL, -- a JSON list
    blobs        {{.Text}} NOT NULL, -- a JSON list
    platform     {{.Text}} NOT NULL,
    created_at   BIGINT NOT NULL,
    is_committed BOOLEAN NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cache_uploads_job ON cache_uploads (job_id);
CREATE INDEX cache_uploads_created ON cache_uploads (created_at);

-- The latest decisions about what jobs asked of a registry.
CREATE TABLE cache_decisions (
    id            {{.Text}} PRIMARY KEY,
    registry_id   {{.Text}} NOT NULL REFERENCES cache_registries (id) ON DELETE CASCADE,
    job_id        {{.Text}} NOT NULL,
    pipeline_slug {{.Text}} NOT NULL,
    build_number  BIGINT NOT NULL,
    branch        {{.Text}} NOT NULL,
    request       {{.Text}} NOT NULL,
    target_paths  {{.Text}} NOT NULL, -- a JSON list
    cache_key     {{.Text}} NOT NULL, -- a JSON list
    is_allowed    BOOLEAN NOT NULL,
    outcome       {{.Text}} NOT NULL,
    entry         {{.Text}} NOT NULL, -- the scopes, as JSON; '': none
    rule          {{.Text}} NOT NULL,
    reason        {{.Text}} NOT NULL,
    explanation   {{.Text}} NOT NULL,
    created_at    BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cache_decisions_registry ON cache_decisions (registry_id, is_allowed, id);
CREATE INDEX cache_decisions_latest ON cache_decisions (registry_id, id);
CREATE INDEX cache_decisions_job ON cache_decisions (job_id, id);

-- What happened in a registry on each day, and what it held when that changed last on the day.
CREATE TABLE cache_days (
    registry_id {{.Text}} NOT NULL REFERENCES cache_registries (id) ON DELETE CASCADE,
    day         {{.Text}} NOT NULL,
    hits        BIGINT NOT NULL,
    fallbacks   BIGINT NOT NULL,
    misses      BIGINT NOT NULL,
    saves       BIGINT NOT NULL,
    denials     BIGINT NOT NULL,
    entries     BIGINT NOT NULL,
    bytes       BIGINT NOT NULL,
    PRIMARY KEY (registry_id, day)
) {{if .SQLite}}WITHOUT ROWID{{end}};
