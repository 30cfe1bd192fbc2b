package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

func TestSetup(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		shared := core.New(core.Options{DB: d})
		svc := service.New(service.Options{Core: shared})
		listener := httptest.NewServer(web.New(web.Options{Service: svc, Reader: read.New(shared), BaseURL: "http://127.0.0.1"}))
		t.Cleanup(listener.Close)
		s := &site{Server: &testkit.Server{DB: d, Service: svc}, t: t, URL: listener.URL}
		link, err := svc.OpenSetup(t.Context(), authz.OperatorActor())
		if err != nil {
			t.Fatal(err)
		}
		b, late := s.browser(), s.browser()
		checkMarkup(t, b.get("/setup").want(t, http.StatusOK, "Welcome to Penstock", "open the setup link"))
		b.get("/sign-in").wantRedirect(t, "/setup")
		b.get("/setup?link=x").want(t, http.StatusNotFound)
		page := web.SetupPath + link.Reveal()
		checkMarkup(t, late.get(page).want(t, http.StatusOK, "Organization"))
		token := late.tokenOf(page)
		fields := []string{"link", link.Reveal(), "name", "First", "email", "first@example.com", "password", "long enough", "organization_name", "Acme, Inc."}
		b.submit(page, append(fields, "organization_slug", "Not A Slug")...).
			want(t, http.StatusUnprocessableEntity, `aria-describedby="field-organization_slug-help field-organization_slug-error"`, `value="First"`)
		b.submit(page, append(fields, "organization_slug", "docs")...).want(t, http.StatusUnprocessableEntity, "slug docs is reserved", "such as docs-team")
		empty := b.submit(page, "link", link.Reveal()).want(t, http.StatusUnprocessableEntity, "Your name can&#39;t be blank", "Organization can&#39;t be blank")
		if strings.Contains(empty.Body, "field-organization_slug-error") || strings.Index(empty.Body, `href="#field-name"`) > strings.Index(empty.Body, `href="#field-organization_name"`) {
			t.Errorf("an empty slug is refused, or the problems are not in the form's order: %s", empty.Body)
		}
		b.submit(page, fields...).wantRedirect(t, "/")
		b.get("/").wantRedirect(t, "/organizations/acme-inc")
		b.get("/organizations/acme-inc").want(t, http.StatusOK, "Penstock is ready", "First", "created the organization", "Get started", "0 of 7 done", `href="/organizations/acme-inc/clusters/new">Create a cluster</a>`, `<span class="strong">Add a queue</span>`)
		b.submitTo("/organizations/acme-inc", "/organizations/acme-inc/start/close").wantRedirect(t, "/organizations/acme-inc")
		if a := b.get("/organizations/acme-inc").want(t, http.StatusOK); strings.Contains(a.Body, "Get started") {
			t.Error("the first steps are not closed")
		}

		// The second is told so, and the link is gone.
		form := map[string][]string{"form_token": {token}}
		for i := 0; i < len(fields); i += 2 {
			form[fields[i]] = []string{fields[i+1]}
		}
		form["email"], form["organization_slug"] = []string{"second@example.com"}, []string{"second"}
		late.send(http.MethodPost, "/setup", form, nil).want(t, http.StatusNotFound, "no longer works")
		late.get(page).want(t, http.StatusNotFound)
		late.get("/setup").wantRedirect(t, "/sign-in")
		late.get("/sign-in").want(t, http.StatusOK, "already set up")
	})
}
