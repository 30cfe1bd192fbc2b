package store

import (
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	repositoryConnections = tableOf("repository_connections", "rc", func(c *columns, r *domain.RepositoryConnection) {
		mapText(c, "id", &r.ID)
		mapText(c, "organization_id", &r.OrganizationID)
		mapText(c, "kind", &r.Kind)
		mapTime(c, "created_at", &r.CreatedAt)
		c.changing()
		mapText(c, "url", &r.URL)
		mapText(c, "display_name", &r.DisplayName)
		mapText(c, "login", &r.Login)
		mapJSON(c, "rate_limit", &r.RateLimit)
		mapTime(c, "updated_at", &r.UpdatedAt)
	})

	// RepositoryConnectionRows are the connections of organizations, which administrators see.
	RepositoryConnectionRows = Rows[*domain.RepositoryConnection]{
		items: pointersTo(selecting(func(c *columns, r *domain.RepositoryConnection) {
			repositoryConnections.visit(c, r)
		})),
		tables:       `repository_connections rc`,
		id:           textKey(`rc.id`, func(c *domain.RepositoryConnection) string { return string(c.ID) }),
		organization: `rc.organization_id`,
		visible:      func(v Viewer) clause { return v.administers(`rc.organization_id`) },
	}

	pipelineWebhooks = tableOf("pipeline_webhooks", "pw", func(c *columns, w *domain.PipelineWebhook) {
		mapText(c, "pipeline_id", &w.PipelineID)
		mapText(c, "connection_id", &w.ConnectionID)
		mapText(c, "repository", &w.Repository)
		mapText(c, "external_id", &w.ExternalID)
		mapTime(c, "created_at", &w.CreatedAt)
	})

	deliveries = tableOf("deliveries", "dl", func(c *columns, d *domain.Delivery) {
		mapText(c, "id", &d.ID)
		mapText(c, "pipeline_id", &d.PipelineID)
		mapTime(c, "received_at", &d.ReceivedAt)
		mapText(c, "event", &d.Event)
		mapNullText(c, "external_id", &d.ExternalID)
		mapNullText(c, "trigger_id", &d.TriggerID)
		mapJSON(c, "headers", &d.Headers)
		c.changing()
		mapText(c, "outcome", &d.Outcome)
		mapNullText(c, "build_id", &d.BuildID)
	})

	deliveryView = selecting(func(c *columns, v *domain.DeliveryView) {
		deliveries.visit(c, &v.Delivery)
		mapInt(c, "COALESCE((SELECT b.number FROM builds b WHERE b.id = dl.build_id), 0)", &v.BuildNumber)
	})
)

// RepositoryConnections returns the connections of an organization, the oldest first.
func (tx Tx) RepositoryConnections(organization domain.OrganizationID) ([]domain.RepositoryConnection, error) {
	return selectAll(tx, repositoryConnections.read, `SELECT `+repositoryConnections.columns+
		` FROM repository_connections rc WHERE rc.organization_id = $1 ORDER BY rc.id`, organization)
}

// RepositoryConnection returns a connection.
func (tx Tx) RepositoryConnection(id domain.ConnectionID) (domain.RepositoryConnection, bool, error) {
	return selectOne(tx, repositoryConnections.read, `SELECT `+repositoryConnections.columns+
		` FROM repository_connections rc WHERE rc.id = $1`, id)
}

// RepositoryConnectionsOf returns the connections of organizations, the oldest first.
func (tx Tx) RepositoryConnectionsOf(organizations []domain.OrganizationID) (
	found []domain.RepositoryConnection, err error) {
	err = eachChunk(organizations, func(some []domain.OrganizationID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+repositoryConnections.columns+
			` FROM repository_connections rc WHERE ? ORDER BY rc.id`, oneOf(`rc.organization_id`, some)))
		part, err := selectAll(tx, repositoryConnections.read, sql, a.values...)
		found = append(found, part...)
		return err
	})
	return found, err
}

