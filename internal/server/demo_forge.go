package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
)

// demoForge is a Gitea that runs beside the demo, with a repository whose pushes are built. All that it writes is
// removed with the demo.
type demoForge struct {
	program  string // the folder that make forge has built
	dir      string
	url      string
	password string
	ended    chan struct{}
}

const (
	forgeUser       = "ada"
	forgeRepository = "hello"
	forgeTimeout    = 2 * time.Minute // for Gitea to answer
	nobody          = 65534           // Gitea refuses to run as root
)

// forgeSettings are Gitea's: nothing leaves the machine, and it delivers to this machine.
const forgeSettings = `
RUN_MODE = prod
WORK_PATH = %[1]s
[server]
STATIC_ROOT_PATH = %[2]s/src
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[3]d
ROOT_URL = http://127.0.0.1:%[3]d/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[repository]
ROOT = %[1]s/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = %[4]s
[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 30
[log]
MODE = console
LEVEL = Error
[actions]
ENABLED = false
[cron]
ENABLED = false
[mailer]
ENABLED = false
`

// forgeSteps are what the repository's builds run.
const forgeSteps = `steps:
  - label: ":wave: Hello"
    command: cat README.md
`

// startForge starts Gitea, and returns when it answers. It ends when ctx is done.
func startForge(ctx context.Context, program string) (f *demoForge, err error) {
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	f = &demoForge{program: program, password: domain.NewSessionValue()[:12].Reveal(), ended: make(chan struct{})}
	if f.dir, err = os.MkdirTemp("", "penstock-demo-forge-"); err != nil {
		close(f.ended)
		return f, err
	}
	port, err := freePort(ctx)
	if err != nil {
		close(f.ended)
		return f, err
	}
	f.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	settings := fmt.Sprintf(forgeSettings, f.dir, f.program, port, domain.NewSessionValue().Reveal())
	if err := f.writeSettings(settings); err != nil {
		close(f.ended)
		return f, err
	}
	for _, args := range [][]string{
		{"migrate"},
		{"admin", "user", "create", "--username", forgeUser, "--password", f.password, "--email", "ada@example.com",
			"--admin", "--must-change-password=false"},
	} {
		if out, err := f.command(ctx, args...).CombinedOutput(); err != nil {
			close(f.ended)
			return f, fmt.Errorf("gitea %s: %w: %s", args[0], err, lastLine(out))
		}
	}
	return f, f.serve(ctx)
}

// writeSettings writes Gitea's settings. Its user owns its folder.
func (f *demoForge) writeSettings(settings string) error {
	if err := os.WriteFile(filepath.Join(f.dir, "app.ini"), []byte(settings), 0o600); err != nil {
		return err
	}
	return filepath.WalkDir(f.dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && os.Getuid() == 0 {
			err = os.Lchown(path, nobody, nobody) //nolint:gosec // the folder is new, and nobody else writes to it
		}
		return err
	})
}

// command returns Gitea with arguments, as a user other than root.
func (f *demoForge) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(f.program, "gitea"), //nolint:gosec // the operator names it
		append([]string{"--config", filepath.Join(f.dir, "app.ini"), "--work-path", f.dir},
			args...)...)
	command.Dir = f.dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir, "USER=nobody", "GITEA_WORK_DIR=" + f.dir}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C ends the demo, which ends it
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return command
}

// serve starts the server and waits until it answers.
func (f *demoForge) serve(ctx context.Context) error {
	command := f.command(ctx, "web")
	if err := command.Start(); err != nil {
		close(f.ended)
		return err
	}
	go func() {
		_ = command.Wait()
		close(f.ended)
	}()
	for deadline := time.Now().Add(forgeTimeout); ; {
		if f.call(ctx, http.MethodGet, "/version", nil, nil) == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.ended:
			return errors.New("gitea ended")
		case <-time.After(200 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return errors.New("gitea does not answer")
		}
	}
}

