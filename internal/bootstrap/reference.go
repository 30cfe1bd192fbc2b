package bootstrap

import (
	"cmp"
	"fmt"
	"slices"

	"penstock/internal/domain"
)

// ReferenceKind says what a Reference names.
type ReferenceKind string

// The kinds of references.
const (
	ToUser         ReferenceKind = "user"
	ToOrganization ReferenceKind = "organization"
	ToMember       ReferenceKind = "member"
	ToTeam         ReferenceKind = "team"
	ToCluster      ReferenceKind = "cluster"
)

// Reference is a place in the file that names something.
type Reference struct {
	Line         int
	Path         string // the place, such as organizations[0].members[1].user
	Kind         ReferenceKind
	Organization string // for ToMember, ToTeam and ToCluster: the slug of the organization that must have it
	Value        string // domain.EmailKey of a user or member, slug of an organization or team, name of a cluster
}

// Fault returns what is wrong if nothing has the thing that r names.
func (r Reference) Fault() Fault {
	reason := fmt.Sprintf("there is no %s %q", r.Kind, r.Value)
	if r.Organization != "" {
		reason = fmt.Sprintf("organization %q has no %s %q", r.Organization, r.Kind, r.Value)
	}
	return Fault{Line: r.Line, Path: r.Path, Reason: reason}
}

// target returns what r names, without the place: equal for all references to the same thing.
func (r Reference) target() Reference {
	return Reference{Kind: r.Kind, Organization: r.Organization, Value: r.Value}
}

// refer records that v names something. An empty value or organization is already at fault.
func (v value) refer(kind ReferenceKind, organization, name string) {
	needsOrganization := kind == ToMember || kind == ToTeam || kind == ToCluster
	if name == "" || needsOrganization && organization == "" {
		return
	}
	v.references = append(v.references, Reference{v.node.Line, v.path, kind, organization, name})
}

// user reads a reference to a user.
func (v value) user() string {
	key := domain.EmailKey(v.email())
	v.refer(ToUser, "", key)
	return key
}

// organization reads a reference to an organization.
func (v value) organization() string {
	slug := v.slug()
	v.refer(ToOrganization, "", slug)
	return slug
}

// member reads a reference to a member of an organization.
func (v value) member(organization string) string {
	key := domain.EmailKey(v.email())
	v.refer(ToMember, organization, key)
	return key
}

// team reads a reference to a team of an organization.
func (v value) team(organization string) string {
	slug := v.slug()
	v.refer(ToTeam, organization, slug)
	return slug
}

// cluster reads a reference to a cluster of an organization.
func (v value) cluster(organization string) string {
	name := v.name()
	v.refer(ToCluster, organization, name)
	return name
}

// resolve leaves the references to what file does not declare in file.Unresolved.
func (r *reader) resolve(file *File) {
	declared := map[Reference]bool{}
	for _, u := range file.Users {
		declared[Reference{Kind: ToUser, Value: domain.EmailKey(u.Email)}] = true
	}
	for _, o := range file.Organizations {
		declared[Reference{Kind: ToOrganization, Value: o.Slug}] = true
		for _, m := range o.Members {
			declared[Reference{Kind: ToMember, Organization: o.Slug, Value: m.User}] = true
		}
		for _, t := range o.Teams {
			declared[Reference{Kind: ToTeam, Organization: o.Slug, Value: t.Slug}] = true
		}
		for _, c := range o.Clusters {
			declared[Reference{Kind: ToCluster, Organization: o.Slug, Value: c.Name}] = true
		}
	}
	for _, ref := range r.references {
		switch {
		case declared[ref.target()]:
		case ref.Kind == ToMember &&
			declared[Reference{Kind: ToUser, Value: ref.Value}] &&
			declared[Reference{Kind: ToOrganization, Value: ref.Organization}]:
			// A file that declares both must say how they belong together.
			r.faults = append(r.faults, ref.Fault())
		default:
			file.Unresolved = append(file.Unresolved, ref)
		}
	}
	slices.SortStableFunc(file.Unresolved, func(a, b Reference) int { return cmp.Compare(a.Line, b.Line) })
}
