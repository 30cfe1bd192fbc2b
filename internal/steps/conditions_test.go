package steps_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"penstock/internal/steps"
)

// evaluated returns what a condition is with these variables.
func evaluated(t *testing.T, source string, v steps.Variables) (is bool, seen map[string]any) {
	t.Helper()
	w := work(t)
	c, err := w.ParseCondition(source)
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return false, nil
	}
	if c.String() != source {
		t.Errorf("%s is shown as %s", source, c)
	}
	e := steps.Evaluation{Variables: v, Work: w}
	if is, err = c.Eval(&e); err != nil {
		t.Errorf("%s: %v", source, err)
	}
	return is, e.Seen
}

func TestTheGrammarOfConditions(t *testing.T) {
	t.Parallel()
	v := steps.Variables{Values: map[string]any{
		"build.message": `a "quoted" 'text' \ with / and` + "\nanother line", "build.branch": "", "build.number": -3,
		"build.pull_request.labels": []string{"x", "y"}, "build.creator.teams": []string{},
	}}
	for source, want := range map[string]bool{
		// Both operators take the nearest; && binds more than ||, ! more than both.
		"true || false && false": true, "(true || false) && false": false, "false && false || true": true, "!false && true": true,
		"!true || true": true, "!(true || true)": false, "!!true": true, "true && true && false": false, "false || false || true": true,
		// Comparisons.
		"1 == 1": true, "1 != 1": false, "-3 == build.number": true, "1 == '1'": false, "true == true": true, "null == false": false,
		"null == null": true, "'a' == \"a\"": true, "'a' != 'b'": true, "build.branch == ''": true, "build.branch == null": false,
		"(1 == 1) == true": true, "build.tag == null": true,
		// What counts as true: all but null and false.
		"0": true, "''": true, "null": false, "!null": true, "build.creator.teams": true, "build.tag": false,
		// Texts, and what is escaped in them.
		`'it\'s' == "it's"`: true, `"a\"b" == 'a"b'`: true, `'a\\b' == "a\\b"`: true, `'\n' == 'n'`: true, "'a b' == 'a  b'": false,
		// Lists.
		"build.pull_request.labels includes 'x'": true, "build.pull_request.labels includes 'z'": false, "build.creator.teams includes ''": false,
		"build.message includes 'a'": false, "build.pull_request.labels includes 1": false, "build.pull_request.labels == build.pull_request.labels": true,
		"build.pull_request.labels == build.creator.teams": false, "build.pull_request.labels != 'x'": true, "'x' != build.pull_request.labels": true,
		// Expressions: case, slashes, lines, and what is no text.
		`build.message =~ /QUOTED/`: false, `build.message =~ /QUOTED/i`: true, `build.message =~ / \/ and$/`: false, `build.message =~ /(?m) \/ and$/`: true,
		`build.message =~ /^a.*line$/`: false, `build.message =~ /(?s)^a.*line$/`: true, `build.message !~ /nothing/`: true,
		"build.number =~ /3/": false, "build.number !~ /3/": true, "null =~ /./": false, "null !~ /./": true, "'' =~ /^$/": true, "'ab' =~ /b/": true,
		// Space and comments.
		" \t\n true \n ": true, "true // && false": true, "// a comment\ntrue": true, "true//\n&&//\nfalse": false, "'//' == '//'": true,
	} {
		if got, _ := evaluated(t, source, v); got != want {
			t.Errorf("%s is %t", source, got)
		}
	}
}

// Every variable can be asked for, and is seen; what a build does not have is null.
func TestEveryVariableOfConditions(t *testing.T) {
	t.Parallel()
	for _, name := range steps.VariableNames {
		if name == "build.env" { // which is below
			continue
		}
		v := steps.Variables{Values: map[string]any{name: "the value"}}
		is, seen := evaluated(t, name+" == 'the value'", v)
		if !is || seen[name] != "the value" || len(seen) != 1 || v.Find(name) != "the value" {
			t.Errorf("%s: %t, %v", name, is, seen)
		}
		if is, seen := evaluated(t, name+" == null", steps.Variables{}); !is || len(seen) != 1 {
			t.Errorf("%s that there is not: %t, %v", name, is, seen)
		}
	}
	v := steps.Variables{Env: map[string]string{"A": "1", "EMPTY": ""}}
	for source, want := range map[string]bool{
		`build.env("A") == "1"`: true, `build.env('A') =~ /1/`: true, `build.env("EMPTY") == ""`: true, `build.env("EMPTY") == null`: false,
		`build.env("a") == null`: true, `build.env ( "A" ) == "1"`: true,
	} {
		if got, _ := evaluated(t, source, v); got != want {
			t.Errorf("%s is %t", source, got)
		}
	}
	_, seen := evaluated(t, `build.env("A") == "2" || build.env("B") == null || build.branch == null`, v)
	wantEqual(t, seen, map[string]any{"build.env A": "1", "build.env B": nil}) // what decides nothing is not asked for
	wantEqual(t, []any{v.Find("build.env A"), v.Find("build.env B")}, []any{"1", nil})
}

