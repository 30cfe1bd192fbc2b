package core

import (
	"penstock/internal/domain"
	"penstock/internal/store"
)

// AddMember makes a user a member of an organization and of its default teams, as an operator; an empty by is nobody.
func (c *Core) AddMember(tx store.Tx, m domain.Member, user domain.User, by domain.UserID) error {
	return c.AddMemberAs(tx, OperatorIn(m.OrganizationID), m, user, by)
}

// AddMemberAs is AddMember for any author.
func (c *Core) AddMemberAs(tx store.Tx, author Author, m domain.Member, user domain.User, by domain.UserID) error {
	facts := FactsOfMember(m)
	var err error
	if facts.Teams, err = tx.InsertMember(m, user.Email, by); err != nil {
		return err
	}
	return c.Record(tx, author, domain.OrganizationMemberCreated,
		MemberSubject(domain.MemberView{Member: m, User: user}), nil, facts)
}
