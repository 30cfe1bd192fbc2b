package core

import (
	"context"
	"errors"
	"time"

	"penstock/internal/domain"
)

// ErrStorage means that the store of blobs does not answer.
var ErrStorage = domain.UnavailableError("The storage of artifacts can't be used now. Please retry.", time.Second, nil)

// StorageError hides the error of a store of blobs, which no caller can change.
func StorageError(err error) error {
	if err == nil || domain.CodeOf(err) != 0 || errors.Is(err, context.Canceled) {
		return err
	}
	return ErrStorage.Because(err)
}
