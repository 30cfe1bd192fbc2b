package domain

import "time"

// User is a person who can belong to organizations.
type User struct {
	ID        UserID
	Name      string
	Email     string
	CreatedAt time.Time
}
