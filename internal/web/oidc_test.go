package web_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

const (
	oidcClient = "penstock"
	oidcSecret = "the provider's secret+/=%"
)

// identityProvider is an OpenID Connect provider, as OpenID Connect Core 1.0 and RFC 7636 have it: the outside party of a sign-in. The
// user is signed in there already.
type identityProvider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mutex  sync.Mutex
	codes  map[string]url.Values // what was asked for with each, by code
	claims map[string]any        // of the user; replaces those that are usual
	signer *rsa.PrivateKey       // nil: its own key
	down   bool
	asked  int // how often for a token
}

func newIdentityProvider(t *testing.T) *identityProvider {
	t.Helper()
	p := &identityProvider{t: t, codes: map[string]url.Values{}, key: newKey(t)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		p.answer(w, http.StatusOK, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		b64 := base64.RawURLEncoding
		p.answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one", "n": b64.EncodeToString(p.key.N.Bytes()), "e": b64.EncodeToString(big.NewInt(int64(p.key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (p *identityProvider) answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

// authorize sends the user back with a code.
func (p *identityProvider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("response_type") != "code" || asked.Get("client_id") != oidcClient || !strings.Contains(asked.Get("scope"), "openid") ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("nonce") == "" || asked.Get("state") == "" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mutex.Lock()
	p.codes[code] = asked
	p.mutex.Unlock()
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode(), http.StatusFound)
}

// token gives an ID token for a code, once, to the client that it was made for.
func (p *identityProvider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id) // RFC 6749, section 2.3.1
	secret, _ = url.QueryUnescape(secret)
	if id != oidcClient || secret != oidcSecret {
		p.answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	p.mutex.Lock()
	p.asked++
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mutex.Unlock()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || r.FormValue("redirect_uri") != asked.Get("redirect_uri") || base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		p.answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": oidcClient, "sub": "1", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "nonce": asked.Get("nonce"),
		"email": "member@example.com", "email_verified": true,
	}
	maps.Copy(claims, p.claims)
	p.answer(w, http.StatusOK, map[string]any{"access_token": "unused", "token_type": "Bearer", "id_token": p.sign(claims)})
}

// sign returns a JSON Web Token, signed with RS256.
func (p *identityProvider) sign(claims map[string]any) string {
	b64 := base64.RawURLEncoding
	body, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	text := b64.EncodeToString([]byte(`{"alg":"RS256","kid":"one","typ":"JWT"}`)) + "." + b64.EncodeToString(body)
	key := p.key
	if p.signer != nil {
		key = p.signer
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + b64.EncodeToString(signature)
}

func newOIDCSite(t *testing.T, d *db.DB) (*site, *identityProvider) {
	t.Helper()
	p := newIdentityProvider(t)
	return newSite(t, d, func(o *web.Options) {
		o.OIDC = &web.OIDC{Issuer: p.URL, ClientID: oidcClient, ClientSecret: oidcSecret}
	}), p
}

// signInAt begins a sign-in, has the provider send the user back, and returns the address that it sends them to.
func (b *browser) signInAt(returnTo string) (callback string) {
	b.t.Helper()
	begun := b.get("/sign-in/oidc?return_to="+url.QueryEscape(returnTo)).want(b.t, http.StatusSeeOther)
	resp, err := http.DefaultTransport.RoundTrip(newRequest(b.t, begun.Header.Get("Location")))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.Header.Get("Location")
}

func newRequest(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOIDC(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, p := newOIDCSite(t, d)
		b := s.browser()
		b.get("/sign-in?return_to=/account").want(t, http.StatusOK, `href="/sign-in/oidc?return_to=%2Faccount"`)
		callback := b.signInAt("/organizations/acme-inc")
		if !strings.HasPrefix(callback, s.URL+"/sign-in/oidc/callback?code=") {
			t.Fatalf("the provider sends the user to %s", callback)
		}
		if query, _ := url.Parse(callback); query.Query().Get("state") == "" {
			t.Error("there is no state")
		}
		b.get(callback).wantRedirect(t, "/organizations/acme-inc")
		b.get("/account").want(t, http.StatusOK, "member@example.com")
		s.browser().get(b.signInAt("//evil.example")).want(t, http.StatusForbidden) // in another browser
		b.get(b.signInAt("//evil.example")).wantRedirect(t, "/")
		if strings.Contains(b.get("/account").Body, p.URL) {
			t.Error("a page names the provider")
		}
	})
}

func TestOIDCRefusals(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, p := newOIDCSite(t, d)
		for name, c := range map[string]struct {
			claims map[string]any
			signer *rsa.PrivateKey
			says   string
		}{
			"unknown user":        {map[string]any{"email": "nobody@example.com"}, nil, domain.UnknownOIDCUser},
			"no address":          {map[string]any{"email": ""}, nil, domain.UnknownOIDCUser},
			"unverified":          {map[string]any{"email_verified": false}, nil, domain.UnverifiedEmail},
			"nothing verified":    {map[string]any{"email_verified": nil}, nil, domain.UnverifiedEmail},
			"verified as text":    {map[string]any{"email_verified": "true"}, nil, "couldn't confirm"},
			"another nonce":       {map[string]any{"nonce": "other"}, nil, "couldn't confirm"},
			"another audience":    {map[string]any{"aud": "other"}, nil, "couldn't confirm"},
			"another client's":    {map[string]any{"azp": "other"}, nil, "couldn't confirm"},
			"several audiences":   {map[string]any{"aud": []string{oidcClient, "other"}}, nil, "couldn't confirm"},
			"made for another":    {map[string]any{"aud": []string{oidcClient, "other"}, "azp": "other"}, nil, "couldn't confirm"},
			"another issuer":      {map[string]any{"iss": "https://other.example"}, nil, "couldn't confirm"},
			"expired":             {map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}, nil, "couldn't confirm"},
			"another's signature": {nil, newKey(t), "couldn't confirm"},
		} {
			p.claims, p.signer = c.claims, c.signer
			b := s.browser()
			b.get(b.signInAt("/account")).want(t, http.StatusForbidden, c.says)
			if b.cookie("penstock_session") != "" {
				t.Errorf("%s is signed in", name)
			}
		}
		p.claims, p.signer = nil, nil
		b := s.browser()
		b.get("/sign-in/oidc/callback?code=x&state=y").want(t, http.StatusForbidden, "wasn&#39;t started in this browser")
		callback := b.signInAt("/account")
		b.get(strings.Replace(callback, "state=", "state=x", 1)).want(t, http.StatusForbidden, "wasn&#39;t started in this browser")
		b.get(callback).want(t, http.StatusForbidden, "wasn&#39;t started in this browser") // an attempt is over after its first answer
		callback = b.signInAt("/account")
		b.get(callback).wantRedirect(t, "/account")
		b.get(callback).want(t, http.StatusForbidden)
		callback, _ = strings.CutPrefix(b.signInAt("/account"), s.URL)
		u, _ := url.Parse(callback)
		refused := "/sign-in/oidc/callback?" + url.Values{"state": {u.Query().Get("state")}, "error": {attack}}.Encode()
		b.get(refused).want(t, http.StatusForbidden, "refused").wantHarmless(t, 1)
	})
}

