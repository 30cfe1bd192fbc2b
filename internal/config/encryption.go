package config

import (
	"path/filepath"

	"penstock/internal/domain"
)

// keyFile is the file of the data directory that has the encryption key of an installation on SQLite, unless another one is named.
const keyFile = "penstock.key"

// EncryptionFlags adds the flags that say what secrets are encrypted with.
func (c *Config) EncryptionFlags(f *Flags) {
	f.Text(&c.EncryptionKeyFile, "encryption-key-file", "FILE", "file with the key that secrets are encrypted with: 32 random bytes in base64, as "+
		"openssl rand -base64 32 prints them, on a line. Further lines may have older keys, which still decrypt. Unset, it is penstock.key in --data, "+
		"which is made when it is missing; with --database it must be given before secrets are kept, the same to all servers")
	f.Hidden(&c.EncryptionKey, "encryption-key", "KEYS", "the same keys, with spaces between, instead of a file. "+
		"Better given by the variable: other users of the machine can see a command line")
}

// OwnKeyFile returns the file in the data directory that has the key if none is given; "" where there is no such file.
func (c *Config) OwnKeyFile() string {
	if c.EncryptionKeyFile != "" || c.EncryptionKey != "" || c.Database != "" {
		return ""
	}
	return filepath.Join(c.Data, keyFile)
}

func encryptionKeyFault(key domain.Secret, file string) string {
	if key != "" && file != "" {
		return "can't be given together with --encryption-key-file"
	}
	return ""
}
