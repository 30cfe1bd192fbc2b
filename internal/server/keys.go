package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/seal"
	"penstock/internal/service/core"
)

// OpenKeyring returns the keys that cfg names; nil if there are none. An error says what to change, and repeats no key.
func OpenKeyring(cfg config.Config) (*seal.Keyring, error) {
	if cfg.EncryptionKey != "" {
		ring, err := seal.Parse(cfg.EncryptionKey.Reveal())
		if err != nil {
			return nil, fmt.Errorf("the encryption key cannot be used; check --encryption-key: %w", err)
		}
		return ring, nil
	}
	name := cfg.EncryptionKeyFile
	if name == "" {
		if name = cfg.OwnKeyFile(); name == "" {
			return nil, nil
		}
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && cfg.EncryptionKeyFile == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the encryption key cannot be read; check --encryption-key-file: %w", err)
	}
	ring, err := seal.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("the encryption key in %s cannot be used: %w", name, err)
	}
	return ring, nil
}

// openKeyring returns the keys of this server, which must open all that is encrypted in the database. On SQLite a key
// is made if nothing is encrypted yet and there is none.
func (s *server) openKeyring(ctx context.Context, d *db.DB) (*seal.Keyring, error) {
	ring, err := OpenKeyring(s.Config)
	if err != nil {
		return nil, err
	}
	used, err := core.New(core.Options{DB: d}).SealingKeys(ctx, authz.OperatorActor())
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, id := range used {
		if !ring.Has(id) {
			missing = append(missing, id)
		}
	}
	own := s.Config.OwnKeyFile()
	switch {
	case len(missing) > 0 && ring == nil && own != "":
		return nil, fmt.Errorf("secrets in the database are encrypted and %s, which has the key, is missing; put it back, "+
			"it is in no backup of the database. "+
			"If it is lost, penstock reencrypt --delete-unreadable deletes them", own)
	case len(missing) > 0 && ring == nil:
		return nil, errors.New("secrets in the database are encrypted and no key is given; give this server the same as " +
			"the others with --encryption-key-file")
	case len(missing) > 0:
		return nil, fmt.Errorf("secrets in the database are encrypted with the key %s, which is not among those that are "+
			"given; "+
			"add it to --encryption-key-file below the others. If it is lost, penstock reencrypt --delete-unreadable "+
			"deletes them", strings.Join(missing, ", "))
	case ring == nil && own != "":
		s.logger.InfoContext(ctx, "made a key that secrets are encrypted with; keep a copy, it is in no backup of the "+
			"database", "file", own)
		return makeKey(own)
	case ring == nil:
		s.logger.WarnContext(ctx, "there is no key that secrets are encrypted with: none can be stored, and jobs get no "+
			"identity tokens; "+
			"give all servers the same with --encryption-key-file")
	}
	return ring, nil
}

// makeKey writes a new key to a file that only its owner may read.
func makeKey(name string) (*seal.Keyring, error) {
	key := seal.Generate()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the encryption key cannot be stored: %w", err)
	}
	_, err = f.WriteString(key + "\n")
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = syncDirectory(filepath.Dir(name))
	}
	if err != nil {
		return nil, fmt.Errorf("the encryption key cannot be stored: %w", errors.Join(err, os.Remove(name)))
	}
	return seal.Parse(key)
}

// syncDirectory makes a new name in a directory last through a power failure.
func syncDirectory(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Reencrypt encrypts everything in the database that cfg names again, with the first of the given keys.
func Reencrypt(ctx context.Context, cfg config.Config, deleteUnreadable bool) (done core.Resealed, err error) {
	if err := cfg.Validate(); err != nil {
		return done, err
	}
	ring, err := OpenKeyring(cfg)
	if err != nil {
		return done, err
	}
	own := cfg.OwnKeyFile()
	if ring == nil && own == "" {
		return done, errors.New("no key is given; name the file that has it with --encryption-key-file")
	}
	err = openDatabaseOf(ctx, cfg, Access{}, func(d *db.DB) error {
		if ring == nil && !deleteUnreadable {
			return fmt.Errorf("there is no key in %s; put it back, or name the file that has it with --encryption-key-file", own)
		}
		if ring == nil {
			if ring, err = makeKey(own); err != nil {
				return err
			}
		}
		done, err = core.New(core.Options{DB: d, Keyring: ring}).Reseal(ctx, authz.OperatorActor(), deleteUnreadable)
		if errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrDamaged) {
			return fmt.Errorf("%s; add the key that it was encrypted with to --encryption-key-file below the others, or "+
				"delete what cannot be decrypted "+
				"with --delete-unreadable", domain.Explain(err))
		}
		return err
	})
	return done, err
}
