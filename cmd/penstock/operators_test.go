package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// listedToken is a token as token list --json prints it.
type listedToken struct {
	UUID          string
	Description   string
	Scopes        []string
	Organizations []string
	User          struct{ Email string }
	ExpiresAt     *string `json:"expires_at"`
	RevokedAt     *string `json:"revoked_at"`
	LastUsedAt    *string `json:"last_used_at"`
}

// populate makes a user, an organization and a member, and returns the value of a token.
func populate(t *testing.T, database []string) (token string) {
	t.Helper()
	output(t, with("user create --email admin@example.com --name Admin", database...)...)
	output(t, with("user create --email dev@example.com --name Dev", database...)...)
	output(t, with("org create --slug acme-inc --name Acme --admin admin@example.com", database...)...)
	output(t, with("org add-member --organization acme-inc --user dev@example.com", database...)...)
	return output(t, with("token create --user dev@example.com --description CI --organizations acme-inc --scopes read_clusters,write_clusters", database...)...)
}

// newData returns the flag and value that name a new SQLite database.
func newData(t *testing.T) []string {
	t.Helper()
	database := []string{"--data", t.TempDir()}
	output(t, with("migrate", database...)...)
	return database
}

func TestOperatorsWorkBesideARunningServer(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		p := start(t, nil, append([]string{"serve"}, database...)...)
		token := populate(t, database)
		if !strings.HasPrefix(token, "pnu_") || strings.ContainsAny(token, " \n") {
			t.Fatalf("token create printed %q, not a value alone", token)
		}
		if status, body := p.get(clusters, token); status != http.StatusOK {
			t.Fatalf("with the new token: %d %s", status, body)
		}
		tokens := decode[[]listedToken](t, output(t, with("token list --json", database...)...))
		if len(tokens) != 1 || tokens[0].User.Email != "dev@example.com" || tokens[0].Description != "CI" ||
			strings.Join(tokens[0].Scopes, " ") != "read_clusters write_clusters" || strings.Join(tokens[0].Organizations, " ") != "acme-inc" ||
			tokens[0].RevokedAt != nil || tokens[0].ExpiresAt != nil {
			t.Fatalf("token list --json prints %+v", tokens)
		}
		eventually(t, "the token's use is stored", func() bool {
			return decode[[]listedToken](t, output(t, with("token list --json", database...)...))[0].LastUsedAt != nil
		})
		table := output(t, with("token list --user dev@example.com", database...)...)
		for _, want := range []string{"ID ", "LAST USED", tokens[0].UUID, "dev@example.com", "read_clusters,write_clusters", "live"} {
			if !strings.Contains(table, want) {
				t.Errorf("no %q in the table:\n%s", want, table)
			}
		}
		output(t, with("token revoke "+tokens[0].UUID, database...)...)
		if status, body := p.get(clusters, token); status != http.StatusUnauthorized {
			t.Errorf("with the revoked token: %d %s", status, body)
		}
		if table := output(t, with("token list", database...)...); !strings.Contains(table, "revoked 20") {
			t.Errorf("the table does not show that the token is revoked:\n%s", table)
		}
		for args, want := range map[string]string{
			"user create --email dev@example.com --name Again":                                                "Email has already been taken",
			"user create --email nonsense --name x":                                                           "Email",
			"org create --slug acme-inc --name Again":                                                         "Slug has already been taken",
			"org create --slug other --name x --plan weekly":                                                  "Plan must be monthly or annual",
			"org add-member --organization nowhere --user dev@example.com":                                    "No organization found",
			"org add-member --organization acme-inc --user dev@example.com --role king":                       "Role must be admin or member",
			"token create --user nobody@example.com --description x":                                          "nobody@example.com",
			"token create --user dev@example.com --description x --scopes read_minds":                         "read_minds",
			"token list --user nobody@example.com":                                                            "No user found",
			"token revoke 0199a0b0-3c44-7e6e-8d3a-6f0e8f4f7a10":                                               "No API access token found",
			"token create --user dev@example.com --description x --allowed-ip-addresses everywhere,127.0.0.1": "everywhere",
		} {
			refused(t, penstock(t, nil, with(args, database...)...), failure, want)
		}
	})
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		output(t, append([]string{"migrate"}, database...)...)
		token := populate(t, database)
		other := output(t, with("token create --user admin@example.com --description Other", database...)...)
		list := func() []listedToken {
			t.Helper()
			return decode[[]listedToken](t, output(t, with("token list --json", database...)...))
		}
		if tokens := list(); len(tokens) != 2 || tokens[0].RevokedAt != nil || tokens[1].RevokedAt != nil {
			t.Fatalf("%+v", tokens)
		}
		p := start(t, nil, append([]string{"serve"}, database...)...)
		if status, body := p.get(clusters, token); status != http.StatusOK {
			t.Errorf("with the new token: %d %s", status, body)
		}
		revoked := output(t, with("token revoke "+list()[0].UUID, database...)...)
		if tokens := list(); tokens[0].RevokedAt == nil || tokens[1].RevokedAt != nil {
			t.Errorf("%+v", tokens)
		}
		if status, body := p.get(clusters, token); status != http.StatusUnauthorized {
			t.Errorf("with the revoked token: %d %s", status, body)
		}
		// Each value was printed when its token was made, and is nowhere since.
		for what, said := range map[string]string{
			"token list":        output(t, with("token list", database...)...),
			"token list --json": output(t, with("token list --json", database...)...),
			"token revoke":      revoked,
			"the server's log":  p.stderr.String(),
		} {
			if strings.Contains(said, token) || strings.Contains(said, other) {
				t.Errorf("%s shows a token: %s", what, said)
			}
		}
	})
}

