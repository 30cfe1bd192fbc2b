package domain

// Maintainer is a user or a team that may manage a cluster.
type Maintainer struct {
	ID        MaintainerID
	ClusterID ClusterID
	User      *User // either User or Team
	Team      *MaintainerTeam
}

// MaintainerTeam is what a maintainer shows of its team.
type MaintainerTeam struct {
	ID   TeamID
	Name string
	Slug string
}

// MaintainerGrant names who is to become a maintainer: a user or a team.
type MaintainerGrant struct {
	User *UserID
	Team *TeamID
}

// MaintainerInput is what a caller sent to name a maintainer. Exactly one member is to be given.
type MaintainerInput struct {
	User Optional[string]
	Team Optional[string]
}

// Grant returns the grant that the input asks for. Faults are recorded for field.
func (in MaintainerInput) Grant(field string, faults *Faults) (MaintainerGrant, bool) {
	if in.User.HasValue() == in.Team.HasValue() {
		if !faults.Has("user") && !faults.Has("team") { // which were given, and could not be read
			faults.Add(field, "Maintainers must each have exactly one key, user or team")
		}
		return MaintainerGrant{}, false
	}
	if in.User.HasValue() {
		id, ok := ParseID[UserID](in.User.Value)
		if !ok {
			faults.Add(field, NoSuchMaintainerUser)
		}
		return MaintainerGrant{User: &id}, ok
	}
	id, ok := ParseID[TeamID](in.Team.Value)
	if !ok {
		faults.Add(field, NoSuchMaintainerTeam)
	}
	return MaintainerGrant{Team: &id}, ok
}

// AllowMaintainers reports whether a cluster may have so many maintainers. It adds a fault if they are too many.
func AllowMaintainers(n int, faults *Faults) bool {
	if n > maxMaintainers {
		faults.Add("maintainers", "Maintainers are too many (maximum is 100)")
	}
	return n <= maxMaintainers
}

// Reasons why a maintainer cannot be granted.
const (
	NoSuchMaintainerUser = "Maintainers must be members of the organization"
	NoSuchMaintainerTeam = "Maintainers must be teams of the organization"
	RepeatedMaintainer   = "Maintainer has already been added"
)
