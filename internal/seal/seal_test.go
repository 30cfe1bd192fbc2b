package seal_test

import (
	"errors"
	"strings"
	"testing"

	"penstock/internal/seal"
)

func parse(t *testing.T, text string) *seal.Keyring {
	t.Helper()
	ring, err := seal.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestWhatIsSealedIsOpenedAsWhatItIs(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.Generate())
	for _, text := range []string{"", "hunter2", "\x00\xff", strings.Repeat("x", 8<<10)} {
		sealed := ring.Seal(text, "secret 1")
		if strings.Contains(sealed, "hunter2") || seal.KeyID(sealed) != ring.ID() || len(ring.ID()) != seal.IDLength {
			t.Errorf("%q was sealed as %q", text, sealed)
		}
		if sealed == ring.Seal(text, "secret 1") {
			t.Error("sealed twice, it is the same")
		}
		if got, err := ring.Open(sealed, "secret 1"); err != nil || got != text {
			t.Errorf("%q was opened as %q, %v", text, got, err)
		}
		if _, err := ring.Open(sealed, "secret 2"); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("in another's place: %v", err)
		}
	}
}

func TestEveryChangeOfWhatIsSealedIsNoticed(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.Generate())
	sealed := ring.Seal("hunter2", "secret 1")
	for i := range sealed {
		changed := []byte(sealed)
		changed[i] ^= 1
		if text, err := ring.Open(string(changed), "secret 1"); err == nil {
			t.Errorf("with byte %d changed it was opened as %q", i, text)
		}
		if text, err := ring.Open(sealed[:i], "secret 1"); err == nil {
			t.Errorf("cut at %d it was opened as %q", i, text)
		}
	}
}

func TestTheFirstKeySealsAndAllOpen(t *testing.T) {
	t.Parallel()
	first, second := seal.Generate(), seal.Generate()
	old, rotated, other := parse(t, first), parse(t, "# keys\n"+second+" # new\n\n"+first+"\n"), parse(t, second)
	sealed, resealed := old.Seal("a", ""), rotated.Seal("a", "")
	if rotated.ID() != other.ID() || !rotated.Has(old.ID()) || other.Has(old.ID()) || (*seal.Keyring)(nil).Has(old.ID()) {
		t.Error("the ring has the wrong keys")
	}
	for _, text := range []string{sealed, resealed} {
		if got, err := rotated.Open(text, ""); err != nil || got != "a" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := old.Open(resealed, ""); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("with the old key alone: %v", err)
	}
}

func TestWhatIsNoKeyIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	good := seal.Generate()
	for _, text := range []string{"", " \n# " + good, "hunter2", good[:40], good + "A", good + "\nhunter2", strings.Repeat("A", 64)} {
		if _, err := seal.Parse(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
