package service

import (
	"context"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Maintainers returns a page of a cluster's maintainers, in the order in which they were added.
func (s *Service) Maintainers(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (
	domain.Paged[domain.Maintainer], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.Maintainer], error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadMaintainer)
		if err != nil {
			return domain.Paged[domain.Maintainer]{}, err
		}
		return readPage(tx, &in.Identity, store.MaintainersOf(), in.Cluster.ID, page)
	})
}

// Maintainer returns a maintainer of a cluster.
func (s *Service) Maintainer(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.Maintainer, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findMaintainer(actor, ref, id, authz.ReadMaintainer))
}

func (s *Service) findMaintainer(actor authz.Actor, ref domain.ClusterRef, id string, action authz.Action) func(
	store.Tx) (domain.Maintainer, error) {
	return func(tx store.Tx) (domain.Maintainer, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		if err != nil {
			return domain.Maintainer{}, err
		}
		return maintainerIn(tx, in, id)
	}
}

func maintainerIn(tx store.Tx, in store.InCluster, id string) (domain.Maintainer, error) {
	m, found, err := tx.Maintainer(store.ViewerOf(&in.Identity), in.Cluster.ID, core.LookupID[domain.MaintainerID](id))
	if err == nil && !found {
		err = domain.Missing("cluster maintainer")
	}
	return m, err
}

// AddMaintainer makes a member or a team of the organization a maintainer of the cluster.
//
// Returns Invalid if they are not of the organization or maintain the cluster already, or if it has as many as it can
// have.
func (s *Service) AddMaintainer(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input core.Input[domain.MaintainerInput]) (domain.Maintainer, error) {
	permit := s.permitInCluster(actor, ref, authz.WriteMaintainer)
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in lockedCluster) (domain.Maintainer, error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return domain.Maintainer{}, err
			}
			grant, ok := given.Grant("maintainer", &faults)
			present, err := tx.MaintainersCount(in.locked.ID)
			if err != nil {
				return domain.Maintainer{}, err
			}
			domain.AllowMaintainers(present+1, &faults)
			if err := faults.Err(); err != nil || !ok {
				return domain.Maintainer{}, err
			}
			teams, err := lockGrantedTeams(tx, &in.Identity, []domain.MaintainerGrant{grant})
			if err != nil {
				return domain.Maintainer{}, err
			}
			if len(teams) > 0 { // which may have been waited for
				if in.InCluster, err = s.core.InCluster(tx, actor, ref, authz.WriteMaintainer); err != nil {
					return domain.Maintainer{}, err
				}
			}
			m, err := insertMaintainer(tx, &in.Identity, in.locked, grant, teams, s.core.Clock())
			if err != nil {
				return m, err
			}
			return m, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterPermissionCreated,
				core.MaintainerSubject(m), nil, core.FactsOfMaintainer(m))
		})
}

// lockGrantedTeams locks the teams that are to maintain a cluster, and returns those that the caller may see. They
// cannot be deleted until the transaction ends.
func lockGrantedTeams(tx store.Tx, caller *authz.Identity, grants []domain.MaintainerGrant) (
	map[domain.TeamID]bool, error) {
	var teams []domain.TeamID
	for _, grant := range grants {
		if grant.Team != nil {
			teams = append(teams, *grant.Team)
		}
	}
	slices.Sort(teams)
	visible := make(map[domain.TeamID]bool)
	for _, team := range teams {
		found, err := tx.LockTeamFor(caller, team)
		if err != nil {
			return nil, err
		}
		if found {
			visible[team] = true
		}
	}
	return visible, nil
}

// insertMaintainer makes a member, or one of the teams, a maintainer of the cluster.
func insertMaintainer(tx store.Tx, caller *authz.Identity, c domain.Cluster, grant domain.MaintainerGrant,
	teams map[domain.TeamID]bool,
	at time.Time) (domain.Maintainer, error) {
	if grant.Team != nil && !teams[*grant.Team] {
		return domain.Maintainer{}, domain.Faults{{Field: "maintainers", Reason: domain.NoSuchMaintainerTeam}}.Err()
	}
	return tx.InsertMaintainer(c, grant, caller.CreatorID(), at)
}

// RemoveMaintainer takes a maintainer's permission away.
func (s *Service) RemoveMaintainer(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.Maintainer]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findMaintainer(actor, ref, id,
		authz.WriteMaintainer))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, _, err := s.core.LockCluster(tx, actor, ref, authz.WriteMaintainer)
		if err != nil {
			return err
		}
		m, err := maintainerIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.Check(m); err != nil {
			return err
		}
		if err := tx.DeleteMaintainer(in.Cluster.ID, m.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterPermissionDeleted,
			core.MaintainerSubject(m), core.FactsOfMaintainer(m), nil)
	})
}
