package domain

import "time"

// User is a person who can belong to organizations.
type User struct {
	ID        UserID
	Name      string
	Email     string
	CreatedAt time.Time
}

// BuildMails are which mails about the builds that they created somebody wants.
type BuildMails string

// The choices of mails.
const (
	AllBuildMails    BuildMails = "all"
	FailedBuildMails BuildMails = "failed" // and of builds that pass again
	NoBuildMails     BuildMails = "none"
)

// IsValid says whether there is such a choice.
func (m BuildMails) IsValid() bool {
	return m == AllBuildMails || m == FailedBuildMails || m == NoBuildMails
}
