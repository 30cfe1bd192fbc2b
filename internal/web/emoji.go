package web

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"penstock/internal/domain"
)

// emoji is a shortcode such as :rocket: with the character that it stands for; unknown ones have none.
type emoji struct{ Code, Character string }

func newEmoji(code *string) emoji {
	if code == nil {
		return emoji{}
	}
	name, tone, _ := strings.Cut(strings.Trim(*code, ":"), "::")
	character := emojiCharacters[name]
	if character != "" {
		character += skinTones[tone]
	}
	return emoji{*code, character}
}

// Name returns the code in words: rocket.
func (e emoji) Name() string { return strings.NewReplacer(":", "", "_", " ").Replace(e.Code) }

var skinTones = map[string]string{
	"skin-tone-2": "\U0001F3FB", "skin-tone-3": "\U0001F3FC", "skin-tone-4": "\U0001F3FD", "skin-tone-5": "\U0001F3FE",
	"skin-tone-6": "\U0001F3FF",
}

var emojiCharacters = domain.EmojiCharacters

// emojiNames are the names of the characters; of several, the shortest.
var emojiNames = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, len(emojiCharacters))
	for name, character := range emojiCharacters {
		present, known := names[character]
		if !known || len(name) < len(present) || len(name) == len(present) && name < present {
			names[character] = name
			names[strings.TrimSuffix(character, "\uFE0F")] = name
		}
	}
	return names
})

// offeredEmoji are those that forms offer to choose from.
var offeredEmoji = func() (offered []emoji) {
	for _, name := range strings.Fields("rocket package hammer wrench gear test_tube bug fire sparkles zap lock shield " +
		"globe_with_meridians computer iphone cloud " +
		"whale snake gem crab coffee elephant linux apple robot factory construction white_check_mark books bar_chart bell " +
		"art seedling star") {
		offered = append(offered, emoji{":" + name + ":", emojiCharacters[name]})
	}
	return offered
}()

// explainUnknownEmoji says what to write instead of an emoji that pages have no picture for.
func explainUnknownEmoji(typed string) string {
	name := strings.Trim(typed, ":")
	var near []string
	for known := range emojiCharacters {
		if known != "" && len(name) >= 3 && (strings.Contains(known, name) || differsLittle(known, name)) {
			near = append(near, ":"+known+":")
		}
	}
	if len(near) == 0 {
		return "Emoji " + typed + " is unknown. Choose one from the list, or type a character such as 🚀"
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return "Emoji " + typed + " is unknown. Did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
}

// differsLittle reports whether a word is another with one letter more, less or changed, or two that changed places.
func differsLittle(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}

// EmojiPicture returns the picture at /emojis/{code}.svg, and whether there is one at that path: the character itself,
// as the browser draws it.
func EmojiPicture(path string) (svg string, ok bool) {
	for _, e := range domain.Emojis() {
		if path == "/emojis/"+e.Code()+".svg" {
			return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" width="40" height="40" role="img"><text x="10" y="16" font-size="16" text-anchor="middle">` +
				e.Character + `</text></svg>`, true
		}
	}
	return "", false
}
