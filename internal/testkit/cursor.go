package testkit

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
)

// ForgeCursor returns a cursor of another position in the list that the cursor is of: its checksum can be run backwards to where the position begins.
func ForgeCursor(t *testing.T, cursor, position string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	state := ^binary.BigEndian.Uint32(raw)
	for _, b := range slices.Backward(raw[4:]) {
		i := slices.IndexFunc(crc32.IEEETable[:], func(entry uint32) bool { return entry>>24 == state>>24 })
		state = (state^crc32.IEEETable[i])<<8 | uint32(byte(i)^b)
	}
	sum := crc32.Update(^state, crc32.IEEETable, []byte(position))
	return base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint32(nil, sum), position...))
}
