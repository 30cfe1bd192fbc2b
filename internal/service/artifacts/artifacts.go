package artifacts

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // agents say it of files, besides SHA-256
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// ArtifactBatch is files that an agent is about to upload.
type ArtifactBatch struct {
	ID                string // that the agent chose: the same again is the same batch
	Artifacts         []domain.ArtifactInput
	UploadDestination string // where the agent stores them; "": with us
	InParts           bool   // the agent can upload large ones in parts
}

// AnnouncedArtifacts describes to an agent how to upload a batch.
type AnnouncedArtifacts struct {
	IDs    []domain.ArtifactID
	Ticket string                               // with which any of them is uploaded
	Own    map[domain.ArtifactID]ArtifactUpload // those that are uploaded in another way
}

// ArtifactUpload is how one artifact is uploaded: whole with a ticket of its own, or in parts.
type ArtifactUpload struct {
	Path   string
	Ticket string
	Parts  []string // the addresses, in their order
}

var (
	errNoArtifact   = domain.Missing("artifact")
	errOtherBatch   = domain.NewError(domain.Invalid, "This id was already used for other artifacts")
	errJobEnded     = domain.NewError(domain.Unauthenticated, "The job has ended: it can't upload more artifacts")
	errNotUploading = domain.NewError(domain.Invalid, "The artifact is no longer being uploaded")
	errBrokenOff    = domain.NewError(domain.Malformed, "The upload ended early")
)

// CreateArtifacts records files that the job is about to upload, and returns how its agent uploads them. The same batch
// again gets the same answer, also shortly after the job has ended, when it can announce no others.
//
// Returns Forbidden if a file is too large, or the job has too much or too many.
func (s *Service) CreateArtifacts(ctx context.Context, actor authz.Actor, jobID string, batch ArtifactBatch) (
	AnnouncedArtifacts, error) {
	var made []domain.Artifact
	known := false
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		own, err := core.RequireJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		if made, known, err = findBatch(tx, own.ID, &batch); err != nil || known {
			return err
		}
		if own.State.HasEnded() {
			return errJobEnded
		}
		now, err := core.StoredNow(tx)
		if err != nil {
			return err
		}
		if made, err = newArtifacts(&own, &batch, now); err != nil {
			return err
		}
		return checkQuota(tx, own.ID, made) // before anything is begun for them
	})
	if err == nil && !known {
		made, err = s.announce(ctx, actor, jobID, &batch, made)
	}
	if err != nil {
		return AnnouncedArtifacts{}, err
	}
	key, err := s.signingKey(ctx) // which may make one: only a job that may upload asks for it
	if err != nil {
		return AnnouncedArtifacts{}, err
	}
	return s.announceUploads(key, batch.ID, made), nil
}

// findBatch returns the artifacts that were announced under the batch's id.
func findBatch(tx store.Tx, job domain.JobID, batch *ArtifactBatch) (made []domain.Artifact, found bool, err error) {
	id, ok := domain.ParseID[string](batch.ID)
	if !ok {
		return nil, false, domain.ErrArtifactBatchID
	}
	batch.ID = id
	made, found, err = tx.ArtifactBatch(job, id)
	if err != nil || !found {
		return nil, false, err
	}
	same := slices.EqualFunc(made, batch.Artifacts, func(a domain.Artifact, in domain.ArtifactInput) bool {
		return a.Path == in.Path && a.FileSize == in.FileSize && a.SHA1Sum == in.SHA1Sum
	})
	if !same || slices.ContainsFunc(made, func(a domain.Artifact) bool {
		return a.UploadDestination != batch.UploadDestination
	}) {
		return nil, false, errOtherBatch
	}
	return made, true, nil
}

