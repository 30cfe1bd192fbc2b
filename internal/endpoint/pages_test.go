package endpoint_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

// TestLinksOfALongList asks for pages of a list that is counted to its end, and of one that is not: nobody knows the last page of that.
func TestLinksOfALongList(t *testing.T) {
	t.Parallel()
	list := func(path string, isLonger bool) endpoint.Endpoint {
		return endpoint.Endpoint{Method: http.MethodGet, Path: path, List: endpoint.PageList, Status: http.StatusOK, Handle: func(c *endpoint.Call) (any, error) {
			return endpoint.AnswerPage(c, func(domain.Page) (domain.Paged[int], error) {
				return domain.Paged[int]{Items: []int{1}, Total: 90, IsLonger: isLonger}, nil
			}, func(n int) int { return n })
		}}
	}
	api := endpoint.New(endpoint.Options{BaseURL: "http://localhost", Scheme: "Token",
		NewActor: func(token string, address netip.Addr) authz.Actor {
			return authz.TokenActor(authz.REST, token, address)
		},
		Admit: func(context.Context, authz.Actor, string) (authz.Admission, error) {
			return authz.Admission{User: "user"}, nil
		},
	}, []endpoint.Endpoint{list("/v3/counted", false), list("/v3/longer", true)})
	for path, want := range map[string]string{
		"/v3/counted":        "next last",
		"/v3/longer":         "next",
		"/v3/counted?page=2": "first prev next last",
		"/v3/longer?page=2":  "first prev next",
		"/v3/counted?page=3": "first prev",
		"/v3/longer?page=3":  "first prev",
	} {
		var relations []string
		for _, link := range strings.Split(send(api, http.MethodGet, path, "Token good", "").Header().Get("Link"), ", ") {
			_, relation, _ := strings.Cut(link, `rel="`)
			relations = append(relations, strings.TrimSuffix(relation, `"`))
		}
		if got := strings.Join(relations, " "); got != want {
			t.Errorf("%s has links to %s, not %s", path, got, want)
		}
	}
}