func TestATokenExpires(t *testing.T) {
	t.Parallel()
	database := newData(t)
	populate(t, database)
	output(t, with("token create --user dev@example.com --description Short --expires-in-days 30 --graphql", database...)...)
	tokens := decode[[]listedToken](t, output(t, with("token list --json", database...)...))
	if len(tokens) != 2 || tokens[1].ExpiresAt == nil || strings.Join(tokens[1].Scopes, " ") != "graphql" || tokens[1].Organizations == nil {
		t.Errorf("%+v", tokens)
	}
	if table := output(t, with("token list", database...)...); !strings.Contains(table, "until 20") {
		t.Errorf("the table does not show when it expires:\n%s", table)
	}
}

func TestATokenIsRevokedByItsValue(t *testing.T) {
	t.Parallel()
	database := newData(t)
	token := populate(t, database)
	cmd := penstock(t, nil, with("token revoke -", database...)...)
	cmd.Stdin = strings.NewReader(token + "\n")
	if r := run(t, cmd); r.code != 0 || strings.Contains(r.stdout+r.stderr, token) {
		t.Fatalf("revoke: %v", r)
	}
	if tokens := decode[[]listedToken](t, output(t, with("token list --json", database...)...)); tokens[0].RevokedAt == nil {
		t.Errorf("%+v", tokens)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	database := newData(t)
	create := func(email string) []string {
		return append(with("user create --name x --email", email), database...)
	}
	output(t, append(create("a@example.com"), "--password-file", write(t, "password", "correct horse\n"))...)
	cmd := penstock(t, nil, append(create("b@example.com"), "--password-file", "-")...)
	cmd.Stdin = strings.NewReader("battery staple")
	if r := run(t, cmd); r.code != 0 {
		t.Errorf("from stdin: %v", r)
	}
	refused(t, penstock(t, nil, append(create("c@example.com"), "--password-file", write(t, "empty", "\n"))...), failure, "is empty")
	refused(t, penstock(t, nil, append(create("c@example.com"), "--password-file", "/nowhere")...), failure, "/nowhere")
	refused(t, penstock(t, nil, append(create("c@example.com"), "--password-file", write(t, "long", strings.Repeat("x", 2000)))...), failure, "Password")
	refused(t, penstock(t, nil, append(create("c@example.com"), "--password", "hunter2")...), misuse, "there is no flag --password; did you mean")
}

func TestAPasswordIsSetAndReset(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		p := start(t, nil, append([]string{"serve"}, database...)...)
		output(t, with("user create --email admin@example.com --name Admin", database...)...)
		output(t, with("org create --slug acme-inc --name Acme --admin admin@example.com", database...)...)
		set := func(password string) {
			t.Helper()
			cmd := penstock(t, nil, with("user set-password admin@example.com --password-file -", database...)...)
			cmd.Stdin = strings.NewReader(password)
			if r := run(t, cmd); r.code != 0 || strings.Contains(r.stdout+r.stderr, password) {
				t.Fatalf("set-password: %v", r)
			}
		}
		set("correct horse")
		home := p.url + "/organizations/acme-inc"
		b := newBrowser(t)
		if page := b.signIn(p.url+"/", "admin@example.com", "correct horse"); !strings.Contains(page, "Acme") {
			t.Errorf("signed in, the page is %s", page)
		}
		set("battery staple")
		if page := b.send(http.MethodGet, home, nil); !strings.Contains(page, `name="password"`) {
			t.Errorf("the browser is still signed in: %s", page)
		}
		if page := newBrowser(t).signIn(p.url+"/", "admin@example.com", "correct horse"); strings.Contains(page, "Acme") {
			t.Error("the old password is still good")
		}
		if page := b.signIn(p.url+"/", "admin@example.com", "battery staple"); !strings.Contains(page, "Acme") {
			t.Errorf("signed in again, the page is %s", page)
		}
		password := write(t, "password", "long enough\n")
		refused(t, penstock(t, nil, with("user set-password nobody@example.com --password-file "+password, database...)...), failure, "No user found")
		refused(t, penstock(t, nil, with("user set-password admin@example.com --password-file "+write(t, "short", "short"), database...)...), failure, "too short")
		refused(t, penstock(t, nil, with("user set-password admin@example.com", database...)...), misuse, "--password-file is required")
	})
}

