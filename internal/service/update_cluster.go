package service

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/hosted"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// The hosted-agent service must end up with the git mirror setting that is stored, although no
// transaction spans both. A lease per cluster, kept in the database, makes calls and commits take turns:
// acquire the lease, call, then store the whole update and release the lease in one transaction. Whenever
// that last step is not reached, the lease's row stays behind, and SyncGitMirrors sends the service the
// stored value until it confirms it. docs/adr/0007-hosted-agent-protocol.md has the reasoning.
const (
	leaseTime     = hosted.CallTimeout + 3*time.Second
	leasePatience = 10 * time.Second
	maxSyncPause  = 30 * time.Second
)

// notApplied is the refusal of an update that the hosted-agent service could not apply.
func notApplied(cause error) error {
	return domain.UnavailableError("The hosted-agent service could not apply the change. Nothing was changed. "+
		"Please retry.", time.Second, cause)
}

// clusterUpdate is an update of a cluster on its way.
type clusterUpdate struct {
	actor    authz.Actor
	ref      domain.ClusterRef
	patch    core.Input[domain.ClusterPatch]
	expected *core.Precondition[domain.ClusterView]
	lease    string // set once the service was called under it, with
	sent     bool
}

// outcome is what one attempt to store an update came to.
type outcome struct {
	cluster domain.ClusterView
	stored  bool
	leased  bool // not stored: the service is to be called first, under the lease, with
	send    bool
}

// UpdateCluster applies patch to the cluster that ref names and returns its new state. All of the update is
// stored, or nothing.
//
// Returns NotFound, Forbidden, Invalid with one FieldError a bad field, and Unavailable if the hosted-agent
// service could not apply a change of the git mirror, after which the same update can be sent again.
func (s *Service) UpdateCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	patch core.Input[domain.ClusterPatch], expected *core.Precondition[domain.ClusterView]) (domain.ClusterView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findCluster(actor, ref, authz.UpdateCluster))
	u := clusterUpdate{actor: actor, ref: ref, patch: patch, expected: expected}
	patience := s.core.Now().Add(leasePatience)
	for {
		lease := domain.NewID[string]()
		out, err := s.attemptUpdate(ctx, u, lease)
		if err != nil || out.stored {
			return out.cluster, err
		}
		if out.leased {
			u.lease, u.sent = lease, out.send
			return s.sendUpdate(context.WithoutCancel(ctx), u, out.cluster.ID)
		}
		if err := s.awaitGitMirror(ctx, out.cluster.ID, patience); err != nil {
			return domain.ClusterView{}, err
		}
	}
}

// sendUpdate calls the service under the update's lease, and stores the update. From the call on the service may have
// the new value: it is seen through, even if the caller goes away.
func (s *Service) sendUpdate(ctx context.Context, u clusterUpdate, id domain.ClusterID) (domain.ClusterView, error) {
	if err := s.hosted.SetGitMirror(ctx, id, u.sent); err != nil {
		return domain.ClusterView{}, cmp.Or(s.releaseGitMirror(ctx, id, u.lease), notApplied(err))
	}
	out, err := s.attemptUpdate(ctx, u, u.lease)
	if err != nil || !out.stored {
		return domain.ClusterView{}, cmp.Or(err, s.releaseGitMirror(ctx, id, u.lease),
			notApplied(errors.New("the lease was lost")))
	}
	return out.cluster, nil
}

// awaitGitMirror waits, until patience ends, for another's lease to end.
func (s *Service) awaitGitMirror(ctx context.Context, id domain.ClusterID, patience time.Time) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		if err := pause(ctx, wait/2+rand.N(wait/2)); err != nil {
			return err
		}
		leased := false
		err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
			leased, err = tx.GitMirrorIsLeased(id)
			return err
		})
		if err != nil || !leased {
			return err
		}
		if s.core.Now().After(patience) {
			return notApplied(errors.New("another change of the git mirror takes too long"))
		}
	}
}

