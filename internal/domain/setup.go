package domain

import "time"

// SetupLifetime is how long the link to set up an installation works.
const SetupLifetime = 24 * time.Hour

// SetupInput is what the first administrator of an installation enters.
type SetupInput struct {
	Link             Secret // the value that the link holds
	Name             string
	Email            string
	Password         Secret
	OrganizationName string
	OrganizationSlug string // empty: made of the name
}

// NewSetupValue returns a new value for a link.
func NewSetupValue() Secret { return Secret(randomBase62(43)) }
