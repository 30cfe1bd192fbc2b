package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestAgentTokens(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("teammate@example.com")
		const list = theCluster + "/tokens"
		b.get(list).want(t, http.StatusOK, "No agent tokens yet", "New agent token")
		b.submit(list+"/new", "description", " ", "allowed_ip_addresses", "nowhere").
			want(t, http.StatusUnprocessableEntity, "Description can&#39;t be blank", `value="nowhere"`, "Allowed IP addresses are not valid")
		b.submit(list+"/new", "description", "Basement", "expires_at", "tomorrow").want(t, http.StatusUnprocessableEntity, "Expires must be one of the choices", `value="Basement"`)
		made := b.create(list+"/new", "description", "Basement", "allowed_ip_addresses", "192.0.2.0/24", "expires_at", "30").want(t, http.StatusOK, "Basement")
		value := regexp.MustCompile(`pnc_\w+`).FindString(made.Body)
		if !testkit.IsToken(domain.AgentTokenKind, value) {
			t.Errorf("the value %q is no token", value)
		}
		a := b.get(list).want(t, http.StatusOK, "Basement", "192.0.2.0/24", "1 agent token")
		if strings.Contains(a.Body, value) {
			t.Error("the value is shown again")
		}
		found, err := s.Service.AgentTokens(t.Context(), admin(), testkit.Maintained(), domain.Page{Number: 1, Size: 1})
		if err != nil || found.Items[0].ExpiresAt == nil {
			t.Fatalf("the tokens are %+v: %v", found.Items, err)
		}
		one := list + "/" + string(found.Items[0].ID)
		b.submit(one+"/edit", "description", "", "allowed_ip_addresses", "192.0.2.0/24").want(t, http.StatusUnprocessableEntity, "Description can&#39;t be blank")
		b.submit(one+"/edit", "description", "Attic").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Agent token saved.", "Attic", `<span class="muted">all</span>`)
		b.get(one+"/revoke").want(t, http.StatusOK, "Revoke the agent token “Attic”?")
		b.submit(one+"/revoke").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Agent token revoked.", "No agent tokens yet")

		b.create(list+"/new", "description", "For ever", "expires_at", "").want(t, http.StatusOK)
		b.get(list).want(t, http.StatusOK, "For ever", "never")
	})
}
