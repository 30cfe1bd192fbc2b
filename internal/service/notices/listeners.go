package notices

import (
	"context"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// servicesTopic is woken when a notification service has changed.
const servicesTopic = "notification services"

// listenersInterval is after how long every server knows of a change at the latest.
const listenersInterval = 15 * time.Second

// listener is a notification service that is enabled, as it is asked about each build: in memory, so that builds pay
// nothing for having none.
type listener struct {
	domain.NotificationService
	covers   map[string]bool // pipelines, or clusters; nil: all
	branches []string        // patterns; nil: all
}

// LoadListeners reads which notification services are enabled. Operators only.
func (s *Service) LoadListeners(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	found, blocks := map[domain.OrganizationID][]listener{}, false
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		clear(found)
		blocks = false
		wanted, err := tx.AnybodyWantsAllMails()
		if err != nil {
			return err
		}
		s.wantsAllMails.Store(wanted)
		enabled, err := tx.EnabledServices()
		if err != nil {
			return err
		}
		for _, service := range enabled {
			l, err := newListener(tx, service)
			if err != nil {
				return err
			}
			blocks = blocks || l.wantsBlocks()
			found[service.OrganizationID] = append(found[service.OrganizationID], l)
		}
		return nil
	})
	if err == nil {
		s.listeners.Store(&found)
		s.notifiesOfBlocks.Store(blocks)
	}
	return err
}

func newListener(tx store.Tx, service domain.NotificationService) (l listener, err error) {
	l = listener{NotificationService: service, branches: strings.Fields(service.Branches)}
	covered := service.ScopeIDs
	if service.Scope == domain.BuildsOfTeams {
		if covered, err = tx.PipelinesOfTeams(service.OrganizationID, service.ScopeIDs); err != nil {
			return l, err
		}
	}
	if service.Scope != domain.AllBuilds {
		l.covers = map[string]bool{}
		for _, id := range covered {
			l.covers[id] = true
		}
	}
	return l, nil
}

// FollowServices reads which notification services are enabled whenever that has changed, until ctx is done. Operators
// only.
func (s *Service) FollowServices(ctx context.Context, actor authz.Actor) error {
	changed, stop := s.core.Subscribe(servicesTopic)
	defer stop()
	for {
		if err := s.LoadListeners(ctx, actor); err != nil {
			if ctx.Err() != nil {
				return nil // the end was wanted
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-time.After(listenersInterval):
		}
	}
}

// servicesChanged makes every server reload the notification services, this one at once, unless nothing was changed.
func (s *Service) servicesChanged(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	s.core.Publish(servicesTopic)
	s.core.Publish(core.NoticesTopic)
	if err := s.LoadListeners(context.WithoutCancel(ctx), authz.OperatorActor()); err != nil {
		s.core.Logger.WarnContext(ctx, "the notification services could not be read; this server reads them again soon",
			"error", domain.Explain(err))
	}
	return nil
}

// listenersOf returns who is notified of a build.
func (s *Service) listenersOf(b *domain.Build) (found []listener) {
	known := s.listeners.Load()
	if known == nil {
		return nil
	}
	for _, l := range (*known)[b.OrganizationID] {
		if l.hears(b) {
			found = append(found, l)
		}
	}
	return found
}

// isFor reports whether a listener is for builds of the pipeline and the cluster of one.
func (l *listener) isFor(b *domain.Build) bool {
	about := string(b.PipelineID)
	if l.Scope == domain.BuildsOfClusters {
		if b.ClusterID == nil {
			return false
		}
		about = string(*b.ClusterID)
	}
	return l.covers == nil || l.covers[about]
}

func (l *listener) hears(b *domain.Build) bool {
	return l.isFor(b) && (len(l.branches) == 0 || steps.MatchBranches(l.branches, b.Branch))
}

// wants reports whether a listener is sent an event, or is notified of a state.
func (l *listener) wants(event, told string) bool {
	if l.Provider == domain.WebhookService {
		return slices.Contains(l.Settings.Events, event)
	}
	return told != "" && slices.Contains(l.BuildStates, told)
}
