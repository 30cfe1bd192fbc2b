package service

import (
	"crypto/sha256"
	"fmt"

	"penstock/internal/domain"
)

// What audit events say of portals.

type portalFacts struct {
	Name               string               `json:"name"`
	Slug               string               `json:"slug"`
	Description        *string              `json:"description"`
	QuerySHA256        string               `json:"query_sha256"` // it can be long
	AllowedIPAddresses *string              `json:"allowed_ip_addresses"`
	Token              domain.PortalTokenID `json:"token,omitzero"` // that a new one was made with
}

func factsOfPortal(p domain.Portal) portalFacts {
	return portalFacts{
		Name:               p.Name,
		Slug:               p.Slug,
		Description:        p.Description,
		QuerySHA256:        fmt.Sprintf("%x", sha256.Sum256([]byte(p.Query))),
		AllowedIPAddresses: p.AllowedIPAddresses,
	}
}

func portalSubject(p domain.Portal) domain.AuditSubject {
	return domain.Subject(domain.PortalSubject, p.ID, p.Name)
}

type portalTokenFacts struct {
	PortalID    domain.PortalID        `json:"portal_id"`
	SecretID    *domain.PortalSecretID `json:"secret_id,omitzero"`
	Description string                 `json:"description"`
	ExpiresAt   string                 `json:"expires_at,omitzero"`
}

func factsOfPortalToken(t domain.PortalToken) portalTokenFacts {
	facts := portalTokenFacts{PortalID: t.PortalID, SecretID: t.SecretID, Description: t.Description}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

func portalTokenSubject(t domain.PortalToken) domain.AuditSubject {
	return domain.Subject(domain.PortalTokenSubject, t.ID, t.Description)
}

// portalSecretFacts are of a secret; the subject of its events is the portal.
type portalSecretFacts struct {
	SecretID    domain.PortalSecretID `json:"secret_id"`
	Description string                `json:"description"`
}

func factsOfPortalSecret(s domain.PortalSecret) portalSecretFacts {
	return portalSecretFacts{SecretID: s.ID, Description: s.Description}
}
