package markdown_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"penstock/internal/markdown"
)

func TestRender(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow noopener noreferrer"`
	for source, want := range map[string]string{
		"":                                   "",
		"# Failed\n\n**3** tests":            "<h1>Failed</h1>\n<p><strong>3</strong> tests</p>\n",
		"a < b & \"c\"":                      "<p>a &lt; b &amp; &#34;c&#34;</p>\n",
		"~~old~~ <kbd>x</kbd>":               "<p><del>old</del> <kbd>x</kbd></p>\n",
		"```go\nx\n```":                      "<pre><code class=\"language-go\">x\n</code></pre>\n",
		"|a|\n|:-:|\n|b|":                    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n",
		"[x](https://example.com/?a=b&c)":    `<p><a href="https://example.com/?a=b&amp;c"` + rel + ">x</a></p>\n",
		"[x](artifact://log/a.txt)":          `<p><a href="artifact://log/a.txt"` + rel + ">x</a></p>\n",
		"![x](https://example.com/a.png)":    "<p><img src=\"https://example.com/a.png\" alt=\"x\"></p>\n",
		"<details open><summary>s</summary>": "<details open=\"\"><summary>s</summary></details>",
		// What could do harm.
		"<script>alert(1)</script>after":                  "after",
		"<style>*{}</style>x":                             "x",
		"a<iframe src=\"https://evil.example\"></iframe>": "<p>a</p>\n",
		"[x](javascript:alert(1))":                        "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"JaVaScRiPt:alert(1)\">x</a>":           "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"java\tscript:alert(1)\">x</a>":         "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"&#106;avascript:alert(1)\">x</a>":      "<p><a" + rel + ">x</a></p>\n",
		"<a href=\" javascript:alert(1)\">x</a>":          "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"data:text/html,x\">x</a>":              "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"https:javascript:x\">x</a>":            "<p><a" + rel + ">x</a></p>\n",
		"<a href=\"/settings\">x</a>":                     "<p><a" + rel + ">x</a></p>\n",
		"![x](data:image/svg+xml;base64,AAAA)":            "<p><img alt=\"x\"></p>\n",
		"<b onclick=\"alert(1)\" style=\"x\">x</b>":       "<p><b>x</b></p>\n",
		"<img src=x onerror=alert(1)>":                    `<img alt="">`,
		"<svg onload=alert(1)>x</svg>":                    "<p>x</p>\n",
		"<form action=/x><button>x</button></form>":       "x",
		"</div></div></article>x":                         "x",
		"<div><b>x":                                       "<div><b>x</b></div>",
		"<li>x <td>y":                                     "x y",
		"<div a=\"<b>\">x</div>":                          "<div>x</div>",
		"<!-- c --><![CDATA[x]]><?php x ?>":               "",
	} {
		html, err := markdown.Render(t.Context(), source)
		if err != nil {
			t.Errorf("%q: %v", source, err)
		}
		got := strings.TrimSuffix(html, "\n")
		if got != strings.TrimSuffix(want, "\n") {
			t.Errorf("%q is\n%q, not\n%q", source, got, want)
		}
	}
}

// hostileTexts are texts as long as an annotation may be that would nest deep, become large, or take long.
func hostileTexts() map[string]string {
	const size = 1 << 20
	all := map[string]string{}
	for _, part := range []string{">", "> ", "- ", "* ", "1. ", "1) ", "<div>", "<b>", "<a>", "<ul><li>", "<table><tr><td>", "[", "![", "*", "**a", "*a_", "`", "``a", "<", "&", "\\", "~", "|", "|a|\n|-|\n",
		"\n>", "- a\n  ", "[a](", "[a][", "a\n\n", "<!--", "<?", "</div>", "\t", "#", "# ", "***a", "_*", "<a href=", "[a]: <", "[a]: b\n", "a <?", "a <!--", "a <!A", "a <![CDATA[", "\"", "[]() ", "-\n", "a\n",
		"<a a=\"b\n", "* a\n\n", "&#35;", "&amp", "http://a ", "a@b.c ", "<http://a", "\n\n", "    a\n", "```\n", "a\n-\n", "|-\n", "a|b\n-|-\n", "`\\|`|", "| |\n", "\u00a0", "[\u00e9]\n"} {
		all[part] = strings.Repeat(part, size/4/len(part))
	}
	var runs strings.Builder // of backticks, of which no two are as long
	for i := 1; runs.Len() < size-i-1; i++ {
		runs.WriteString(strings.Repeat("`", i) + "a")
	}
	all["runs"] = runs.String()
	var deep strings.Builder // a list in a list, by indentation, and then lines that belong to all of them
	for i := 0; deep.Len() < size/2; i++ {
		deep.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	all["deep"] = deep.String() + strings.Repeat("\n", size/2)
	all["quoted"] = strings.Repeat("> ", 40) + "a\n" + strings.Repeat(strings.Repeat("> ", 40)+"\n", size/81-1)
	all["defined"] = "[a]: http://example.com/" + strings.Repeat("a", size/2) + "\n\n" + strings.Repeat("[a]\n\n", size/10)
	all["wide"] = "|" + strings.Repeat("a|", 2_000) + "\n|" + strings.Repeat("-|", 2_000) + "\n" + strings.Repeat("|\n", 490_000)
	all["pipes"] = "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", size/8)
	return all
}

