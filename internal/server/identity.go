package server

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"

	"penstock/internal/authz"
	"penstock/internal/httpcall"
	"penstock/internal/service/builds"
)

// Where clouds find out how the identity of a job is checked.
const (
	discoveryPath = "/.well-known/openid-configuration"
	keysPath      = "/.well-known/jwks"
)

// identityKeysAge is how long clouds may keep what they have read, in seconds: far less than a key is published before
// it signs.
const identityKeysAge = "3600"

// identities describes how the identity of jobs is checked.
type identities struct {
	builds  *builds.Service
	baseURL string
	calls   httpcall.Settings
}

// ServeHTTP answers with the description of this issuer, or with its public keys.
func (i *identities) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, answer := r.URL.Path, i.describe
	switch r.URL.Path {
	case discoveryPath:
	case keysPath:
		answer = i.showKeys
	default:
		route = unknownRoute
	}
	c := i.calls.NewCall(route, w, r)
	defer c.Finish(func() { c.WriteJSON(http.StatusInternalServerError, []byte(errorBody(httpcall.InternalMessage))) })
	switch {
	case route == unknownRoute:
		c.WriteJSON(http.StatusNotFound, []byte(errorBody("Not found")))
		return
	case !isRead(r):
		c.Header.Set("Allow", "GET, HEAD")
		c.WriteJSON(http.StatusMethodNotAllowed, []byte(errorBody("Method not allowed. Allowed here: GET, HEAD")))
		return
	}
	shown, err := answer(r)
	var body []byte
	if err == nil {
		body, err = json.Marshal(shown)
	}
	if err != nil {
		status, message := c.Explain(err)
		c.WriteJSON(status, []byte(errorBody(message)))
		return
	}
	c.Header.Set("Access-Control-Allow-Origin", "*")
	c.Header.Set("Cache-Control", "public, max-age="+identityKeysAge)
	c.WriteJSON(http.StatusOK, body)
}

func (i *identities) describe(*http.Request) (any, error) {
	return map[string]any{
		"issuer":                                i.baseURL,
		"jwks_uri":                              i.baseURL + keysPath,
		"scopes_supported":                      []string{"openid"},
		"response_types_supported":              []string{"id_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"claims_supported": []string{"sub", "aud", "exp", "iat", "iss", "nbf", "jti", "organization_id", "organization_slug",
			"pipeline_id", "pipeline_slug",
			"build_number", "build_id", "build_branch", "build_tag", "build_commit", "build_source", "step_key", "job_id",
			"agent_id", "cluster_id", "cluster_name",
			"queue_id", "queue_key", "runner_environment"},
	}, nil
}

// jsonWebKey is a public key.
type jsonWebKey struct {
	Type      string `json:"kty"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	ID        string `json:"kid"`
	Modulus   string `json:"n"`
	Exponent  string `json:"e"`
}

func (i *identities) showKeys(r *http.Request) (any, error) {
	keys, err := i.builds.IdentityKeys(r.Context(), authz.Actor{})
	shown := []jsonWebKey{}
	for _, k := range keys {
		shown = append(shown, jsonWebKey{Type: "RSA", Use: "sig", Algorithm: "RS256", ID: k.ID,
			Modulus:  base64.RawURLEncoding.EncodeToString(k.Modulus.Bytes()),
			Exponent: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(k.Exponent)).Bytes())})
	}
	return map[string]any{"keys": shown}, err
}
