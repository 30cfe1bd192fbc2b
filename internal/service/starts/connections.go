package starts

import (
	"context"
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// hostTimeout is for one request to a repository host.
const hostTimeout = 10 * time.Second

// RepositoryConnections returns an organization's connections with repository hosts, the oldest first.
func (s *Service) RepositoryConnections(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	[]domain.RepositoryConnection, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) ([]domain.RepositoryConnection, error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadConnection)
		if err != nil {
			return nil, err
		}
		return tx.RepositoryConnections(id.Organization.ID)
	})
}

// RepositoryConnection returns one connection of an organization.
func (s *Service) RepositoryConnection(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (domain.RepositoryConnection, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (domain.RepositoryConnection, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.ReadConnection)
		if err != nil {
			return domain.RepositoryConnection{}, err
		}
		return connectionIn(tx, in, id)
	})
}

func connectionIn(tx store.Tx, in authz.Identity, id string) (domain.RepositoryConnection, error) {
	c, found, err := tx.RepositoryConnection(core.LookupID[domain.ConnectionID](id))
	if err == nil && (!found || c.OrganizationID != in.Organization.ID) {
		return domain.RepositoryConnection{}, domain.Missing("repository connection")
	}
	return c, err
}

// CreateRepositoryConnection connects an organization with a repository host, once the host has taken the token.
//
// Returns Invalid with one FieldError a bad field, a host that is connected already and a token that the host refuses
// among them.
func (s *Service) CreateRepositoryConnection(ctx context.Context, actor authz.Actor,
	organization domain.OrganizationRef,
	input core.Input[domain.ConnectionInput]) (domain.RepositoryConnection, error) {
	in, err := s.core.PermitInOrganization(ctx, actor, organization, authz.WriteConnection)
	if err != nil {
		return domain.RepositoryConnection{}, err
	}
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return domain.RepositoryConnection{}, err
	}
	made := domain.NewConnection(given, in.Organization.ID, s.core.Clock(), &faults)
	if err := faults.Err(); err != nil {
		return domain.RepositoryConnection{}, err
	}
	if !s.core.CanSeal() {
		return domain.RepositoryConnection{}, core.ErrNoKey
	}
	if err := s.login(ctx, &made, given.Token.Value); err != nil {
		return domain.RepositoryConnection{}, err
	}
	permit := func(tx store.Tx) (authz.Identity, error) {
		return s.core.LockOrganization(tx, actor, organization, authz.WriteConnection)
	}
	return core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, in authz.Identity) (domain.RepositoryConnection, error) {
			if err := tx.InsertRepositoryConnection(made, in.CreatorID()); err != nil {
				return made, err
			}
			if err := s.storeSecrets(tx, made.ID, given); err != nil {
				return made, err
			}
			if err := tx.LinkPipelines(in.Organization.ID); err != nil {
				return made, err
			}
			return made, s.core.Record(tx, core.AuthorOf(actor, &in), domain.ConnectionCreated, core.ConnectionSubject(made),
				nil, core.FactsOfConnection(made))
		})
}

// login asks the host whose token it is.
func (s *Service) login(ctx context.Context, c *domain.RepositoryConnection, token domain.Secret) (err error) {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	client := s.clientOf(*c, token)
	client.Limited = func(limit domain.RateLimit) { c.RateLimit = &limit }
	if c.Login, err = client.Login(ctx); err != nil {
		return hostFault(*c, err)
	}
	return nil
}

// hostFault says what the host has against a connection.
func hostFault(c domain.RepositoryConnection, err error) error {
	refused, ok := errors.AsType[*provider.Error](err)
	field, reason := "host", c.URL+" cannot be used: "+err.Error()
	if ok && (refused.Status == 401 || refused.Status == 403) {
		field, reason = "token", "Token is refused by "+c.URL+": "+refused.Error()
	}
	return domain.Faults{{Field: field, Reason: reason}}.Err()
}

func (s *Service) clientOf(c domain.RepositoryConnection, token domain.Secret) *provider.Client {
	return &provider.Client{Kind: c.Kind, Base: c.URL, Token: token, HTTP: s.client}
}

// storeSecrets encrypts and stores the secrets that are given for a connection.
func (s *Service) storeSecrets(tx store.Tx, connection domain.ConnectionID, given domain.ConnectionInput) error {
	if given.Token.HasValue() {
		if err := s.storeSecret(tx, connection, store.ConnectionToken, given.Token.Value); err != nil {
			return err
		}
	}
	if given.WebhookSecret.HasValue() {
		return s.storeSecret(tx, connection, store.ConnectionWebhookSecret, given.WebhookSecret.Value)
	}
	if given.WebhookSecret.Null {
		return tx.DeleteConnectionSecret(connection, store.ConnectionWebhookSecret)
	}
	return nil
}

func (s *Service) storeSecret(tx store.Tx, connection domain.ConnectionID, name string, value domain.Secret) error {
	id := domain.NewID[string]()
	sealed, err := s.core.Seal(value, store.AboutConnection+id)
	if err != nil {
		return err
	}
	return tx.SetConnectionSecret(connection, name, id, sealed)
}

