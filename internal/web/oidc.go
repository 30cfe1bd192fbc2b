package web

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"penstock/internal/domain"
)

const (
	oidcPath         = "/sign-in/oidc"
	oidcCallbackPath = oidcPath + "/callback"
	oidcTimeout      = 10 * time.Second // for the provider to answer
	oidcPatience     = 10 * time.Minute // for the user to sign in there
)

var oidcRoutes = []route{
	// A link leads here, not a form: the content policy would keep the form from going on to the provider.
	{path: oidcPath, get: beginOIDC, open: true},
	{path: oidcCallbackPath, get: completeOIDC, open: true},
}

// provider is an OpenID Connect provider. What it says of itself is asked for when it is first needed, so that a server
// starts without it.
type provider struct {
	options  OIDC
	callback string
	client   *http.Client
	found    atomic.Pointer[oidc.Provider]
}

func newProvider(o OIDC, callback string) *provider {
	return &provider{options: o, callback: callback, client: &http.Client{Timeout: oidcTimeout}}
}

// discover returns how to send users to the provider, and how to check what it says of them. Until it has answered
// once, each sign-in asks it again, without waiting for others.
func (p *provider) discover(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	found := p.found.Load()
	if found == nil {
		var err error
		if found, err = oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.options.Issuer); err != nil {
			return nil, nil, unavailableProvider(err)
		}
		p.found.Store(found)
	}
	return &oauth2.Config{
		ClientID:     p.options.ClientID,
		ClientSecret: p.options.ClientSecret.Reveal(),
		Endpoint:     found.Endpoint(),
		RedirectURL:  p.callback,
		Scopes:       []string{oidc.ScopeOpenID, "email", "profile"},
	}, found.Verifier(&oidc.Config{ClientID: p.options.ClientID}), nil
}

func unavailableProvider(err error) error {
	return domain.UnavailableError("The sign-in provider isn't responding. Please try again.", time.Second, err)
}

// oidcLink returns the address at which single sign-on begins, or "" if there is none.
func (c *call) oidcLink(returnTo string) string {
	if c.provider == nil {
		return ""
	}
	return c.prefix + oidcPath + "?return_to=" + url.QueryEscape(returnTo)
}

// beginOIDC sends the user to the provider. What the answer must match is stored in a cookie.
func beginOIDC(c *call) (*reply, error) {
	if c.provider == nil {
		return nil, errNoSuchPage
	}
	config, _, err := c.provider.discover(c.ctx())
	if err != nil {
		return nil, err
	}
	begun := oidcSignIn{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(),
		Verifier: oauth2.GenerateVerifier(), ReturnTo: c.returnTo()}
	c.setCookie(oidcCookie, begun.String(), oidcPatience)
	return c.redirect(config.AuthCodeURL(begun.State, oidc.Nonce(begun.Nonce), oauth2.S256ChallengeOption(begun.Verifier)),
		""), nil
}

// completeOIDC checks the provider's answer and signs the user in.
func completeOIDC(c *call) (*reply, error) {
	if c.provider == nil {
		return nil, errNoSuchPage
	}
	begun, ok := parseOIDCSignIn(c.cookie(oidcCookie))
	c.setCookie(oidcCookie, "", 0)
	if !ok || subtle.ConstantTimeCompare([]byte(begun.State), []byte(c.query("state"))) != 1 {
		return nil, domain.NewError(domain.Forbidden, "This sign-in wasn't started in this browser, or it took too long. "+
			"Please try again.")
	}
	if c.query("error") != "" {
		return nil, domain.NewError(domain.Forbidden, "The sign-in provider refused: "+c.query("error"))
	}
	ended, err := c.Service.BeginOIDC(c.ctx(), c.actor())
	if err != nil {
		return nil, err
	}
	claims, err := c.provider.redeem(c.ctx(), begun, c.query("code"))
	var session domain.Secret
	if err == nil {
		session, err = c.Service.SignInWithOIDC(c.ctx(), c.actor(), claims)
	}
	ended(err)
	if err != nil {
		return nil, err
	}
	c.setSession(session)
	return c.redirect(c.prefix+localPath(begun.ReturnTo), ""), nil
}

// redeem exchanges a code for what the provider says of the user, and checks that.
func (p *provider) redeem(ctx context.Context, begun oidcSignIn, code string) (
	claims domain.VerifiedClaims, err error) {
	config, verifier, err := p.discover(ctx)
	if err != nil {
		return claims, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		return claims, refusedByProvider(err)
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := verifier.Verify(ctx, raw)
	if err != nil {
		return claims, refusedByProvider(err)
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(begun.Nonce)) != 1 {
		return claims, refusedByProvider(fmt.Errorf("the nonce is not the one that was sent"))
	}
	var said struct {
		Email           string `json:"email"`
		EmailVerified   bool   `json:"email_verified"`
		AuthorizedParty string `json:"azp"`
		Name            string `json:"name"`
	}
	if err := idToken.Claims(&said); err != nil {
		return claims, refusedByProvider(err)
	}
	// OpenID Connect Core, 3.1.3.7: a token for several says for whom it was made.
	if (said.AuthorizedParty != "" || len(idToken.Audience) > 1) && said.AuthorizedParty != p.options.ClientID {
		return claims, refusedByProvider(fmt.Errorf("the token was made for another client"))
	}
	return domain.VerifiedClaims{Email: said.Email, EmailVerified: said.EmailVerified, Name: said.Name}, nil
}

// refusedByProvider is the refusal of a sign-in that the provider did not vouch for; the cause is logged, not shown.
func refusedByProvider(err error) error {
	return domain.NewError(domain.Forbidden, "The sign-in provider couldn't confirm who you are. Please try again.").
		Because(err)
}

// oidcSignIn is a sign-in at a provider that has begun in a browser.
type oidcSignIn struct{ State, Nonce, Verifier, ReturnTo string }

// String returns the sign-in in the form in which a cookie holds it.
func (o oidcSignIn) String() string {
	return strings.Join([]string{o.State, o.Nonce, o.Verifier, base64.RawURLEncoding.EncodeToString([]byte(o.ReturnTo))},
		".")
}

func parseOIDCSignIn(text string) (o oidcSignIn, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 || parts[0] == "" {
		return o, false
	}
	returnTo, err := base64.RawURLEncoding.DecodeString(parts[3])
	return oidcSignIn{parts[0], parts[1], parts[2], string(returnTo)}, err == nil
}
