package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inClusterPath + "/secrets":                 {path: theCluster + "/secrets", says: "No secrets yet"},
	inClusterPath + "/secrets/new":             {path: theCluster + "/secrets/new", says: "Create secret", email: "maintainer@example.com"},
	inClusterPath + "/secrets/{secret}/edit":   {path: theCluster + "/secrets/" + testkit.QueueID + "/edit", says: "No secret found"},
	inClusterPath + "/secrets/{secret}/value":  {path: theCluster + "/secrets/" + testkit.QueueID + "/value", says: "No secret found"},
	inClusterPath + "/secrets/{secret}/delete": {path: theCluster + "/secrets/" + testkit.QueueID + "/delete", says: "No secret found"},
})

func TestSecretsInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("teammate@example.com")
		const list, attack = theCluster + "/secrets", `<script>alert(1)</script>`
		b.get(list).want(t, http.StatusOK, "No secrets yet", "New secret")
		// What was typed as a value is not shown again, not even with what is wrong.
		refused := b.submit(list+"/new", "key", "bk_x", "value", "correct-horse", "policy", "web").
			want(t, http.StatusUnprocessableEntity, "Key can&#39;t begin with buildkite or bk", "Access policy is not valid", `value="bk_x"`)
		if strings.Contains(refused.Body, "correct-horse") {
			t.Error("the value is shown")
		}
		b.submit(list+"/new", "key", "DEPLOY_KEY", "value", "one\r\ntwo\r\n", "description", attack, "policy", "- build_branch: main").wantRedirect(t, list)
		page := b.get(list).want(t, http.StatusOK, "Secret created.", "DEPLOY_KEY", "jobs that match its policy", "never", "1 secret")
		if strings.Contains(page.Body, attack) {
			t.Error("the description is not escaped")
		}
		found, err := s.Service.ClusterSecrets(t.Context(), admin(), testkit.Maintained(), domain.Page{Number: 1, Size: 1})
		if err != nil || len(found.Items) != 1 {
			t.Fatalf("the secrets are %+v: %v", found.Items, err)
		}
		one := list + "/" + string(found.Items[0].ID)
		b.get(one+"/edit").want(t, http.StatusOK, "- build_branch: main")
		b.submit(one+"/edit", "description", "For releases", "policy", "").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Secret saved.", "For releases", "all jobs")
		b.submit(one+"/value", "value", "").want(t, http.StatusUnprocessableEntity, "Value can&#39;t be blank")
		b.submit(one+"/value", "value", "three").wantRedirect(t, list)
		b.get(one+"/delete").want(t, http.StatusOK, "Delete the secret DEPLOY_KEY?")
		b.submit(one+"/delete").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Secret deleted.", "No secrets yet")
		s.signedIn("member@example.com").get(list).want(t, http.StatusForbidden)
	})
}