// newArtifacts returns the artifacts of a batch.
func newArtifacts(own *domain.Job, batch *ArtifactBatch, now time.Time) ([]domain.Artifact, error) {
	if len(batch.Artifacts) == 0 || len(batch.Artifacts) > domain.MaxArtifactBatch {
		return nil, domain.ErrArtifactBatch
	}
	made := make([]domain.Artifact, len(batch.Artifacts))
	for i, in := range batch.Artifacts {
		if err := in.Check(batch.UploadDestination); err != nil {
			return nil, err
		}
		made[i] = domain.Artifact{
			ID: domain.NewIDAt[domain.ArtifactID](now), OrganizationID: own.OrganizationID, BuildID: own.BuildID, JobID: own.ID,
			BatchID: batch.ID,
			Path:    in.Path, AbsolutePath: in.AbsolutePath, GlobPath: in.GlobPath, FileSize: in.FileSize,
			SHA1Sum:   strings.ToLower(in.SHA1Sum),
			SHA256Sum: strings.ToLower(in.SHA256Sum), ContentType: in.ContentType, UploadDestination: batch.UploadDestination,
			State: domain.ArtifactNew,
		}
		a := &made[i]
		if !a.IsOurs() {
			a.URL = in.URL
		} else if batch.InParts && a.Parts() > 1 {
			a.MultipartID = new(string) // which is known once the upload has begun
		}
		if err := a.CheckSize(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// checkQuota returns Forbidden if the job may not have the artifacts besides those that it has.
func checkQuota(tx store.Tx, job domain.JobID, made []domain.Artifact) error {
	count, size, err := tx.ArtifactStats(job)
	if err != nil {
		return err
	}
	for i := range made {
		count++
		if made[i].IsOurs() {
			size += made[i].FileSize
		}
	}
	switch {
	case count > domain.MaxArtifactsOfJob:
		return domain.ErrTooManyArtifacts
	case size > domain.MaxArtifactsSize:
		return domain.ErrArtifactsTooLarge
	}
	return nil
}

// announce begins the uploads of what is uploaded in parts, and stores the artifacts. If another call for the batch was
// faster, its are returned.
func (s *Service) announce(ctx context.Context, actor authz.Actor, jobID string, batch *ArtifactBatch,
	made []domain.Artifact) (stored []domain.Artifact, err error) {
	isStored := false
	defer func() {
		if !isStored {
			s.abortUploads(ctx, made)
		}
	}()
	for i := range made {
		if a := &made[i]; a.MultipartID != nil {
			upload, err := s.blobs.BeginUpload(ctx, a.Key())
			if err != nil {
				return nil, core.StorageError(err)
			}
			a.MultipartID = &upload
		}
	}
	known := false
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		own, err := core.RequireJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		// One batch of the job at a time, so that all count.
		if own, _, err = tx.JobForUpdate(own.ID); err != nil {
			return err
		}
		if own.TokenHash == nil || *own.TokenHash != actor.Credential.Hash {
			return core.ErrUnauthenticatedProgram
		}
		if stored, known, err = findBatch(tx, own.ID, batch); err != nil || known {
			return err
		}
		if own.State.HasEnded() {
			return errJobEnded
		}
		if err := checkQuota(tx, own.ID, made); err != nil {
			return err
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		now = now.Truncate(time.Millisecond)
		for i := range made {
			made[i].CreatedAt = now
		}
		return tx.InsertArtifactBatch(own.ID, batch.ID, now, made)
	})
	if err != nil || known {
		return stored, err
	}
	isStored = true
	return made, nil
}

// abortUploads removes the parts of artifacts, as far as it can: what is left is swept up later.
func (s *Service) abortUploads(ctx context.Context, artifacts []domain.Artifact) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTime)
	defer cancel()
	for i := range artifacts {
		if a := &artifacts[i]; a.MultipartID != nil && *a.MultipartID != "" {
			if err := s.blobs.AbortUpload(ctx, a.Key(), *a.MultipartID); err != nil {
				s.core.Logger.WarnContext(ctx, "an upload was not aborted; it will be later", "error", err)
			}
		}
	}
}

const cleanUpTime = 10 * time.Second

// announceUploads returns how an agent uploads a batch.
func (s *Service) announceUploads(key store.SigningKey, batch string, made []domain.Artifact) AnnouncedArtifacts {
	told := AnnouncedArtifacts{Own: map[domain.ArtifactID]ArtifactUpload{}}
	perPath := map[string]int{}
	for i := range made {
		perPath[made[i].Path]++
	}
	for i := range made {
		a := &made[i]
		told.IDs = append(told.IDs, a.ID)
		until := a.CreatedAt.Add(uploadTicketTime)
		if !a.IsOurs() {
			continue
		}
		told.Ticket = batchSubject(a.JobID, batch) + "." + sign(key, uploadTicket, batchSubject(a.JobID, batch), until)
		switch {
		case a.MultipartID != nil:
			upload := ArtifactUpload{Path: a.Path}
			for number := 1; number <= a.Parts(); number++ {
				ticket := sign(key, partTicket, partSubject(a.ID, number), until)
				upload.Parts = append(upload.Parts, s.artifactURL(a.ID)+"/parts/"+strconv.Itoa(number)+"?ticket="+
					url.QueryEscape(ticket))
			}
			told.Own[a.ID] = upload
		case perPath[a.Path] > 1: // the path does not say which one
			told.Own[a.ID] = ArtifactUpload{Path: a.Path, Ticket: string(a.ID) + "." + sign(key, uploadTicket, string(a.ID),
				until)}
		}
	}
	return told
}

