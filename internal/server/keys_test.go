package server_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/config"
	"penstock/internal/seal"
	"penstock/internal/server"
	"penstock/internal/testkit"
)

const secretsBootstrap = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{name: Runners, id: 0190a000-0000-7000-8000-000000000021}]
tokens:
  - {user: admin@example.com, token: ` + testToken + `, description: Tests, organizations: [acme-inc], scopes: [read_secrets_details, write_secrets]}
`

const secretsPath = clusters + "/0190a000-0000-7000-8000-000000000021/secrets"

// startWithSecrets starts a server that has a cluster to keep secrets in.
func startWithSecrets(t *testing.T, engine string, adjust func(*config.Config)) *instance {
	t.Helper()
	return start(t, engine, func(cfg *config.Config) {
		if err := os.WriteFile(cfg.Bootstrap, []byte(secretsBootstrap), 0o600); err != nil {
			t.Fatal(err)
		}
		if adjust != nil {
			adjust(cfg)
		}
	})
}

// makeSecret sends a request for a secret, and returns the status and the body of the answer.
func (s *instance) makeSecret(key string) (int, string) {
	s.t.Helper()
	a := testkit.Send(s.t, http.MethodPost, s.url+secretsPath, `{"key": "`+key+`", "value": "hunter2"}`,
		"Authorization", "Bearer "+testToken, "Content-Type", "application/json")
	return a.Status, string(a.Body)
}

// wantRefusal starts a server that must end with a message, which names no key.
func wantRefusal(t *testing.T, cfg config.Config, want ...string) {
	t.Helper()
	err := server.Run(t.Context(), server.Options{Config: cfg, Version: "test", Stdout: io.Discard, Stderr: io.Discard,
		Ready: func(string) { t.Error("it is ready") }})
	for _, text := range want {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the server ended with %v, want %s", err, text)
		}
	}
}

func writeKeys(t *testing.T, keys ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(name, []byte(strings.Join(keys, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAKeyIsMadeForSQLiteAndMustStay(t *testing.T) {
	t.Parallel()
	s := startWithSecrets(t, "sqlite", nil)
	if status, body := s.makeSecret("A"); status != http.StatusCreated {
		t.Fatal(status, body)
	}
	s.stop()
	name := filepath.Join(s.cfg.Data, "penstock.key")
	key, err := os.ReadFile(name)
	if info, statErr := os.Stat(name); err != nil || statErr != nil || info.Mode() != 0o600 || strings.Contains(s.log.String(), strings.TrimSpace(string(key))) {
		t.Errorf("the key's file: %v, %v, %v", info, err, statErr)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, s.cfg, "penstock.key, which has the key, is missing; put it back")
	if err := os.WriteFile(name, []byte(seal.Generate()), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, s.cfg, "which is not among those that are given")
	if err := os.WriteFile(name, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, s.cfg, "cannot be used: key 1 is not 32 bytes in base64")
}

func TestOnPostgreSQLAKeyMustBeGiven(t *testing.T) {
	t.Parallel()
	s := startWithSecrets(t, "postgres", nil)
	if status, body := s.makeSecret("A"); status != http.StatusUnprocessableEntity || !strings.Contains(body, "--encryption-key-file") {
		t.Error(status, body)
	}
	s.stop()
	if entries, err := filepath.Glob(filepath.Join(s.cfg.Data, "*.key")); err != nil || len(entries) > 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
	s.cfg.EncryptionKeyFile = filepath.Join(t.TempDir(), "missing")
	wantRefusal(t, s.cfg, "check --encryption-key-file")
}

func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			first, second := seal.Generate(), seal.Generate()
			s := startWithSecrets(t, engine, func(cfg *config.Config) { cfg.EncryptionKeyFile = writeKeys(t, first) })
			for _, key := range []string{"A", "B", "C"} {
				if status, body := s.makeSecret(key); status != http.StatusCreated {
					t.Fatal(status, body)
				}
			}
			s.stop()
			cfg := s.cfg
			cfg.EncryptionKeyFile = writeKeys(t, second)
			wantRefusal(t, cfg, "which is not among those that are given")
			if _, err := server.Reencrypt(t.Context(), cfg, false); err == nil || !strings.Contains(err.Error(), "--delete-unreadable") {
				t.Errorf("with the new key alone: %v", err)
			}
			cfg.EncryptionKeyFile = writeKeys(t, second, first)
			// A server may also have made a key for the identity of jobs by then.
			if done, err := server.Reencrypt(t.Context(), cfg, false); err != nil || done.Texts < 3 || done.Deleted != 0 {
				t.Errorf("encrypted %+v, %v", done, err)
			}
			if done, err := server.Reencrypt(t.Context(), cfg, false); err != nil || done.Texts != 0 || done.Deleted != 0 {
				t.Errorf("encrypted again %+v, %v", done, err)
			}
			cfg.EncryptionKeyFile = writeKeys(t, first)
			wantRefusal(t, cfg, "which is not among those that are given")
			cfg.EncryptionKeyFile = writeKeys(t, second)
			s = startAgain(t, cfg)
			s.stop()
			cfg.EncryptionKeyFile = writeKeys(t, seal.Generate())
			if done, err := server.Reencrypt(t.Context(), cfg, true); err != nil || done.Texts != 0 || done.Deleted < 3 {
				t.Errorf("deleted %+v, %v", done, err)
			}
			startAgain(t, cfg).stop()
		})
	}
}

// startAgain starts a server on a database that there is.
func startAgain(t *testing.T, cfg config.Config) *instance {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &instance{t: t, cfg: cfg, log: &transcript{}, cancel: cancel, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	go func() {
		s.ended <- server.Run(ctx, server.Options{Config: cfg, Version: "test", Stdout: io.Discard, Stderr: s.log, Ready: func(url string) { ready <- url }})
	}()
	select {
	case s.url = <-ready:
	case err := <-s.ended:
		t.Fatalf("the server ended: %v", err)
	}
	return s
}
