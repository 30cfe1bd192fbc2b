package markdown_test

import (
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
		got := strings.TrimSuffix(markdown.Render(source), "\n")
		if got != strings.TrimSuffix(want, "\n") {
			t.Errorf("%q is\n%q, not\n%q", source, got, want)
		}
	}
}

// TestRenderIsBounded renders texts as long as an annotation may be, which would nest very deep.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, part := range []string{">", "> ", "- ", "* ", "1. ", "1) ", "<div>", "<b>", "<a>", "<ul><li>", "<table><tr><td>", "[", "![", "*", "**a", "*a_", "`", "``a", "<", "&", "\\", "~", "|", "|a|\n|-|\n",
		"\n>", "- a\n  ", "[a](", "[a][", "a\n\n", "<!--", "<?", "</div>", "\t", "#", "# ", "***a", "_*", "<a href=", "[a]: <"} {
		got := markdown.Render(strings.Repeat(part, size/len(part)))
		if len(got) > 64*size {
			t.Errorf("%q: %d bytes", part, len(got))
		}
		runtime.KeepAlive(got)
	}
}

// FuzzRender looks at what a browser would make of texts.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{"# a", "<b onclick=x>", "<a href='javascript:x'>", "<svg><script>x", "[a](javascript:b)", "</p></div>", "<li>", "> - 1. a", "<!--", "&lt;script>", "|a|\n|-|\n|b|"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		document, err := html.Parse(strings.NewReader("<article><ul><li>" + markdown.Render(source) + "</li></ul></article><i>after</i>"))
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
