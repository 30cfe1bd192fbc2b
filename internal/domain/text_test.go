package domain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"penstock/internal/domain"
)

// reasonsOf runs check and returns the faults that it added, which must all be of the field "f".
func reasonsOf(t *testing.T, check func(*domain.Faults)) string {
	t.Helper()
	var faults domain.Faults
	check(&faults)
	all := make([]string, len(faults))
	for i, fault := range faults {
		if fault.Field != "f" {
			t.Errorf("fault of field %q, want f", fault.Field)
		}
		all[i] = fault.Reason
	}
	return strings.Join(all, ", ")
}

func TestValidText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, "plain": true, "né\n\t": true, "\ufffd": true,
		"a\x00b": false, "\xff": false, "\xed\xa0\x80": false,
	} {
		if got := domain.ValidText(s); got != want {
			t.Errorf("ValidText(%q) = %v", s, got)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, reason string }{
		{"Open Source", "Open Source", ""},
		{" \t\u00a0\u2003Open  Source\u3000\n", "Open  Source", ""},
		{strings.Repeat("é", 255), strings.Repeat("é", 255), ""},
		{" " + strings.Repeat("x", 255) + " ", strings.Repeat("x", 255), ""},
		{strings.Repeat("x", 256), strings.Repeat("x", 256), "Name is too long (maximum is 255 characters)"},
		{"", "", "Name can't be blank"},
		{" \u2028 ", "", "Name can't be blank"},
		{"a\x00", "a\x00", "Name must be valid UTF-8 without NUL"},
		{"\xff", "\xff", "Name must be valid UTF-8 without NUL"},
	} {
		var got string
		reason := reasonsOf(t, func(f *domain.Faults) { got = domain.CheckName("f", "Name", tt.in, f) })
		if got != tt.want || reason != tt.reason {
			t.Errorf("Name(%q) = %q, fault %q", tt.in, got, reason)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, reason string }{
		{"", ""},
		{" ab ", ""},
		{"éééé", ""},
		{"abcde", "Note is too long (maximum is 4 characters)"},
		{"\x00", "Note must be valid UTF-8 without NUL"},
		{"\xc3", "Note must be valid UTF-8 without NUL"},
	} {
		var got string
		reason := reasonsOf(t, func(f *domain.Faults) { got = domain.CheckText("f", "Note", tt.in, 4, f) })
		if got != tt.in || reason != tt.reason {
			t.Errorf("Text(%q) = %q, fault %q", tt.in, got, reason)
		}
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	const (
		color = "Color must be # and 3 or 6 hexadecimal digits"
		emoji = "Emoji must be a name between colons, such as :rocket:"
		chars = "Key can only contain letters, digits, - and _"
	)
	for _, tt := range []struct {
		check  func(field, s string, faults *domain.Faults)
		reason string
		inputs []string
	}{
		{domain.CheckColor, "", []string{"", "#fff", "#A9CCE3", "#000000"}},
		{domain.CheckColor, color, []string{"#", "fff", "#ffff", "#ggg", "#fffffff", "#fff\n", " #fff", "red"}},
		{domain.CheckEmoji, "", []string{
			"", ":+1:", ":-1:", ":buildkite:", ":e-mail:", ":non-potable_water:", ":8ball:", ":asp.net:", ":piñata:",
			":wave::skin-tone-3:", ":" + strings.Repeat("x", 100) + ":",
		}},
		{domain.CheckEmoji, emoji, []string{
			":", "::", "rocket", ":rocket", "rocket:", ":a b:", ":a:b:", ":a::b:", ":a::skin-tone-7:", ":a:\n", "🚀",
			":\xff:", ":a\x00:", ":<b>:", ":" + strings.Repeat("x", 101) + ":",
		}},
		{domain.CheckQueueKey, "", []string{"default", "Linux_2-x", "-", "0", strings.Repeat("k", 100)}},
		{domain.CheckQueueKey, "Key can't be blank", []string{""}},
		{domain.CheckQueueKey, chars, []string{"a b", "a.b", "é", "a\n", "a\x00", " "}},
		{domain.CheckQueueKey, "Key is too long (maximum is 100 characters)", []string{strings.Repeat("k", 101)}},
	} {
		for _, s := range tt.inputs {
			if got := reasonsOf(t, func(f *domain.Faults) { tt.check("f", s, f) }); got != tt.reason {
				t.Errorf("%q: fault %q, want %q", s, got, tt.reason)
			}
		}
	}
}

func TestEmail(t *testing.T) {
	t.Parallel()
	const wrong = "Email must be an email address"
	long := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	for _, tt := range []struct{ in, want, reason string }{
		{" Ann.Lee+ci@Example.com\n", "Ann.Lee+ci@Example.com", ""},
		{"root@localhost", "root@localhost", ""},
		{"josé@exämple.com", "josé@exämple.com", ""},
		{long, long, ""},
		{"a" + long, "a" + long, "Email is too long (maximum is 254 characters)"},
		{"  ", "", "Email can't be blank"},
		{"ann", "ann", wrong},
		{"ann@", "ann@", wrong},
		{"@example.com", "@example.com", wrong},
		{"a@b@c", "a@b@c", wrong},
		{"a b@c.d", "a b@c.d", wrong},
		{"a..b@c.d", "a..b@c.d", wrong},
		{"Ann <ann@c.d>", "Ann <ann@c.d>", wrong},
		{"<ann@c.d>", "<ann@c.d>", wrong},
		{"ann@c.d (Ann)", "ann@c.d (Ann)", wrong},
		{"ann@c.d, bob@c.d", "ann@c.d, bob@c.d", wrong},
		{"ann@c.d\r\nBcc: bob@c.d", "ann@c.d\r\nBcc: bob@c.d", wrong},
		{"ann\u200b@c.d", "ann\u200b@c.d", wrong},
		{"ann\u00a0x@c.d", "ann\u00a0x@c.d", wrong},
		{"ann\x00@c.d", "ann\x00@c.d", wrong},
		{"ann\xff@c.d", "ann\xff@c.d", wrong},
	} {
		var got string
		reason := reasonsOf(t, func(f *domain.Faults) { got = domain.CheckEmail("f", tt.in, f) })
		if got != tt.want || reason != tt.reason {
			t.Errorf("Email(%q) = %q, fault %q", tt.in, got, reason)
		}
	}
}

func TestEmailKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Ann@Example.COM ":  "ann@example.com",
		"\u212aate@c.d":      "\u212aate@c.d", // the Kelvin sign
		"\u0130rma@c.d":      "\u0130rma@c.d", // I with a dot
		"josÉ@exämple.com\t": "josÉ@exämple.com",
	} {
		if got := domain.EmailKey(in); got != want {
			t.Errorf("EmailKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSortKey(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"open source", "Open Source", "OPEN SOURCE", "Open\u00a0Source"},
		{"straße", "STRASSE", "Straße", "STRAẞE"},
		{"é", "É", "e\u0301", "E\u0301"},
		{"ｆｕｌｌ", "FULL", "Full"},
		{"ﬁle", "FILE"},
		{"ΟΔΟΣ", "οδος", "οδοσ"},
	} {
		for _, s := range same[1:] {
			if got, want := domain.SortKey(s), domain.SortKey(same[0]); got != want {
				t.Errorf("SortKey(%q) = %q, SortKey(%q) = %q", s, got, same[0], want)
			}
		}
	}
	for _, pair := range [][2]string{{"Apple", "banana"}, {"apple", "Banana"}, {"A", "a b"}, {"Z", "é"}} {
		if domain.SortKey(pair[0]) >= domain.SortKey(pair[1]) {
			t.Errorf("%q does not sort before %q", pair[0], pair[1])
		}
	}
}

func TestSortKeyLength(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		strings.Repeat("x", 255):          255,
		strings.Repeat("\U0001f680", 255): 1020,
		strings.Repeat("\ufdfa", 255):     1020, // 33 bytes each when normalized
	} {
		got := domain.SortKey(in)
		if len(got) > want || len(got) < want-utf8.UTFMax || !utf8.ValidString(got) {
			t.Errorf("SortKey(%.8q…) has %d bytes, want about %d", in, len(got), want)
		}
	}
}

func FuzzSortKey(f *testing.F) {
	for _, s := range []string{"", "Open Source", "E\u0301", "ſﬁ\u0345\u03b1", "\xff\x00", strings.Repeat("\ufdfa", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := domain.SortKey(s)
		if len(key) > 1020 {
			t.Errorf("SortKey(%q) has %d bytes", s, len(key))
		}
		if domain.ValidText(s) && !domain.ValidText(key) {
			t.Errorf("SortKey(%q) = %q is not valid text", s, key)
		}
	})
}

func BenchmarkSortKey(b *testing.B) {
	for name, s := range map[string]string{"ascii": "Open Source builds", "unicode": "Größe der Straße"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				domain.SortKey(s)
			}
		})
	}
}
