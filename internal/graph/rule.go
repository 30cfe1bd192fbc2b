package graph

import (
	"context"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type rule = *domain.RuleView

func bindRules(b *gql.Builder) {
	gql.DeclareObject[rule](b, "Rule")
	gql.DeclareAbstract(b, "RuleSource", typeNameOf)
	gql.DeclareAbstract(b, "RuleTarget", typeNameOf)
	bindIDs(b, "Rule", func(r rule) domain.RuleID { return r.ID })
	bindText(b, "Rule.type", func(r rule) domain.RuleType { return r.Type })
	bindText(b, "Rule.action", func(r rule) string { return upperEnum(r.Type.Action()) })
	bindText(b, "Rule.effect", func(rule) string { return "ALLOW" })
	bindText(b, "Rule.sourceType", func(rule) string { return "PIPELINE" })
	bindText(b, "Rule.targetType", func(rule) string { return "PIPELINE" })
	bindNullableText(b, "Rule.description", func(r rule) *string { return r.Description })
	bindText(b, "Rule.document", func(r rule) string { return r.Document() })
	bindPart(b, "Rule.createdBy", func(r rule) *domain.User { return r.CreatedBy })
	bindReference(b, "Rule.organization", func(r rule) domain.OrganizationID {
		return r.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindRulePipeline(b, "Rule.source", func(r rule) domain.PipelineID { return r.SourceID })
	bindRulePipeline(b, "Rule.target", func(r rule) domain.PipelineID { return r.TargetID })
	bindConnection[rule](b, "Rule")
	bindConnectionField(b, "Organization.rules", connectRules)
	gql.BindEachObject(b, "Query.rule", func(ctx context.Context, _ gql.Root, args gql.Args) (rule, error) {
		return findByID(args.String("uuid"), readingOf(ctx).Rules)
	})
}

// bindRulePipeline binds a field that is one of several kinds of things, of which there are pipelines.
func bindRulePipeline(b *gql.Builder, field string, id func(rule) domain.PipelineID) {
	gql.BindObject(b, field, func(ctx context.Context, rules []rule, _ gql.Args) ([]any, error) {
		ids, found := make([]string, len(rules)), make([]any, len(rules))
		for i, r := range rules {
			ids[i] = string(id(r))
		}
		return found, findInto(found, ids, readingOf(ctx).Pipelines)
	})
}

func connectRules(r *read.Snapshot, organizations []organization, args gql.Args) ([]*read.Connection[rule], error) {
	filter := domain.RuleFilter{Types: listArg(args, "action", func(action string) domain.RuleType {
		return "pipeline." + lowerEnum[domain.RuleType](action) + ".pipeline"
	})}
	for name, chosen := range map[string]**domain.PipelineID{"sourceId": &filter.Source, "targetId": &filter.Target} {
		if id, state := gql.Arg[string](args, name); state == gql.Given {
			pipeline := parseSelector[domain.PipelineID]("Pipeline", id)
			*chosen = &pipeline
		}
	}
	for _, name := range []string{"sourceType", "targetType"} { // of which there is one
		if kinds := listArg(args, name, sameEnum[string]); kinds != nil && len(kinds) == 0 {
			filter.Types = []domain.RuleType{}
		}
	}
	return r.RulesOf(organizations, filter, connectionPart(args))
}

func bindRuleMutations(b *gql.Builder) {
	mutation(b, "ruleCreate", "RuleCreatePayload", func(c change) (*payload, error) {
		made, err := c.starts.CreateRule(c.ctx, c.actor, c.organization("organizationId"), ruleInput(c.input))
		return &payload{rule: &made}, err
	})
	bindPart(b, "RuleCreatePayload.rule", func(p *payload) rule { return p.rule })

	mutation(b, "ruleUpdate", "RuleUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.starts.UpdateRule(c.ctx, c.actor, c.organization("organizationId"),
			c.thing("id", "Rule", domain.RuleThing).ID, ruleInput(c.input), nil)
		return &payload{rule: &changed}, err
	})
	bindPart(b, "RuleUpdatePayload.rule", func(p *payload) rule { return p.rule })

	mutation(b, "ruleDelete", "RuleDeletePayload", func(c change) (*payload, error) {
		_, err := c.starts.DeleteRule(c.ctx, c.actor, c.organization("organizationId"),
			c.thing("id", "Rule", domain.RuleThing).ID, nil)
		return &payload{deleted: c.input.String("id")}, err
	})
	deletedField(b, "RuleDeletePayload.deletedRuleId")
}

func ruleInput(input gql.Args) core.Input[domain.RuleInput] {
	var faults domain.Faults
	in := domain.RuleInput{Type: optional[string](input, "type"), Description: optional[string](input, "description"),
		Value: domain.Some(domain.ParseRuleValue(input.String("value"), &faults))}
	return core.Sent(in, faults.Err())
}