// PipelineWebhooks returns the webhooks that were made at hosts for pipelines.
func (tx Tx) PipelineWebhooks(pipelines []domain.PipelineID) (found []domain.PipelineWebhook, err error) {
	err = eachChunk(pipelines, func(some []domain.PipelineID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+pipelineWebhooks.columns+` FROM pipeline_webhooks pw WHERE ?`,
			oneOf(`pw.pipeline_id`, some)))
		part, err := selectAll(tx, pipelineWebhooks.read, sql, a.values...)
		found = append(found, part...)
		return err
	})
	return found, err
}

// SetRateLimit stores how many requests a connection's host takes.
func (tx Tx) SetRateLimit(id domain.ConnectionID, limit domain.RateLimit) error {
	text, err := json.Marshal(limit)
	if err != nil {
		return err
	}
	return tx.exec(`UPDATE repository_connections SET rate_limit = $2 WHERE id = $1`, id, string(text))
}

// ConnectionURLTaken is the fault of a second connection with a host.
const ConnectionURLTaken = "Host is connected already: change that connection"

// InsertRepositoryConnection stores a new connection. It returns an Invalid error if there is one with the host.
func (tx Tx) InsertRepositoryConnection(c domain.RepositoryConnection, by domain.UserID) error {
	return taken(repositoryConnections.insert(tx.exec, c, setUser("created_by", by)), "host", ConnectionURLTaken)
}

// UpdateRepositoryConnection stores the changed state of a connection.
func (tx Tx) UpdateRepositoryConnection(c domain.RepositoryConnection) error {
	return taken(repositoryConnections.update(tx.exec, c), "host", ConnectionURLTaken)
}

// DeleteRepositoryConnection deletes a connection with its secrets. LinkPipelines links the pipelines again.
func (tx Tx) DeleteRepositoryConnection(id domain.ConnectionID) error {
	return tx.exec(`DELETE FROM repository_connections WHERE id = $1`, id)
}

// The secrets of connections.
const (
	ConnectionToken         = "token"
	ConnectionWebhookSecret = "webhook_secret"
)

// ConnectionSecret returns an encrypted secret of a connection, and the id that it is about.
func (tx Tx) ConnectionSecret(connection domain.ConnectionID, name string) (id, sealed string, found bool, err error) {
	found, err = tx.One(`SELECT id, sealed_value FROM connection_secrets WHERE connection_id = $1 AND name = $2`,
		func(r *db.Row) {
			id, sealed = r.Text(), r.Text()
		}, connection, name)
	return id, sealed, found, err
}

// SetConnectionSecret stores an encrypted secret of a connection in the place of the one before.
func (tx Tx) SetConnectionSecret(connection domain.ConnectionID, name, id, sealed string) error {
	if err := tx.DeleteConnectionSecret(connection, name); err != nil {
		return err
	}
	return tx.exec(`INSERT INTO connection_secrets (id, connection_id, name, sealed_value) VALUES ($1, $2, $3, $4)`, id,
		connection, name, sealed)
}

// DeleteConnectionSecret deletes a secret of a connection.
func (tx Tx) DeleteConnectionSecret(connection domain.ConnectionID, name string) error {
	return tx.exec(`DELETE FROM connection_secrets WHERE connection_id = $1 AND name = $2`, connection, name)
}

// findConnection returns the connection that a pipeline's repository is at, and its host; nil if there is none.
func (tx Tx) findConnection(p domain.Pipeline) (id *domain.ConnectionID, host domain.RepositoryHost, err error) {
	if _, ok := domain.ParseRepository(p.Repository); !ok {
		return nil, host, nil
	}
	connections, err := tx.RepositoryConnections(p.OrganizationID)
	if err != nil {
		return nil, host, err
	}
	if found, _ := domain.ConnectionOf(connections, p.Repository); found != nil {
		return &found.ID, domain.RepositoryHost{Kind: found.Kind, URL: found.URL}, nil
	}
	return nil, host, nil
}

