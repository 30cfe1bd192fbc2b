// Package forge runs a real Gitea, the host of repositories that tests connect to. Only tests import it.
package forge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"penstock/internal/testkit/used"
)

// version is the one that scripts/forge builds.
const version = "v1.24.6"

const (
	startTimeout = 2 * time.Minute
	password     = "a-password-of-tests"
	nobody       = 65534 // Gitea refuses to run as root
)

// Forge is a running Gitea with one user, who has a token.
type Forge struct {
	t     testing.TB
	URL   string
	User  string
	Token string
	dir   string
}

// Home returns the folder that scripts/forge has built in.
func Home() string {
	cache := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(os.Getenv("HOME"), ".cache"))
	if os.Getuid() == 0 {
		cache = "/var/cache"
	}
	return filepath.Join(cache, "penstock", "forge", version)
}

// IsBuilt reports whether there is a Gitea: make forge builds one.
func IsBuilt() bool {
	_, err := os.Stat(filepath.Join(Home(), "gitea"))
	return err == nil
}

// Start starts a Gitea with a user ada, which ends with the test. The test is skipped if there is none to start.
func Start(t testing.TB) *Forge {
	t.Helper()
	if !IsBuilt() {
		t.Skip("there is no Gitea; make forge builds one")
	}
	used.Record(t, "forge")
	f := &Forge{t: t, User: "ada"}
	f.makeFolder()
	port := freePort(t)
	f.URL = "http://127.0.0.1:" + strconv.Itoa(port)
	f.write("custom/conf/app.ini", fmt.Sprintf(settings, f.dir, Home(), port, port, f.dir, f.dir))
	f.run("migrate")
	f.run("admin", "user", "create", "--username", f.User, "--password", password, "--email", "ada@example.com", "--admin",
		"--must-change-password=false")
	f.serve()
	var made struct {
		Token string `json:"sha1"`
	}
	f.call(http.MethodPost, "/users/"+f.User+"/tokens", map[string]any{"name": "tests", "scopes": []string{"all"}},
		http.StatusCreated, &made)
	f.Token = made.Token
	return f
}

// settings are Gitea's: nothing leaves the machine, and it delivers to this machine.
const settings = `
RUN_MODE = prod
WORK_PATH = %s
[server]
STATIC_ROOT_PATH = %s/src
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %d
ROOT_URL = http://127.0.0.1:%d/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %s/gitea.db
[repository]
ROOT = %s/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = of-tests
INTERNAL_TOKEN = eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYmYiOjE3MDAwMDAwMDB9.Zb4gQJ3aXJ9qTkN1v9bT1f8yX8bq5yVv3rJ1K6f1s0E
[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 30
[log]
MODE = console
LEVEL = Warn
[actions]
ENABLED = false
[indexer]
REPO_INDEXER_ENABLED = false
[cron]
ENABLED = false
[mailer]
ENABLED = false
`

// makeFolder makes a folder that Gitea's user owns. A test's own folder lies where only root may look.
func (f *Forge) makeFolder() {
	f.t.Helper()
	dir, err := os.MkdirTemp("", "penstock-forge-")
	f.must(err)
	f.dir = dir
	f.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	f.own(dir)
}

// own makes a file Gitea's user's.
func (f *Forge) own(path string) {
	f.t.Helper()
	if os.Getuid() == 0 {
		f.must(os.Chown(path, nobody, nobody))
	}
}

func (f *Forge) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	f.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f.must(os.WriteFile(path, []byte(text), 0o600))
	f.must(filepath.WalkDir(f.dir, func(path string, _ fs.DirEntry, err error) error {
		f.own(path)
		return err
	}))
}

func (f *Forge) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// command returns Gitea with arguments, as a user other than root.
func (f *Forge) command(args ...string) *exec.Cmd {
	program := filepath.Join(Home(), "gitea")
	command := exec.Command(program, append([]string{"--config", filepath.Join(f.dir, "custom/conf/app.ini"),
		"--work-path", f.dir}, args...)...)
	command.Dir = f.dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir, "USER=nobody", "GITEA_WORK_DIR=" + f.dir}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return command
}

func (f *Forge) run(args ...string) {
	f.t.Helper()
	if out, err := f.command(args...).CombinedOutput(); err != nil {
		f.t.Fatalf("gitea %s: %v\n%s", args[0], err, out)
	}
}

