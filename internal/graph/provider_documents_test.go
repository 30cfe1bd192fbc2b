package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// What a Terraform provider asks of things, whatever it is about to do with them.
const everyTeam = `
fragment EveryTeam on Team {
  id uuid name description slug privacy isDefaultTeam defaultMemberRole
  membersCanCreatePipelines membersCanCreateSuites membersCanCreateRegistries membersCanDestroyRegistries membersCanDestroyPackages
}`

const everyPipeline = `
fragment EveryPipeline on Pipeline {
  id pipelineUuid: uuid name slug description emoji color visibility archived
  allowRebuilds badgeURL webhookURL cloneMirrorUrl defaultBranch branchConfiguration
  cancelIntermediateBuilds cancelIntermediateBuildsBranchFilter skipIntermediateBuilds skipIntermediateBuildsBranchFilter
  defaultTimeoutInMinutes maximumTimeoutInMinutes
  cluster { id name } repository { url provider { __typename name url webhookUrl } } pipelineTemplate { id } steps { yaml } tags { label }
  teams(first: 5, order: NAME) { count pageInfo { endCursor hasNextPage } edges { cursor node { id accessLevel team { id } } } }
}`

const providerNodes = `
query everyNode($id: ID!) {
  node(id: $id) {
    __typename
    ... on Pipeline { ...EveryPipeline }
    ... on Team { ...EveryTeam }
    ... on PipelineTemplate { id templateUuid: uuid available configuration description name }
    ... on Rule { id ruleUuid: uuid type description document sourceType targetType effect action source { ... on Pipeline { uuid } } target { ... on Pipeline { uuid } } }
    ... on TeamSuite { id teamSuiteUuid: uuid suiteLevel: accessLevel team { id } suite { id } }
    ... on TeamPipeline { id accessLevel team { id } pipeline { id } }
    ... on TeamMember { id role team { id } user { id } }
    ... on Cluster { id clusterUuid: uuid name description emoji color }
    ... on ClusterToken { id description }
  }
}` + everyPipeline + everyTeam

// TestDocumentsOfATerraformProvider runs what a provider sends when it makes, reads and changes things.
func TestDocumentsOfATerraformProvider(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		run := func(document string, variables map[string]any) map[string]any {
			t.Helper()
			return wantData(t, s.GraphQL(testkit.AdminToken, document, variables))
		}
		organization := dig(t, run(`query ($slug: ID!) { organization(slug: $slug) { id uuid allowedApiIpAddresses membersRequireTwoFactorAuthentication } }`,
			fields{"slug": testkit.Organization}), "organization").(item)
		wantEqual(t, organization["membersRequireTwoFactorAuthentication"], false)

		made := dig(t, run(`mutation ($input: PipelineCreateInput!) { pipelineCreate(input: $input) { pipeline { ...EveryPipeline } } }`+everyPipeline, fields{"input": fields{
			"organizationId": organization["id"], "name": "Web", "repository": fields{"url": "git@example.com:acme/web.git"}, "steps": fields{"yaml": "steps: []"},
			"defaultTimeoutInMinutes": 0, "maximumTimeoutInMinutes": 0, "cloneMirrorUrl": nil, "clusterId": nil, "color": nil, "emoji": nil,
		}}), "pipelineCreate", "pipeline").(item)
		wantEqual(t, made["defaultTimeoutInMinutes"], 0.0)
		wantEqual(t, made["pipelineTemplate"], nil)
		if !strings.HasPrefix(textAt(made, "badgeURL"), s.URL+"/badges/") || !strings.HasPrefix(textAt(made, "webhookURL"), s.URL+"/deliver/") {
			t.Errorf("the addresses are %v and %v", made["badgeURL"], made["webhookURL"])
		}
		changed := dig(t, run(`mutation ($input: PipelineUpdateInput!) { pipelineUpdate(input: $input) { pipeline { ...EveryPipeline } } }`+everyPipeline, fields{"input": fields{
			"id": made["id"], "name": "Web", "pipelineTemplateId": nil, "cloneMirrorUrl": "git@mirror.example.com:web.git",
		}}), "pipelineUpdate", "pipeline").(item)
		wantEqual(t, changed["cloneMirrorUrl"], "git@mirror.example.com:web.git")
		for _, mutation := range []string{"pipelineCreate", "pipelineUpdate"} {
			input := fields{"id": made["id"]}
			if mutation == "pipelineCreate" {
				input = fields{"organizationId": organization["id"], "name": "New", "repository": fields{"url": "r"}}
			}
			for template, refusal := range map[string]string{
				domain.GraphQLID("PipelineTemplate", noSuchID): "Validation failed: No pipeline template found", "none": "No pipeline template found",
			} {
				input["pipelineTemplateId"] = template
				wantError(t, s.GraphQL(testkit.AdminToken, `mutation ($input: `+strings.ToUpper(mutation[:1])+mutation[1:]+`Input!) { `+mutation+`(input: $input) { clientMutationId } }`,
					fields{"input": input}), refusal, mutation)
			}
		}

		team := dig(t, run(`mutation ($organization: ID!, $suites: Boolean) {
			teamCreate(input: {organizationID: $organization, name: "Every", privacy: VISIBLE, isDefaultTeam: false, defaultMemberRole: MEMBER,
				membersCanCreateSuites: $suites, membersCanCreateRegistries: true, membersCanDestroyRegistries: true, membersCanDestroyPackages: true}) { teamEdge { node { ...EveryTeam } } } }`+everyTeam, fields{"organization": organization["id"], "suites": true}), "teamCreate", "teamEdge", "node").(item)
		for _, right := range []string{"membersCanCreateSuites", "membersCanCreateRegistries", "membersCanDestroyRegistries", "membersCanDestroyPackages"} {
			wantEqual(t, team[right], true)
		}

		for id, typeName := range map[string]string{textAt(made, "id"): "Pipeline", textAt(team, "id"): "Team", domain.GraphQLID("Cluster", testkit.MaintainedID): "Cluster"} {
			wantEqual(t, dig(t, run(providerNodes, fields{"id": id}), "node", "__typename"), typeName)
		}
		for _, typeName := range []string{"PipelineTemplate", "Rule", "TeamSuite", "Suite"} {
			wantEqual(t, dig(t, run(providerNodes, fields{"id": domain.GraphQLID(typeName, noSuchID)}), "node"), nil)
		}
		// The webhook's address is for those who may change the pipeline.
		seen := dig(t, wantData(t, s.GraphQL(testkit.MaintainerToken, `{ pipeline(slug: "acme-inc/web") { badgeURL webhookURL } }`, nil)), "pipeline").(item)
		wantEqual(t, seen["webhookURL"], nil)
		wantEqual(t, seen["badgeURL"], made["badgeURL"])
	})
}
