// Package outbound makes the HTTP client for addresses that members of organizations name: it never reaches what is
// inside, unless the operator allows it. It imports nothing of ours.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Options configures a client.
type Options struct {
	Allow  []netip.Prefix                        // addresses inside that may be reached
	CAFile string                                // PEM certificates that are trusted besides the system's; "": none
	Proxy  func(*http.Request) (*url.URL, error) // the operator's; nil: none
	// Resolver looks up names; nil: the system's.
	Resolver *net.Resolver
}

// Limits of requests.
const (
	dialTimeout    = 5 * time.Second
	idleTimeout    = 30 * time.Second
	maxIdlePerHost = 4
	maxHeader      = 64 << 10
)

// ErrInside means that an address is inside, and that the operator does not allow it.
var ErrInside = errors.New("this address is inside the network of the server; the operator allows such addresses " +
	"with --outbound-allow")

// ErrRedirect means that the other side answered with a redirect, which is not followed.
var ErrRedirect = errors.New("the other side answered with a redirect, which is not followed; use the address that " +
	"it redirects to")

// ReadCAFile returns the system's certificates with those of a file.
func ReadCAFile(name string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no PEM certificate", name)
	}
	return pool, nil
}

// New returns a client that follows no redirects and looks at every address when it connects to it, after names were
// resolved.
func New(o Options) (*http.Client, error) {
	g := guard{allow: o.Allow, resolver: o.Resolver}
	transport := &http.Transport{
		DialContext:            g.dial,
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if o.CAFile != "" {
		pool, err := ReadCAFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return ErrRedirect
	}}
	if o.Proxy != nil {
		transport.Proxy = g.chooseProxy(o.Proxy)
		client.Transport = proxied{transport, o.Proxy}
	}
	return client, nil
}

// guard refuses addresses inside.
type guard struct {
	allow    []netip.Prefix
	resolver *net.Resolver
}

type proxiedKey struct{}

// dial connects to an address from outside, or to the operator's proxy.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver}
	if proxy, _ := ctx.Value(proxiedKey{}).(string); proxy == "" || proxy != address {
		dialer.Control = func(_, resolved string, _ syscall.RawConn) error { return g.check(resolved) }
	}
	return dialer.DialContext(ctx, network, address)
}

// check returns ErrInside for an address, with its port, that may not be reached.
func (g guard) check(resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return err
	}
	return g.checkAddr(at.Addr())
}

func (g guard) checkAddr(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	if slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(addr) }) || !isInside(addr) {
		return nil
	}
	return ErrInside
}

// chooseProxy asks which proxy a request goes through. The proxy resolves names itself, so they are looked at before.
func (g guard) chooseProxy(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := choose(r)
		if err != nil || proxy == nil {
			return proxy, err
		}
		host := r.URL.Hostname()
		if addr, err := netip.ParseAddr(host); err == nil {
			return proxy, g.checkAddr(addr)
		}
		resolver := g.resolver
		if resolver == nil {
			resolver = net.DefaultResolver
		}
		found, err := resolver.LookupNetIP(r.Context(), "ip", host)
		if err != nil {
			return proxy, nil //nolint:nilerr // only the proxy may know the name
		}
		for _, addr := range found {
			if err := g.checkAddr(addr); err != nil {
				return nil, err
			}
		}
		return proxy, nil
	}
}

// proxied is how dial knows which address the operator's proxy has: it may be inside.
type proxied struct {
	*http.Transport
	choose func(*http.Request) (*url.URL, error)
}

func (t proxied) RoundTrip(r *http.Request) (*http.Response, error) {
	proxy, err := t.choose(r)
	if err != nil || proxy == nil {
		return t.Transport.RoundTrip(r)
	}
	port := proxy.Port()
	if port == "" {
		port = cmp.Or(map[string]string{"https": "443", "socks5": "1080"}[strings.ToLower(proxy.Scheme)], "80")
	}
	return t.Transport.RoundTrip(r.WithContext(context.WithValue(r.Context(), proxiedKey{},
		net.JoinHostPort(proxy.Hostname(), port))))
}

// inside are the ranges that no public host has, besides those that package netip knows.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carriers' own; some clouds' metadata
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), // lead to IPv4 addresses
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("fec0::/10"),
}

func isInside(addr netip.Addr) bool {
	return !addr.IsValid() || addr.IsUnspecified() || addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() ||
		addr.IsMulticast() ||
		slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(addr) })
}
