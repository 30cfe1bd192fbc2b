package store

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var artifactRows = tableOf("artifacts", "ar", func(c *columns, a *domain.Artifact) {
	mapText(c, "id", &a.ID)
	mapText(c, "organization_id", &a.OrganizationID)
	mapText(c, "build_id", &a.BuildID)
	mapText(c, "job_id", &a.JobID)
	mapText(c, "upload_id", &a.BatchID)
	mapText(c, "path", &a.Path)
	c.writeKey("path_key", domain.ArtifactPathKey, a.Path)
	mapText(c, "absolute_path", &a.AbsolutePath)
	mapText(c, "glob_path", &a.GlobPath)
	mapInt(c, "file_size", &a.FileSize)
	mapText(c, "sha1sum", &a.SHA1Sum)
	mapText(c, "sha256sum", &a.SHA256Sum)
	mapText(c, "content_type", &a.ContentType)
	mapText(c, "upload_destination", &a.UploadDestination)
	mapText(c, "url", &a.URL)
	mapTime(c, "created_at", &a.CreatedAt)
	c.changing()
	mapNullText(c, "multipart_id", &a.MultipartID)
	mapBool(c, "is_stored", &a.Stored)
	mapText(c, "state", &a.State)
	mapNullTime(c, "finished_at", &a.FinishedAt)
	mapNullTime(c, "expires_at", &a.ExpiresAt)
})

var artifactView = selecting(func(c *columns, v *domain.ArtifactView) {
	artifactRows.visit(c, &v.Artifact)
	mapText(c, "o.slug", &v.OrganizationSlug)
	mapText(c, "p.slug", &v.PipelineSlug)
	mapInt(c, "b.number", &v.BuildNumber)
})

// ArtifactRows are artifacts, with what is shown along with them.
var ArtifactRows = Rows[*domain.ArtifactView]{
	items: pointersTo(artifactView), tables: `artifacts ar`,
	joins: `JOIN builds b ON b.id = ar.build_id JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = ar.organization_id`,
	id:           textKey(`ar.id`, func(a *domain.ArtifactView) string { return string(a.ID) }),
	organization: `ar.organization_id`,
}

// ArtifactsOfBuilds lists the artifacts of builds by their paths.
func ArtifactsOfBuilds(filter domain.ArtifactFilter) List[*domain.ArtifactView] {
	return artifactsOf("artifacts of a build", `ar.build_id`, `builds`, filter)
}

// ArtifactsOfJobs lists the artifacts of jobs by their paths.
func ArtifactsOfJobs(filter domain.ArtifactFilter) List[*domain.ArtifactView] {
	return artifactsOf("artifacts of a job", `ar.job_id`, `jobs`, filter)
}

func artifactsOf(name, parent, parents string, filter domain.ArtifactFilter) List[*domain.ArtifactView] {
	l := newList(ArtifactRows, name, parent, parents, filter)
	l.sortBy(textKey(`ar.path_key`, func(a *domain.ArtifactView) string { return domain.ArtifactPathKey(a.Path) }))
	whereOneOf(&l, `ar.state`, filter.States)
	whereIf(&l, filter.Path, func(pattern string) clause { return matchesPattern(`ar.path`, pattern) })
	return l
}

// ArtifactAt returns the newest of a job's artifacts with a path, in which slashes stand for backslashes too, whose
// content is with us.
func (tx Tx) ArtifactAt(job domain.JobID, path string) (domain.Artifact, bool, error) {
	a, found, err := selectOne(tx, artifactRows.read, `SELECT `+artifactRows.columns+` FROM artifacts ar
		WHERE ar.job_id = $1 AND ar.path_key = $2 AND ar.state = 'finished' AND ar.upload_destination = ''
		ORDER BY ar.created_at DESC, ar.id DESC LIMIT 1`,
		job, domain.ArtifactPathKey(path))
	return a, found && a.SlashedPath() == path, err
}

// ArtifactView returns an artifact.
func (tx Tx) ArtifactView(id domain.ArtifactID) (*domain.ArtifactView, bool, error) {
	return findOne(tx, ArtifactRows, string(id))
}