// TestRenderIsBounded renders hostile texts: what comes of them is small enough, or refused.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	refused := map[string]error{"defined": markdown.ErrSize, "wide": markdown.ErrTables, "pipes": markdown.ErrTables}
	for name, source := range hostileTexts() {
		got, err := markdown.Render(t.Context(), source)
		if want := refused[name]; len(got) > markdown.MaxHTML || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %d bytes, %v, not %v", name, len(got), err, want)
		}
		runtime.KeepAlive(got)
	}
}

// TestTablesUpToTheBound renders the largest tables that there can be, and larger ones.
func TestTablesUpToTheBound(t *testing.T) {
	t.Parallel()
	table := func(columns, rows int) string { // with its head
		return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("|b|\n", rows-1)
	}
	for source, want := range map[string]error{
		table(10, 5_000):                        nil,
		table(10, 5_001):                        markdown.ErrTables,
		table(500, 10):                          nil,
		table(500, 2_000):                       markdown.ErrTables,
		strings.Repeat(table(10, 100)+"\n", 40): nil,
		strings.Repeat(table(10, 100)+"\n", 60): markdown.ErrTables,
		"> " + strings.ReplaceAll(table(500, 2_000), "\n", "\n> "): markdown.ErrTables,
		// Lines that look like what follows a head, and are none, before the one that is.
		"x\n::-\n" + table(10, 4_000):                         nil,
		"x\n::-\n" + table(500, 2_000):                        markdown.ErrTables,
		"x\n:|-\n" + table(500, 2_000):                        markdown.ErrTables,
		strings.Repeat("::-\n", 500) + table(10, 1_000):       nil,
		"|`" + strings.Repeat(`\|`, 2_000) + "`|\n|-|\n|b|\n": markdown.ErrTables,
		strings.Repeat("|a", 60_000) + "|\n|-|\n|b|\n":        markdown.ErrTables,
	} {
		got, err := markdown.Render(t.Context(), source)
		if !errors.Is(err, want) || (want == nil) != strings.Contains(got, "<td>b</td>") {
			t.Errorf("%.40q: %d bytes, %v, not %v", source, len(got), err, want)
		}
	}
}

func TestRenderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, source := range []string{"a", "*a*\n\nb", "|a|\n|-|"} {
		if got, err := markdown.Render(ctx, source); got != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %q, %v", source, got, err)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{"": "", "# <b>\n": "<pre># &lt;b&gt;\n</pre>\n"} {
		if got := markdown.Plain(source); got != want {
			t.Errorf("%q is %q, not %q", source, got, want)
		}
	}
}

// FuzzRender looks at what a browser would make of texts.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{"# a", "<b onclick=x>", "<a href='javascript:x'>", "<svg><script>x", "[a](javascript:b)", "</p></div>", "<li>", "> - 1. a", "<!--", "&lt;script>", "|a|\n|-|\n|b|"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		rendered, err := markdown.Render(t.Context(), source)
		if err != nil {
			rendered = markdown.Plain(source)
		}
		document, err := html.Parse(strings.NewReader("<article><ul><li>" + rendered + "</li></ul></article><i>after</i>"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range document.Descendants() {
			switch n.Data {
			case "script", "style", "iframe", "svg", "math", "form", "input", "object", "embed", "meta", "link", "base":
				if n.Type == html.ElementNode {
					t.Errorf("%q makes <%s>", source, n.Data)
				}
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "id" || strings.Contains(strings.ToLower(a.Val), "javascript:") && (a.Key == "href" || a.Key == "src") {
					t.Errorf("%q makes %s=%q", source, a.Key, a.Val)
				}
			}
		}
		if body := document.LastChild.LastChild; body.FirstChild.Data != "article" || body.LastChild.Data != "i" || body.FirstChild.NextSibling != body.LastChild {
			t.Errorf("%q breaks out of its place", source)
		}
	})
}
