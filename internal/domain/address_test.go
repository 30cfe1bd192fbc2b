package domain_test

import (
	"net/netip"
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestAddressListAllows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list    string
		allowed []string
		denied  []string
	}{
		{"", []string{"1.2.3.4", "::1", "::ffff:1.2.3.4"}, nil},
		{" \n", []string{"1.2.3.4"}, nil},
		{"10.0.0.0/8 192.168.1.7", []string{"10.9.8.7", "192.168.1.7", "::ffff:10.1.1.1"}, []string{"11.0.0.0", "192.168.1.8", "::1"}},
		{"10.1.2.3/8", []string{"10.9.9.9"}, []string{"11.1.2.3"}},
		{"0.0.0.0/0", []string{"1.2.3.4", "::ffff:1.2.3.4"}, []string{"::1"}},
		{"::/0", []string{"::1", "2001:db8::1"}, []string{"1.2.3.4", "::ffff:1.2.3.4"}},
		{"2001:db8::/32 ::1", []string{"2001:db8:1::1", "::1"}, []string{"2001:db9::1", "::2"}},
		{"::ffff:10.0.0.0/104", []string{"10.1.1.1", "::ffff:10.1.1.1"}, []string{"11.1.1.1"}},
		{"::ffff:10.0.0.1", []string{"10.0.0.1"}, []string{"10.0.0.2"}},
		{"fe80::/10", []string{"fe80::1%eth0", "fe80::1"}, []string{"::1"}},
	} {
		list, err := domain.ParseAddressList(tt.list, 0)
		if err != nil {
			t.Errorf("ParseAddressList(%q): %v", tt.list, err)
			continue
		}
		for _, addr := range tt.allowed {
			if !list.Allows(netip.MustParseAddr(addr)) {
				t.Errorf("%q does not allow %s", tt.list, addr)
			}
		}
		for _, addr := range tt.denied {
			if list.Allows(netip.MustParseAddr(addr)) {
				t.Errorf("%q allows %s", tt.list, addr)
			}
		}
		if empty := strings.TrimSpace(tt.list) == ""; list.Allows(netip.Addr{}) != empty {
			t.Errorf("%q: an invalid address is allowed: %v", tt.list, !empty)
		}
	}
	if !(domain.AddressList{}).Allows(netip.Addr{}) {
		t.Error("the zero list denies")
	}
}

func TestAddressListWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list, other string
		within      bool
	}{
		{"", "", true},
		{"10.0.0.0/8", "", true},
		{"", "10.0.0.0/8", false},
		{"10.0.0.0/8", "10.0.0.0/8", true},
		{"10.1.0.0/16 10.2.3.4", "192.0.2.0/24 10.0.0.0/8", true},
		{"10.0.0.0/8", "10.0.0.0/16", false},
		{"10.0.0.0/8 ::1", "10.0.0.0/8", false},
		{"::/0", "0.0.0.0/0", false},
		{"2001:db8:1::/48", "2001:db8::/32", true},
	} {
		list, err := domain.ParseAddressList(tt.list, 0)
		other, otherErr := domain.ParseAddressList(tt.other, 0)
		if got := list.Within(other); err != nil || otherErr != nil || got != tt.within {
			t.Errorf("%q is within %q: %t", tt.list, tt.other, got)
		}
	}
}

func TestParseAddressListErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"10.0.0.0/8 10.0.0/8", 0, `"10.0.0/8" is not a CIDR address`},
		{"10.0.0.0/8,10.1.0.0/16", 0, `"10.0.0.0/8,10.1.0.0/16" is not a CIDR address`},
		{"10.0.0.0/33", 0, `"10.0.0.0/33" is not a CIDR address`},
		{"10.0.0.0/-1", 0, `"10.0.0.0/-1" is not a CIDR address`},
		{"010.0.0.1", 0, `"010.0.0.1" is not a CIDR address`},
		{"10.0.0.1/", 0, `"10.0.0.1/" is not a CIDR address`},
		{"localhost", 0, `"localhost" is not a CIDR address`},
		{"fe80::1%eth0", 0, `"fe80::1%eth0" is not a CIDR address`},
		{"fe80::1%eth0/64", 0, `"fe80::1%eth0/64" is not a CIDR address`},
		{"::ffff:10.0.0.1/24", 0, `"::ffff:10.0.0.1/24" is not a CIDR address`},
		{"\x00", 0, `"\x00" is not a CIDR address`},
		{strings.Repeat("é", 99), 0, `"` + strings.Repeat("é", 30) + `…" is not a CIDR address`},
		{strings.Repeat("::1 ", 25), 24, "at most 24 CIDR addresses can be given"},
	} {
		list, err := domain.ParseAddressList(tt.in, tt.limit)
		if err == nil || err.Error() != tt.want || list.String() != "" {
			t.Errorf("ParseAddressList(%q) = %q, %v, want %s", tt.in, list, err, tt.want)
		}
	}
}

func TestAddressListString(t *testing.T) {
	t.Parallel()
	list, err := domain.ParseAddressList("\t10.1.2.3/8  ::FFFF:1.2.3.4\n::1 ", 3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := list.String(), "10.1.2.3/8 ::FFFF:1.2.3.4 ::1"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func FuzzParseAddressList(f *testing.F) {
	for _, s := range []string{"", "10.0.0.0/8 ::1", "::ffff:1.2.3.4/96", "::ffff:1.2.3.4/95", "fe80::%1/64", "1.2.3.4/032", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := domain.ParseAddressList(s, 5)
		if err != nil {
			return
		}
		words := strings.Fields(list.String())
		if len(words) > 5 {
			t.Fatalf("%q gave %d addresses", s, len(words))
		}
		again, err := domain.ParseAddressList(list.String(), 5)
		if err != nil || again.String() != list.String() {
			t.Errorf("%q is read as %q, which is read as %q, %v", s, list, again, err)
		}
		if list.Allows(netip.Addr{}) != (len(words) == 0) {
			t.Errorf("%q: an invalid address is not treated as such", s)
		}
		for _, word := range words {
			text, _, _ := strings.Cut(word, "/")
			if addr := netip.MustParseAddr(text); !list.Allows(addr) || !list.Allows(addr.Unmap()) {
				t.Errorf("%q does not allow %s", s, addr)
			}
		}
	})
}