// LinkPipelines updates which connections the repositories of an organization's pipelines are at.
func (tx Tx) LinkPipelines(organization domain.OrganizationID) error {
	connections, err := tx.RepositoryConnections(organization)
	if err != nil {
		return err
	}
	type link struct{ id, repository, connection string }
	links, err := all(tx, func(r *db.Row) link { return link{r.Text(), r.Text(), r.Text()} },
		`SELECT id, repository, COALESCE(connection_id, '') FROM pipelines WHERE organization_id = $1 ORDER BY id`,
		organization)
	if err != nil {
		return err
	}
	for _, l := range links {
		var now string
		if found, _ := domain.ConnectionOf(connections, l.repository); found != nil {
			now = string(found.ID)
		}
		if now == l.connection {
			continue
		}
		if err := tx.exec(`UPDATE pipelines SET connection_id = $2 WHERE id = $1`, l.id, nullable(now)); err != nil {
			return err
		}
	}
	return nil
}

// LinkPipeline stores which connection a pipeline's repository is at.
func (tx Tx) LinkPipeline(id domain.PipelineID, connection domain.ConnectionID) error {
	return tx.exec(`UPDATE pipelines SET connection_id = $2 WHERE id = $1`, id, nullable(string(connection)))
}

// nullable is NULL for an empty text.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// PipelineByWebhookToken returns the pipeline whose webhook has the token.
func (tx Tx) PipelineByWebhookToken(token string) (domain.Pipeline, bool, error) {
	return selectOne(tx, pipelines.read, `SELECT `+pipelines.columns+
		` FROM pipelines p WHERE p.webhook_token = $1 AND p.webhook_token <> ''`, token)
}

// SetWebhookToken sets another token of a pipeline's webhook.
func (tx Tx) SetWebhookToken(id domain.PipelineID, token domain.Secret) error {
	return tx.exec(`UPDATE pipelines SET webhook_token = $2 WHERE id = $1`, id, token.Reveal())
}

// PipelineWebhook returns the webhook that was made at a host for a pipeline.
func (tx Tx) PipelineWebhook(id domain.PipelineID) (domain.PipelineWebhook, bool, error) {
	return selectOne(tx, pipelineWebhooks.read, `SELECT `+pipelineWebhooks.columns+
		` FROM pipeline_webhooks pw WHERE pw.pipeline_id = $1`, id)
}

// InsertPipelineWebhook stores that a webhook was made at a host for a pipeline.
func (tx Tx) InsertPipelineWebhook(w domain.PipelineWebhook) error {
	if err := tx.DeletePipelineWebhook(w.PipelineID); err != nil {
		return err
	}
	return pipelineWebhooks.insert(tx.exec, w)
}

// DeletePipelineWebhook forgets the webhook that was made at a host for a pipeline.
func (tx Tx) DeletePipelineWebhook(id domain.PipelineID) error {
	return tx.exec(`DELETE FROM pipeline_webhooks WHERE pipeline_id = $1`, id)
}

// Deliveries returns the last deliveries for a pipeline, the newest first.
func (tx Tx) Deliveries(pipeline domain.PipelineID, limit int) ([]domain.DeliveryView, error) {
	return selectAll(tx, deliveryView.read, `SELECT `+deliveryView.columns+
		` FROM deliveries dl WHERE dl.pipeline_id = $1 ORDER BY dl.id DESC LIMIT $2`, pipeline, limit)
}

// LastHostDelivery returns the last delivery of the host of a pipeline's repository.
func (tx Tx) LastHostDelivery(pipeline domain.PipelineID) (domain.DeliveryView, bool, error) {
	return selectOne(tx, deliveryView.read, `SELECT `+deliveryView.columns+
		` FROM deliveries dl WHERE dl.pipeline_id = $1 AND dl.trigger_id IS NULL ORDER BY dl.id DESC LIMIT 1`, pipeline)
}

