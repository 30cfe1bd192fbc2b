package domain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestSecretIsRedacted(t *testing.T) {
	t.Parallel()
	const text = "hunter2"
	secret := domain.Secret(text)
	type holder struct {
		Secret  domain.Secret
		Pointer *domain.Secret
		List    []domain.Secret
		Map     map[string]domain.Secret
	}
	held := holder{secret, &secret, []domain.Secret{secret}, map[string]domain.Secret{"key": secret}}

	var outputs []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%.2s"} {
		outputs = append(outputs, fmt.Sprintf(verb, secret), fmt.Sprintf(verb, held), fmt.Sprintf(verb, &held))
	}
	outputs = append(outputs, secret.String(), secret.GoString(), fmt.Sprint(secret))
	for _, v := range []any{secret, held} {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, string(encoded))
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "secret", secret, "held", held)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("m", "secret", secret, "held", held)
	outputs = append(outputs, logged.String())

	for _, out := range outputs {
		if strings.Contains(out, text) || strings.Contains(strings.ToLower(out), fmt.Sprintf("%x", text)) {
			t.Errorf("revealed in %s", out)
		}
		if !strings.Contains(out, "[redacted]") {
			t.Errorf("not redacted in %s", out)
		}
	}
	if secret.Reveal() != text {
		t.Errorf("Reveal() = %q", secret.Reveal())
	}
}
