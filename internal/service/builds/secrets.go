package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// JobSecret is a secret as a job gets it.
type JobSecret struct {
	ID    domain.ClusterSecretID
	Key   string
	Value domain.Secret
}

var errSecretPolicy = domain.NewError(domain.Forbidden, "The policy of this secret does not allow this job to read it")

// readNoted is how often it is stored that a secret was read.
const readNoted = time.Minute

// secretReadFacts is what events say of a job that read a secret.
type secretReadFacts struct {
	Key   string         `json:"key"`
	JobID domain.JobID   `json:"job_id"`
	Build domain.BuildID `json:"build_id"`
}

// ReadSecret returns a secret of the cluster that the job runs in, for the caller's job alone.
//
// Returns NotFound if the cluster has none under the key, and Forbidden if its policy does not let the job.
func (s *Service) ReadSecret(ctx context.Context, actor authz.Actor, job, key string) (read JobSecret, err error) {
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		j, err := core.RequireLiveJob(tx, actor, job)
		if err != nil {
			return err
		}
		if j.ClusterID == nil || !domain.ValidText(key) {
			return domain.Missing("secret")
		}
		secret, found, err := tx.ClusterSecretByKey(*j.ClusterID, key)
		if err != nil {
			return err
		}
		if !found {
			return domain.Missing("secret")
		}
		if err := s.checkSecretPolicy(tx, j, secret.Policy); err != nil {
			return err
		}
		value, err := s.core.Open(secret.Sealed, store.AboutClusterSecret+string(secret.ID))
		if err != nil {
			return err
		}
		read = JobSecret{secret.ID, secret.Key, value}
		return s.recordSecretRead(tx, actor, j, secret.ClusterSecret)
	})
	if err != nil {
		return JobSecret{}, err
	}
	return read, nil
}

func (s *Service) checkSecretPolicy(tx store.Tx, j domain.Job, text *string) error {
	if text == nil {
		return nil
	}
	policy, err := domain.ParseSecretPolicy(*text)
	if err != nil {
		return err
	}
	b, _, err := tx.Build(j.BuildID)
	if err != nil {
		return err
	}
	claims, err := secretClaims(tx, j, b)
	if err != nil || policy.Allows(claims) {
		return err
	}
	if !b.CountsAsAnother() {
		return errSecretPolicy
	}
	origin, err := tx.BuildLink(b.Origin.BuildID)
	if err != nil {
		return err
	}
	return domain.NewError(domain.Forbidden, errSecretPolicy.Message+": "+domain.ExplainOrigin(b.Origin.Branch, origin))
}

// secretClaims returns what policies of secrets can say of a job.
func secretClaims(tx store.Tx, j domain.Job, b domain.Build) (domain.SecretClaims, error) {
	x, err := tx.JobContext(j.BuildID)
	if err != nil {
		return nil, err
	}
	branch, _ := b.TrustedRef()
	claims := domain.SecretClaims{
		domain.ClaimPipelineID: {string(x.PipelineID)}, domain.ClaimPipelineSlug: {x.PipelineSlug},
		domain.ClaimBuildSource: {string(b.Source)}, domain.ClaimBuildBranch: {branch},
	}
	if x.Creator.ID != "" {
		claims[domain.ClaimBuildCreator] = []string{string(x.Creator.ID), x.Creator.Email}
		if claims[domain.ClaimBuildCreatorTeam], err = tx.TeamsOfUser(x.OrganizationID, x.Creator.ID); err != nil {
			return nil, err
		}
	}
	if j.QueueID != nil {
		queue, _, err := tx.Queue(*j.ClusterID, *j.QueueID)
		if err != nil {
			return nil, err
		}
		claims[domain.ClaimClusterQueueID], claims[domain.ClaimClusterQueueKey] = []string{string(queue.ID)},
			[]string{queue.Key}
	}
	return claims, nil
}

// recordSecretRead records that a job read a secret.
func (s *Service) recordSecretRead(tx store.Tx, actor authz.Actor, j domain.Job, secret domain.ClusterSecret) error {
	now, err := core.StoredNow(tx)
	if err != nil {
		return err
	}
	if secret.LastReadAt == nil || now.Sub(*secret.LastReadAt) >= readNoted {
		if err := tx.RecordClusterSecretRead(secret.ID, now); err != nil {
			return err
		}
	}
	var agent domain.Agent
	if j.AgentID != nil {
		if agent, _, err = tx.Agent(*j.AgentID); err != nil {
			return err
		}
	}
	return s.core.Record(tx, core.AgentAuthor(actor, j.OrganizationID, agent), domain.SecretRead,
		core.ClusterSecretSubject(secret), nil,
		secretReadFacts{Key: secret.Key, JobID: j.ID, Build: j.BuildID})
}