// serve starts the server and waits until it answers.
func (f *Forge) serve() {
	f.t.Helper()
	var output bytes.Buffer
	command := f.command("web")
	command.Stdout, command.Stderr = &output, &output
	f.must(command.Start())
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	f.t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = command.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(startTimeout); ; <-time.After(100 * time.Millisecond) {
		answer, err := http.Get(f.URL + "/api/v1/version")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			f.t.Fatalf("gitea ended: %s", output.String())
		default:
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("gitea does not answer: %v", err)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// call sends a request to the API as the user, and decodes the answer.
func (f *Forge) call(method, path string, body any, want int, answer any) {
	f.t.Helper()
	if err := f.ask(method, path, body, want, answer); err != nil {
		f.t.Fatal(err)
	}
}

func (f *Forge) ask(method, path string, body any, want int, answer any) error {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, f.URL+"/api/v1"+path, sent)
	if err != nil {
		return err
	}
	request.SetBasicAuth(f.User, password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != want {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// CreateRepository makes an empty repository of the user, and returns its address over HTTP.
func (f *Forge) CreateRepository(name string) (address string) {
	f.t.Helper()
	var made struct {
		CloneURL string `json:"clone_url"`
	}
	f.call(http.MethodPost, "/user/repos", map[string]any{"name": name, "default_branch": "main"}, http.StatusCreated,
		&made)
	return made.CloneURL
}

// CreatePullRequest opens a pull request in a repository of the user, and returns its number.
func (f *Forge) CreatePullRequest(repository, head, base, title string) int64 {
	f.t.Helper()
	var made struct {
		Number int64 `json:"number"`
	}
	f.call(http.MethodPost, "/repos/"+f.User+"/"+repository+"/pulls", map[string]any{"head": head, "base": base,
		"title": title}, http.StatusCreated, &made)
	return made.Number
}

// CreateUser makes another user, and returns the forge as they see it.
func (f *Forge) CreateUser(name string) *Forge {
	f.t.Helper()
	f.call(http.MethodPost, "/admin/users", map[string]any{"username": name, "email": name + "@example.com",
		"password": password, "must_change_password": false}, http.StatusCreated, nil)
	other := &Forge{t: f.t, URL: f.URL, User: name, dir: f.dir}
	var made struct {
		Token string `json:"sha1"`
	}
	other.call(http.MethodPost, "/users/"+name+"/tokens", map[string]any{"name": "tests", "scopes": []string{"all"}},
		http.StatusCreated, &made)
	other.Token = made.Token
	return other
}

// Fork makes a fork of a repository of another user, and returns its address over HTTP.
func (f *Forge) Fork(owner, repository string) (address string) {
	f.t.Helper()
	var made struct {
		CloneURL string `json:"clone_url"`
	}
	f.call(http.MethodPost, "/repos/"+owner+"/"+repository+"/forks", map[string]any{}, http.StatusAccepted, &made)
	return made.CloneURL
}

// OfferFork opens a pull request from a branch of the user's fork to main of the repository that it is a fork of.
func (f *Forge) OfferFork(owner, repository, branch string) {
	f.t.Helper()
	f.call(http.MethodPost, "/repos/"+owner+"/"+repository+"/pulls", map[string]any{"head": f.User + ":" + branch,
		"base": "main", "title": "From a fork"}, http.StatusCreated, nil)
}

// Status is what a commit shows.
type Status struct {
	State       string `json:"status"`
	Context     string `json:"context"`
	TargetURL   string `json:"target_url"`
	Description string `json:"description"`
}

// Statuses returns what a commit shows now, of each context the last.
func (f *Forge) Statuses(repository, commit string) []Status {
	f.t.Helper()
	var found struct {
		Statuses []Status `json:"statuses"`
	}
	f.call(http.MethodGet, "/repos/"+f.User+"/"+repository+"/commits/"+commit+"/status", nil, http.StatusOK, &found)
	return found.Statuses
}

// Clone is a work tree of a repository.
type Clone struct {
	t   testing.TB
	dir string
}

// Clone makes a work tree of a repository of the user.
func (f *Forge) Clone(address string) *Clone {
	f.t.Helper()
	c := &Clone{t: f.t, dir: f.t.TempDir()}
	address = strings.Replace(address, "://", "://"+f.User+":"+f.Token+"@", 1)
	c.Git("init", "--quiet", "--initial-branch=main")
	c.Git("remote", "add", "origin", address)
	return c
}

// Git runs git in the work tree, and returns what it prints.
func (c *Clone) Git(args ...string) string {
	c.t.Helper()
	command := exec.Command("git", args...)
	command.Dir = c.dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=ada@example.com"}
	out, err := command.CombinedOutput()
	if err != nil {
		c.t.Fatal(errors.New(strings.Join(args, " ") + ": " + err.Error() + "\n" + string(out)))
	}
	return strings.TrimSpace(string(out))
}

// Commit commits a file with that text, and returns the commit.
func (c *Clone) Commit(file, text, message string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.Git("add", "--all")
	c.Git("commit", "--quiet", "--allow-empty", "--message", message)
	return c.Git("rev-parse", "HEAD")
}