func batchSubject(job domain.JobID, batch string) string { return string(job) + "." + batch }

func partSubject(id domain.ArtifactID, number int) string {
	return string(id) + "." + strconv.Itoa(number)
}

func (s *Service) artifactURL(id domain.ArtifactID) string {
	return s.baseURL + "/v3/artifacts/" + string(id)
}

// downloadURL returns an address at which an artifact can be had for a while: ours, or that of where its agent keeps
// it; "" if that is none.
func (s *Service) downloadURL(key store.SigningKey, a *domain.Artifact, until time.Time) string {
	if a.IsOurs() {
		return s.artifactURL(a.ID) + "/download?ticket=" + url.QueryEscape(sign(key, downloadTicket, string(a.ID), until))
	}
	if u, err := url.Parse(a.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return a.URL
}

// PendingUpload is an artifact, or a part of one, that is about to come.
type PendingUpload struct {
	Job  domain.JobID
	Size int64 // bytes

	artifact domain.Artifact
	part     int // 0: all of it
}

// OpenUpload returns what comes with a ticket: the artifact of the ticket's batch that has the path, or the one that
// the ticket is for.
//
// Returns Forbidden for a ticket that is not good, and Invalid if the artifact is not being uploaded.
func (s *Service) OpenUpload(ctx context.Context, _ authz.Actor, token, path string) (PendingUpload, error) {
	path = string([]rune(path)) // as JSON has it that is not valid UTF-8
	words := strings.SplitN(token, ".", 5)
	var found domain.Artifact
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		switch len(words) {
		case 4: // of one artifact
			if err := checkTicket(tx, uploadTicket, words[0], strings.Join(words[1:], ".")); err != nil {
				return err
			}
			a, exists, err := tx.Artifact(domain.ArtifactID(words[0]))
			if err == nil && !exists {
				err = errNoArtifact
			}
			found = a
			return err
		case 5: // of a batch
			job := domain.JobID(words[0])
			if err := checkTicket(tx, uploadTicket, batchSubject(job, words[1]), strings.Join(words[2:], ".")); err != nil {
				return err
			}
			all, _, err := tx.ArtifactBatch(job, words[1])
			if err != nil {
				return err
			}
			at := slices.IndexFunc(all, func(a domain.Artifact) bool { return a.Path == path })
			if at < 0 {
				return domain.NewError(domain.NotFound, "No artifact with this path was announced")
			}
			found = all[at]
			return nil
		}
		return errTicket
	})
	if err == nil && (found.State != domain.ArtifactNew || !found.IsOurs() || found.MultipartID != nil) {
		err = errNotUploading
	}
	return PendingUpload{Job: found.JobID, Size: found.FileSize, artifact: found}, err
}

// OpenPart returns the part of an artifact that comes with a ticket.
//
// Returns Forbidden for a ticket that is not good, and Invalid if the artifact is not being uploaded in parts.
func (s *Service) OpenPart(ctx context.Context, _ authz.Actor, artifactID string, number int, ticket string) (
	PendingUpload, error) {
	var a domain.Artifact
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		id := core.LookupID[domain.ArtifactID](artifactID)
		if err := checkTicket(tx, partTicket, partSubject(id, number), ticket); err != nil {
			return err
		}
		found := false
		if a, found, err = tx.Artifact(id); err == nil && !found {
			err = errNoArtifact
		}
		return err
	})
	if err == nil && (a.State != domain.ArtifactNew || a.MultipartID == nil || number < 1 || number > a.Parts()) {
		err = errNotUploading
	}
	if err != nil {
		return PendingUpload{}, err
	}
	return PendingUpload{Job: a.JobID, Size: a.PartSize(number), artifact: a, part: number}, nil
}

