-- Tables: oidc_keys
-- Keys that the identity of jobs is signed with. A new one is published before it signs, and an old one while what it has signed is good.
CREATE TABLE oidc_keys (
    id                 {{.Text}} PRIMARY KEY,
    generation         BIGINT NOT NULL, -- each is one more than the one before: so two servers do not both make the next
    public_key         {{.Text}} NOT NULL, -- PKIX in base64
    sealed_private_key {{.Text}} NOT NULL, -- PKCS #8 in base64, encrypted; begins with the id of the key that it is encrypted with
    created_at         BIGINT NOT NULL,
    signs_from         BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX oidc_keys_generation ON oidc_keys (generation);