// attemptUpdate stores the update if it can be: if the git mirror stays as it is, if there is no service to
// send, or if the service has it already. Otherwise it tries to take the lease.
func (s *Service) attemptUpdate(ctx context.Context, u clusterUpdate, lease string) (outcome, error) {
	return core.Change(ctx, s.core, u.actor, u.ref.Organization, func(tx store.Tx) (outcome, error) {
		in, before, err := s.core.LockCluster(tx, u.actor, u.ref, authz.UpdateCluster)
		if err != nil {
			return outcome{}, err
		}
		if err := u.expected.Check(in.Cluster); err != nil {
			return outcome{}, err
		}
		after, err := s.patched(tx, in, before, u.patch)
		if err != nil {
			return outcome{}, err
		}
		in.Cluster.Cluster = after
		out := outcome{cluster: in.Cluster, send: after.HostedGitMirrorEnabled}
		switches := s.hosted != nil && after.HostedGitMirrorEnabled != before.HostedGitMirrorEnabled
		if switches && u.lease == "" {
			out.leased, err = tx.LeaseGitMirror(after.ID, lease, leaseTime)
			return out, err
		}
		if switches {
			if holds, err := tx.LockGitMirrorLease(after.ID, u.lease); err != nil || !holds {
				return out, err
			}
		}
		if u.lease != "" && u.sent == after.HostedGitMirrorEnabled {
			if err := tx.ConfirmGitMirror(after.ID, u.lease); err != nil {
				return out, err
			}
		}
		out.stored = true
		if err := tx.UpdateCluster(after, before); err != nil {
			return out, err
		}
		return out, s.core.Record(tx, core.AuthorOf(u.actor, &in.Identity), domain.ClusterUpdated, core.ClusterSubject(after),
			core.FactsOfCluster(before), core.FactsOfCluster(after))
	})
}

// patched returns the cluster with the patch applied, all rules checked.
func (s *Service) patched(tx store.Tx, in store.InCluster, c domain.Cluster, input core.Input[domain.ClusterPatch]) (
	domain.Cluster, error) {
	var faults domain.Faults
	patch, err := input.Read(&faults)
	if err != nil {
		return c, err
	}
	if patch.DefaultCacheRegistryID.Given || faults.Has("default_cache_registry_uuid") {
		if err := authz.Check(&in.Identity, authz.SetDefaultCacheRegistry, in.Facts); err != nil {
			return c, err
		}
	}
	queue, registry := c.Apply(patch, &faults)
	if queue != nil {
		_, found, err := tx.Queue(c.ID, *queue)
		if err != nil {
			return c, err
		}
		if !found {
			domain.FaultDefaultQueue(&faults)
		}
	}
	if registry != nil {
		_, found, err := tx.CacheRegistry(c.ID, *registry)
		if err != nil {
			return c, err
		}
		if !found {
			domain.FaultDefaultCacheRegistry(&faults)
		}
	}
	return c, faults.Err()
}

// markGitMirror has it sent to the service that the cluster's git mirror goes off with what is being deleted.
func (s *Service) markGitMirror(tx store.Tx, c domain.Cluster) error {
	if s.hosted == nil || !c.HostedGitMirrorEnabled {
		return nil
	}
	return tx.MarkGitMirror(c.ID)
}

func (s *Service) releaseGitMirror(ctx context.Context, id domain.ClusterID, lease string) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.ReleaseGitMirror(id, lease, 0) })
}

// SyncGitMirrors sends the hosted-agent service the stored git mirror setting of each cluster of which it is
// not sure that the service has it, and returns how many were confirmed. Operators only.
func (s *Service) SyncGitMirrors(ctx context.Context, actor authz.Actor) (confirmed int, err error) {
	if err := authz.CheckOperator(actor); err != nil || s.hosted == nil {
		return 0, err
	}
	due, err := core.FindItems(ctx, s.core, func(tx store.Tx, _ time.Time) ([]store.GitMirrorSync, error) {
		return tx.DueGitMirrorSyncs(100)
	})
	if err != nil {
		return 0, err
	}
	_, err = core.Items[store.GitMirrorSync]{Kind: store.SyncGitMirrors,
		ID: func(sync store.GitMirrorSync) string { return string(sync.ClusterID) },
		Do: core.OneByOne(func(ctx context.Context, sync store.GitMirrorSync) error {
			ok, err := s.syncGitMirror(ctx, sync)
			if ok {
				confirmed++
			}
			return err
		})}.Run(ctx, s.core, due)
	return confirmed, err
}

func (s *Service) syncGitMirror(ctx context.Context, sync store.GitMirrorSync) (confirmed bool, err error) {
	id, lease := sync.ClusterID, domain.NewID[string]()
	var leased, stored bool
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		if leased, err = tx.LeaseGitMirror(id, lease, leaseTime); err != nil || !leased {
			return err
		}
		stored, err = tx.StoredGitMirror(id)
		return err
	})
	if err != nil || !leased {
		return false, err
	}
	callErr := s.hosted.SetGitMirror(ctx, id, stored)
	if callErr != nil {
		s.core.Logger.WarnContext(ctx, "git mirror setting not confirmed; it will be sent again", "cluster", id, "error",
			callErr)
	}
	ctx = context.WithoutCancel(ctx)
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.StoredGitMirror(id)
		if err != nil {
			return err
		}
		if confirmed = callErr == nil && now == stored; confirmed {
			return tx.ConfirmGitMirror(id, lease)
		}
		return tx.ReleaseGitMirror(id, lease, min(maxSyncPause, time.Second<<min(sync.Attempts, 10)))
	})
	return confirmed, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