// remove waits until Gitea has ended, and removes what it wrote.
func (f *demoForge) remove() error {
	<-f.ended
	if f.dir == "" {
		return nil
	}
	return os.RemoveAll(f.dir)
}

// call sends a request to Gitea as the user, and decodes the answer.
func (f *demoForge) call(ctx context.Context, method, path string, body, answer any) error {
	return callJSON(ctx, method, f.url+"/api/v1"+path, body, answer,
		func(r *http.Request) { r.SetBasicAuth(forgeUser, f.password) })
}

// connect makes a repository, and lets pushes to it start builds of the pipeline Hello.
func (f *demoForge) connect(ctx context.Context, server string, token domain.Secret, cluster domain.ClusterID) error {
	var made struct {
		Token    string `json:"sha1"`
		CloneURL string `json:"clone_url"`
	}
	if err := f.call(ctx, http.MethodPost, "/users/"+forgeUser+"/tokens", map[string]any{"name": "penstock",
		"scopes": []string{"all"}}, &made); err != nil {
		return err
	}
	if err := f.call(ctx, http.MethodPost, "/user/repos", map[string]any{"name": forgeRepository, "default_branch": "main",
		"auto_init": true, "readme": "Default"}, &made); err != nil {
		return err
	}
	organization := server + "/v2/organizations/acme-inc"
	for _, step := range []struct {
		path string
		body any
	}{
		{"/repository_connections", map[string]any{"type": "gitea", "host": map[string]any{"url": f.url},
			"display_name": "Gitea", "token": made.Token}},
		{"/pipelines", map[string]any{"name": "Hello", "repository": made.CloneURL, "default_branch": "main",
			"cluster_id":    string(cluster),
			"configuration": "steps: [{label: \":pipeline: Upload\", command: buildkite-agent pipeline upload}]"}},
		{"/pipelines/hello/webhook", map[string]any{}},
	} {
		if err := callJSON(ctx, http.MethodPost, organization+step.path, step.body, nil,
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token.Reveal()) }); err != nil {
			return err
		}
	}
	// The first push: it starts the first build.
	path := "/repos/" + forgeUser + "/" + forgeRepository + "/contents/.buildkite/pipeline.yml"
	return f.call(ctx, http.MethodPost, path, map[string]any{"content": []byte(forgeSteps), "message": "Say how to build",
		"branch": "main"}, nil)
}

// text says what to do with the repository.
func (f *demoForge) text(server string) string {
	clone := strings.Replace(f.url, "://", "://"+forgeUser+":"+f.password+"@", 1) + "/" + forgeUser + "/" +
		forgeRepository + ".git"
	return strings.Join([]string{
		"A Gitea runs beside it, at " + f.url + "/ (sign in as " + forgeUser + " with the password " + f.password + ").",
		"What is pushed to its repository " + forgeRepository + " is built, once an agent is connected, and its commits " +
			"show how that went:",
		"  git clone " + clone,
		"  cd " + forgeRepository + " && git commit --allow-empty -m 'Build this' && git push",
		"  " + server + "/acme-inc/hello",
		"", "",
	}, "\n")
}

// runForge runs a Gitea beside the demo until ctx is done, and writes what can be tried with it.
func runForge(ctx context.Context, program, server string, token domain.Secret, cluster domain.ClusterID, out,
	complaints io.Writer) error {
	f, err := startForge(ctx, program)
	if err == nil {
		err = f.connect(ctx, server, token, cluster)
	}
	if err == nil {
		_, _ = io.WriteString(out, f.text(server))
	} else if ctx.Err() == nil {
		_, _ = fmt.Fprintf(complaints, "The demo goes on without a repository host: %s\n", err)
	}
	<-ctx.Done()
	if f == nil {
		return nil
	}
	return f.remove()
}

func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// callJSON sends a request with a body in JSON, and decodes the answer.
func callJSON(ctx context.Context, method, address string, body, answer any, authorize func(*http.Request)) error {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return err
	}
	authorize(request)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, address, response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
