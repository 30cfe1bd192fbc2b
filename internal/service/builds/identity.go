package builds

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// How keys that sign identities are rotated. Clouds keep the published ones for a day at most.
const (
	identityKeySigns = 30 * 24 * time.Hour                                 // for how long a key signs
	identityKeyAhead = 2 * 24 * time.Hour                                  // how long before that it is published
	identityKeyStays = domain.MaxIdentityLifetime + identityKeyClockLeeway // how long it stays after another one signs
	identityKeyBits  = 2048

	identityKeyClockLeeway = time.Hour
)

var errNotRunning = domain.NewError(domain.Invalid, "Only a running job can be identified")

// IdentifyJob returns a signed token that says which job it is, for the caller's job alone, while it runs.
//
// Returns Invalid if it does not run, for what no token says, and if the installation has no key to keep signing keys
// with.
func (s *Service) IdentifyJob(ctx context.Context, actor authz.Actor, job string, in domain.IdentityInput) (
	domain.Secret, error) {
	var identity domain.JobIdentity
	var keys []store.OIDCKey
	var now time.Time
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		j, err := core.RequireLiveJob(tx, actor, job)
		if err != nil {
			return err
		}
		if j.State != flow.Running && j.State != flow.Canceling && j.State != flow.TimingOut {
			return errNotRunning
		}
		if identity, err = jobIdentity(tx, j); err != nil {
			return err
		}
		if keys, err = tx.OIDCKeys(); err != nil {
			return err
		}
		now, err = tx.Now()
		return err
	})
	if err != nil {
		return "", err
	}
	organization, _ := identity["organization_slug"].(string)
	claims, lifetime, err := domain.IdentityToken(identity, in, s.baseURL+"/"+organization)
	if err != nil {
		return "", err
	}
	if len(keys) == 0 { // the first token of all
		if keys, err = s.rotateIdentityKeys(ctx); err != nil {
			return "", err
		}
	}
	key, err := s.openIdentityKey(signingIdentityKey(keys, now))
	if err != nil {
		return "", err
	}
	claims["iss"], claims["jti"] = s.baseURL, domain.NewID[string]()
	claims["iat"], claims["nbf"], claims["exp"] = now.Unix(), now.Unix(), now.Add(lifetime).Unix()
	return key.sign(claims)
}

// jobIdentity returns what a token can say of a job.
func jobIdentity(tx store.Tx, j domain.Job) (domain.JobIdentity, error) {
	b, _, err := tx.Build(j.BuildID)
	if err != nil {
		return nil, err
	}
	x, err := tx.JobContext(j.BuildID)
	if err != nil {
		return nil, err
	}
	step, _, err := tx.Step(j.StepID)
	if err != nil {
		return nil, err
	}
	branch, tag := b.TrustedRef()
	identity := domain.JobIdentity{
		"organization_slug": x.OrganizationSlug, "organization_id": string(x.OrganizationID), "pipeline_slug": x.PipelineSlug,
		"pipeline_id":  string(x.PipelineID),
		"build_number": b.Number, "build_id": string(b.ID), "build_branch": branch, "build_tag": nilIfEmpty(tag),
		"build_commit": b.Commit,
		"build_source": string(b.Source), "step_key": nilIfEmpty(text(step.Key)), "job_id": string(j.ID),
		"agent_id":   nilIfEmpty(text(j.AgentID)),
		"cluster_id": nilIfEmpty(text(j.ClusterID)), "cluster_name": nilIfEmpty(x.ClusterName),
		"queue_id":           nilIfEmpty(text(j.QueueID)),
		"runner_environment": "self-hosted",
	}
	if b.CommitResolved {
		identity["build_commit_resolved"] = true
	}
	if j.QueueID != nil && j.ClusterID != nil {
		queue, _, err := tx.Queue(*j.ClusterID, *j.QueueID)
		if err != nil {
			return nil, err
		}
		identity["queue_key"] = queue.Key
		if queue.Hosted != nil {
			identity["runner_environment"] = "hosted"
		}
	}
	if j.AgentID == nil {
		return identity, nil
	}
	agent, _, err := tx.Agent(*j.AgentID)
	for _, tag := range agent.MetaData {
		name, value, _ := strings.Cut(tag, "=")
		identity["agent_tag:"+name] = value
	}
	return identity, err
}

func nilIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// IdentityKey is a public key with which the identity of jobs can be checked.
type IdentityKey struct {
	ID      string
	Modulus *big.Int
	// Exponent is the public exponent.
	Exponent int
}

// IdentityKeys returns the keys with which the identity of jobs can be checked, the oldest first. Anyone may ask.
func (s *Service) IdentityKeys(ctx context.Context, _ authz.Actor) (public []IdentityKey, err error) {
	var keys []store.OIDCKey
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		keys, err = tx.OIDCKeys()
		return err
	})
	for _, k := range keys {
		key, err := parsePublicKey(k.PublicKey)
		if err != nil {
			return nil, err
		}
		public = append(public, IdentityKey{k.ID, key.N, key.E})
	}
	return public, err
}

