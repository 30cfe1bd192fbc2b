package junit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/junit"
)

func TestReportsAreRead(t *testing.T) {
	t.Parallel()
	got, err := junit.Read(strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="9"><testsuite name="cart"><properties><property name="a" value="b"/></properties>
<testcase name="adds" time="0.25"/>
<testcase name="totals" classname="cart.Totals" time="1,000.5"><failure message="41.40, want 41.42" type="x">cart_test.go:48
<![CDATA[more <b>]]></failure><system-out>noise</system-out></testcase>
<testcase name="later"><skipped message="no tax yet"/></testcase>
<testcase name="breaks"><error>panic</error></testcase></testsuite>
<testsuite name="empty"/></testsuites>`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failed != 2 || got.Skipped != 1 || got.Took != 1000*time.Second+750*time.Millisecond || len(got.Cases) != 4 {
		t.Errorf("the report is %+v", got)
	}
	want := junit.Case{Name: "totals", Suite: "cart.Totals", Outcome: junit.Failed, Took: 1000500 * time.Millisecond, Message: "41.40, want 41.42", Detail: "cart_test.go:48\nmore <b>"}
	if got.Cases[0] != want {
		t.Errorf("the first is %+v", got.Cases[0])
	}
	if c := got.Cases[1]; c.Name != "breaks" || c.Suite != "cart" || c.Detail != "panic" {
		t.Errorf("the second is %+v", c)
	}
}

func TestHostileReports(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return strings.Repeat("<testsuite>", n) + strings.Repeat("</testsuite>", n)
	}
	for name, c := range map[string]struct{ source, says string }{
		"entities":          {`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`, "document type"},
		"external entities": {`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite>&a;</testsuite>`, "document type"},
		"unknown entity":    {`<testsuite>&a;</testsuite>`, "not valid XML"},
		"deep suites":       {deep(100_000), "nested too deep"},
		"deep elsewhere":    {`<testsuite><x>` + strings.Repeat("<y>", 1000) + strings.Repeat("</y>", 1000) + `</x></testsuite>`, "nested too deep"},
		"deep failure":      {`<testsuite><testcase name="a"><failure>` + strings.Repeat("<y>", 1000) + strings.Repeat("</y>", 1000) + `</failure></testcase></testsuite>`, "nested too deep"},
		"many elements":     {`<testsuite>` + strings.Repeat(`<a/>`, 500_001) + `</testsuite>`, "too many elements"},
		"too large":         {`<testsuite>` + strings.Repeat(" ", junit.MaxSize) + `</testsuite>`, "larger than 10 MiB"},
		"cut":               {`<testsuite><testcase name="a">`, "not valid XML"},
		"other":             {`<html></html>`, "begins with html"},
		"empty":             {``, "no testsuite"},
		"case alone":        {`<testcase name="a"/>`, "no testsuite"},
		"binary":            {"\x00\x01", ""},
		"other charset":     {`<?xml version="1.0" encoding="UTF-16"?><testsuite/>`, "not valid XML"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := junit.Read(strings.NewReader(c.source))
			var format *junit.FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v, want %q", err, c.says)
			}
		})
	}
}

func TestReportsStaySmall(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`<testsuite name="many">`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `<testcase name="%s" time="%d"><failure message="%s">%s</failure></testcase>`, strings.Repeat("n", 200), i, "m", "d")
	}
	b.WriteString(`<testcase name="` + strings.Repeat("é", 5000) + `" time="-1"><failure message="` + strings.Repeat("m", 50_000) + "\x01" + `">x</failure></testcase>`)
	source := strings.ReplaceAll(b.String(), "\x01", "") + `</testsuite>`
	got, err := junit.Read(strings.NewReader(source))
	if err != nil || got.Tests != 20_001 || got.Failed != 20_001 || len(got.Cases) != junit.MaxCases {
		t.Errorf("%d tests, %d cases, %v", got.Tests, len(got.Cases), err)
	}
	one, err := junit.Read(strings.NewReader(`<testsuite><testcase name="` + strings.Repeat("é", 5000) + `"><failure>` + strings.Repeat("x", 50_000) + `</failure></testcase></testsuite>`))
	if err != nil || len(one.Cases) != 1 || len(one.Cases[0].Name) > 310 || len(one.Cases[0].Detail) > 4_010 {
		t.Errorf("%+v, %v", one, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`<testsuites><testsuite name="a"><testcase name="b" time="1"><failure message="c">d</failure></testcase></testsuite></testsuites>`)
	f.Add(`<testsuite><testcase name="&#0;"/></testsuite>`)
	f.Fuzz(func(t *testing.T, source string) {
		report, err := junit.Read(strings.NewReader(source))
		if err == nil && int64(len(report.Cases)) > report.Tests {
			t.Errorf("%d cases of %d tests", len(report.Cases), report.Tests)
		}
	})
}
