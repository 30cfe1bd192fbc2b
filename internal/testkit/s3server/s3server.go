// Package s3server runs a real S3-compatible server in tests. Only tests import it.
package s3server

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"penstock/internal/testkit/checkout"
	"penstock/internal/testkit/used"
)

// What the server needs to know, and where it says that it listens.
const (
	AccessKeyID = "penstock-test"
	SecretKey   = "the-secret-key-of-the-s3-server"
	Region      = "eu-central-1"
)

// Server is a running server that keeps its objects in a temporary directory.
type Server struct {
	Endpoint string         // its URL
	Roots    *x509.CertPool // who vouches for it, if it encrypts
	dir      string
	address  string
	cmd      *exec.Cmd
	output   bytes.Buffer
	ended    chan struct{}
}

// startTimeout is how long a server may take to answer.
const startTimeout = 30 * time.Second

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	return run(t, &Server{dir: t.TempDir()})
}

// StartTLS starts a server that encrypts.
func StartTLS(t testing.TB) *Server {
	t.Helper()
	secure := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	secure.Close()
	key, err := x509.MarshalPKCS8PrivateKey(secure.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: t.TempDir(), Roots: x509.NewCertPool()}
	s.Roots.AddCert(secure.Certificate())
	for name, block := range map[string]*pem.Block{
		certificateFile: {Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}, keyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, s)
}

const (
	certificateFile = "certificate.pem"
	keyFile         = "key.pem"
)

func run(t testing.TB, s *Server) *Server {
	t.Helper()
	for _, folder := range []string{"objects", "metadata"} {
		if err := os.Mkdir(filepath.Join(s.dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.Restart(t)
	t.Cleanup(s.Stop)
	used.Record(t, "s3")
	return s
}

// Restart starts the server again after Stop, at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	// Another may take a port that was free a moment ago.
	for range 5 {
		if err = s.start(t, program); err == nil {
			return
		}
	}
	t.Fatalf("the S3 server does not start: %v\n%s", err, s.output.String())
}

// build builds the server, and returns the name of its binary, which Go keeps in its cache.
var build = sync.OnceValues(func() (string, error) {
	module, err := checkout.Path("tools", "s3server")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "tool", "-n", "versitygw")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
})

func (s *Server) start(t testing.TB, program string) error {
	t.Helper()
	address := s.address
	if address == "" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address = listener.Addr().String()
		_ = listener.Close()
	}
	s.output.Reset()
	arguments := []string{"--port", address, "--region", Region, "--quiet", "--keep-alive"}
	scheme := "http"
	if s.Roots != nil {
		arguments = append(arguments, "--cert", filepath.Join(s.dir, certificateFile), "--key", filepath.Join(s.dir, keyFile))
		scheme = "https"
	}
	arguments = append(arguments, "posix", "--sidecar", filepath.Join(s.dir, "metadata"), filepath.Join(s.dir, "objects"))
	s.cmd = exec.Command(program, arguments...)
	s.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+AccessKeyID, "ROOT_SECRET_ACCESS_KEY="+SecretKey)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", address); err == nil {
			_ = conn.Close()
			s.address, s.Endpoint = address, scheme+"://"+address
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("it ended")
		case <-ctx.Done():
			s.Stop()
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop kills the server. What it keeps stays until the test ends.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// PutObject puts an object into a bucket, under any key.
func (s *Server) PutObject(t testing.TB, bucket, key, content string) {
	t.Helper()
	_, err := s.client(t).PutObject(t.Context(), bucket, key, strings.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		t.Fatal(err)
	}
}

// Keys returns the keys of all objects of a bucket.
func (s *Server) Keys(t testing.TB, bucket string) (keys []string) {
	t.Helper()
	for o := range s.client(t).ListObjectsIter(t.Context(), bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		keys = append(keys, o.Key)
	}
	return keys
}

// MakeBucket makes a bucket.
func (s *Server) MakeBucket(t testing.TB, name string) {
	t.Helper()
	if err := s.client(t).MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) client(t testing.TB) *minio.Client {
	t.Helper()
	o := &minio.Options{Creds: credentials.NewStaticV4(AccessKeyID, SecretKey, ""), Region: Region, Secure: s.Roots != nil}
	if s.Roots != nil {
		o.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.Roots}}
	}
	client, err := minio.New(s.address, o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
