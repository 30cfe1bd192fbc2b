package outbound_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"encoding/pem"

	"golang.org/x/net/dns/dnsmessage"

	"penstock/internal/outbound"
)

func newClient(t *testing.T, o outbound.Options) *http.Client {
	t.Helper()
	client, err := outbound.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func TestAddressesInsideAreRefused(t *testing.T) {
	t.Parallel()
	client := newClient(t, outbound.Options{})
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "0.0.0.0", "255.255.255.255", "198.18.0.1",
		"[::1]", "[::]", "[fe80::1]", "[fd00:ec2::254]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[ff02::1]", "localhost",
	} {
		if _, err := get(t, client, "http://"+host+":1/"); !errors.Is(err, outbound.ErrInside) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestAddressesInsideAreReachedIfAllowed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(server.Close)
	if _, err := get(t, newClient(t, outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}), server.URL); !errors.Is(err, outbound.ErrInside) {
		t.Error(err)
	}
	if body, err := get(t, newClient(t, outbound.Options{Allow: loopback}), server.URL); err != nil || body != "hello" {
		t.Error(body, err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	if _, err := get(t, newClient(t, outbound.Options{Allow: loopback}), server.URL); !errors.Is(err, outbound.ErrRedirect) || asked.Load() != 1 {
		t.Error(asked.Load(), err)
	}
}

// TestNamesAreLookedAtWhenTheyAreResolved has a name that leads outside at first and inside at the second look.
func TestNamesAreLookedAtWhenTheyAreResolved(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	var looked atomic.Int64
	names := newNameServer(t, func() netip.Addr {
		if looked.Add(1) == 1 {
			return netip.MustParseAddr("203.0.113.7") // an address of documentation, which nobody answers at
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", names)
	}}
	if found, err := resolver.LookupNetIP(t.Context(), "ip4", "forge.example.com."); err != nil || found[0].Unmap().String() != "203.0.113.7" {
		t.Fatal(found, err)
	}
	if _, err := get(t, newClient(t, outbound.Options{Resolver: resolver}), "http://forge.example.com.:"+port+"/"); !errors.Is(err, outbound.ErrInside) {
		t.Error(err)
	}
}

// newNameServer answers every question for an IPv4 address.
func newNameServer(t *testing.T, answer func() netip.Addr) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: answer().As4()}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

func TestTheProxyMayBeInside(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "by proxy: "+r.URL.String()) }))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := newClient(t, outbound.Options{Proxy: func(*http.Request) (*url.URL, error) { return address, nil }})
	if body, err := get(t, client, "http://forge.invalid/x"); err != nil || body != "by proxy: http://forge.invalid/x" {
		t.Error(body, err)
	}
	for _, target := range []string{"http://127.0.0.1:1/", "http://169.254.169.254/latest", "http://localhost:1/", proxy.URL} {
		if _, err := get(t, client, target); !errors.Is(err, outbound.ErrInside) {
			t.Error(target, err)
		}
	}
}

func TestPrivateCertificatesAreTrusted(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, newClient(t, outbound.Options{Allow: loopback}), server.URL); err == nil {
		t.Error("an unknown certificate is trusted")
	}
	if body, err := get(t, newClient(t, outbound.Options{Allow: loopback, CAFile: file}), server.URL); err != nil || body != "hello" {
		t.Error(body, err)
	}
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := outbound.New(outbound.Options{CAFile: file}); err == nil {
		t.Error("a file without certificates is taken")
	}
}
