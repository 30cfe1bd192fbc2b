package domain

import (
	"strings"
	"time"
)

// SavedView is a choice of builds that a member has named, for themselves.
type SavedView struct {
	OrganizationID OrganizationID
	UserID         UserID
	Name           string
	Query          string // of the address that shows it
	CreatedAt      time.Time
}

// How much can be saved.
const (
	MaxSavedViews    = 20 // of a member in an organization
	MaxSavedViewName = 40 // characters
	maxViewQuery     = 2_000
)

// SavedViewInput is what a member saves.
type SavedViewInput struct{ Name, Query string }

// NewSavedView returns the view that a member saves.
func NewSavedView(in SavedViewInput, organization OrganizationID, user UserID, now time.Time,
	faults *Faults) SavedView {
	v := SavedView{OrganizationID: organization, UserID: user, Name: strings.Join(strings.Fields(in.Name), " "),
		Query: in.Query, CreatedAt: now}
	if v.Name == "" {
		faults.Add("name", "Name can't be blank")
	}
	CheckLine("name", "Name", v.Name, MaxSavedViewName, faults)
	if v.Query == "" {
		faults.Add("query", "Filter can't be blank")
	}
	CheckLine("query", "Filter", v.Query, maxViewQuery, faults)
	return v
}
