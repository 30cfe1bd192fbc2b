package domain_test

import (
	"testing"

	"penstock/internal/domain"
)

func TestOSID(t *testing.T) {
	t.Parallel()
	for dump, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n": "linux",
		"NAME=\"Alpine\"\nID=alpine\n":  "linux",
		"CentOS release 6.10 (Final)\n": "linux",
		"linux":                         "linux",
		"ProductName:\t\tmacOS\nProductVersion:\t\t14.4\n":                 "darwin",
		"ProductName:\tMac OS X\nProductVersion:\t10.15.7\n":               "darwin",
		"Windows version 10.0 (Build 20348) (ProductType VER_NT_SERVER)\n": "windows",
		"FreeBSD 14.1-RELEASE\n":                                           "freebsd",
		"Plan9\nsecond line":                                               "plan9",
		"":                                                                 "",
	} {
		if got := (&domain.Agent{OS: dump}).OSID(); got != want {
			t.Errorf("%q is %q, want %q", dump, got, want)
		}
	}
}
