package domain

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
)

// CursorPage is a part of a list that lies after or before a cursor.
type CursorPage struct {
	Size   int64
	After  *string // at most one of After and Before
	Before *string
}

// CursorPaged is a part of a list, and the cursors of what lies around it.
type CursorPaged[T any] struct {
	Items []T
	Next  string // for After; "" when nothing lies behind
	Prev  string // for Before; "" when nothing lies before
}

// ErrBadCursor is the refusal of a cursor that is not this list's own.
var ErrBadCursor = NewError(Malformed, "The cursor is not valid. Follow the links of a list to get one")

// EncodeCursor returns an opaque text for a position in a list. Position is the sort key itself, so that it
// stays good when the item there is renamed or deleted. The list's name keeps cursors of one list from being
// used in another.
func EncodeCursor(list, position string) string {
	raw := binary.BigEndian.AppendUint32(nil, cursorSum(list, position))
	return base64.RawURLEncoding.EncodeToString(append(raw, position...))
}

// DecodeCursor returns the position that EncodeCursor encoded for the same list.
func DecodeCursor(list, cursor string) (position string, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 4 {
		return "", ErrBadCursor
	}
	position = string(raw[4:])
	// Anyone can make a sum that fits: what cannot be a position must not reach the database.
	if binary.BigEndian.Uint32(raw) != cursorSum(list, position) || EncodeCursor(list, position) != cursor ||
		!ValidText(position) {
		return "", ErrBadCursor
	}
	return position, nil
}

func cursorSum(list, position string) uint32 {
	return crc32.ChecksumIEEE([]byte(list + "\x00" + position))
}
