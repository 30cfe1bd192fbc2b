package builds

import (
	"context"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// judgeTrigger evaluates the rules from a trigger job's pipeline to the one that it triggers.
func (s *Service) judgeTrigger(ctx context.Context, task store.Task) (domain.RuleVerdict, error) {
	return s.core.JudgeRules(ctx, func(tx store.Tx) (found core.JudgedRules, err error) {
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
		if found.Rules, err = tx.RulesBetween(domain.TriggerBuildRule, parent.PipelineID, id); err != nil ||
			len(found.Rules) == 0 {
			return found, err
		}
		target, _, err := tx.PipelineByID(id)
		if err != nil {
			return found, err
		}
		if found.Variables, err = s.core.SourceVariables(tx, parent); err != nil {
			return found, err
		}
		asked := triggeredInput(step.Definition.Build, job, parent, target)
		found.Variables.Values["target.trigger.branch"] = asked.Branch
		found.Variables.Values["target.trigger.commit"] = asked.Commit
		found.Variables.Values["target.trigger.message"] = asked.Message
		return found, nil
	})
}
