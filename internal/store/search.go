package store

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
)

// FindQueues returns the queues of an organization whose keys have a text in them, in any case, by key.
func (tx Tx) FindQueues(organization domain.OrganizationID, text string, limit int64) ([]domain.QueueID, error) {
	var a arguments
	a.values = []any{organization, limit}
	return all(tx, scanID[domain.QueueID], `SELECT q.id FROM cluster_queues q JOIN clusters c ON c.id = q.cluster_id
		WHERE c.organization_id = $1
		AND `+a.write(contains(`lower(q.key)`, strings.ToLower(text)))+` ORDER BY q.key, q.id LIMIT $2`, a.values...)
}

// PausedQueues returns the queues of an organization that are paused, those that were paused last first.
func (tx Tx) PausedQueues(organization domain.OrganizationID, limit int64) ([]domain.QueueID, error) {
	return all(tx, scanID[domain.QueueID], `SELECT q.id FROM cluster_queues q JOIN clusters c ON c.id = q.cluster_id
		WHERE c.organization_id = $1 AND q.dispatch_paused_at IS NOT NULL ORDER BY q.dispatch_paused_at DESC, q.id
		LIMIT $2`, organization, limit)
}

// HasBuilds reports whether an organization has a build.
func (tx Tx) HasBuilds(organization domain.OrganizationID) (bool, error) {
	return tx.has(`SELECT 1 FROM builds WHERE organization_id = $1 LIMIT 1`, organization)
}

var (
	writtenNumber = regexp.MustCompile(`^#?([1-9][0-9]{0,8})$`)
	writtenCommit = regexp.MustCompile(`^[0-9a-f]{4,40}$`)
)

// FindBuilds returns the builds of an organization that a text names, the newest first: by their number, by the
// beginning of their commit, or by a part of their message or branch. For the last, only the newest builds are looked
// at.
func (tx Tx) FindBuilds(organization domain.OrganizationID, text string, limit int64) (
	found []domain.BuildID, err error) {
	add := func(sql string, args ...any) error {
		ids, err := all(tx, scanID[domain.BuildID], sql, append([]any{organization, limit}, args...)...)
		for _, id := range ids {
			if !slices.Contains(found, id) && int64(len(found)) < limit {
				found = append(found, id)
			}
		}
		return err
	}
	if number := writtenNumber.FindStringSubmatch(text); number != nil {
		n, err := strconv.ParseInt(number[1], 10, 64)
		if err != nil {
			return nil, err
		}
		if err := add(findBuildsByNumber, n); err != nil {
			return nil, err
		}
	}
	if commit := strings.ToLower(text); writtenCommit.MatchString(commit) {
		if err := add(findBuildsByCommit, commit, commit+"g"); err != nil { // g is behind all digits
			return nil, err
		}
	}
	pattern := searchPattern(strings.ToLower(text))
	if pattern == "" {
		return found, nil
	}
	return found, add(findBuildsByText, pattern)
}

const (
	findBuildsByNumber = `SELECT b.id FROM pipelines p JOIN builds b ON b.pipeline_id = p.id AND b.number = $3
		WHERE p.organization_id = $1 ORDER BY b.created_at DESC, b.id LIMIT $2`
	findBuildsByCommit = `SELECT b.id FROM builds b WHERE b.organization_id = $1 AND b.commit_sha >= $3
		AND b.commit_sha < $4 ORDER BY b.created_at DESC, b.id LIMIT $2`
	findBuildsByText = `SELECT latest.id FROM (SELECT b.id, b.created_at, substr(b.message, 1, 500) AS message, b.branch
		FROM builds b WHERE b.organization_id = $1 ORDER BY b.created_at DESC, b.id DESC LIMIT 5000) latest
		WHERE lower(latest.message) LIKE $3 ESCAPE '\' OR lower(latest.branch) LIKE $3 ESCAPE '\'
		ORDER BY latest.created_at DESC, latest.id DESC LIMIT $2`
)
