package read

import (
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// QueuesFound returns the queues of an organization whose keys have a text in them, in any case, by key.
func (r *Snapshot) QueuesFound(o *Organization, text string, most int64) ([]*domain.QueueView, error) {
	return found(o, authz.ReadQueue, r.Queues, func() ([]domain.QueueID, error) {
		return r.tx.FindQueues(o.ID, text, most)
	})
}

// PausedQueues returns the queues of an organization that are paused, those that were paused last first.
func (r *Snapshot) PausedQueues(o *Organization, most int64) ([]*domain.QueueView, error) {
	return found(o, authz.ReadQueue, r.Queues, func() ([]domain.QueueID, error) { return r.tx.PausedQueues(o.ID, most) })
}

// BuildsFound returns the builds of an organization that a text names, the newest first: by their number, by the
// beginning of their commit, or, of the newest, by a part of their message or branch.
func (r *Snapshot) BuildsFound(o *Organization, text string, most int64) ([]*domain.BuildView, error) {
	return found(o, authz.ReadBuild, r.Builds, func() ([]domain.BuildID, error) {
		return r.tx.FindBuilds(o.ID, text, most)
	})
}

// OwnBuilds returns the builds that the caller created in an organization, the newest first.
func (r *Snapshot) OwnBuilds(o *Organization, most int64) ([]*domain.BuildView, error) {
	if r.User() == nil || !o.may(authz.ReadBuild, authz.Facts{}) {
		return nil, nil
	}
	connections, err := connect(r, store.BuildsOfUsers([]domain.OrganizationID{o.ID}, domain.BuildFilter{}),
		[]domain.UserID{r.User().ID}, ConnectionPart{First: &most})
	if err != nil {
		return nil, err
	}
	return connections[0].Items()
}

// HasBuilds reports whether an organization has a build.
func (r *Snapshot) HasBuilds(o *Organization) (bool, error) {
	if !o.may(authz.ReadBuild, authz.Facts{}) {
		return false, nil
	}
	return r.tx.HasBuilds(o.ID)
}

// found returns the things that find names, as far as the caller may see them.
func found[T any, ID ~string](o *Organization, action authz.Action, read func([]ID) ([]*T, error),
	find func() ([]ID, error)) ([]*T, error) {
	if !o.may(action, authz.Facts{}) {
		return nil, nil
	}
	ids, err := find()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	things, err := read(ids)
	return slices.DeleteFunc(things, func(t *T) bool { return t == nil }), err
}
