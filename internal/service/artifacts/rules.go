package artifacts

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// judgeSearch evaluates the rules from a job's pipeline to that of the build whose artifacts it searches.
func (s *Service) judgeSearch(ctx context.Context, actor authz.Actor, buildID, query string) (
	domain.RuleVerdict, error) {
	return s.core.JudgeRules(ctx, func(tx store.Tx) (found core.JudgedRules, err error) {
		own, err := core.LiveJobByToken(tx, actor)
		if err != nil {
			return found, err
		}
		target, exists, err := tx.Build(core.LookupID[domain.BuildID](buildID))
		if err != nil || !exists || target.PipelineID == own.PipelineID {
			return found, err
		}
		if found.Rules, err = tx.RulesBetween(domain.ArtifactsReadRule, own.PipelineID, target.PipelineID); err != nil ||
			len(found.Rules) == 0 {
			return found, err
		}
		source, _, err := tx.Build(own.BuildID)
		if err != nil {
			return found, err
		}
		if found.Variables, err = s.core.SourceVariables(tx, source); err != nil {
			return found, err
		}
		seen, err := s.core.BuildVariables(tx, &target)
		found.Variables.AddPrefixed("target.", seen)
		found.Variables.Values["source.request.query"] = query
		return found, err
	})
}

// searchedBuild returns the build whose artifacts a job may search: of its own cluster, unless rules say otherwise.
func (s *Service) searchedBuild(tx store.Tx, actor authz.Actor, buildID string, verdict domain.RuleVerdict) (
	domain.BuildID, error) {
	own, err := core.LiveJobByToken(tx, actor)
	if err != nil {
		return "", err
	}
	target, found, err := tx.Build(core.LookupID[domain.BuildID](buildID))
	if err != nil {
		return "", err
	}
	if !found || target.OrganizationID != own.OrganizationID {
		return "", domain.Missing("build")
	}
	if target.PipelineID != own.PipelineID {
		if err := core.CheckVerdict(tx, domain.ArtifactsReadRule, own.PipelineID, target.PipelineID, verdict); err != nil {
			if domain.CodeOf(err) == domain.Invalid {
				err = domain.NewError(domain.Forbidden, err.Error())
			}
			return "", err
		}
	}
	if !verdict.Allows && !isSameCluster(target.ClusterID, own.ClusterID) {
		return "", domain.Missing("build")
	}
	return target.ID, nil
}

func isSameCluster(a, b *domain.ClusterID) bool { return a == b || a != nil && b != nil && *a == *b }