// StoreUpload stores what comes, as it comes. An artifact must have the size and the checksums that were announced, a
// part its size; otherwise nothing is kept. Of a part, the tag is returned with which it is named when all have come.
func (s *Service) StoreUpload(ctx context.Context, _ authz.Actor, u PendingUpload, content io.Reader) (
	tag string, err error) {
	if u.part > 0 {
		tag, err = s.blobs.PutPart(ctx, u.artifact.Key(), *u.artifact.MultipartID, u.part, content, u.Size)
		if errors.Is(err, blob.ErrUploadNotFound) {
			return "", errNotUploading
		}
		return tag, contentError(err)
	}
	if _, err = s.blobs.Put(ctx, u.artifact.Key(), newVerifier(&u.artifact, content), u.Size); err != nil {
		return "", contentError(err)
	}
	// It is stored, whether the caller waits for that or not.
	return "", s.recordStored(context.WithoutCancel(ctx), &u.artifact)
}

// contentError returns what was wrong with content that was to be stored, or that the store was at fault.
func contentError(err error) error {
	broken, isBroken := errors.AsType[*blob.ContentError](err)
	switch {
	case isBroken && errors.Is(broken.Err, io.ErrUnexpectedEOF):
		return errBrokenOff
	case isBroken:
		return broken.Err
	case errors.Is(err, blob.ErrSize):
		return domain.NewError(domain.Invalid, "The content does not have the announced size").Because(err)
	}
	return core.StorageError(err)
}

// recordStored records that all of an artifact has arrived. If it was given up or deleted meanwhile, its content is
// deleted.
func (s *Service) recordStored(ctx context.Context, a *domain.Artifact) error {
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		found, err := tx.ArtifactsForUpdate([]domain.ArtifactID{a.ID})
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return errNoArtifact
		case found[0].State == domain.ArtifactFinished: // the same came twice
			return nil
		case found[0].State != domain.ArtifactNew:
			return errNotUploading
		}
		now := found[0]
		now.Stored = true
		return tx.UpdateArtifact(&found[0], &now)
	})
	if code := domain.CodeOf(err); code == domain.NotFound || code == domain.Invalid {
		if err := s.blobs.Delete(ctx, a.Key()); err != nil {
			s.core.Logger.WarnContext(ctx, "an artifact that was deleted while it came could not be removed", "key", a.Key(),
				"error", err)
		}
	}
	return err
}

// verifier reads content, and ends with an error unless it has the checksums that were announced. It fills what it is
// given to read into: a form is read in small pieces.
type verifier struct {
	content io.Reader
	size    int64 // that was announced; that it has this size is for the store to check
	read    int64
	sums    []announcedSum
	hashes  io.Writer
}

type announcedSum struct {
	name string
	want string
	hash hash.Hash
}

func newVerifier(a *domain.Artifact, content io.Reader) *verifier {
	v := &verifier{content: content, size: a.FileSize}
	var hashes []io.Writer
	for _, sum := range []announcedSum{
		{"SHA-1", a.SHA1Sum, sha1.New()}, //nolint:gosec // see the import
		{"SHA-256", a.SHA256Sum, sha256.New()},
	} {
		if sum.want != "" {
			v.sums = append(v.sums, sum)
			hashes = append(hashes, sum.hash)
		}
	}
	v.hashes = io.MultiWriter(hashes...)
	return v
}

// Read reads from the content.
func (v *verifier) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var some int
		some, err = v.content.Read(p[n:])
		n += some
	}
	v.read += int64(n)
	_, _ = v.hashes.Write(p[:n]) // which never fails
	if errors.Is(err, io.EOF) && v.read == v.size {
		if wrong := v.check(); wrong != nil {
			return 0, wrong
		}
	}
	return n, err
}

func (v *verifier) check() error {
	for _, sum := range v.sums {
		if got := hex.EncodeToString(sum.hash.Sum(nil)); got != sum.want {
			return domain.NewError(domain.Invalid, "The content is not what was announced: its "+sum.name+" is "+got+", not "+
				sum.want)
		}
	}
	return nil
}

// ArtifactChange is what an agent says of an artifact that it has uploaded, or could not.
type ArtifactChange struct {
	ID    string
	State domain.ArtifactState
	Parts []ArtifactPart // of one that was uploaded in parts
}

// ArtifactPart names a part of an artifact, with the tag that StoreUpload returned.
type ArtifactPart = blob.Part

