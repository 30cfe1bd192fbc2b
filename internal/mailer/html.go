package mailer

import (
	"html"
	"strings"
)

// htmlOf returns a text as HTML: its paragraphs, with links where it has addresses of this server. Other addresses,
// which anybody may have written, stay text.
func (m *Mailer) htmlOf(text string) string {
	var b strings.Builder
	b.WriteString(
		`<!DOCTYPE html><html><head><meta charset="utf-8"></head>` +
			`<body style="font-family: sans-serif; font-size: 15px; line-height: 1.5">` + "\n")
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>")
		for i, line := range strings.Split(paragraph, "\n") {
			if i > 0 {
				b.WriteString("<br>\n")
			}
			for j, word := range strings.Split(line, " ") {
				if j > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(m.htmlOfWord(word))
			}
		}
		b.WriteString("</p>\n")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

func (m *Mailer) htmlOfWord(word string) string {
	shown := html.EscapeString(word)
	if base := strings.TrimRight(m.BaseURL, "/"); base != "" && (word == base || strings.HasPrefix(word, base+"/")) {
		return `<a href="` + shown + `">` + shown + `</a>`
	}
	return shown
}
