package agentapi

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) secretEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inJob + "/secrets", Operation: "readSecret",
			Summary: "Reads a secret of the cluster for a job that runs.", Needs: needsJob,
			Query:  []endpoint.QueryParameter{{Name: "key", Doc: "The secret's key."}},
			Answer: secretAnswer{}, Status: http.StatusOK, Handle: a.readSecret,
		},
		{
			Method: http.MethodPost, Path: inJob + "/oidc/tokens", Operation: "identifyJob",
			Summary: "Makes an OpenID Connect token that says which job this is.", Needs: needsJob,
			Body: identityBody{}, Answer: identityAnswer{}, Status: http.StatusOK, Handle: a.identifyJob,
		},
	}
}

type secretAnswer struct {
	Key   string                 `json:"key" doc:"The secret's key."`
	Value string                 `json:"value" doc:"The secret itself."`
	UUID  domain.ClusterSecretID `json:"uuid" format:"uuid" doc:"The secret's UUID."`
}

func (a *API) readSecret(c *endpoint.Call) (any, error) {
	secret, err := a.Builds.ReadSecret(c.Context(), c.Actor(), c.PathText("id"), c.R.URL.Query().Get("key"))
	if err != nil {
		return nil, err
	}
	c.Header.Set("Cache-Control", "no-store")
	return secretAnswer{Key: secret.Key, Value: secret.Value.Reveal(), UUID: secret.ID}, nil
}

type identityBody struct {
	Audience       string   `json:"audience" doc:"Who the token is for."`
	Lifetime       int64    `json:"lifetime" doc:"For how many seconds it is good."`
	Claims         []string `json:"claims" doc:"Optional claims that it is to have."`
	AWSSessionTags []string `json:"aws_session_tags" doc:"Claims that it is to have as session tags of AWS."`
	SubjectClaim   string   `json:"subject_claim" doc:"The claim that is its subject."`
}

type identityAnswer struct {
	Token string `json:"token" doc:"The token, a JSON web token."`
}

func (a *API) identifyJob(c *endpoint.Call) (any, error) {
	var in identityBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	token, err := a.Builds.IdentifyJob(c.Context(), c.Actor(), c.PathText("id"), domain.IdentityInput{
		Audience: in.Audience, Lifetime: in.Lifetime, Claims: in.Claims, AWSSessionTags: in.AWSSessionTags,
		SubjectClaim: in.SubjectClaim})
	if err != nil {
		return nil, err
	}
	c.Header.Set("Cache-Control", "no-store")
	return identityAnswer{token.Reveal()}, nil
}
