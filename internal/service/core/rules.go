package core

import (
	"context"
	"errors"

	"penstock/internal/domain"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// errRulesChanged means that the rules between two pipelines are not those that were judged before the transaction.
var errRulesChanged = errors.New("the rules between the pipelines have changed meanwhile")

// rulesAttempts is how often a verdict is made again because the rules have changed meanwhile.
const rulesAttempts = 5

// JudgedRules are the rules that a caller asks about, and what their conditions see.
type JudgedRules struct {
	Rules     []domain.Rule
	Variables steps.Variables
}

// JudgeRules reads what rules say of something, and evaluates them after the transaction: conditions match texts that
// others wrote.
func (c *Core) JudgeRules(ctx context.Context, read func(tx store.Tx) (JudgedRules, error)) (
	domain.RuleVerdict, error) {
	var found JudgedRules
	err := c.Store.Read(ctx, func(tx store.Tx) (err error) {
		found, err = read(tx)
		return err
	})
	if err != nil {
		return domain.RuleVerdict{}, err
	}
	if len(found.Rules) == 0 {
		return domain.RuleVerdict{}, nil
	}
	var verdict domain.RuleVerdict
	err = c.Processors.Use(ctx, found.Rules[0].OrganizationID, func() error {
		verdict = domain.JudgeRules(steps.NewWork(ctx), found.Rules, found.Variables)
		return ctx.Err()
	})
	return verdict, err
}

// CheckVerdict returns the rules' refusal, and errRulesChanged if the verdict is about others than there are.
func CheckVerdict(tx store.Tx, t domain.RuleType, source, target domain.PipelineID, verdict domain.RuleVerdict) error {
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

// RepeatForRules runs fn again while the rules change under it.
func RepeatForRules(fn func() error) (err error) {
	for range rulesAttempts {
		if err = fn(); !errors.Is(err, errRulesChanged) {
			return err
		}
	}
	return domain.UnavailableError("The rules between the pipelines keep changing. Please retry.", 0, err)
}

// SourceVariables returns what conditions see of the build that asks. One that was triggered counts as of the branch
// and the tag of its origin: who triggers a build chooses these.
func (c *Core) SourceVariables(tx store.Tx, source domain.Build) (steps.Variables, error) {
	v := steps.Variables{Values: map[string]any{}, Env: map[string]string{}}
	source.Branch, source.Tag = source.TrustedRef()
	seen, err := c.BuildVariables(tx, &source)
	if err != nil {
		return v, err
	}
	v.AddPrefixed("source.", seen)
	return v, nil
}