// Delivery returns a delivery for a pipeline with its body, which is compressed.
func (tx Tx) Delivery(pipeline domain.PipelineID, id domain.DeliveryID) (
	d domain.DeliveryView, body []byte, found bool, err error) {
	d, found, err = selectOne(tx, deliveryView.read, `SELECT `+deliveryView.columns+
		` FROM deliveries dl WHERE dl.pipeline_id = $1 AND dl.id = $2`, pipeline, id)
	if err != nil || !found {
		return d, nil, found, err
	}
	_, err = tx.One(`SELECT body FROM deliveries WHERE id = $1`, func(r *db.Row) { body = r.Bytes() }, id)
	return d, body, true, err
}

// DeliveryOfBuild returns the body of the delivery that made a build, which is compressed; nil if there is none.
func (tx Tx) DeliveryOfBuild(build domain.BuildID) (body []byte, err error) {
	_, err = tx.One(`SELECT body FROM deliveries WHERE build_id = $1 ORDER BY id LIMIT 1`,
		func(r *db.Row) { body = r.Bytes() }, build)
	return body, err
}

// HasDelivery reports whether a delivery with the host's id is known.
func (tx Tx) HasDelivery(pipeline domain.PipelineID, externalID string) (bool, error) {
	return tx.has(`SELECT 1 FROM deliveries WHERE pipeline_id = $1 AND external_id = $2`, pipeline, externalID)
}

// InsertDelivery stores a delivery with its body, which is compressed. The transaction has locked the pipeline.
func (tx Tx) InsertDelivery(d domain.Delivery, body []byte) error {
	return deliveries.insert(tx.exec, d, set("body", body))
}

// PruneDeliveries deletes deliveries that came before a time.
func (tx Tx) PruneDeliveries(before time.Time, limit int64) (int64, error) {
	return tx.Exec(
		`DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE received_at < $1 ORDER BY received_at LIMIT $2)`,
		db.Micros(before), limit)
}

// HasBuildOf reports whether a pipeline has a build of a commit and a branch.
func (tx Tx) HasBuildOf(pipeline domain.PipelineID, commit, branch string) (bool, error) {
	return tx.has(`SELECT 1 FROM builds WHERE pipeline_id = $1 AND branch = $2 AND commit_sha = $3`, pipeline, branch,
		commit)
}

// OpenBuildsOfBranch returns some builds of a branch that are not over, in the order of their ids.
func (tx Tx) OpenBuildsOfBranch(pipeline domain.PipelineID, branch string, limit int) ([]domain.BuildID, error) {
	return all(tx, scanID[domain.BuildID],
		`SELECT id FROM builds WHERE pipeline_id = $1 AND branch = $2 AND finished_at IS NULL ORDER BY id LIMIT $3`, pipeline,
		branch, limit)
}

// PullRequestOf returns the open pull request of a branch; nil if none is known.
func (tx Tx) PullRequestOf(pipeline domain.PipelineID, branch string) (*domain.PullRequest, error) {
	found, _, err := selectOne(tx, pullRequestDetails.read, `SELECT `+pullRequestDetails.columns+
		` FROM pull_requests pr WHERE pr.pipeline_id = $1 AND pr.branch = $2`, pipeline, branch)
	return found.details, err
}

type pullRequestRow struct{ details *domain.PullRequest }

var pullRequestDetails = selecting(func(c *columns, r *pullRequestRow) { mapJSON(c, "pr.details", &r.details) })

// SetPullRequest stores what the open pull request of a branch is; nil: there is none.
func (tx Tx) SetPullRequest(pipeline domain.PipelineID, branch string, r *domain.PullRequest, at time.Time) error {
	if err := tx.exec(`DELETE FROM pull_requests WHERE pipeline_id = $1 AND branch = $2`, pipeline, branch); err != nil ||
		r == nil {
		return err
	}
	details, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO pull_requests (pipeline_id, branch, details, updated_at) VALUES ($1, $2, $3, $4)`,
		pipeline, branch, string(details), db.Micros(at))
}
