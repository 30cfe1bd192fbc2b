package domain

// OrganizationRef names an organization as callers do: by its slug, or as the one that a thing belongs to. The zero
// value names none.
type OrganizationRef struct {
	Slug string
	Of   ThingRef // instead of the slug
}

// ThingRef names a thing by its id alone. The zero value names none.
type ThingRef struct {
	Kind ThingKind
	ID   string
}

// ThingKind is the kind of a thing, in the words of errors.
type ThingKind string

// The kinds of things that callers name by their id alone. An organization belongs to itself.
const (
	OrganizationThing     ThingKind = "organization"
	MemberThing           ThingKind = "organization member"
	InvitationThing       ThingKind = "organization invitation"
	TeamThing             ThingKind = "team"
	TeamMemberThing       ThingKind = "team member"
	TeamPipelineThing     ThingKind = "team pipeline"
	PipelineThing         ThingKind = "pipeline"
	ClusterThing          ThingKind = "cluster"
	QueueThing            ThingKind = "cluster queue"
	AgentTokenThing       ThingKind = "cluster token"
	UnclusteredTokenThing ThingKind = "agent token"
	RuleThing             ThingKind = "rule"
	ScheduleThing         ThingKind = "pipeline schedule"
	TemplateThing         ThingKind = "pipeline template"
	CacheRegistryThing    ThingKind = "cache registry"
	BuildThing            ThingKind = "build"
	JobThing              ThingKind = "job"
	AgentThing            ThingKind = "agent"
	ArtifactThing         ThingKind = "artifact"
	AnnotationThing       ThingKind = "annotation"
)