func TestOIDCTokensForSeveralSayForWhomTheyAre(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, p := newOIDCSite(t, d)
		for _, claims := range []map[string]any{{"azp": oidcClient}, {"aud": []string{oidcClient, "other"}, "azp": oidcClient}, {"aud": []string{oidcClient}}} {
			p.claims = claims
			b := s.browser()
			b.get(b.signInAt("/account")).wantRedirect(t, "/account")
		}
	})
}

// TestOIDCCallbacksAreLimited makes up answers of the provider: it is asked about a hundred of them and no more.
func TestOIDCCallbacksAreLimited(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, p := newOIDCSite(t, d)
		for i := range 103 {
			b := s.browser()
			b.setCookie("penstock_oidc", "made-up.nonce.verifier.")
			status := http.StatusForbidden
			if i >= 100 {
				status = http.StatusTooManyRequests
			}
			b.get("/sign-in/oidc/callback?state=made-up&code=x").want(t, status)
		}
		if p.asked != 100 {
			t.Errorf("the provider was asked %d times", p.asked)
		}
		s.Clock.Advance(15 * time.Minute)
		b := s.browser()
		b.get(b.signInAt("/account")).wantRedirect(t, "/account")
	})
}

func TestOIDCWithoutItsProvider(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, p := newOIDCSite(t, d)
		p.down = true
		b := s.browser()
		b.get("/sign-in").want(t, http.StatusOK)
		if a := b.get("/sign-in/oidc").want(t, http.StatusServiceUnavailable); a.Header.Get("Retry-After") == "" {
			t.Error("it does not say when to retry")
		}
		p.down = false
		b.get(b.signInAt("/account")).wantRedirect(t, "/account") // it is asked again
	})
}

// While the provider hangs, a sign-in waits for nobody else's, and for no longer than its browser does.
func TestOIDCSignInsDoNotQueue(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		asked, left := make(chan struct{}, 2), make(chan struct{}, 2)
		provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
			left <- struct{}{}
		}))
		t.Cleanup(provider.Close)
		s := newSite(t, d, func(o *web.Options) {
			o.OIDC = &web.OIDC{Issuer: provider.URL, ClientID: oidcClient, ClientSecret: oidcSecret}
		})
		want := func(happens <-chan struct{}, what string) {
			t.Helper()
			select {
			case <-happens:
			case <-time.After(5 * time.Second): // less than the provider is given
				t.Fatalf("the provider is not %s", what)
			}
		}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		for range 2 {
			r := newRequest(t, s.URL+"/sign-in/oidc").WithContext(ctx)
			go func() {
				if resp, err := http.DefaultTransport.RoundTrip(r); err == nil {
					_ = resp.Body.Close()
				}
			}()
			want(asked, "asked")
		}
		leave()
		want(left, "left alone")
		want(left, "left alone")
	})
}
