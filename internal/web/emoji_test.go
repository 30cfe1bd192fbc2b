package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

func TestEmoji(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		for code, shown := range map[string]string{
			":rocket:":              `role="img" aria-label="rocket" title=":rocket:">🚀<`,
			":+1::skin-tone-3:":     ">👍🏼<",
			":white_check_mark:":    `aria-label="white check mark" title=":white_check_mark:">✅<`,
			":of_our_own:":          `<span class="emoji-code">:of_our_own:</span>`,
			":of_our::skin-tone-3:": `<span class="emoji-code">:of_our::skin-tone-3:</span>`,
			":elixir::skin-tone-1:": ">💧<",
		} {
			_, err := s.Service.UpdateCluster(t.Context(), s.adminToken(), testkit.Maintained(), core.Value(domain.ClusterPatch{LookInput: domain.LookInput{Emoji: domain.Some(code)}}), nil)
			if err != nil {
				t.Fatal(err)
			}
			b.get("/organizations/acme-inc/clusters").want(t, http.StatusOK, shown)
		}
	})
}

func TestEmojisHavePictures(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/emojis/1f680.svg": "\U0001F680</text>", "/emojis/1f680": "", "/emojis/": "", "/emojis/%3Cscript%3E.svg": "", "/emojis/1f680.svg/x": ""} {
		svg, found := web.EmojiPicture(path)
		if found != (want != "") || !strings.Contains(svg, want) {
			t.Errorf("at %s is %q", path, svg)
		}
	}
}

// A form takes an emoji as a character or by its name, and says what to write instead of an unknown one.
func TestEmojiField(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const path = acme + "/clusters/new"
		for typed, said := range map[string]string{
			":nosuchemoji:": "Emoji :nosuchemoji: is unknown. Choose one from the list",
			":rokcet:":      "Emoji :rokcet: is unknown. Did you mean :rocket:?",
			"rocke":         "Did you mean :rocket:?",
			"🫥":             "Emoji 🫥 is unknown",
		} {
			b.submit(path, "name", "Refused", "emoji", typed).want(t, http.StatusUnprocessableEntity, said, `id="field-emoji-error"`)
		}
		for name, typed := range map[string]string{"A character": "🚀", "A name": ":rocket:"} {
			made := b.submit(path, "name", name, "emoji", typed)
			b.follow(made).want(t, http.StatusOK, `title=":rocket:">🚀<`)
		}
		// What a program has stored may stay.
		settings := theCluster + "/settings"
		if _, err := s.Service.UpdateCluster(t.Context(), s.adminToken(), testkit.Maintained(), core.Value(domain.ClusterPatch{LookInput: domain.LookInput{Emoji: domain.Some(":of_our_own:")}}), nil); err != nil {
			t.Fatal(err)
		}
		b.resubmit(b.get(settings), settings, "description", "Changed").wantRedirect(t, settings)
		b.resubmit(b.get(settings), settings, "emoji", ":of_nobody:").want(t, http.StatusUnprocessableEntity, "Emoji :of_nobody: is unknown")
	})
}

func TestLabelsAndMessagesShowEmoji(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, `steps: [{label: ":pipeline: Upload", command: x}, {label: ":lint-roller: :shell: :shopping_trolley: All", command: y}]`)
		build := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: ":rocket: Ship"})
		b := s.signedIn("admin@example.com")
		b.get(build).want(t, http.StatusOK, "🔀 Upload", "🧹 🐚 🛒 All", "🚀 Ship")
		b.get(release).want(t, http.StatusOK, "🚀 Ship")
		b.get(acme+"/pipelines").want(t, http.StatusOK, "Recent builds", "#1 Scheduled")
	})
}
