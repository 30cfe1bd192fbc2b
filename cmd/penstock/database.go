package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"penstock/internal/backup"
	"penstock/internal/blob"
	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/server"
	"penstock/internal/service"
)

func databaseCommands() []*command {
	return []*command{
		{
			name:    "migrate",
			summary: "migrate the database to this version",
			about: `Migrates the database's schema to the version that this binary uses, and creates the
database if there is none. A server does the same when it starts.`,
			examples: []string{"penstock migrate --data /var/lib/penstock"},
			prepare:  prepareMigrate,
		},
		{
			name:     "backup",
			operands: []string{"FILE"},
			summary:  "write a copy of the database to a file",
			about: `Writes a snapshot of the whole database to a file that only its owner can read, or to
standard output if FILE is -. A server may run meanwhile. An existing file is only
replaced with --force. You can restore the backup on SQLite and on PostgreSQL.

With --with-blobs, the backup includes artifacts and the logs of finished jobs. Without
it, copy their directory or bucket yourself, after the backup.`,
			examples: []string{
				"penstock backup penstock.backup",
				"penstock backup penstock.backup --with-blobs",
				"penstock backup - | ssh backup.example.com 'cat > penstock.backup'",
			},
			prepare: prepareBackup,
		},
		{
			name:     "restore",
			operands: []string{"FILE"},
			summary:  "restore the database from a backup",
			about: `Fills an empty database from a backup file, or from standard input if FILE is -. It
fails while a server uses the database. If the backup is damaged, nothing changes.

If the backup includes logs and artifacts, they are first stored where --blobs says. Other
files there stay.`,
			examples: []string{
				"penstock restore penstock.backup --data /var/lib/penstock",
				"penstock restore penstock.backup --replace",
				"ssh backup.example.com 'cat penstock.backup' | penstock restore -",
			},
			prepare: prepareRestore,
		},
		{
			name:    "reencrypt",
			summary: "encrypt secrets with a new key",
			about: `Encrypts all secrets in the database again, with the first of the given keys. Servers
may run meanwhile, with the same keys. You can then remove the older keys from the file.

If a key is lost, --delete-unreadable deletes the secrets that no key decrypts.`,
			examples: []string{
				"penstock reencrypt --data /var/lib/penstock",
				"PENSTOCK_DATABASE=postgres://penstock:secret@db.example.com/penstock penstock reencrypt --encryption-key-file " +
					"/etc/penstock/keys",
			},
			prepare: prepareReencrypt,
		},
	}
}

func (c *console) withDatabase(ctx context.Context, cfg config.Config, access server.Access,
	fn func(*db.DB) error) error {
	c.warn()
	return server.Operate(ctx, cfg, access, func(d *db.DB, _ *service.Service) error { return fn(d) })
}

func prepareMigrate(f *config.Flags) action {
	cfg := config.Default()
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return c.withDatabase(ctx, cfg, server.Access{AnySchema: true}, func(d *db.DB) error {
			steps, err := d.Migrate(ctx)
			if err != nil {
				return err
			}
			if steps == 0 {
				return c.print("the schema is up to date (version %d)", db.Latest())
			}
			return c.print("migrated the schema to version %d (steps: %d)", db.Latest(), steps)
		})
	}
}

func prepareBackup(f *config.Flags) action {
	cfg := config.Default()
	var force, withBlobs bool
	f.Bool(&force, "force", "replace FILE if it exists, once the new one is complete")
	f.Bool(&withBlobs, "with-blobs", "include artifacts and the logs of finished jobs")
	cfg.DatabaseFlags(f)
	cfg.BlobFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		if err := refuseTarget(operands[0], cfg, force); err != nil {
			return fmt.Errorf("no backup was made: %w", err)
		}
		write, err := chooseBackup(ctx, cfg, withBlobs)
		if err != nil {
			return err
		}
		if operands[0] == "-" {
			return c.pipeBackup(ctx, cfg, write)
		}
		return c.withDatabase(ctx, cfg, server.Access{}, func(d *db.DB) error {
			var made backup.Summary
			err := writeWhole(operands[0], func(w io.Writer) (err error) {
				made, err = write(d, w, func() error { return nil })
				return err
			})
			if err != nil {
				return fmt.Errorf("no backup was made: %w", err)
			}
			return c.print("wrote %s (%s)", operands[0], describeBackup(made))
		})
	}
}

// writeBackup writes a backup, and says when the database is not needed any more.
type writeBackup func(d *db.DB, w io.Writer, databaseDone func() error) (backup.Summary, error)

