package web_test

import (
	"encoding/xml"
	"testing"

	"penstock/internal/web"
)

func TestAvatarsAreDrawnFromTheIDAlone(t *testing.T) {
	t.Parallel()
	const one, other = "/avatars/0190a000-0000-7000-8000-000000000001.svg", "/avatars/0190a000-0000-7000-8000-000000000002.svg"
	first, ok := web.Avatar(one)
	if !ok {
		t.Fatal("there is none")
	}
	if err := xml.Unmarshal([]byte(first), new(struct{})); err != nil {
		t.Errorf("it is not XML: %v", err)
	}
	if again, _ := web.Avatar(one); again != first {
		t.Error("the same user looks different the second time")
	}
	if second, _ := web.Avatar(other); second == first {
		t.Error("two users look the same")
	}
	for _, path := range []string{"/avatars/", "/avatars/x.svg", "/avatars/0190a000-0000-7000-8000-000000000001", "/avatars/../secret.svg"} {
		if _, ok := web.Avatar(path); ok {
			t.Errorf("there is one at %s", path)
		}
	}
}
