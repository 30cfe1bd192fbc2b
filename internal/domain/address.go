package domain

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// AddressList is a list of address ranges from which something may be used. It does not change.
// The zero value is the empty list, which allows every address.
type AddressList struct {
	text     string
	prefixes []netip.Prefix
}

// ParseAddressList reads CIDR addresses separated by white space. A single address stands for itself, and
// bits beyond a range's length are ignored: 10.1.2.3/8 is 10.0.0.0/8. An IPv4 address written as IPv6 is that
// IPv4 address. A limit of 0 means no limit. The error is a phrase that says what is wrong.
func ParseAddressList(s string, limit int) (AddressList, error) {
	words := strings.Fields(s)
	if limit > 0 && len(words) > limit {
		return AddressList{}, fmt.Errorf("at most %d CIDR addresses can be given", limit)
	}
	prefixes := make([]netip.Prefix, len(words))
	for i, word := range words {
		prefix, ok := parsePrefix(word)
		if !ok {
			return AddressList{}, fmt.Errorf("%s is not a CIDR address", quoteStart(word))
		}
		prefixes[i] = prefix
	}
	return AddressList{text: strings.Join(words, " "), prefixes: prefixes}, nil
}

// Allows reports whether addr is in one of the ranges, or the list is empty. An IPv6 zone is ignored. An
// addr that is not valid is in no range.
func (l AddressList) Allows(addr netip.Addr) bool {
	if len(l.prefixes) == 0 {
		return true
	}
	addr = addr.Unmap().WithZone("")
	for _, prefix := range l.prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Within reports whether the other list allows every address that this one allows, as far as single ranges of it show.
func (l AddressList) Within(other AddressList) bool {
	if len(other.prefixes) == 0 {
		return true
	}
	for _, prefix := range l.prefixes {
		if !slices.ContainsFunc(other.prefixes,
			func(o netip.Prefix) bool { return o.Bits() <= prefix.Bits() && o.Contains(prefix.Addr()) }) {
			return false
		}
	}
	return len(l.prefixes) > 0
}

// String returns the list as it was given, with single spaces between the addresses.
func (l AddressList) String() string { return l.text }

func parsePrefix(s string) (netip.Prefix, bool) {
	if !strings.Contains(s, "/") {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, false
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, false
	}
	addr, bits := prefix.Addr(), prefix.Bits()
	if addr.Is4In6() {
		// Fewer than 96 bits would be a range of IPv6 that holds no IPv4 address as Allows sees them.
		addr, bits = addr.Unmap(), bits-96
	}
	prefix, err = addr.Prefix(bits)
	return prefix, err == nil
}
