package domain

import (
	"strings"
	"time"
)

// OrganizationBannerID identifies a banner.
type OrganizationBannerID string

// OrganizationBanner is what an organization says on top of its pages.
type OrganizationBanner struct {
	ID             OrganizationBannerID
	OrganizationID OrganizationID
	Message        string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

const maxBannerMessage = 2_000

// OrganizationBannerInput is what a caller sends to set a banner.
type OrganizationBannerInput struct {
	Message Optional[string]
}

// Apply sets the banner's message.
func (b *OrganizationBanner) Apply(in OrganizationBannerInput, now time.Time, faults *Faults) {
	in.Message.requireIn("message", "Message", faults)
	if in.Message.HasValue() {
		b.Message = CheckText("message", "Message", in.Message.Value, maxBannerMessage, faults)
		if strings.TrimSpace(in.Message.Value) == "" {
			faults.Add("message", "Message can't be blank")
		}
	}
	b.UpdatedAt = now
}