func TestUserDisableAndEnable(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		p := start(t, nil, append([]string{"serve"}, database...)...)
		token := populate(t, database)
		if status, body := p.get(clusters, token); status != http.StatusOK {
			t.Fatalf("at first: %d %s", status, body)
		}
		if out := output(t, with("user disable dev@example.com", database...)...); out != "dev@example.com is disabled and signed out everywhere" {
			t.Errorf("user disable printed %q", out)
		}
		if status, body := p.get(clusters, token); status != http.StatusUnauthorized {
			t.Errorf("disabled: %d %s", status, body)
		}
		output(t, with("user enable dev@example.com", database...)...)
		if status, body := p.get(clusters, token); status != http.StatusOK {
			t.Errorf("enabled again: %d %s", status, body)
		}
		refused(t, penstock(t, nil, with("user disable admin@example.com", database...)...), failure, "the last administrator of acme-inc")
		refused(t, penstock(t, nil, with("user enable nobody@example.com", database...)...), failure, "No user found")
	})
}

func TestCommandsThatNeedADatabaseDoNotMakeOne(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"user set-password a@example.com --password-file " + write(t, "password", "long enough"),
		"org add-member --organization a --user b", "org billing a --plan annual", "token create --user a --description a", "token list", "token revoke x",
		"usage explain a", "backup copy", "user disable a@example.com", "user enable a@example.com",
	} {
		data := filepath.Join(t.TempDir(), "none")
		refused(t, penstock(t, nil, with(args+" --data", data)...), failure, "there is no database in "+data, "--data", "penstock migrate")
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("penstock %s has made %s", args, data)
		}
	}
}

func TestAnInstallationBeginsWithAUserOrAnOrganization(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"user create --email a@example.com --name a", "org create --slug a --name a"} {
		data := filepath.Join(t.TempDir(), "none")
		if r := run(t, penstock(t, nil, with(args+" --data", data)...)); r.code != 0 || r.stderr != "made a new database in "+data+"\n" {
			t.Errorf("penstock %s: %v", args, r)
		}
		if r := run(t, penstock(t, nil, with("token list --data", data)...)); r.code != 0 || r.stderr != "" {
			t.Errorf("then a list of tokens: %v", r)
		}
	}
}

