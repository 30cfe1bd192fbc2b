package config

import (
	"path/filepath"

	"penstock/internal/domain"
)

// keyFile is the file of the data directory that has the encryption key of an installation on SQLite, unless another
// one is named.
const keyFile = "penstock.key"

// EncryptionFlags adds the flags that say what secrets are encrypted with.
func (c *Config) EncryptionFlags(f *Flags) {
	f.Text(&c.EncryptionKeyFile, "encryption-key-file", "FILE", "file with the key that encrypts secrets: a line of 32 "+
		"random bytes in base64, such as the output of "+
		"openssl rand -base64 32. Further lines can have older keys, which only decrypt. If unset, penstock.key in --data, "+
		"which is created if missing. With --database, set it on all servers before you store secrets")
	f.Hidden(&c.EncryptionKey, "encryption-key", "KEYS", "the same keys instead of a file, separated by spaces. "+
		"Set it with the variable: other users of the machine can see command lines")
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
