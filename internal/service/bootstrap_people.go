package service

import (
	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

func (b *bootstrapping) users() error {
	return each(b.file.Users, func(u *bootstrap.User) error {
		return b.item(userItem, userKey(*u), u.At, func() (bool, error) {
			_, exists, err := b.tx.UserByEmail(u.Email)
			if err != nil || exists {
				return false, err
			}
			user := domain.NewUser(u.Input(), b.now, new(domain.Faults))
			if user.ID, err = chosenID(b, u.At, u.ID); err != nil {
				return false, err
			}
			return true, b.tx.InsertUser(user, b.hashes[userKey(*u)])
		})
	})
}

func (b *bootstrapping) members(o *bootstrap.Organization) error {
	return each(o.Members, func(m *bootstrap.Member) error {
		return b.item(memberItem, itemKey(o.Slug, m.User), m.At, func() (bool, error) {
			organization, err := b.organization(m.At, o.Slug)
			if err != nil {
				return false, err
			}
			user, found, err := b.tx.UserByEmail(m.User)
			if err == nil && !found {
				err = b.missing(m.At.Key("user"), bootstrap.Reference{Kind: bootstrap.ToUser, Value: m.User})
			}
			if err != nil {
				return false, err
			}
			exists, err := b.tx.IsMember(organization, user.ID)
			if err != nil || exists {
				return false, err
			}
			by, err := b.creator(o)
			if err != nil {
				return false, err
			}
			return true, b.service.join(b.tx, domain.NewMember(organization, user.ID, m.Role, b.now, new(domain.Faults)), user, by)
		})
	})
}

func (b *bootstrapping) teams(o *bootstrap.Organization) error {
	return each(o.Teams, func(t *bootstrap.Team) error {
		return b.item(teamItem, itemKey(o.Slug, t.Slug), t.At, func() (bool, error) {
			organization, err := b.organization(t.At, o.Slug)
			if err != nil {
				return false, err
			}
			_, exists, err := b.tx.TeamIDBySlug(o.Slug, t.Slug)
			if err != nil || exists {
				return false, err
			}
			team := domain.NewTeam(t.Input(), organization, b.now, new(domain.Faults))
			if team.ID, err = chosenID(b, t.At, t.ID); err != nil {
				return false, err
			}
			by, err := b.creator(o)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertTeam(team, by); err != nil {
				return false, err
			}
			return true, b.record(organization, domain.TeamCreated, core.TeamSubject(team), core.FactsOfTeam(team))
		})
	})
}

func (b *bootstrapping) teamMembers(o *bootstrap.Organization) error {
	return each(o.Teams, func(t *bootstrap.Team) error {
		return each(t.Members, func(m *bootstrap.TeamMember) error {
			return b.item(teamMemberItem, itemKey(o.Slug, t.Slug, m.User), m.At, func() (bool, error) { return b.teamMember(o, t, m) })
		})
	})
}

func (b *bootstrapping) teamMember(o *bootstrap.Organization, t *bootstrap.Team, m *bootstrap.TeamMember) (_ bool, err error) {
	member := domain.TeamMember{ID: domain.NewID[domain.TeamMemberID](), Role: domain.TeamRole(m.Role), CreatedAt: b.now}
	if member.OrganizationID, err = b.organization(m.At, o.Slug); err != nil {
		return false, err
	}
	if member.TeamID, err = b.team(m.At, o.Slug, t.Slug); err != nil {
		return false, err
	}
	if member.UserID, err = b.member(m.At.Key("user"), o.Slug, m.User); err != nil {
		return false, err
	}
	exists, err := b.tx.IsTeamMember(member.TeamID, member.UserID)
	if err != nil || exists {
		return false, err
	}
	by, err := b.creator(o)
	if err != nil {
		return false, err
	}
	if err := b.tx.InsertTeamMember(member, by); err != nil {
		return false, err
	}
	made, _, err := b.tx.TeamMember(member.TeamID, member.UserID)
	if err != nil {
		return false, err
	}
	return true, b.record(member.OrganizationID, domain.TeamMemberCreated, core.TeamMemberSubject(made), core.FactsOfTeamMember(member))
}

func (b *bootstrapping) tokens() error {
	return each(b.file.Tokens, func(t *bootstrap.Token) error {
		hash := domain.HashToken(t.Value.Reveal())
		return b.item(tokenItem, hash, t.At, func() (bool, error) { return b.token(t, hash) })
	})
}

func (b *bootstrapping) token(t *bootstrap.Token, hash string) (made bool, err error) {
	user, err := b.user(t.At.Key("user"), t.User)
	granted, errGranted := b.granted(t, err == nil)
	if err := together(err, errGranted); err != nil {
		return false, err
	}
	_, exists, err := b.tx.APITokenByHash(hash)
	if err != nil || exists {
		return false, err
	}
	// The file may leave out the description, which is all that the faults could be of.
	token, _ := domain.NewAPIToken(t.Input(), b.now, new(domain.Faults))
	if err := b.tx.InsertAPIToken(token, hash, user, granted); err != nil {
		return false, err
	}
	return true, b.service.recordCreation(b.tx, core.OperatorIn(""), token, user)
}

// granted returns the organizations that a token is for. All must be there: without one it would be another token, and
// an operator who adds one for somebody who has left must know.
func (b *bootstrapping) granted(t *bootstrap.Token, userExists bool) (granted []domain.OrganizationID, err error) {
	for i, slug := range t.Organizations {
		at := t.At.Item("organizations", i)
		organization, errOne := b.organization(at, slug)
		if errOne == nil && userExists {
			_, errOne = b.member(at, slug, t.User)
		}
		granted = append(granted, organization)
		err = together(err, needed(errOne))
	}
	return granted, err
}

func (b *bootstrapping) activity() error {
	return each(b.file.Activity, func(a *bootstrap.Activity) error {
		return b.item(activityItem, itemKey(a.Organization, a.User, a.On.Format(domain.DateLayout)), a.At, func() (bool, error) {
			organization, errOrganization := b.organization(a.At.Key("organization"), a.Organization)
			user, errUser := b.user(a.At.Key("user"), a.User)
			if err := together(errOrganization, errUser); err != nil {
				return false, err
			}
			return b.tx.InsertActivity(organization, user, a.On)
		})
	})
}