// chooseBackup returns what writes a backup, with logs and artifacts or without.
func chooseBackup(ctx context.Context, cfg config.Config, withBlobs bool) (writeBackup, error) {
	if !withBlobs {
		return func(d *db.DB, w io.Writer, databaseDone func() error) (backup.Summary, error) {
			made, err := backup.Write(ctx, d, w)
			if err == nil {
				err = databaseDone()
			}
			return made, err
		}, nil
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	store, err := server.OpenExistingBlobs(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("no backup was made: %w", err)
	}
	return func(d *db.DB, w io.Writer, databaseDone func() error) (backup.Summary, error) {
		return backup.WriteWithBlobs(ctx, d, store, w, databaseDone)
	}, nil
}

// refuseTarget returns why a backup must not be written to a file: it is there already, or it is the database's own.
func refuseTarget(name string, cfg config.Config, force bool) error {
	if cfg.Database == "" && strings.HasPrefix(filepath.Base(name), "penstock.db") {
		dir, err := os.Stat(filepath.Dir(name)) //nolint:gosec // the operator names it
		if data, dataErr := os.Stat(cfg.Data); err == nil && dataErr == nil && os.SameFile(dir, data) {
			return fmt.Errorf("%s is a file of the database itself", name)
		}
	}
	target, err := os.Stat(name) //nolint:gosec // the operator names it
	if name == "-" || err != nil {
		return nil //nolint:nilerr // what does not exist can be made, or writing it fails
	}
	if cfg.Database == "" {
		own, err := filepath.Glob(filepath.Join(cfg.Data, "penstock.*"))
		if err != nil {
			return err
		}
		for _, file := range own {
			if info, err := os.Stat(file); err == nil && os.SameFile(info, target) {
				return fmt.Errorf("%s is a file of the database itself", name)
			}
		}
	}
	if target.Mode().IsRegular() && !force {
		return fmt.Errorf("%s exists; choose another name, or add --force to replace it", name)
	}
	return nil
}

// pipeBackup writes a backup to the standard output. What the database holds goes to a temporary file first: a slow
// reader would make a database keep everything that changes meanwhile.
func (c *console) pipeBackup(ctx context.Context, cfg config.Config, write writeBackup) error {
	f, err := os.CreateTemp("", "penstock-backup-")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	return c.withDatabase(ctx, cfg, server.Access{}, func(d *db.DB) error {
		to := &detour{Writer: f}
		_, err := write(d, to, func() error {
			to.Writer = c.stdout
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			_, err := io.Copy(c.stdout, f)
			return err
		})
		return err
	})
}

// detour is a writer that can be exchanged.
type detour struct{ io.Writer }

// removePartial removes what backups to this file that were killed have left. One that is still being written is
// locked.
func removePartial(dir, base string) {
	left, _ := filepath.Glob(filepath.Join(dir, "."+base+".*.partial"))
	for _, name := range left {
		f, err := os.Open(name) //nolint:gosec // the operator names it
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.Remove(name) //nolint:gosec // the operator names it
		}
		_ = f.Close()
	}
}

// writeWhole has write fill a file that only its owner may read. The file is renamed into place once it
// is complete and on the disk, so that an older one stays until then.
func writeWhole(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { //nolint:gosec // the operator names it
		return fmt.Errorf("%s is not a regular file", name)
	}
	dir := filepath.Dir(name)
	removePartial(dir, filepath.Base(name))
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*.partial")
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name())) //nolint:gosec // the operator names it
	}
	// Once it has its name, this fails.
	defer func() { _ = os.Remove(f.Name()) }() //nolint:gosec // the operator names it
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil { //nolint:gosec // the operator names it
		return err
	}
	return syncDir(dir)
}

// syncDir makes a new name in a directory last through a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func prepareRestore(f *config.Flags) action {
	cfg := config.Default()
	var replace bool
	f.Bool(&replace, "replace", "delete everything in the database first; otherwise it must be empty")
	cfg.DatabaseFlags(f)
	cfg.BlobFlags(f)
	return func(ctx context.Context, c *console, operands []string) (err error) {
		open := func() (io.ReadCloser, error) { return os.Open(operands[0]) } //nolint:gosec // the operator names it
		// Before a database is made.
		if operands[0] == "-" {
			open, err = c.bufferInput(ctx)
		} else {
			_, err = os.Stat(operands[0]) //nolint:gosec // the operator names it
		}
		if err != nil {
			return fmt.Errorf("the backup cannot be read: %w", err)
		}
		return c.withDatabase(ctx, cfg, server.Access{Exclusive: true, AnySchema: true, Anew: true}, func(d *db.DB) error {
			restored, err := backup.RestoreWithBlobs(ctx, d, open,
				func() (blob.Store, error) { return server.OpenBlobs(cfg) }, replace)
			if errors.Is(err, backup.ErrNotEmpty) {
				return fmt.Errorf("nothing was restored: %w; add --replace to remove what it holds", err)
			}
			if err != nil {
				return fmt.Errorf("nothing was restored: %w", err)
			}
			return c.print("restored %s (%s)", operands[0], describeBackup(restored))
		})
	}
}

func prepareReencrypt(f *config.Flags) action {
	cfg := config.Default()
	var deleteUnreadable bool
	f.Bool(&deleteUnreadable, "delete-unreadable", "delete secrets that no key decrypts")
	cfg.DatabaseFlags(f)
	cfg.EncryptionFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		c.warn()
		done, err := server.Reencrypt(ctx, cfg, deleteUnreadable)
		if err != nil {
			return err
		}
		return c.print("encrypted %d with the first key, deleted %d", done.Texts, done.Deleted)
	}
}

// bufferInput copies the standard input into an unlinked temporary file, because a backup is read twice.
func (c *console) bufferInput(ctx context.Context) (open func() (io.ReadCloser, error), err error) {
	f, err := os.CreateTemp("", "penstock-restore-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	copied := make(chan error, 1)
	var size int64
	go func() {
		n, err := io.Copy(f, c.stdin)
		size = n
		copied <- err
	}()
	select {
	case err := <-copied:
		return func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, size)), nil }, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// describeBackup says in a few words what a backup holds.
func describeBackup(s backup.Summary) string {
	var rows int64
	for _, n := range s.Rows {
		rows += n
	}
	blobs := "without logs and artifacts"
	if s.Blobs != nil {
		blobs = fmt.Sprintf("with %d logs and artifacts of %d bytes", s.Blobs.Objects, s.Blobs.Bytes)
	}
	return fmt.Sprintf("taken %s from %s, schema %d, %d rows, %s", s.TakenAt.UTC().Format(time.RFC3339), s.Engine,
		s.Schema, rows, blobs)
}