// cramped makes a command unable to write beyond the first 64 KB of a file, as on a full disk. That is enough for some changes
// to be written to SQLite's log, and not for the log to be written to the database.
func cramped(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 128 && exec "$0" "$@"`}, cmd.Args...)
	cmd.Path = "/bin/sh"
	return cmd
}

func TestOnAFullDiskWhatIsDoneIsDoneAndWhatIsNotSaysWhy(t *testing.T) {
	t.Parallel()
	database := newData(t)
	create := func(i int) *exec.Cmd {
		return penstock(t, nil, with(fmt.Sprintf("user create --name x --email user-%d@example.com", i), database...)...)
	}
	made := 0
	for r := run(t, cramped(create(made))); r.code == 0 && made < 100; r = run(t, cramped(create(made))) {
		if made++; r.stderr != "" {
			t.Errorf("what fits: %v", r)
		}
	}
	if made == 0 {
		t.Error("nothing fits")
	}
	refused(t, cramped(create(made)), failure, "Please retry. (", "disk I/O error)")
	refused(t, create(made-1), failure, "Email has already been taken")
	if r := run(t, create(made)); r.code != 0 {
		t.Errorf("with room again: %v", r)
	}
}

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := unmigrated(t, engine)
			if engine == "sqlite" {
				if err := os.WriteFile(filepath.Join(o.Dir, db.FileName), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			createUser := with("user create --email a@example.com --name x", databaseFlags(o)...)
			refused(t, penstock(t, nil, createUser...), failure, "run penstock migrate")
			for _, want := range []string{"migrated the schema to version", "up to date"} {
				if said := output(t, append([]string{"migrate"}, databaseFlags(o)...)...); !strings.Contains(said, want) {
					t.Errorf("migrate said %q, want %q", said, want)
				}
			}
			output(t, createUser...)
		})
	}
}

func TestABackupDoesNotReplaceTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, nil, "serve", "--data", dir)
	for _, name := range []string{"penstock.db", "penstock.db-wal", "penstock.db-journal", "penstock.lock", "penstock.installation", "penstock.running"} {
		refused(t, penstock(t, nil, "backup", filepath.Join(dir, name), "--force", "--data", dir), failure, "a file of the database itself")
	}
	if status, body := p.get("/readyz", ""); status != http.StatusOK {
		t.Errorf("not ready: %s", body)
	}
}

func TestARefusedRestoreLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("no backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, penstock(t, nil, "restore", bad, "--data", dir), failure, "nothing was restored")
	if files, err := filepath.Glob(filepath.Join(dir, "penstock.[di]*")); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestAnInstallationWhoseDatabaseIsGoneDoesNotStartAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, nil, "serve", "--data", dir).stop()
	copied := filepath.Join(t.TempDir(), "copy")
	output(t, "backup", copied, "--data", dir)
	for _, spoil := range []func(string) error{os.Remove, func(name string) error { return os.Truncate(name, 0) }} {
		if err := spoil(filepath.Join(dir, "penstock.db")); err != nil {
			t.Fatal(err)
		}
		refused(t, penstock(t, nil, "migrate", "--data", dir), failure, "does not hold its database", "penstock restore", "penstock.installation")
		output(t, "restore", copied, "--data", dir)
		start(t, nil, "serve", "--data", dir).stop()
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "penstock.db")), os.Remove(filepath.Join(dir, "penstock.installation"))); err != nil {
		t.Fatal(err)
	}
	start(t, nil, "serve", "--data", dir).stop()
}

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{"sqlite": "postgres", "postgres": "sqlite"} {
		t.Run(from+" to "+to, func(t *testing.T) {
			t.Parallel()
			source := databaseFlags(testkit.NewDatabase(t, from))
			p := start(t, nil, append([]string{"serve"}, source...)...)
			token := populate(t, source)
			backup := filepath.Join(t.TempDir(), "copy")
			if said := output(t, with("backup "+backup, source...)...); !strings.Contains(said, "from "+from) {
				t.Errorf("backup said %q", said)
			}
			if info, err := os.Stat(backup); err != nil || info.Mode() != 0o600 {
				t.Errorf("the backup is %v, %v", info, err)
			}
			refused(t, penstock(t, nil, with("backup "+backup, source...)...), failure, "exists", "--force")
			killed := filepath.Join(filepath.Dir(backup), ".copy.123.partial")
			if err := os.WriteFile(killed, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			output(t, with("backup "+backup+" --force", source...)...) // and removes what a killed one has left
			if files, err := os.ReadDir(filepath.Dir(backup)); err != nil || len(files) != 1 {
				t.Errorf("beside the backup there are %v, %v", files, err)
			}
			refused(t, penstock(t, nil, with("restore "+backup+" --replace", source...)...), failure, "in use by another penstock process")
			p.stop()
			refused(t, penstock(t, nil, with("restore "+backup, source...)...), failure, "not empty", "--replace")
			output(t, with("restore "+backup+" --replace", source...)...)

			target := databaseFlags(testkit.NewDatabase(t, to))
			output(t, with("restore "+backup, target...)...)
			for _, database := range [][]string{source, target} {
				if status, body := start(t, nil, append([]string{"serve"}, database...)...).get(clusters, token); status != http.StatusOK {
					t.Errorf("after the restore: %d %s", status, body)
				}
			}
		})
	}
}

func TestBackupToTheStandardOutput(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	output(t, "migrate", "--data", data)
	r := run(t, penstock(t, nil, "backup", "-", "--data", data))
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("backup: %v", r)
	}
	output(t, "restore", write(t, "copy", r.stdout), "--data", t.TempDir())
}

func TestRestoreFromTheStandardInput(t *testing.T) {
	t.Parallel()
	source, target := newData(t), []string{"--data", t.TempDir()}
	token := populate(t, source)
	backup := run(t, penstock(t, nil, with("backup -", source...)...))
	restore := penstock(t, nil, with("restore -", target...)...)
	restore.Stdin = strings.NewReader(backup.stdout)
	if r := run(t, restore); r.code != 0 || !strings.Contains(r.stdout, "from sqlite") {
		t.Fatalf("restore: %v", r)
	}
	cmd := penstock(t, nil, with("token revoke -", target...)...)
	cmd.Stdin = strings.NewReader(token)
	if r := run(t, cmd); r.code != 0 {
		t.Errorf("what was restored has no such token: %v", r)
	}
	for what, text := range map[string]string{"not a usable backup": "nonsense", "not empty": backup.stdout} {
		again := penstock(t, nil, with("restore -", target...)...)
		again.Stdin = strings.NewReader(text)
		refused(t, again, failure, what)
		if left, err := os.ReadDir(tempDir(again)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// tempDir returns where a command keeps its temporary files.
func tempDir(cmd *exec.Cmd) string {
	for _, variable := range cmd.Env {
		if dir, ok := strings.CutPrefix(variable, "TMPDIR="); ok {
			return dir
		}
	}
	return ""
}

func TestBackupsThatCannotBe(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	output(t, "migrate", "--data", data)
	refused(t, penstock(t, nil, "backup", "/nowhere/copy", "--data", data), failure, "no backup was made", "/nowhere")
	refused(t, penstock(t, nil, "backup", "/dev/null", "--data", data), failure, "not a regular file")
	refused(t, penstock(t, nil, "restore", write(t, "copy", "nonsense"), "--data", data), failure, "not a usable backup")
	none := filepath.Join(t.TempDir(), "none")
	refused(t, penstock(t, nil, "restore", "/nowhere", "--data", none), failure, "/nowhere")
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Error("a restore from nothing has made a database")
	}
}
