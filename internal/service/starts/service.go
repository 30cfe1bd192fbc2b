// Package starts is the area of the service that is about what starts builds besides people: connections with the hosts
// of repositories and what they deliver, triggers, rules between pipelines, schedules and templates. It imports
// internal/service/core and what lies below.
package starts

import (
	"net/http"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Service manages what starts builds.
type Service struct {
	core    *core.Core
	clock   func() time.Time // nil: the database's
	client  *http.Client
	baseURL string
}

// Options configures a Service.
type Options struct {
	Core    *core.Core
	Clock   func() time.Time // by which schedules are due; nil: the database's
	Client  *http.Client     // for addresses that members name
	BaseURL string           // begins the addresses of things
}

// New returns the service of what starts builds.
func New(o Options) *Service {
	return &Service{core: o.Core, clock: o.Clock, client: o.Client, baseURL: strings.TrimRight(o.BaseURL, "/")}
}

// readPage returns a numbered page of what the caller sees of a parent's list.
func readPage[T any, P ~string](tx store.Tx, caller *authz.Identity, l store.List[*T], parent P, page domain.Page) (
	paged domain.Paged[T], err error) {
	found, err := l.ReadPage(tx, store.ViewerOf(caller), string(parent), page)
	for _, item := range found.Items {
		paged.Items = append(paged.Items, *item)
	}
	paged.Total = found.Total
	return paged, err
}
