package main

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/blob"
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

func TestServersWithoutAKeyAreToldToHaveOne(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		const warning = "there is no key that secrets are encrypted with"
		p := start(t, nil, append([]string{"serve"}, database...)...)
		if told := strings.Contains(p.stderr.String(), warning); told != (database[0] == "--database") {
			t.Errorf("logged %s", p.stderr)
		}
	})
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

// putLog stores a log where a server keeps them.
func putLog(t *testing.T, store blob.Store, key, content string) {
	t.Helper()
	if _, err := store.Put(t.Context(), key, strings.NewReader(content), int64(len(content))); err != nil {
		t.Fatal(err)
	}
}

func wantLog(t *testing.T, store blob.Store, key, want string) {
	t.Helper()
	content, err := store.Get(t.Context(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || string(all) != want {
		t.Errorf("%s is %q, %v; want %q", key, all, err, want)
	}
}

func openDirectory(t *testing.T, root string) blob.Store {
	t.Helper()
	d, err := blob.OpenDirectory(root)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBackupWithBlobs moves logs and artifacts from a directory into a bucket, and back through a pipe.
func TestBackupWithBlobs(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "data")
	p := start(t, nil, "serve", "--data", source)
	large := strings.Repeat("a line of a log\n", 200_000)
	logs := openDirectory(t, filepath.Join(source, "blobs"))
	putLog(t, logs, "logs/acme/1", "hello\n")
	putLog(t, logs, "artifacts/acme/2", large)

	file := filepath.Join(t.TempDir(), "copy")
	if said := output(t, "backup", file, "--data", source); !strings.Contains(said, "without logs and artifacts") {
		t.Errorf("backup said %q", said)
	}
	if said := output(t, "backup", file, "--force", "--with-blobs", "--data", source); !strings.Contains(said, "with 2 logs and artifacts of 3200006 bytes") {
		t.Errorf("backup said %q", said)
	}
	p.stop()

	server := s3server.Start(t)
	server.MakeBucket(t, "blobs")
	bucket := filepath.Join(t.TempDir(), "data")
	r := run(t, penstock(t, bucketKeys, append([]string{"restore", file, "--data", bucket}, bucketFlags(server, "blobs")...)...))
	if r.code != 0 || !strings.Contains(r.stdout, "with 2 logs and artifacts") {
		t.Fatalf("restore: %v", r)
	}
	if keys := server.Keys(t, "blobs"); len(keys) != 2 {
		t.Errorf("the bucket has %v", keys)
	}
	r = run(t, penstock(t, bucketKeys, append([]string{"backup", "-", "--with-blobs", "--data", bucket}, bucketFlags(server, "blobs")...)...))
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("backup: %v", r)
	}
	target := filepath.Join(t.TempDir(), "data")
	restore := penstock(t, nil, "restore", "-", "--data", target)
	restore.Stdin = strings.NewReader(r.stdout)
	if r := run(t, restore); r.code != 0 {
		t.Fatalf("restore: %v", r)
	}
	logs = openDirectory(t, filepath.Join(target, "blobs"))
	wantLog(t, logs, "logs/acme/1", "hello\n")
	wantLog(t, logs, "artifacts/acme/2", large)
	start(t, nil, "serve", "--data", target)
}

// TestBackupsOfBlobsThatAreNotThere has a wrong setting not taken for a place where nothing is kept.
func TestBackupsOfBlobsThatAreNotThere(t *testing.T) {
	t.Parallel()
	data, server := t.TempDir(), s3server.Start(t)
	output(t, "migrate", "--data", data)
	file := filepath.Join(t.TempDir(), "copy")
	for _, c := range []struct{ flags, wants []string }{
		{nil, []string{"no backup was made", filepath.Join(data, "blobs"), "--blobs"}},
		{[]string{"--blobs", t.TempDir()}, []string{"no backup was made", "no logs and artifacts are kept in"}},
		{bucketFlags(server, "nothing"), []string{"no backup was made", "no bucket nothing"}},
	} {
		refused(t, penstock(t, bucketKeys, append([]string{"backup", file, "--with-blobs", "--data", data}, c.flags...)...), failure, c.wants...)
	}
	refused(t, penstock(t, nil, "backup", file, "--with-blobs", "--data", data, "--blobs", "s3:x"), misuse, "--blobs must be a directory")
	for _, name := range []string{file, filepath.Join(data, "blobs")} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was made: %v", name, err)
		}
	}
}