// InsertArtifactBatch stores artifacts that an agent announces together, under the id that it chose.
func (tx Tx) InsertArtifactBatch(job domain.JobID, id string, now time.Time, artifacts []domain.Artifact) error {
	ids := make([]domain.ArtifactID, len(artifacts))
	for i := range artifacts {
		ids[i] = artifacts[i].ID
		if err := artifactRows.insert(tx.Later, artifacts[i]); err != nil {
			return err
		}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return insertInto(tx.Later, "artifact_uploads", set("id", id), set("job_id", job), set("created_at", db.Micros(now)),
		set("artifact_ids", string(list)))
}

// ArtifactBatch returns the artifacts that an agent announced together, in the order in which it did.
func (tx Tx) ArtifactBatch(job domain.JobID, id string) (artifacts []domain.Artifact, found bool, err error) {
	list, found, err := one(tx, scanID[string], `SELECT artifact_ids FROM artifact_uploads WHERE job_id = $1 AND id = $2`,
		job, id)
	if err != nil || !found {
		return nil, found, err
	}
	var ids []domain.ArtifactID
	if err := json.Unmarshal([]byte(list), &ids); err != nil {
		return nil, true, err
	}
	rows, err := tx.artifacts(ids, ``)
	if err != nil {
		return nil, true, err
	}
	perID := make(map[domain.ArtifactID]domain.Artifact, len(rows))
	for _, a := range rows {
		perID[a.ID] = a
	}
	for _, id := range ids {
		if a, ok := perID[id]; ok {
			artifacts = append(artifacts, a)
		}
	}
	return artifacts, true, nil
}

// artifacts returns artifacts by their ids. Ending is what the statement ends with.
func (tx Tx) artifacts(ids []domain.ArtifactID, ending string) (found []domain.Artifact, err error) {
	err = eachChunk(ids, func(some []domain.ArtifactID) error {
		var a arguments
		where := a.write(oneOf(`ar.id`, some))
		rows, err := selectAll(tx, artifactRows.read, `SELECT `+artifactRows.columns+` FROM artifacts ar WHERE `+where+
			` ORDER BY ar.id`+ending, a.values...)
		found = append(found, rows...)
		return err
	})
	return found, err
}

// Artifact returns an artifact.
func (tx Tx) Artifact(id domain.ArtifactID) (domain.Artifact, bool, error) {
	return selectOne(tx, artifactRows.read, `SELECT `+artifactRows.columns+` FROM artifacts ar WHERE ar.id = $1`, id)
}

// Artifacts returns artifacts by their ids.
func (tx Tx) Artifacts(ids []domain.ArtifactID) ([]domain.Artifact, error) {
	return tx.artifacts(ids, ``)
}

// UpdateArtifact stores what has changed about an artifact that was read for update.
func (tx Tx) UpdateArtifact(before, now *domain.Artifact) error {
	return artifactRows.updateChanged(tx.Later, before, now)
}

// ArtifactStats returns how many artifacts a job has announced, and how many bytes those have that are with us or are
// to be.
func (tx Tx) ArtifactStats(job domain.JobID) (count, size int64, err error) {
	_, err = tx.One(`SELECT count(*), COALESCE(CAST(sum(CASE WHEN upload_destination = '' AND state
		IN ('new', 'finished') THEN file_size ELSE 0 END) AS BIGINT), 0)
		FROM artifacts WHERE job_id = $1`, func(r *db.Row) { count, size = r.Int(), r.Int() }, job)
	return count, size, err
}

// CandidateArtifact is an artifact that may be what is searched for.
type CandidateArtifact struct {
	domain.Artifact
	IsRetried bool // its job was
}

var candidateArtifacts = selecting(func(c *columns, f *CandidateArtifact) {
	artifactRows.visit(c, &f.Artifact)
	mapBool(c, "jr.retried_by_id IS NOT NULL", &f.IsRetried)
})

// ArtifactCandidates returns some of the artifacts of a build that may be what is searched for, by their paths, after
// the one that was returned last. Whether the pattern names their paths is left to the caller, outside of the
// transaction.
func (tx Tx) ArtifactCandidates(build domain.BuildID, search domain.ArtifactSearch, after *CandidateArtifact,
	limit int) ([]CandidateArtifact, error) {
	conditions := []clause{clauseOf(`ar.build_id = ?`, build), equals(`ar.state`, string(search.State))}
	if beginning := search.Pattern.KeyBeginning(); beginning != "" {
		conditions = append(conditions, clauseOf(`ar.path_key >= ? AND ar.path_key <= ?`, beginning, beginning+"\U0010FFFF"))
	}
	if search.Scope != "" {
		conditions = append(conditions, clauseOf(`(? OR ? OR ?)`, equals(`j.id`, search.Scope),
			equals(`bs.step_key`, search.Scope), equals(`jr.label`, search.Scope)))
	}
	if after != nil {
		conditions = append(conditions, clauseOf(`(ar.path_key, ar.id) > (?, ?)`, domain.ArtifactPathKey(after.Path),
			after.ID))
	}
	var a arguments
	where := a.writeAll(conditions)
	return selectAll(tx, candidateArtifacts.read, `SELECT `+candidateArtifacts.columns+` FROM artifacts ar
		JOIN jobs j ON j.id = ar.job_id JOIN job_runs jr ON jr.job_id = j.id JOIN build_steps bs ON bs.id = j.step_id
		WHERE `+where+` ORDER BY ar.path_key, ar.id LIMIT `+strconv.Itoa(limit), a.values...)
}

// UnfinishedArtifacts returns artifacts that were announced before a time, and neither uploaded nor given up.
func (tx Tx) UnfinishedArtifacts(now, before time.Time, limit int) ([]domain.ArtifactID, error) {
	return all(tx, scanID[domain.ArtifactID], `SELECT id FROM artifacts WHERE state = 'new' AND created_at <= $1`+
		ifDue(GiveUpArtifacts, "artifacts.id", "$3")+` ORDER BY created_at LIMIT $2`, db.Micros(before), limit,
		db.Micros(now))
}

// ExpiredArtifacts returns artifacts that have been kept for long enough.
func (tx Tx) ExpiredArtifacts(now time.Time, limit int) ([]domain.ArtifactID, error) {
	return all(tx, scanID[domain.ArtifactID], `SELECT id FROM artifacts WHERE state = 'finished' AND expires_at IS NOT NULL
		AND expires_at <= $1`+ifDue(ExpireArtifacts, "artifacts.id", "$1")+` ORDER BY expires_at LIMIT $2`,
		db.Micros(now), limit)
}

// DeleteBlobLater records that an object beside the database is not needed any more.
func (tx Tx) DeleteBlobLater(key string, now time.Time) error {
	return tx.Later(`INSERT INTO blob_deletions (key, due_at) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`, key,
		db.Micros(now))
}

// BlobDeletions returns the keys of objects that are to be deleted.
func (tx Tx) BlobDeletions(now time.Time, limit int) ([]string, error) {
	return all(tx, scanID[string], `SELECT key FROM blob_deletions WHERE due_at <= $1`+
		ifDue(DeleteBlobs, "blob_deletions.key", "$1")+` ORDER BY due_at LIMIT $2`, db.Micros(now), limit)
}

// ForgetBlobDeletions records that objects were deleted.
func (tx Tx) ForgetBlobDeletions(keys []string) error {
	return eachChunk(keys, func(some []string) error {
		var a arguments
		return tx.exec(`DELETE FROM blob_deletions WHERE `+a.write(oneOf(`key`, some)), a.values...)
	})
}

// deleteBlobsOf records that the logs of jobs j and the content of artifacts ar, which fulfil a condition each, are not
// needed any more. Keys are as domain.Artifact and domain.LogKey have them.
func (tx Tx) deleteBlobsOf(jobs, artifacts clause) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	var logs, contents arguments
	err = tx.exec(logs.write(clauseOf(`INSERT INTO blob_deletions (key, due_at)
		SELECT 'logs/' || j.organization_id || '/' || j.id, ? FROM jobs j JOIN job_logs jl ON jl.job_id = j.id
		WHERE ? AND jl.place IN ('sealed', 'packed', 'blob') AND jl.size > 0 ON CONFLICT (key)
		DO NOTHING`, db.Micros(now), jobs)), logs.values...)
	if err != nil {
		return err
	}
	return tx.exec(contents.write(clauseOf(`INSERT INTO blob_deletions (key, due_at)
		SELECT 'artifacts/' || ar.organization_id || '/' || ar.id, ? FROM artifacts ar
		WHERE ? AND ar.upload_destination = '' AND ar.state IN ('new', 'finished') ON CONFLICT (key)
		DO NOTHING`, db.Micros(now), artifacts)), contents.values...)
}