func parsePublicKey(encoded string) (*rsa.PublicKey, error) {
	der, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("a key of identities is not one of RSA")
	}
	return public, nil
}

// RotateIdentityKeys makes the next key that signs identities when it is time to publish it, and forgets those that
// nothing needs any more.
func (s *Service) RotateIdentityKeys(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	if !s.core.CanSeal() {
		return nil
	}
	_, err := s.rotateIdentityKeys(ctx)
	return err
}

func (s *Service) rotateIdentityKeys(ctx context.Context) (keys []store.OIDCKey, err error) {
	var now time.Time
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if now, err = tx.Now(); err != nil {
			return err
		}
		keys, err = tx.OIDCKeys()
		return err
	})
	if err != nil {
		return nil, err
	}
	next, due := nextIdentityKey(keys, now)
	oldest := oldestIdentityKey(keys, now)
	if !due && oldest == 0 {
		return keys, nil
	}
	if due { // making one takes a while, so it is done before the transaction
		if err := s.makeIdentityKey(&next); err != nil {
			return nil, err
		}
	}
	if due {
		err := s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.InsertOIDCKey(next) })
		if err != nil && !errors.Is(err, db.ErrUnique) { // otherwise another server was first
			return nil, err
		}
	}
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		if oldest > 0 {
			if err := tx.DeleteOIDCKeysBefore(oldest); err != nil {
				return err
			}
		}
		keys, err = tx.OIDCKeys()
		return err
	})
	return keys, err
}

// nextIdentityKey returns the key that comes after those that there are, and whether it is time to make it. The first
// one signs at once.
func nextIdentityKey(keys []store.OIDCKey, now time.Time) (next store.OIDCKey, due bool) {
	if len(keys) == 0 {
		return store.OIDCKey{Generation: 1, CreatedAt: now, SignsFrom: now}, true
	}
	last := keys[len(keys)-1]
	next = store.OIDCKey{Generation: last.Generation + 1, CreatedAt: now, SignsFrom: last.SignsFrom.Add(identityKeySigns)}
	if earliest := now.Add(identityKeyAhead); next.SignsFrom.Before(earliest) {
		next.SignsFrom = earliest
	}
	return next, !now.Before(last.SignsFrom.Add(identityKeySigns - identityKeyAhead))
}

// oldestIdentityKey returns the generation of the oldest key that may still have signed something good; 0 if all may.
func oldestIdentityKey(keys []store.OIDCKey, now time.Time) (generation int64) {
	for i := 1; i < len(keys); i++ {
		if now.After(keys[i].SignsFrom.Add(identityKeyStays)) {
			generation = keys[i].Generation
		}
	}
	return generation
}

// signingIdentityKey returns the key to sign with now: the newest that signs already.
func signingIdentityKey(keys []store.OIDCKey, now time.Time) store.OIDCKey {
	signing := keys[0]
	for _, k := range keys[1:] {
		if !now.Before(k.SignsFrom) {
			signing = k
		}
	}
	return signing
}

// makeIdentityKey makes the pair of keys.
func (s *Service) makeIdentityKey(k *store.OIDCKey) error {
	if !s.core.CanSeal() {
		return core.ErrNoKey
	}
	pair, err := rsa.GenerateKey(rand.Reader, identityKeyBits)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&pair.PublicKey)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(public)
	k.ID, k.PublicKey = base64.RawURLEncoding.EncodeToString(sum[:]), base64.StdEncoding.EncodeToString(public)
	k.Sealed, err = s.core.Seal(domain.Secret(base64.StdEncoding.EncodeToString(private)), store.AboutOIDCKey+k.ID)
	return err
}

// identitySigner is a key that signs.
type identitySigner struct {
	id  string
	key *rsa.PrivateKey
}

// openIdentityKey returns the signer that a stored key is.
func (s *Service) openIdentityKey(k store.OIDCKey) (*identitySigner, error) {
	encoded, err := s.core.Open(k.Sealed, store.AboutOIDCKey+k.ID)
	if err != nil {
		return nil, err
	}
	der, err := base64.StdEncoding.DecodeString(encoded.Reveal())
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("a key of identities is not one of RSA")
	}
	return &identitySigner{k.ID, private}, nil
}

// sign returns a JSON Web Token of the claims.
func (k *identitySigner) sign(claims map[string]any) (domain.Secret, error) {
	header, err := json.Marshal(map[string]string{"alg": "RS256", "kid": k.id, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(payload)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, k.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	return domain.Secret(signed + "." + base64.RawURLEncoding.EncodeToString(signature)), nil
}
