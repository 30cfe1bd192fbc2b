package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/testkit/s3server"
)

const blobsUnready = "Logs and artifacts cannot be stored."

// bucketKeys are the variables that have the keys of a test's S3 server.
var bucketKeys = []string{"AWS_ACCESS_KEY_ID=" + s3server.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + s3server.SecretKey}

// bucketFlags returns the flags that have logs and artifacts kept in a bucket.
func bucketFlags(server *s3server.Server, bucket string) []string {
	return []string{"--blobs", "s3://" + bucket + "/here?region=" + s3server.Region + "&endpoint=" + server.Endpoint}
}

func TestBlobsAreInTheDataDirectoryByDefault(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, nil, "serve", "--data", data)
	p.awaitReadiness(http.StatusOK, "ready")
	info, err := os.Stat(filepath.Join(data, "blobs"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if log := p.stderr.String(); strings.Contains(log, "kept on this machine") {
		t.Errorf("logged %s", log)
	}
}

func TestServersThatShareADatabaseAreToldToShareBlobs(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		p := start(t, nil, append([]string{"serve"}, database...)...)
		if told := strings.Contains(p.stderr.String(), "kept on this machine"); told != (database[0] == "--database") {
			t.Errorf("logged %s", p.stderr)
		}
		p = start(t, []string{"PENSTOCK_BLOBS=" + t.TempDir()}, "serve", "--data", newData(t)[1])
		if strings.Contains(p.stderr.String(), "kept on this machine") {
			t.Errorf("logged %s", p.stderr)
		}
	})
}

// TestServeWithABucket has a server become ready with the store of its logs and artifacts, and go on without it.
func TestServeWithABucket(t *testing.T) {
	t.Parallel()
	store := s3server.Start(t)
	p := start(t, bucketKeys, append([]string{"serve", "--data", filepath.Join(t.TempDir(), "data")}, bucketFlags(store, "blobs")...)...)
	if log := p.stderr.String(); !strings.Contains(log, "logs and artifacts cannot be stored") || !strings.Contains(log, "no bucket blobs") {
		t.Errorf("logged %s", log)
	}
	p.awaitReadiness(http.StatusServiceUnavailable, blobsUnready)
	if status, body := p.get("/v2", ""); status != http.StatusOK {
		t.Errorf("it does not serve: %d %s", status, body)
	}
	store.MakeBucket(t, "blobs")
	p.awaitReadiness(http.StatusOK, "ready")
	store.Stop()
	p.awaitReadiness(http.StatusServiceUnavailable, blobsUnready)
	p.stop()
	if strings.Contains(p.stderr.String(), s3server.SecretKey) {
		t.Errorf("the secret key is logged: %s", p.stderr)
	}
}

func TestBlobsThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blobs       string
		environment []string
		want        string
	}{
		"below a file":   {filepath.Join(write(t, "file", ""), "x"), nil, "name another, or a bucket, with --blobs"},
		"without keys":   {"s3://bucket?region=eu-central-1", nil, "give them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		"without secret": {"s3://bucket?region=eu-central-1", bucketKeys[:1], "give them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, penstock(t, c.environment, "serve", "--log-level", "error", "--listen", "127.0.0.1:0", "--blobs", c.blobs), failure, c.want)
		})
	}
}