// SigningKey is what addresses are signed with.
type SigningKey struct {
	ID        string
	Secret    domain.Secret
	CreatedAt time.Time
	ExpiresAt time.Time
}

var signingKeyRows = tableOf("signing_keys", "sk", func(c *columns, k *SigningKey) {
	mapText(c, "id", &k.ID)
	mapText(c, "secret", &k.Secret)
	mapTime(c, "created_at", &k.CreatedAt)
	mapTime(c, "expires_at", &k.ExpiresAt)
})

// NewestSigningKey returns the key that was made last.
func (tx Tx) NewestSigningKey() (SigningKey, bool, error) {
	return selectOne(tx, signingKeyRows.read, `SELECT `+signingKeyRows.columns+
		` FROM signing_keys sk ORDER BY sk.created_at DESC, sk.id LIMIT 1`)
}

// SigningKey returns a key.
func (tx Tx) SigningKey(id string) (SigningKey, bool, error) {
	return selectOne(tx, signingKeyRows.read, `SELECT `+signingKeyRows.columns+` FROM signing_keys sk WHERE sk.id = $1`,
		id)
}

// InsertSigningKey stores a new key, and deletes those that are of no use any more.
func (tx Tx) InsertSigningKey(k SigningKey) error {
	if err := tx.exec(`DELETE FROM signing_keys WHERE expires_at <= $1`, db.Micros(k.CreatedAt)); err != nil {
		return err
	}
	return signingKeyRows.insert(tx.exec, k)
}
