package service

import (
	"errors"
	"slices"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
)

// creator returns the organization's first declared administrator, or nobody if there is none.
func (b *bootstrapping) creator(o *bootstrap.Organization) (domain.UserID, error) {
	i := slices.IndexFunc(o.Members, func(m bootstrap.Member) bool { return m.Role == domain.RoleAdmin })
	if i < 0 {
		return "", nil
	}
	id, err := b.user(o.At, o.Members[i].User)
	if _, gone := errors.AsType[refusals](err); gone {
		return "", nil
	}
	return id, err
}

// lockCluster returns the cluster that items belong to, as it is now, and keeps others from changing it.
func (b *bootstrapping) lockCluster(at bootstrap.Place, organization, name string) (domain.Cluster, error) {
	id, err := b.clusterID(at, organization, name)
	if err != nil {
		return domain.Cluster{}, err
	}
	cluster, found, err := b.tx.LockCluster(id)
	if err == nil && !found {
		err = b.missing(at, bootstrap.Reference{Kind: bootstrap.ToCluster, Organization: organization, Value: name})
	}
	return cluster, err
}

func (b *bootstrapping) user(at bootstrap.Place, email string) (domain.UserID, error) {
	return find(b, at, bootstrap.Reference{Kind: bootstrap.ToUser, Value: email}, func() (domain.UserID, bool, error) {
		user, found, err := b.tx.UserByEmail(email)
		return user.ID, found, err
	})
}

func (b *bootstrapping) organization(at bootstrap.Place, slug string) (domain.OrganizationID, error) {
	return find(b, at, bootstrap.Reference{Kind: bootstrap.ToOrganization, Value: slug}, func() (domain.OrganizationID, bool, error) {
		o, found, err := b.tx.OrganizationBySlug(slug)
		return o.ID, found, err
	})
}

func (b *bootstrapping) member(at bootstrap.Place, organization, email string) (domain.UserID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToMember, Organization: organization, Value: email}
	return find(b, at, target, func() (domain.UserID, bool, error) {
		user, found, err := b.tx.MemberByEmail(organization, email)
		return user.ID, found, err
	})
}

func (b *bootstrapping) team(at bootstrap.Place, organization, slug string) (domain.TeamID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToTeam, Organization: organization, Value: slug}
	return find(b, at, target, func() (domain.TeamID, bool, error) { return b.tx.TeamIDBySlug(organization, slug) })
}

func (b *bootstrapping) clusterID(at bootstrap.Place, organization, name string) (domain.ClusterID, error) {
	target := bootstrap.Reference{Kind: bootstrap.ToCluster, Organization: organization, Value: name}
	return find(b, at, target, func() (domain.ClusterID, bool, error) { return b.tx.ClusterIDByName(organization, name) })
}

// find returns the id of what the file refers to at a place, and a refusal if it is not there.
func find[T ~string](b *bootstrapping, at bootstrap.Place, target bootstrap.Reference, look func() (T, bool, error)) (T, error) {
	if id, ok := b.known[target]; ok {
		return T(id), nil
	}
	id, found, err := look()
	if err == nil && !found {
		err = b.missing(at, target)
	}
	if err != nil {
		return "", err
	}
	b.known[target] = string(id)
	return id, nil
}

// missing returns the refusal of a reference to what is not there. What the file declares was there once.
func (b *bootstrapping) missing(at bootstrap.Place, target bootstrap.Reference) error {
	for _, reference := range b.file.Unresolved {
		if reference.Path == at.Path && reference.Kind == target.Kind {
			return refusals{{fault: reference.Fault()}}
		}
	}
	target.Line, target.Path = at.Line, at.Path
	return refusals{{fault: target.Fault(), means: skipped}}
}

// chosenID returns the id that an item declares, or a new one if it declares none.
func chosenID[T ~string](b *bootstrapping, at bootstrap.Place, declared T) (T, error) {
	if declared == "" {
		return domain.NewID[T](), nil
	}
	taken, err := b.tx.IDTaken(declared)
	if err == nil && taken {
		err = refuse(at.Key("id"), "is already used")
	}
	return declared, err
}
