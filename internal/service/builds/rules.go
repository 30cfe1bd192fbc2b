package builds

import (
	"context"
	"errors"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// errRulesChanged means that the rules between two pipelines are not those that were judged before the transaction.
var errRulesChanged = errors.New("the rules between the pipelines have changed meanwhile")

// rulesAttempts is how often a verdict is made anew because somebody has changed the rules meanwhile.
const rulesAttempts = 5

// judgedRules are the rules that a caller asks about, and what their conditions see.
type judgedRules struct {
	rules     []domain.Rule
	variables steps.Variables
}

// judge reads what rules say of something, and evaluates them after the transaction: conditions match texts that others
// wrote.
func (s *Service) judge(ctx context.Context, read func(tx store.Tx) (judgedRules, error)) (domain.RuleVerdict, error) {
	var found judgedRules
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		found, err = read(tx)
		return err
	})
	if err != nil {
		return domain.RuleVerdict{}, err
	}
	if len(found.rules) == 0 {
		return domain.RuleVerdict{}, nil
	}
	var verdict domain.RuleVerdict
	err = s.core.Processors.Use(ctx, found.rules[0].OrganizationID, func() error {
		verdict = domain.JudgeRules(steps.NewWork(ctx), found.rules, found.variables)
		return ctx.Err()
	})
	return verdict, err
}

// checkVerdict returns the rules' refusal, and errRulesChanged if the verdict is about others than there are.
func checkVerdict(tx store.Tx, t domain.RuleType, source, target domain.PipelineID, verdict domain.RuleVerdict) error {
	rules, err := tx.RulesBetween(t, source, target)
	switch {
	case err != nil:
		return err
	case !verdict.IsOf(rules):
		return errRulesChanged
	case verdict.Refusal != "":
		return domain.InvalidError(verdict.Refusal)
	}
	return nil
}

// repeatForRules runs fn again while the rules change under it.
func repeatForRules(fn func() error) (err error) {
	for range rulesAttempts {
		if err = fn(); !errors.Is(err, errRulesChanged) {
			return err
		}
	}
	return domain.UnavailableError("The rules between the pipelines keep changing. Please retry.", 0, err)
}

// newRuleVariables returns what conditions see of the build that asks. One that was triggered counts as of the branch
// and the tag of its origin: who triggers a build chooses these.
func newRuleVariables(tx store.Tx, source domain.Build) (steps.Variables, error) {
	v := steps.Variables{Values: map[string]any{}, Env: map[string]string{}}
	seen, err := readSight(tx, source.ID)
	if err != nil {
		return v, err
	}
	source.Branch, source.Tag = source.TrustedRef()
	v.AddPrefixed("source.", seen.variables(&source))
	return v, nil
}

// judgeTrigger evaluates the rules from a trigger job's pipeline to the one that it triggers.
func (s *Service) judgeTrigger(ctx context.Context, task store.Task) (domain.RuleVerdict, error) {
	return s.judge(ctx, func(tx store.Tx) (found judgedRules, err error) {
		parent, _, err := tx.Build(task.Build)
		if err != nil {
			return found, err
		}
		job, wanted, err := tx.Job(task.Job)
		if err != nil || !wanted {
			return found, err
		}
		step, _, err := tx.Step(job.StepID)
		if err != nil {
			return found, err
		}
		id, exists, err := tx.PipelineIDBySlug(parent.OrganizationID, step.Definition.Trigger)
		if err != nil || !exists {
			return found, err
		}
		if found.rules, err = tx.RulesBetween(domain.TriggerBuildRule, parent.PipelineID, id); err != nil ||
			len(found.rules) == 0 {
			return found, err
		}
		target, _, err := tx.PipelineByID(id)
		if err != nil {
			return found, err
		}
		if found.variables, err = newRuleVariables(tx, parent); err != nil {
			return found, err
		}
		asked := triggeredInput(step.Definition.Build, job, parent, target)
		found.variables.Values["target.trigger.branch"] = asked.Branch
		found.variables.Values["target.trigger.commit"] = asked.Commit
		found.variables.Values["target.trigger.message"] = asked.Message
		return found, nil
	})
}

// judgeSearch evaluates the rules from a job's pipeline to that of the build whose artifacts it searches.
func (s *Service) judgeSearch(ctx context.Context, actor authz.Actor, buildID, query string) (
	domain.RuleVerdict, error) {
	return s.judge(ctx, func(tx store.Tx) (found judgedRules, err error) {
		own, err := core.LiveJobByToken(tx, actor)
		if err != nil {
			return found, err
		}
		target, exists, err := tx.Build(core.LookupID[domain.BuildID](buildID))
		if err != nil || !exists || target.PipelineID == own.PipelineID {
			return found, err
		}
		if found.rules, err = tx.RulesBetween(domain.ArtifactsReadRule, own.PipelineID, target.PipelineID); err != nil ||
			len(found.rules) == 0 {
			return found, err
		}
		source, _, err := tx.Build(own.BuildID)
		if err != nil {
			return found, err
		}
		if found.variables, err = newRuleVariables(tx, source); err != nil {
			return found, err
		}
		seen, err := readSight(tx, target.ID)
		found.variables.AddPrefixed("target.", seen.variables(&target))
		found.variables.Values["source.request.query"] = query
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
		if err := checkVerdict(tx, domain.ArtifactsReadRule, own.PipelineID, target.PipelineID, verdict); err != nil {
			if domain.CodeOf(err) == domain.Invalid {
				err = domain.NewError(domain.Forbidden, err.Error())
			}
			return "", err
		}
	}
	if !verdict.Allows && text(target.ClusterID) != text(own.ClusterID) {
		return "", domain.Missing("build")
	}
	return target.ID, nil
}
