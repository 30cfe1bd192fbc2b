package bootstrap

import (
	"strings"
	"time"

	"penstock/internal/domain"
)

// The Input methods return an item in the form in which callers of the API would send it. Parse holds each against the rules
// that they are held to.

// Input returns what describes the user.
func (u User) Input() domain.UserInput {
	return domain.UserInput{ID: string(u.ID), Email: u.Email, Name: u.Name, Password: u.Password}
}

// Input returns what describes the team, without its members.
func (t Team) Input() domain.TeamInput {
	return domain.TeamInput{Name: domain.Some(t.Name), Slug: t.Slug}
}

// Input returns what describes the cluster itself.
func (c Cluster) Input() domain.ClusterInput {
	return domain.ClusterInput{Name: domain.Some(c.Name), Description: c.Description, Emoji: c.Emoji, Color: c.Color}
}

// Input returns what describes the queue.
func (q Queue) Input() domain.QueueInput {
	in := domain.QueueInput{Key: domain.Some(q.Key)}
	if q.InstanceShape != "" {
		in.Hosted = domain.Some(domain.HostedAgentsInput{InstanceShape: domain.Some(q.InstanceShape)})
	}
	return in
}

// Input returns what describes the registry.
func (r CacheRegistry) Input() domain.CacheRegistryInput {
	in := domain.CacheRegistryInput{Name: domain.Some(r.Name), Description: r.Description, Emoji: r.Emoji, Color: r.Color}
	if r.Policy != nil {
		in.Policy = domain.Some(r.Policy)
	}
	return in
}

// Input returns what describes the pipeline, without its cluster.
func (p Pipeline) Input() domain.PipelineInput {
	return domain.PipelineInput{Name: domain.Some(p.Name), Slug: p.Slug, Repository: domain.Some(p.Repository)}
}

// Input returns what describes the token, without whose it is and what it is for.
func (t Token) Input() domain.APITokenInput {
	in := domain.APITokenInput{Description: t.Description, Value: t.Value}
	for _, scope := range t.Scopes.List() {
		in.Scopes = append(in.Scopes, string(scope))
	}
	return in
}

// never is the time of what is only held against the rules, and not made.
var never time.Time

func (u User) rules(faults *domain.Faults)     { domain.NewUser(u.Input(), never, faults) }
func (t Team) rules(faults *domain.Faults)     { domain.NewTeam(t.Input(), "", never, faults) }
func (c Cluster) rules(faults *domain.Faults)  { domain.NewCluster(c.Input(), "", never, faults) }
func (q Queue) rules(faults *domain.Faults)    { domain.NewQueue(q.Input(), "", never, faults) }
func (p Pipeline) rules(faults *domain.Faults) { domain.NewPipeline(p.Input(), "", never, faults) }
func (t Token) rules(faults *domain.Faults)    { domain.NewAPIToken(t.Input(), never, faults) }
func (r CacheRegistry) rules(faults *domain.Faults) {
	domain.NewCacheRegistry(r.Input(), "", never, faults)
}

// ruled is an item for which the domain has rules.
type ruled interface{ rules(*domain.Faults) }

// held returns an item that was read from m. It adds a fault for each rule that the item breaks, at the key whose value breaks
// it. A key that is at fault already, or is not there, has no further faults.
func held[T ruled](m mapping, item T) T {
	var broken domain.Faults
	item.rules(&broken)
	for _, f := range broken {
		key, _, _ := strings.Cut(f.Field, ".")
		if v := m.get(key); v.given() && !v.isAtFault() {
			v.fault("%s", f.Reason)
		}
	}
	return item
}
