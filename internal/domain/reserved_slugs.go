package domain

import (
	"slices"
	"strconv"
)

// reservedSlugs are what addresses of the server begin with, besides the slugs of organizations. The server does not
// start while one is missing here.
var reservedSlugs = []string{
	"account", "assets", "avatars", "badges", "deliver", "docs", "emojis", "healthz", "invitation", "metrics",
	"organizations", "portal", "readyz", "setup", "sign-in", "sign-out",
	"theme", "v1", "v2", "v3",
}

// IsReservedSlug reports whether no new organization can have the slug, because other addresses of the server begin
// with it.
func IsReservedSlug(slug string) bool { return slices.Contains(reservedSlugs, slug) }

// ReservedSlug is the fault of an organization whose slug is reserved.
func ReservedSlug(slug string) string {
	return "Slug " + slug + " is reserved: addresses of the server begin with it. Choose another one, such as " + slug +
		"-team"
}

// RequireFreeSlug records a fault if the slug of a new organization is reserved.
func RequireFreeSlug(slug string, faults *Faults) {
	if IsReservedSlug(slug) {
		faults.Add("slug", ReservedSlug(slug))
	}
}

// BuildPath returns the path of a build's page. It is the one that the platform's clients know, unless the
// organization's slug is reserved: then that path leads elsewhere.
func BuildPath(organization, pipeline string, number int64) string {
	path := "/" + organization + "/" + pipeline
	if IsReservedSlug(organization) {
		path = "/organizations/" + organization + "/pipelines/" + pipeline
	}
	return path + "/builds/" + strconv.FormatInt(number, 10)
}