func TestConditionsThatAreRefused(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                        "a value is expected, not the end",
		"// nothing":              "a value is expected, not the end",
		"true true":               "`true` is not expected there",
		"true &&":                 "a value is expected, not the end",
		"|| true":                 "a value is expected, not `||`",
		"true & false":            "\"&\" is not expected there",
		"build.branch = 'a'":      "\"=\" is not expected there",
		"1 == 2 == 3":             "`==` is not expected there",
		"(true":                   "`)` is expected, not the end",
		"true)":                   "`)` is not expected there",
		"()":                      "a value is expected, not `)`",
		"build.nothing":           "`build.nothing` is not a variable",
		"step.key == 'a'":         "`step.key` is not a variable",
		"BRANCH":                  "`BRANCH` is not a variable",
		"includes":                "`includes` is not a variable",
		"build.env":               "`build.env` needs the name of a variable: `build.env(\"NAME\")`",
		"build.env()":             "`build.env` needs the name of a variable: `build.env(\"NAME\")`",
		"build.env(A)":            "`build.env` needs the name of a variable: `build.env(\"NAME\")`",
		"build.env('A', 'B')":     "\",\" is not expected there",
		"build.tag =~ 'a'":        "a regular expression is expected after `=~`, not `a`",
		"build.tag =~":            "a regular expression is expected after `=~`, not the end",
		"build.tag == /a/":        "a value is expected, not `a`",
		"/a/":                     "a value is expected, not `a`",
		"build.tag =~ /(/":        "the regular expression /(/ is not valid",
		"build.tag =~ /(?=a)/":    "the regular expression /(?=a)/ is not valid",
		"build.tag =~ /a\n/":      "\"/\" is not expected there",
		"'open":                   "\"'\" is not expected there",
		"a # b":                   "\"#\" is not expected there",
		"9999999999999999999":     "`9` is not expected there",
		strings.Repeat("!", 101):  "it is nested too deeply",
		strings.Repeat("(", 101):  "it is nested too deeply",
		strings.Repeat("x", 2049): "it is longer than 2048 bytes",
	} {
		if c, err := work(t).ParseCondition(source); err == nil || err.Error() != want {
			t.Errorf("%.60q: %v, %v, want %s", source, c, err, want)
		}
	}
}

// Conditions of notifications know how the pipeline's builds went, and those of a step know the step, but not how the build goes.
func TestConditionsOfNotifications(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(steps.NotifyVariableNames, steps.VariableNames) {
		condition := name + " != null"
		if name == "build.env" {
			condition = `build.env("A") != null`
		}
		notify, _ := json.Marshal([]map[string]string{{"slack": "x", "if": condition}})
		if err := work(t).CheckNotify(notify); (err == nil) != (name != "build.state") {
			t.Errorf("of a step: %s: %v", name, err)
		}
		_, err := work(t).Parse([]byte(`{"steps": ["wait"], "notify": ` + string(notify) + `}`))
		if (err == nil) != !strings.HasPrefix(name, "step.") {
			t.Errorf("of a build: %s: %v", name, err)
		}
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	const kinds = "email, webhook, slack, github_commit_status, github_check, pagerduty_change_event, basecamp_campfire"
	for entry, want := range map[string]string{
		`"github_check"`: "", `"github_commit_status"`: "", `{"slack":"#x"}`: "", `{"slack":"#x","if":null}`: "", `{"slack":{"channels":["#a","@b"],"message":"m"}}`: "",
		`{"webhook":"https://example.com/x"}`: "", `{"webhook":"$HOOK"}`: "", `{"pagerduty_change_event":"k"}`: "", `{"basecamp_campfire":"https://example.com"}`: "",
		`{"github_commit_status":{"context":"c","blocked_builds_as_pending":true}}`: "", `{"github_check":{"name":"n","output":{"title":"t","annotations":[]}}}`: "",
		`1`: "`notify` is invalid: each entry is an object", `{}`: "`notify` is invalid: an entry needs one of " + kinds,
		`{"pager":"x"}`:                       "`notify` is invalid: `pager` is not one of " + kinds,
		`"slack"`:                             "`slack` is invalid: it needs a channel, such as #builds, and takes at most 20",
		`{"slack":{"channels":[]}}`:           "`slack` is invalid: it needs a channel, such as #builds, and takes at most 20",
		`{"slack":[1]}`:                       "`slack` is invalid: it is a channel, or an object with `channels` and `message`",
		`{"slack":"x","webhook":"https://e"}`: "`notify` is invalid: `slack` and `webhook` must be separate entries",
		`{"slack":"x","if":{}}`:               "`if` is invalid: it is a text", `{"slack":"x","if":"nothing"}`: "`if` is invalid: `nothing` is not a variable",
		`{"webhook":"example.com"}`:                           "`webhook` is invalid: it is an address that begins with https:// or http://",
		`"webhook"`:                                           "`webhook` is invalid: it is an address that begins with https:// or http://",
		`{"basecamp_campfire":7}`:                             "`basecamp_campfire` is invalid: it is an address that begins with https:// or http://",
		`{"pagerduty_change_event":"a b"}`:                    "`pagerduty_change_event` is invalid: it is the integration key of a service",
		`{"github_commit_status":"x"}`:                        "`github_commit_status` is invalid: it is an object",
		`{"slack":{"channels":"x","message":"` + long + `"}}`: "`slack` is invalid: it is too long",
		`{"email":"team@example.com"}`:                        "`notify` is invalid: a step can't send an email; set it for the whole build",
	} {
		err := work(t).CheckNotify([]byte("[" + entry + "]"))
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%.200s: %v, want %s", entry, err, want)
		}
	}
	for notify, want := range map[string]string{
		`[]`: "", `{}`: "`notify` is invalid: it is a list", `"x"`: "`notify` is invalid: it is a list",
		`[` + strings.Repeat(`"github_check",`, 50) + `"github_check"]`: "`notify` is invalid: it has more than 50 entries",
		`[{"email":"team@example.com","if":"build.state == 'failed'"}]`: "",
		`[{"email":"Team <team@example.com>"}]`:                         "`email` is invalid: it is one address, such as team@example.com",
	} {
		_, err := work(t).Parse([]byte(`{"steps": ["wait"], "notify": ` + notify + `}`))
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%.200s: %v, want %s", notify, err, want)
		}
	}
}

var long = strings.Repeat("x", 4_001)