// UpdateRepositoryConnection applies input to a connection, once the host has taken the token. A new token or webhook
// secret replaces the old one.
func (s *Service) UpdateRepositoryConnection(ctx context.Context, actor authz.Actor,
	organization domain.OrganizationRef, id string,
	input core.Input[domain.ConnectionInput], expected *core.Precondition[domain.RepositoryConnection]) (
	domain.RepositoryConnection, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findConnectionToWrite(actor, organization, id))
	c, token, err := s.openConnection(ctx, actor, organization, id, authz.WriteConnection)
	if err != nil {
		return c, err
	}
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return c, err
	}
	changed := c
	changed.Apply(given, s.core.Clock(), &faults)
	if err := faults.Err(); err != nil {
		return c, err
	}
	if given.Token.HasValue() {
		token = given.Token.Value
	}
	if err := s.login(ctx, &changed, token); err != nil {
		return c, err
	}
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.RepositoryConnection, error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.WriteConnection)
		if err != nil {
			return c, err
		}
		current, err := connectionIn(tx, in, id)
		if err != nil {
			return c, err
		}
		if err := expected.Check(current); err != nil {
			return c, err
		}
		if current.UpdatedAt != c.UpdatedAt {
			return c, errConnectionChanged
		}
		if err := tx.UpdateRepositoryConnection(changed); err != nil {
			return c, err
		}
		if err := s.storeSecrets(tx, changed.ID, given); err != nil {
			return c, err
		}
		if err := tx.LinkPipelines(in.Organization.ID); err != nil {
			return c, err
		}
		return changed, s.core.Record(tx, core.AuthorOf(actor, &in), domain.ConnectionUpdated,
			core.ConnectionSubject(changed), core.FactsOfConnection(c), core.FactsOfConnection(changed))
	})
}

// errConnectionChanged is for a connection that somebody else changed while its host was asked.
var errConnectionChanged = domain.NewError(domain.Conflict, "The connection was changed meanwhile. Please retry")

// findConnectionToWrite returns a function that finds a connection which the actor may change.
func (s *Service) findConnectionToWrite(actor authz.Actor, organization domain.OrganizationRef, id string) func(
	store.Tx) (domain.RepositoryConnection, error) {
	return func(tx store.Tx) (domain.RepositoryConnection, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.WriteConnection)
		if err != nil {
			return domain.RepositoryConnection{}, err
		}
		return connectionIn(tx, in, id)
	}
}

// openConnection returns a connection that the actor may do the action with, and its token.
func (s *Service) openConnection(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, id string,
	action authz.Action) (c domain.RepositoryConnection, token domain.Secret, err error) {
	type opened struct {
		domain.RepositoryConnection
		token domain.Secret
	}
	found, err := core.View(ctx, s.core, actor, organization, func(tx store.Tx) (o opened, err error) {
		in, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return o, err
		}
		if o.RepositoryConnection, err = connectionIn(tx, in, id); err != nil {
			return o, err
		}
		o.token, err = s.secretOf(tx, o.ID, store.ConnectionToken)
		return o, err
	})
	return found.RepositoryConnection, found.token, err
}

// secretOf returns a secret of a connection; "" if it has none.
func (s *Service) secretOf(tx store.Tx, connection domain.ConnectionID, name string) (secret domain.Secret, err error) {
	id, sealed, found, err := tx.ConnectionSecret(connection, name)
	if err != nil || !found {
		return "", err
	}
	return s.core.Open(sealed, store.AboutConnection+id)
}

// DeleteRepositoryConnection ends a connection: its token is forgotten, and builds publish nothing to the host any
// more.
func (s *Service) DeleteRepositoryConnection(ctx context.Context, actor authz.Actor,
	organization domain.OrganizationRef, id string,
	expected *core.Precondition[domain.RepositoryConnection]) error {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findConnectionToWrite(actor, organization, id))
	_, err := core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (struct{}, error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.WriteConnection)
		if err != nil {
			return struct{}{}, err
		}
		c, err := connectionIn(tx, in, id)
		if err != nil {
			return struct{}{}, err
		}
		if err := expected.Check(c); err != nil {
			return struct{}{}, err
		}
		if err := tx.DeleteRepositoryConnection(c.ID); err != nil {
			return struct{}{}, err
		}
		if err := tx.LinkPipelines(in.Organization.ID); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.core.Record(tx, core.AuthorOf(actor, &in), domain.ConnectionDeleted, core.ConnectionSubject(c),
			core.FactsOfConnection(c), nil)
	})
	return err
}

// TryRepositoryConnection asks a host whether it takes the connection's token, and returns whose it is.
//
// Returns Invalid with what the host says.
func (s *Service) TryRepositoryConnection(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (login string, err error) {
	c, token, err := s.openConnection(ctx, actor, organization, id, authz.WriteConnection)
	if err != nil {
		return "", err
	}
	err = s.login(ctx, &c, token)
	return c.Login, err
}

// ConnectionRepositories returns repositories at a connection's host: the one with a name, or, if that is "", the first
// that the token sees.
//
// Returns Invalid for a kind of host that lists none, and Unavailable while the host is away.
func (s *Service) ConnectionRepositories(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id, name string) ([]provider.Repository, error) {
	c, token, err := s.openConnection(ctx, actor, organization, id, authz.ReadConnection)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	client, found := s.clientOf(c, token), []provider.Repository{}
	if name == "" {
		found, err = client.ListRepositories(ctx)
	} else if one, findErr := client.FindRepository(ctx, name); findErr != nil {
		err = findErr
	} else if one != nil {
		found = append(found, *one)
	}
	switch refused, ok := errors.AsType[*provider.Error](err); {
	case errors.Is(err, provider.ErrListsNone):
		return nil, domain.NewError(domain.Invalid, "Repositories can't be listed for connections of this type")
	case ok && refused.IsAway():
		return nil, domain.UnavailableError("The repository host does not answer. Please retry.", time.Minute, err)
	case ok:
		return nil, hostFault(c, err)
	}
	return found, err
}
