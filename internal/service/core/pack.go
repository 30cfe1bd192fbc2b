package core

import (
	"bytes"
	"compress/gzip"
	"io"

	"penstock/internal/domain"
)

// Pack compresses the body of a delivery.
func Pack(body []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}

// Unpack returns the body of a delivery as it came.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, domain.MaxDelivery))
}
