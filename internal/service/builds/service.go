// Package builds is the area of the service that is about builds, their jobs, and the agents that run them: what people
// ask for, and the calls of agents that move jobs on. It imports internal/service/core and what lies below.
package builds

import (
	"cmp"
	"context"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Service changes builds, jobs and agents.
type Service struct {
	core      *core.Core
	publish   func(topic string)
	subscribe func(topic string) (changed <-chan struct{}, stop func())
	blobs     blob.Store
	baseURL   string
	tickets   ticketKeys
	events    core.BuildEvents // nil: nobody is told how builds go

	artifactRetention time.Duration // 0: for ever
	logsInRows        int64         // bytes of a log that stays in the database

	turns      planningTurns
	heartbeats heartbeats
	blocked    blockedUses
	batches    batches
	caches     cacheUses
	taskWanted chan struct{} // gets a value when there is a task
	logWanted  chan struct{} // gets a value when a job has ended whose log is to be packed
}

// Options configures a Service.
type Options struct {
	Core *core.Core
	// wakes who waits for a topic, on all nodes; nil: nobody does
	Publish   func(topic string)
	Blobs     blob.Store                                                // of logs and artifacts
	Subscribe func(topic string) (changed <-chan struct{}, stop func()) // waits for a topic; nil: nobody can
	BaseURL   string                                                    // begins the addresses of things
	Events    core.BuildEvents                                          // is told how builds go; nil: nobody is

	ArtifactRetention time.Duration // how long artifacts are kept; 0: for ever
	LogsInRows        int64         // bytes of a log that stays in the database; 0: DefaultLogsInRows; below: none does
}

// DefaultLogsInRows is how long a log is that stays in the database: an object of its own would cost more.
const DefaultLogsInRows = 64 << 10

// New returns the service of builds.
func New(o Options) *Service {
	if o.Publish == nil {
		o.Publish = func(string) {}
	}
	if o.Subscribe == nil {
		o.Subscribe = func(string) (<-chan struct{}, func()) { return nil, func() {} }
	}
	s := &Service{core: o.Core, publish: o.Publish, subscribe: o.Subscribe, events: o.Events, blobs: o.Blobs,
		baseURL: strings.TrimRight(o.BaseURL, "/"), artifactRetention: o.ArtifactRetention,
		logsInRows: cmp.Or(o.LogsInRows, DefaultLogsInRows), turns: newPlanningTurns(),
		taskWanted: make(chan struct{}, 1), logWanted: make(chan struct{}, 1)}
	s.heartbeats.seen, s.heartbeats.node = map[domain.AgentID]time.Time{}, domain.NewID[string]()
	o.Core.JobEnv = s.envOfJob
	o.Core.MakeBuild = s.makeBuild
	return s
}

// SetBaseURL sets what the addresses of things begin with, which is known once the server listens.
func (s *Service) SetBaseURL(url string) { s.baseURL = strings.TrimRight(url, "/") }

// QueueTopic is woken when a queue has a job for an agent, or is resumed.
func QueueTopic(id domain.QueueID) string { return core.QueueTopic(id) }

// AgentTopic is woken when an agent has something to hear.
func AgentTopic(id domain.AgentID) string { return "agent:" + string(id) }

// BuildTopic is woken when a build or one of its jobs has changed.
func BuildTopic(id domain.BuildID) string { return "build:" + string(id) }

// PipelineTopic is woken when a pipeline has a new build, or one in another state.
func PipelineTopic(id domain.PipelineID) string { return "pipeline:" + string(id) }

// OrganizationTopic is woken when an organization has a new build, or one in another state.
func OrganizationTopic(id domain.OrganizationID) string { return "builds:" + string(id) }

// FleetTopic is woken when an organization's agents have changed, or what waits for them.
func FleetTopic(id domain.OrganizationID) string { return "fleet:" + string(id) }

// publishEffects wakes those whom a change concerns.
func (s *Service) publishEffects(e *effects) {
	for id := range e.queues {
		s.publish(QueueTopic(id))
	}
	for id := range e.agents {
		s.publish(AgentTopic(id))
	}
	for id := range e.builds {
		s.publish(BuildTopic(id))
	}
	for id, organization := range e.pipelines {
		s.publish(PipelineTopic(id))
		s.publish(OrganizationTopic(organization))
	}
	for id := range e.fleets {
		s.publish(FleetTopic(id))
	}
	if e.hasNotice {
		s.publish(core.NoticesTopic)
	}
	if e.hasTask {
		notify(s.taskWanted)
	}
	if e.hasLog {
		notify(s.logWanted)
	}
}

// notify sends a value to a channel that has room for one, unless there is one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// write runs fn in a transaction, and tells others of its effects once it is durable.
func (s *Service) write(ctx context.Context, fn func(tx store.Tx, e *effects) error) error {
	var made *effects
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		made = s.newEffects() // fn may be run again
		return fn(tx, made)
	})
	if err == nil {
		s.publishEffects(made)
	}
	return err
}

// checkKind returns Unauthenticated unless the actor has a token of the kind.
func checkKind(actor authz.Actor, kind authz.CredentialKind) error {
	if actor.Surface != authz.AgentAPI || actor.Credential.Kind != kind || actor.Credential.Hash == "" {
		return errUnauthenticated
	}
	return nil
}

var (
	errUnauthenticated = domain.NewError(domain.Unauthenticated, "Authentication required. Please supply a valid "+
		"agent token.")
	errNoDefaultCluster = invalid("The organization has no default cluster: set one, or use an agent token of a cluster")
	errAddress          = domain.NewError(domain.Forbidden, "Your IP address is not allowed to use this agent token")
)

// IdentifyProgram returns a name for the agent or the job that the actor is, whose token must be good.
func (s *Service) IdentifyProgram(ctx context.Context, actor authz.Actor) (name string, err error) {
	if actor.Surface != authz.AgentAPI || actor.Credential.Hash == "" {
		return "", errUnauthenticated
	}
	err = repeatDo(ctx, func() (err error) {
		name, err = s.readProgram(ctx, actor)
		return err
	})
	return name, err
}

func (s *Service) readProgram(ctx context.Context, actor authz.Actor) (name string, err error) {
	read := s.core.Store.ReadStatement
	if actor.Credential.Kind == authz.AgentToken { // which is looked for in two tables
		read = s.core.Store.Read
	}
	err = read(ctx, func(tx store.Tx) error {
		switch actor.Credential.Kind {
		case authz.AgentToken:
			token, err := s.registrationToken(tx, actor)
			name = "agent token " + token.ID()
			return err
		case authz.AgentSession:
			session, err := s.session(tx, actor)
			name = "agent " + string(session.Agent)
			return err
		case authz.JobToken:
			log, found, err := tx.JobLogByToken(actor.Credential.Hash)
			if err != nil {
				return err
			}
			name = "job " + string(log.JobID)
			return checkJobToken(tx, found, log.State, log.TokenUntil)
		default:
			return errUnauthenticated
		}
	})
	return name, err
}
