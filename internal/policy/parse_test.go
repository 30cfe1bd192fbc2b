package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/policy"
)

// policyWithRule wraps a rule in a policy that has nothing else.
func policyWithRule(rule string) string { return `{"rules":[` + rule + `]}` }

// policyWhen is a policy with one allow rule for both actions and a condition.
func policyWhen(condition string) string {
	return policyWithRule(`{"effect":"allow","action":["save","restore"],"when":` + quoteJSON(condition) + `}`)
}

// quoteJSON writes text as a JSON string.
func quoteJSON(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteRune('\\')
			quoted.WriteRune(r)
		case r < 0x20:
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	return quoted.String() + `"`
}

const (
	emptyScopes = `{"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[`
	literal     = "must be $current or a literal, which is not empty and does not begin with $"
)

// normalRule is the normalized policy with one rule.
func normalRule(rule string) string { return emptyScopes + rule + `]}` }

func TestParseNormalizes(t *testing.T) {
	t.Parallel()
	tests := []struct{ document, normal string }{
		{`{}`, emptyScopes + `]}`},
		{" \t\r\n{ } \n", emptyScopes + `]}`},
		{`{"save":{}}`, emptyScopes + `]}`},
		{`{"restore":{}}`, emptyScopes + `]}`},
		{`{"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[]}`, emptyScopes + `]}`},
		{`{"rules":[],"restore":{"scopes":[]},"save":{"scopes":{}}}`, emptyScopes + `]}`},
		{
			`{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`,
			`{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`,
		},
		// The form that the interface document shows.
		{
			`{"save":{"scopes":{"branch":true,"pipeline":true}},"restore":{"scopes":[{"branch":"$current"},{"pipeline":"$current"}]},"rules":[{"effect":"allow","action":"save"},{"effect":"allow","action":"restore"}]}`,
			`{"save":{"scopes":{"branch":true,"pipeline":true}},"restore":{"scopes":[{"branch":"$current"},{"pipeline":"$current"}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`,
		},
		// Scopes keep their values and their order.
		{`{"save":{"scopes":{"branch":true}}}`, `{"save":{"scopes":{"branch":true}},"restore":{"scopes":[]},"rules":[]}`},
		{`{"save":{"scopes":{"branch":false}}}`, `{"save":{"scopes":{"branch":false}},"restore":{"scopes":[]},"rules":[]}`},
		{
			`{"save":{"scopes":{"pipeline":true,"build":false,"branch":true}}}`,
			`{"save":{"scopes":{"pipeline":true,"build":false,"branch":true}},"restore":{"scopes":[]},"rules":[]}`,
		},
		{`{"restore":{"scopes":[{}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[]}`},
		{`{"restore":{"scopes":[{},{},{}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{},{},{}]},"rules":[]}`},
		{`{"restore":{"scopes":[{"build":"$current"}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"build":"$current"}]},"rules":[]}`},
		{
			`{"restore":{"scopes":[{"pipeline":"$current","branch":"main"},{"branch":"main","pipeline":"$current"}]}}`,
			`{"save":{"scopes":{}},"restore":{"scopes":[{"pipeline":"$current","branch":"main"},{"branch":"main","pipeline":"$current"}]},"rules":[]}`,
		},
		{`{"restore":{"scopes":[{"branch":"main$"}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"branch":"main$"}]},"rules":[]}`},
		{`{"restore":{"scopes":[{"branch":" "}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"branch":" "}]},"rules":[]}`},
		{`{"restore":{"scopes":[{"build":"17"}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"build":"17"}]},"rules":[]}`},
		// Text is kept as text: escapes that JSON does not need go, the others are the shortest.
		{`{"restore":{"scopes":[{"branch":"\u006dain\/\u00e9"}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"branch":"main/é"}]},"rules":[]}`},
		{`{"restore":{"scopes":[{"branch":"a\"b\\c\nd\u0001<&>"}]}}`, `{"save":{"scopes":{}},"restore":{"scopes":[{"branch":"a\"b\\c\nd\u0001<&>"}]},"rules":[]}`},
		{`{"restore":{"scopes":[{"branch":"\ud83d\ude80\u2028"}]}}`, "{\"save\":{\"scopes\":{}},\"restore\":{\"scopes\":[{\"branch\":\"🚀\u2028\"}]},\"rules\":[]}"},
		{`{"s\u0061ve":{"scopes":{"br\u0061nch":true}}}`, `{"save":{"scopes":{"branch":true}},"restore":{"scopes":[]},"rules":[]}`},
		// Actions become a list with save first.
		{policyWithRule(`{"effect":"allow","action":"save"}`), normalRule(`{"effect":"allow","action":["save"]}`)},
		{policyWithRule(`{"effect":"deny","action":"restore"}`), normalRule(`{"effect":"deny","action":["restore"]}`)},
		{policyWithRule(`{"effect":"allow","action":["restore"]}`), normalRule(`{"effect":"allow","action":["restore"]}`)},
		{policyWithRule(`{"effect":"allow","action":["save","restore"]}`), normalRule(`{"effect":"allow","action":["save","restore"]}`)},
		{policyWithRule(`{"effect":"allow","action":["restore","save"]}`), normalRule(`{"effect":"allow","action":["save","restore"]}`)},
		{policyWithRule(`{"effect":"\u0061llow","action":"s\u0061ve"}`), normalRule(`{"effect":"allow","action":["save"]}`)},
		// Null names and conditions are dropped; other names, and the order of members, are kept.
		{policyWithRule(`{"name":null,"effect":"allow","action":"save","when":null}`), normalRule(`{"effect":"allow","action":["save"]}`)},
		{policyWithRule(`{"name":"n","effect":"allow","action":"save"}`), normalRule(`{"name":"n","effect":"allow","action":["save"]}`)},
		{policyWithRule(`{"name":"","effect":"allow","action":"save"}`), normalRule(`{"name":"","effect":"allow","action":["save"]}`)},
		{policyWithRule(`{"name":"Größe\t1","effect":"allow","action":"save"}`), normalRule(`{"name":"Größe\t1","effect":"allow","action":["save"]}`)},
		{policyWithRule(`{"when":"true","action":"save","effect":"allow","name":"n"}`), normalRule(`{"when":"true","action":["save"],"effect":"allow","name":"n"}`)},
		{policyWithRule(`{"action":"save","when":null,"effect":"allow"}`), normalRule(`{"action":["save"],"effect":"allow"}`)},
		{
			`{"rules":[{"effect":"deny","action":"save"},{"effect":"allow","action":"save"},{"effect":"deny","action":"save"}]}`,
			normalRule(`{"effect":"deny","action":["save"]},{"effect":"allow","action":["save"]},{"effect":"deny","action":["save"]}`),
		},
		// Conditions are kept to the letter.
		{policyWithRule(`{"effect":"allow","action":"save","when":" true "}`), normalRule(`{"effect":"allow","action":["save"],"when":" true "}`)},
		{policyWithRule(`{"effect":"allow","action":"save","when":"true // why\n && true"}`), normalRule(`{"effect":"allow","action":["save"],"when":"true // why\n && true"}`)},
		{policyWithRule(`{"effect":"allow","action":"save","when":"entry.branch == \"main\""}`), normalRule(`{"effect":"allow","action":["save"],"when":"entry.branch == \"main\""}`)},
		{policyWithRule(`{"effect":"allow","action":"save","when":"claims.build_branch == 'é<>&'"}`), normalRule(`{"effect":"allow","action":["save"],"when":"claims.build_branch == 'é<>&'"}`)},
		{policyWithRule(`{"effect":"allow","action":"save","when":"1 <\u0020 2"}`), normalRule(`{"effect":"allow","action":["save"],"when":"1 <  2"}`)},
	}
	for _, test := range tests {
		t.Run(test.document, func(t *testing.T) {
			t.Parallel()
			parsed, faults := policy.Parse([]byte(test.document))
			if faults != nil {
				t.Fatalf("Parse(%s) has faults: %s", test.document, faults)
			}
			if got := string(parsed.Normal()); got != test.normal {
				t.Fatalf("Parse(%s).Normal()\n got %s\nwant %s", test.document, got, test.normal)
			}
			again, faults := policy.Parse(parsed.Normal())
			if faults != nil {
				t.Fatalf("Parse of the normal form %s has faults: %s", test.normal, faults)
			}
			if got := string(again.Normal()); got != test.normal {
				t.Fatalf("normalizing %s again gives %s", test.normal, got)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		document string
		faults   []string
	}{
		// The document as a whole.
		{``, []string{"must be a JSON object"}},
		{` `, []string{"must be a JSON object"}},
		{`null`, []string{"must be a JSON object"}},
		{`true`, []string{"must be a JSON object"}},
		{`1`, []string{"must be a JSON object"}},
		{`[]`, []string{"must be a JSON object"}},
		{`[{}]`, []string{"must be a JSON object"}},
		{`"{}"`, []string{"must be a JSON object"}},
		{`"rules: []"`, []string{"must be a JSON object"}},
		{"rules: []\n", []string{"must be a JSON object"}},
		{"---\nrules: []\n", []string{"must be a JSON object"}},
		{"\ufeff{}", []string{"must be a JSON object"}},
		{`{} {}`, []string{"must be one JSON object with nothing after it"}},
		{`{}x`, []string{"must be one JSON object with nothing after it"}},
		{`{},`, []string{"must be one JSON object with nothing after it"}},
		{"{}\x00", []string{"must be one JSON object with nothing after it"}},
		// JSON that is not well-formed has one fault, with its place.
		{`{`, []string{"must be valid JSON (byte 1: unexpected EOF)"}},
		{`{"rules"`, []string{"rules must be valid JSON (byte 8: unexpected EOF)"}},
		{`{"rules":[}`, []string{"rules[0] must be valid JSON (byte 10: invalid character '}' at start of value)"}},
		{`{"rules":[{"name":"x]}`, []string{"rules[0].name must be valid JSON (byte 22: unexpected EOF)"}},
		{`{"rules":[],}`, []string{"must be valid JSON (byte 12: invalid character '}' at start of string (expecting '\"'))"}},
		{`{'rules':[]}`, []string{"must be valid JSON (byte 1: invalid character '\\'' at start of string (expecting '\"'))"}},
		{`{rules:[]}`, []string{"must be valid JSON (byte 1: invalid character 'r' at start of string (expecting '\"'))"}},
		{`{"rules":nul}`, []string{"rules must be valid JSON (byte 12: invalid character '}' in literal null (expecting 'l'))"}},
		{`{"rules":01}`, []string{"must be valid JSON (byte 10: invalid character '1' after object value (expecting ',' or '}'))"}},
		{`{"rules":NaN}`, []string{"rules must be valid JSON (byte 9: invalid character 'N' at start of value)"}},
		{`{/* why */}`, []string{"must be valid JSON (byte 1: invalid character '/' at start of string (expecting '\"'))"}},
		{"{\"rules\":[{\"name\":\"\xff\"}]}", []string{"rules[0].name must be valid JSON (byte 19: invalid UTF-8)"}},
		{"{\"\xff\":1}", []string{"must be valid JSON (byte 2: invalid UTF-8)"}},
		{`{"rules":[{"name":"\ud800"}]}`, []string{"rules[0].name must be valid JSON (byte 19: invalid surrogate pair `\\ud800\"}]}` in string)"}},
		{"{\"rules\":[{\"name\":\"a\nb\"}]}", []string{`rules[0].name must be valid JSON (byte 20: invalid character '\n' in string (expecting non-control character))`}},
		{"{\"rules\":[{\"name\":\"a\x00b\"}]}", []string{`rules[0].name must be valid JSON (byte 20: invalid character '\x00' in string (expecting non-control character))`}},
		// Members.
		{`{"rule":[]}`, []string{"rule is not allowed; use save, restore or rules"}},
		{`{"Rules":[]}`, []string{"Rules is not allowed; use save, restore or rules"}},
		{`{"":1}`, []string{`[""] is not allowed; use save, restore or rules`}},
		{`{"a b":1,"$schema":"x"}`, []string{
			`["a b"] is not allowed; use save, restore or rules`,
			`["$schema"] is not allowed; use save, restore or rules`,
		}},
		{`{"a\u001b[31m\u0000":1}`, []string{`["a\x1b[31m\x00"] is not allowed; use save, restore or rules`}},
		{`{"x` + strings.Repeat("é", 100) + `":1}`, []string{`["x` + strings.Repeat("é", 29) + `…"] is not allowed; use save, restore or rules`}},
		{`{"rules":[],"rules":[]}`, []string{"rules must appear only once"}},
		{`{"rules":[],"r\u0075les":[]}`, []string{"rules must appear only once"}},
		{`{"save":{"scopes":{"branch":true,"branch":false}}}`, []string{"save.scopes.branch must appear only once"}},
		// save
		{`{"save":null}`, []string{"save must be a JSON object"}},
		{`{"save":true}`, []string{"save must be a JSON object"}},
		{`{"save":[]}`, []string{"save must be a JSON object"}},
		{`{"save":{"scope":{}}}`, []string{"save.scope is not allowed; use scopes"}},
		{`{"save":{"scopes":null}}`, []string{"save.scopes must be a JSON object"}},
		{`{"save":{"scopes":["branch"]}}`, []string{"save.scopes must be a JSON object"}},
		{`{"save":{"scopes":{"branch":"$current"}}}`, []string{"save.scopes.branch must be true or false"}},
		{`{"save":{"scopes":{"branch":null,"build":1,"pipeline":{}}}}`, []string{
			"save.scopes.branch must be true or false",
			"save.scopes.build must be true or false",
			"save.scopes.pipeline must be true or false",
		}},
		{`{"save":{"scopes":{"job":true}}}`, []string{"save.scopes.job is not allowed; use branch, build or pipeline"}},
		// restore
		{`{"restore":null}`, []string{"restore must be a JSON object"}},
		{`{"restore":{"scopes":null}}`, []string{"restore.scopes must be a JSON array of scopes"}},
		{`{"restore":{"scopes":{}}}`, []string{"restore.scopes must be a JSON array of scopes"}},
		{`{"restore":{"scopes":["branch"]}}`, []string{"restore.scopes[0] must be a JSON object"}},
		{`{"restore":{"scopes":[{},null]}}`, []string{"restore.scopes[1] must be a JSON object"}},
		{`{"restore":{"scopes":[{"pipeline":true}]}}`, []string{"restore.scopes[0].pipeline " + literal}},
		{`{"restore":{"scopes":[{"pipeline":null}]}}`, []string{"restore.scopes[0].pipeline " + literal}},
		{`{"restore":{"scopes":[{"pipeline":""}]}}`, []string{"restore.scopes[0].pipeline " + literal}},
		{`{"restore":{"scopes":[{"pipeline":"$"}]}}`, []string{"restore.scopes[0].pipeline " + literal}},
		{`{"restore":{"scopes":[{"pipeline":"$Current"}]}}`, []string{"restore.scopes[0].pipeline " + literal}},
		{`{"restore":{"scopes":[{},{"branch":"$default"}]}}`, []string{"restore.scopes[1].branch " + literal}},
		{`{"restore":{"scopes":[{"branch":"a\u0000"}]}}`, []string{"restore.scopes[0].branch must not contain NUL"}},
		{`{"restore":{"scopes":[{"branch":"a","step":"b","branch":"c"}]}}`, []string{
			"restore.scopes[0].step is not allowed; use branch, build or pipeline",
			"restore.scopes[0].branch must appear only once",
		}},
		// rules
		{`{"rules":null}`, []string{"rules must be a JSON array of rules"}},
		{`{"rules":{}}`, []string{"rules must be a JSON array of rules"}},
		{`{"rules":"allow"}`, []string{"rules must be a JSON array of rules"}},
		{`{"rules":[null]}`, []string{"rules[0] must be a JSON object"}},
		{`{"rules":["allow",[]]}`, []string{"rules[0] must be a JSON object", "rules[1] must be a JSON object"}},
		{policyWithRule(`{}`), []string{"rules[0].effect must be allow or deny", "rules[0].action must be save or restore"}},
		{policyWithRule(`{"action":"save"}`), []string{"rules[0].effect must be allow or deny"}},
		{policyWithRule(`{"effect":"permit","action":"save"}`), []string{"rules[0].effect must be allow or deny"}},
		{policyWithRule(`{"effect":"Allow","action":"save"}`), []string{"rules[0].effect must be allow or deny"}},
		{policyWithRule(`{"effect":["allow"],"action":"save"}`), []string{"rules[0].effect must be allow or deny"}},
		{policyWithRule(`{"effect":null,"action":"save"}`), []string{"rules[0].effect must be allow or deny"}},
		{policyWithRule(`{"effect":"allow"}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":null}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":"delete"}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":"SAVE"}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":"*"}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":{}}`), []string{"rules[0].action must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":[]}`), []string{"rules[0].action must not be empty; name save or restore or both"}},
		{policyWithRule(`{"effect":"allow","action":["delete"]}`), []string{"rules[0].action[0] must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":["save",["restore"]]}`), []string{"rules[0].action[1] must be save or restore"}},
		{policyWithRule(`{"effect":"allow","action":["save","save"]}`), []string{"rules[0].action[1] must not repeat save"}},
		{policyWithRule(`{"effect":"allow","action":["restore","save","restore"]}`), []string{"rules[0].action[2] must not repeat restore"}},
		{policyWithRule(`{"effect":"allow","action":"save\u0000"}`), []string{"rules[0].action must not contain NUL"}},
		{policyWithRule(`{"effect":"allow","action":"save","effects":1}`), []string{"rules[0].effects is not allowed; use name, effect, action or when"}},
		{policyWithRule(`{"effect":"allow","action":"save","action":"restore"}`), []string{"rules[0].action must appear only once"}},
		{policyWithRule(`{"name":1,"effect":"allow","action":"save"}`), []string{"rules[0].name must be a string or null"}},
		{policyWithRule(`{"name":"a\u0000b","effect":"allow","action":"save"}`), []string{"rules[0].name must not contain NUL"}},
		{policyWithRule(`{"effect":"allow","action":"save","when":true}`), []string{"rules[0].when must be a string or null"}},
		{policyWithRule(`{"effect":"allow","action":"save","when":""}`), []string{"rules[0].when must not be empty; leave it out to match always"}},
		{policyWithRule(`{"effect":"allow","action":"save","when":" \n"}`), []string{"rules[0].when must not be empty; leave it out to match always"}},
		{policyWithRule(`{"effect":"allow","action":"save","when":"true\u0000"}`), []string{"rules[0].when must not contain NUL"}},
		// The message of the contract.
		{
			`{"rules":[{"effect":"allow","action":"save"},{"effect":"allow","action":"restore"},{"effect":"allow","action":"both"}]}`,
			[]string{"rules[2].action must be save or restore"},
		},
		// Every fault, in the order of the document.
		{
			`{"rules":[{"effect":"x","action":["y","save","save"],"when":"entry.x","z":0},3],"version":1,"save":{"scopes":{"a":1,"branch":2}},"restore":{"scopes":[{"branch":"$x"}]}}`,
			[]string{
				"rules[0].effect must be allow or deny",
				"rules[0].action[0] must be save or restore",
				"rules[0].action[2] must not repeat save",
				"rules[0].when names an unknown attribute entry.x; entry has pipeline, branch and build (at 1:6)",
				"rules[0].z is not allowed; use name, effect, action or when",
				"rules[1] must be a JSON object",
				"version is not allowed; use save, restore or rules",
				"save.scopes.a is not allowed; use branch, build or pipeline",
				"save.scopes.branch must be true or false",
				"restore.scopes[0].branch " + literal,
			},
		},
	}
	for _, test := range tests {
		t.Run(test.document, func(t *testing.T) {
			t.Parallel()
			parsed, faults := policy.Parse([]byte(test.document))
			if parsed != nil {
				t.Errorf("Parse(%q) returned a policy", test.document)
			}
			expectFaults(t, faults, test.faults)
		})
	}
}

func expectFaults(t *testing.T, faults policy.Faults, want []string) {
	t.Helper()
	var got []string
	for _, fault := range faults {
		got = append(got, fault.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("faults\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	const rule = `{"effect":"allow","action":["save"]}`
	list := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	padded := func(size int) string { return `{` + strings.Repeat(" ", size-2) + `}` }
	named := func(size int) string {
		frame := len(normalRule(`{"name":"","effect":"allow","action":["save"]}`))
		return normalRule(`{"name":"` + strings.Repeat("n", size-frame) + `","effect":"allow","action":["save"]}`)
	}
	words := func(n int) string { return strings.Repeat("true&&", n/3) + "true" }

	tests := []struct {
		name, document string
		faults         []string
	}{
		{"100 rules", `{"rules":[` + list(rule, 100) + `]}`, nil},
		{"101 rules", `{"rules":[` + list(rule, 101) + `]}`, []string{"rules must have at most 100 rules"}},
		{"rules beyond the limit are not read", `{"rules":[` + list(rule, 100) + `,` + list("0", 9000) + `]}`, []string{"rules must have at most 100 rules"}},
		{"64 KiB", padded(64 << 10), nil},
		{"over 64 KiB", padded(64<<10 + 1), []string{"must be at most 64 KiB"}},
		{"over 64 KiB of garbage", strings.Repeat("x", 64<<10+1), []string{"must be at most 64 KiB"}},
		{"64 KiB in normalized form", named(64 << 10), nil},
		{
			"over 64 KiB in normalized form only",
			strings.TrimPrefix(strings.Replace(named(64<<10+1), `"save":{"scopes":{}},`, "", 1), " "),
			[]string{"must be at most 64 KiB in normalized form"},
		},
		{"condition of 2 KB", policyWhen(`"` + strings.Repeat("a", 2048-8) + `" == ''`), nil},
		{"condition of over 2 KB", policyWhen(`"` + strings.Repeat("a", 2048-7) + `" == ''`), []string{"rules[0].when must be at most 2 KB"}},
		{"condition of 600 words and signs", policyWhen(words(597)), nil},
		{"condition of over 600 words and signs", policyWhen(words(600)), []string{"rules[0].when must have at most 600 words and signs"}},
		{"100 faults", `{"restore":{"scopes":[` + list("0", 100) + `]}}`, elementSentences("restore.scopes[%d] must be a JSON object", 100)},
		{
			"over 100 faults", `{"restore":{"scopes":[` + list("0", 9000) + `]}}`,
			append(elementSentences("restore.scopes[%d] must be a JSON object", 100), "has more faults than these 100"),
		},
		{"unclosed objects", strings.Repeat(`{"rules":`, 7000), []string{
			"rules.rules.rules.rules.rules.rules must be valid JSON (byte 63000: unexpected EOF)",
		}},
		{"nested too deep for JSON", `{"rules":` + strings.Repeat("[", 20000), []string{
			"rules[0][0][0][0][0] must be valid JSON (byte 10008: exceeded max depth)",
		}},
		{"nested arrays", `{"rules":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, []string{"rules[0] must be a JSON object"}},
		{"nested in an unknown member", `{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, []string{"x is not allowed; use save, restore or rules"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := policy.Parse([]byte(test.document))
			expectFaults(t, faults, test.faults)
		})
	}

	t.Run("all conditions together", func(t *testing.T) {
		t.Parallel()
		var conditions []string
		for i := range 6 {
			// A number for each, so that none is known from another.
			conditions = append(conditions, `{"effect":"allow","action":"save","when":"`+fmt.Sprint(i)+`>0&&`+words(480)+`"}`)
		}
		_, faults := policy.Parse([]byte(`{"rules":[` + strings.Join(conditions, ",") + `]}`))
		expectFaults(t, faults, nil)
		conditions = append(conditions, conditions[0])
		_, faults = policy.Parse([]byte(`{"rules":[` + strings.Join(conditions, ",") + `]}`))
		expectFaults(t, faults, []string{"rules must have conditions of at most 3000 words and signs together"})
	})
}

// elementSentences writes n sentences with an index each.
func elementSentences(format string, n int) (sentences []string) {
	for i := range n {
		sentences = append(sentences, fmt.Sprintf(format, i))
	}
	return sentences
}

func TestDefaultIsUnrestricted(t *testing.T) {
	t.Parallel()
	const want = `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`
	if got := string(policy.Default().Normal()); got != want {
		t.Fatalf("Default().Normal()\n got %s\nwant %s", got, want)
	}
	for _, action := range []policy.Action{policy.Save, policy.Restore} {
		if decision := policy.Decide(policy.Default(), action, testClaims()); !decision.Allowed {
			t.Errorf("the default policy does not allow to %s: %s", action, decision)
		}
	}
}

func TestNormalOfNull(t *testing.T) {
	t.Parallel()
	if got := string((*policy.Policy)(nil).Normal()); got != "null" {
		t.Fatalf("got %s", got)
	}
}

func TestNormalBelongsToTheCaller(t *testing.T) {
	t.Parallel()
	parsed := policy.Default()
	clear(parsed.Normal())
	if got := parsed.Normal(); got[0] != '{' {
		t.Fatalf("the policy's normal form was changed to %q", got)
	}
}