// UpdateArtifacts records which artifacts of the job have been uploaded, and which could not be.
//
// Returns Invalid if an artifact has not arrived whole.
func (s *Service) UpdateArtifacts(ctx context.Context, actor authz.Actor, jobID string,
	changes []ArtifactChange) error {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return err
	}
	var found []domain.Artifact
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		found, err = s.changedArtifacts(tx, actor, jobID, changes, tx.Artifacts)
		return err
	})
	if err != nil {
		return err
	}
	completed := map[domain.ArtifactID]bool{}
	for i, change := range changes {
		if a := &found[i]; change.State == domain.ArtifactFinished && a.State == domain.ArtifactNew && a.MultipartID != nil &&
			!a.Stored {
			if err := s.completeUpload(ctx, a, change.Parts); err != nil {
				return err
			}
			completed[a.ID] = true
		}
	}
	var givenUp []domain.Artifact
	err = s.core.WriteAndPublish(context.WithoutCancel(ctx), func(tx store.Tx, e *core.Effects) error {
		givenUp = nil
		found, err := s.changedArtifacts(tx, actor, jobID, changes, tx.ArtifactsForUpdate)
		if err != nil {
			return err
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		now = now.Truncate(time.Millisecond)
		for i, change := range changes {
			before := &found[i]
			e.Builds[before.BuildID] = true
			if change.State == domain.ArtifactError && before.State == domain.ArtifactNew {
				givenUp = append(givenUp, *before)
				if err := endArtifact(tx, before, domain.ArtifactError, now); err != nil {
					return err
				}
				continue
			}
			after, err := s.finishArtifact(before, change.State, completed[before.ID], now)
			if err != nil {
				return err
			}
			if err := tx.UpdateArtifact(before, &after); err != nil {
				return err
			}
			if err := addTestReport(tx, before, &after, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.abortUploads(ctx, givenUp)
	}
	return err
}

// changedArtifacts returns the artifacts that changes are about, in their order.
func (s *Service) changedArtifacts(tx store.Tx, actor authz.Actor, jobID string, changes []ArtifactChange,
	read func([]domain.ArtifactID) ([]domain.Artifact, error)) ([]domain.Artifact, error) {
	own, err := core.RequireJob(tx, actor, jobID)
	if err != nil {
		return nil, err
	}
	if len(changes) > domain.MaxArtifactsOfJob {
		return nil, domain.ErrTooManyArtifacts
	}
	perID := make(map[domain.ArtifactID]domain.Artifact, len(changes))
	ids := make([]domain.ArtifactID, len(changes))
	for i, change := range changes {
		if change.State != domain.ArtifactFinished && change.State != domain.ArtifactError {
			return nil, domain.InvalidError("state must be finished or error")
		}
		ids[i] = core.LookupID[domain.ArtifactID](change.ID)
		if _, twice := perID[ids[i]]; twice {
			return nil, domain.InvalidError("An artifact is listed twice")
		}
		perID[ids[i]] = domain.Artifact{}
	}
	rows, err := read(slices.Sorted(slices.Values(ids)))
	if err != nil {
		return nil, err
	}
	for _, a := range rows {
		if a.JobID == own.ID {
			perID[a.ID] = a
		}
	}
	found := make([]domain.Artifact, len(ids))
	for i, id := range ids {
		if found[i] = perID[id]; found[i].ID == "" {
			return nil, errNoArtifact
		}
	}
	return found, nil
}

// finishArtifact returns an artifact that was uploaded. What has come to the state that its agent says it is in already
// stays as it is.
func (s *Service) finishArtifact(before *domain.Artifact, state domain.ArtifactState, completed bool, now time.Time) (
	domain.Artifact, error) {
	after := *before
	switch {
	case before.State == state || before.State == domain.ArtifactDeleted || before.State == domain.ArtifactExpired:
		return after, nil
	case before.State != domain.ArtifactNew:
		return after, errNotUploading
	case before.IsOurs() && !before.Stored && !completed:
		return after, domain.InvalidError("The artifact " + strconv.Quote(before.Path) + " has not been uploaded")
	}
	after.State, after.MultipartID, after.Stored, after.FinishedAt = state, nil, before.IsOurs(), &now
	if before.IsOurs() && s.retention > 0 {
		expires := now.Add(s.retention)
		after.ExpiresAt = &expires
	}
	return after, nil
}

// completeTime is how long it may take to put the parts of an artifact together. Agents ask again if there is no
// answer.
const completeTime = 10 * time.Minute

// completeUpload makes an artifact of its parts, also if the caller does not wait for it.
func (s *Service) completeUpload(ctx context.Context, a *domain.Artifact, parts []blob.Part) error {
	if err := checkParts(a, parts); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTime)
	defer cancel()
	size, err := s.blobs.CompleteUpload(ctx, a.Key(), *a.MultipartID, parts)
	if errors.Is(err, blob.ErrUploadNotFound) { // an earlier call may have completed it
		info, statErr := s.blobs.Stat(ctx, a.Key())
		size, err = info.Size, statErr
		if errors.Is(err, blob.ErrNotFound) {
			return errNotComplete
		}
	}
	switch {
	case errors.Is(err, blob.ErrPart):
		return domain.NewError(domain.Invalid, "The parts of the artifact "+strconv.Quote(a.Path)+
			" are not those that were uploaded").Because(err)
	case err != nil:
		return core.StorageError(err)
	case size != a.FileSize: // parts have the sizes that were announced
		return domain.NewError(domain.Invalid, "The artifact "+strconv.Quote(a.Path)+" has not the size that was announced")
	}
	return nil
}

var errNotComplete = domain.UnavailableError("The artifact's parts are still being put together. Please retry.",
	time.Second, nil)

// checkParts returns Invalid unless all parts of an artifact are listed, once.
func checkParts(a *domain.Artifact, parts []blob.Part) error {
	listed := make(map[int]bool, len(parts))
	for _, part := range parts {
		listed[part.Number] = part.Number >= 1 && part.Number <= a.Parts()
	}
	if len(parts) != a.Parts() || len(listed) != len(parts) || slices.ContainsFunc(parts,
		func(p blob.Part) bool { return !listed[p.Number] }) {
		return domain.InvalidError("The artifact " + strconv.Quote(a.Path) + " has " + strconv.Itoa(a.Parts()) +
			" parts: multipart_etags must list each of them once")
	}
	return nil
}

// FoundArtifact is an artifact with an address at which it can be had for a while.
type FoundArtifact struct {
	domain.Artifact
	DownloadURL string
}

// Bounds of a search for artifacts.
const (
	maxFound      = 10_000   // artifacts that it may find
	maxFoundBytes = 32 << 20 // that these have
	searchBatch   = 500      // artifacts that are looked at after one read
	searchTime    = 30 * time.Second
)

var (
	errFoundTooMuch = domain.NewError(domain.Malformed, "More than "+strconv.Itoa(maxFound)+
		" artifacts were found. Search for fewer.")
	errSearchTime = domain.NewError(domain.Malformed, "The search takes too long. Begin the query with a directory, or "+
		"name a step or a job.")
)

// SearchArtifacts returns the artifacts of a build that a job asks for: of its own, or another one of its cluster.
//
// Returns Malformed for a query that is none, if it names a single file which several jobs have, and if it finds too
// many.
func (s *Service) SearchArtifacts(ctx context.Context, actor authz.Actor, buildID, query string,
	search domain.ArtifactSearch) (found []FoundArtifact, err error) {
	err = core.RepeatForRules(func() error {
		verdict, err := s.judgeSearch(ctx, actor, buildID, query)
		if err == nil {
			found, err = s.searchJudged(ctx, actor, buildID, query, search, verdict)
		}
		return err
	})
	return found, err
}

func (s *Service) searchJudged(ctx context.Context, actor authz.Actor, buildID, query string,
	search domain.ArtifactSearch,
	verdict domain.RuleVerdict) (found []FoundArtifact, err error) {
	bounded, cancel := context.WithTimeoutCause(ctx, searchTime, errSearchTime)
	defer cancel()
	named, now, err := s.namedArtifacts(bounded, actor, buildID, query, &search, verdict)
	if err != nil {
		if ctx.Err() == nil && bounded.Err() != nil {
			err = errSearchTime
		}
		return nil, err
	}
	if named, err = newestOfEachPath(named, &search); err != nil || len(named) == 0 {
		return nil, err
	}
	key, err := s.signingKey(ctx)
	found = make([]FoundArtifact, len(named))
	for i := range named {
		found[i] = FoundArtifact{named[i].Artifact, s.downloadURL(key, &named[i].Artifact, now.Add(agentDownloadTime))}
	}
	return found, err
}

// namedArtifacts returns the artifacts that a query names. They are read some at a time, and compared with the query in
// between, so that nobody waits for a connection of the database meanwhile.
func (s *Service) namedArtifacts(ctx context.Context, actor authz.Actor, buildID, query string,
	search *domain.ArtifactSearch,
	verdict domain.RuleVerdict) (named []store.CandidateArtifact, now time.Time, err error) {
	var last *store.CandidateArtifact
	size := 0
	for {
		var some []store.CandidateArtifact
		err := s.core.Store.Read(ctx, func(tx store.Tx) error {
			build, err := s.searchedBuild(tx, actor, buildID, verdict)
			if err != nil {
				return err
			}
			if search.Pattern, err = domain.ParseArtifactPattern(query); err != nil {
				return err
			}
			if now, err = tx.Now(); err != nil {
				return err
			}
			some, err = tx.ArtifactCandidates(build, *search, last, searchBatch)
			return err
		})
		if err != nil {
			return nil, now, err
		}
		err = s.core.Processors.Use(ctx, buildID, func() error {
			for i := range some {
				a := &some[i]
				if a.IsRetried && !search.IncludeRetried && search.Scope != string(a.JobID) || !search.Pattern.Matches(a.Path) {
					continue
				}
				size += len(a.Path) + len(a.AbsolutePath) + len(a.GlobPath) + len(a.URL) + len(a.UploadDestination)
				if named = append(named, *a); len(named) > 2*maxFound || size > maxFoundBytes {
					return errFoundTooMuch
				}
			}
			return nil
		})
		if err != nil {
			return nil, now, err
		}
		if len(some) < searchBatch {
			return named, now, nil
		}
		last = &some[len(some)-1]
	}
}

// newestOfEachPath returns artifacts, the oldest first, without those that another one with the same path has followed.
func newestOfEachPath(named []store.CandidateArtifact, search *domain.ArtifactSearch) (
	newest []store.CandidateArtifact, err error) {
	slices.SortFunc(named, func(a, b store.CandidateArtifact) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	perPath := map[string]int{}
	for i := range named {
		a := &named[i]
		at, again := perPath[a.Path]
		switch {
		case !again || search.IncludeDuplicates:
			perPath[a.Path] = len(newest)
			newest = append(newest, *a)
		case search.Pattern.IsPlain() && newest[at].JobID != a.JobID && !newest[at].IsRetried:
			return nil, ambiguous(search.Pattern)
		default:
			newest[at] = *a
		}
	}
	if len(newest) > maxFound {
		return nil, errFoundTooMuch
	}
	return newest, nil
}

func ambiguous(p domain.ArtifactPattern) error {
	return domain.NewError(domain.Malformed, "Multiple artifacts were found for query: `"+p.String()+
		"`. Try scoping by the job ID or name.")
}

// Download is the content of an artifact, to be read and closed.
type Download struct {
	domain.Artifact
	Content *blob.Reader
}

// OpenDownload returns the content of an artifact to whoever has a ticket for it.
//
// Returns Forbidden for a ticket that is not good, and NotFound if the artifact is gone.
func (s *Service) OpenDownload(ctx context.Context, _ authz.Actor, artifactID, ticket string) (Download, error) {
	var a domain.Artifact
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		id := core.LookupID[domain.ArtifactID](artifactID)
		if err := checkTicket(tx, downloadTicket, string(id), ticket); err != nil {
			return err
		}
		found := false
		if a, found, err = tx.Artifact(id); err == nil && (!found || a.State != domain.ArtifactFinished || !a.IsOurs()) {
			err = errNoArtifact
		}
		return err
	})
	if err != nil {
		return Download{}, err
	}
	return s.openContent(ctx, &a)
}

// openContent returns an artifact's content. What is missing is noticed before an answer begins.
func (s *Service) openContent(ctx context.Context, a *domain.Artifact) (Download, error) {
	if _, err := s.blobs.Stat(ctx, a.Key()); err != nil {
		if errors.Is(err, blob.ErrNotFound) {
			s.core.Logger.ErrorContext(ctx, "the content of an artifact is missing", "key", a.Key())
			return Download{}, errNoArtifact
		}
		return Download{}, core.StorageError(err)
	}
	return Download{*a, blob.NewReader(ctx, s.blobs, a.Key(), a.FileSize)}, nil
}
