package rest

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
)

// What is appended by hand is what the encoder would write.
func TestAppendedAnswersAreTheEncoders(t *testing.T) {
	t.Parallel()
	text, queue := "text with \"quotes\", \u2028 and <b>é</b>\n", domain.QueueID("0190a000-0000-7000-8000-000000000031")
	at := timestamp(time.Date(2026, 5, 3, 4, 17, 55, 867_000_000, time.UTC))
	user := &userAnswer{ID: "u", GraphQLID: "g", Name: text, Email: "a@example.com", AvatarURL: "http://a/b.svg", CreatedAt: at}
	empty := clusterAnswer{Maintainers: clusterMaintainers{Users: []maintainerAnswer{}, Teams: []maintainerAnswer{}}}
	full := clusterAnswer{
		ID: "c", GraphQLID: "g", DefaultQueueID: &queue, Name: text, Description: &text, Emoji: &text, Color: &text,
		Maintainers: clusterMaintainers{
			Users: []maintainerAnswer{{ID: "1", Actor: maintainerActor{ID: "2", GraphQLID: "3", Name: text, Email: "b@example.com", Type: "user"}}, {}},
			Teams: []maintainerAnswer{{ID: "4", Actor: maintainerActor{ID: "5", GraphQLID: "6", Name: text, Slug: "platform", Type: "team"}}},
		},
		URL: "http://x/y?a=b&c=<>", WebURL: "w", QueuesURL: "q", DefaultQueueURL: &text, CreatedAt: at, CreatedBy: user,
	}
	for _, answer := range []any{
		empty, full, []clusterAnswer{}, []clusterAnswer{empty, full, empty},
		managedClusterAnswer{clusterAnswer: empty},
		managedClusterAnswer{full, true, true, "r", "http://r"},
	} {
		var got bytes.Buffer
		if err := encode(&got, answer); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("appended\n%s\nencoded\n%s", got.String(), want)
		}
	}
}
