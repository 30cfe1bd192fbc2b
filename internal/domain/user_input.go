package domain

import "time"

// UserInput is what an operator enters to make a user.
type UserInput struct {
	Email    string
	Name     string
	Password Secret // empty: the user cannot sign in to the web interface
	ID       string // a UUID; empty: a new one
}

// EmailTaken is the fault of a user whose email address another user has.
const EmailTaken = "Email has already been taken"

// IDTaken is the fault of a thing whose id another thing of its kind has.
const IDTaken = "ID has already been taken"

// NewUser returns the user that the input describes.
func NewUser(in UserInput, now time.Time, faults *Faults) User {
	if len(in.Password) > passwordLimit { // how short it may be is the operator's business
		faults.Add("password", tooLongReason("Password", passwordLimit))
	}
	return User{
		ID:        parseOrNewID[UserID](in.ID, faults),
		Email:     CheckEmail("email", in.Email, faults),
		Name:      CheckName("name", "Name", in.Name, faults),
		CreatedAt: now,
	}
}

// parseOrNewID returns the id that was given, or a new one if none was.
func parseOrNewID[T ~string](given string, faults *Faults) T {
	if given == "" {
		return NewID[T]()
	}
	id, ok := ParseID[T](given)
	if !ok {
		faults.Add("id", "ID must be a UUID")
	}
	return id
}
