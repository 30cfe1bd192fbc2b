package agentapi

import (
	"net/http"

	"penstock/internal/domain"
)

func (a *API) secretEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "jobs/{id}/secrets", handle: readSecret},
		{method: http.MethodPost, path: "jobs/{id}/oidc/tokens", handle: identifyJob},
	}
}

func readSecret(c *call) (any, error) {
	secret, err := c.api.Builds.ReadSecret(c.Context(), c.actor(), c.id("id"), c.R.URL.Query().Get("key"))
	if err != nil {
		return nil, err
	}
	c.Header.Set("Cache-Control", "no-store")
	return map[string]string{"key": secret.Key, "value": secret.Value.Reveal(), "uuid": string(secret.ID)}, nil
}

func identifyJob(c *call) (any, error) {
	var in struct {
		Audience       string   `json:"audience"`
		Lifetime       int64    `json:"lifetime"`
		Claims         []string `json:"claims"`
		AWSSessionTags []string `json:"aws_session_tags"`
		SubjectClaim   string   `json:"subject_claim"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	token, err := c.api.Builds.IdentifyJob(c.Context(), c.actor(), c.id("id"), domain.IdentityInput{Audience: in.Audience,
		Lifetime: in.Lifetime, Claims: in.Claims,
		AWSSessionTags: in.AWSSessionTags, SubjectClaim: in.SubjectClaim})
	if err != nil {
		return nil, err
	}
	c.Header.Set("Cache-Control", "no-store")
	return map[string]string{"token": token.Reveal()}, nil
}
