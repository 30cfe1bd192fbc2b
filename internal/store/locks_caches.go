package store

import "penstock/internal/domain"

// LockCacheRegistry prevents others from changing a registry, or committing entries to it, until the transaction ends,
// and returns it.
func (tx Tx) LockCacheRegistry(id domain.CacheRegistryID) (domain.CacheRegistry, bool, error) {
	if err := tx.locks.acquire(cacheRegistryLock, string(id)); err != nil {
		return domain.CacheRegistry{}, false, err
	}
	return selectOne(tx, cacheRegistries.read, `SELECT `+cacheRegistries.columns+
		` FROM cache_registries r WHERE r.id = $1`+tx.ForUpdate(), id)
}

// CacheUploadForUpdate returns what a job is saving, which nobody else changes until the transaction ends.
func (tx Tx) CacheUploadForUpdate(id domain.CacheUploadID) (domain.CacheUpload, bool, error) {
	if err := tx.locks.acquire(cacheUploadLock, string(id)); err != nil {
		return domain.CacheUpload{}, false, err
	}
	return selectOne(tx, cacheUploads.read, `SELECT `+cacheUploads.columns+` FROM cache_uploads cu WHERE cu.id = $1`+
		tx.ForUpdate(), id)
}
