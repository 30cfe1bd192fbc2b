# Every resource of the public provider that Penstock serves. scripts/clients applies it twice, imports what can be imported, and destroys it.
terraform {
  required_providers {
    buildkite = {
      source = "buildkite/buildkite"
    }
  }
}

provider "buildkite" {}

data "buildkite_organization" "all" {}

resource "buildkite_organization" "settings" {
  allowed_api_ip_addresses = ["0.0.0.0/0", "::/0"]
}

resource "buildkite_organization_banner" "banner" {
  message = ":warning: Maintenance this weekend"
}

resource "buildkite_cluster" "primary" {
  name        = "Primary"
  description = "Runs everything"
  emoji       = ":rocket:"
  color       = "#bada55"
}

resource "buildkite_cluster_queue" "default" {
  cluster_id  = buildkite_cluster.primary.id
  key         = "default"
  description = "For jobs that name none"
}

resource "buildkite_cluster_default_queue" "primary" {
  cluster_id = buildkite_cluster.primary.id
  queue_id   = buildkite_cluster_queue.default.id
}

resource "buildkite_cluster_agent_token" "agents" {
  cluster_id  = buildkite_cluster.primary.id
  description = "For the fleet"
}

resource "buildkite_agent_token" "unclustered" {
  description = "For agents that name no cluster"
}

resource "buildkite_cluster_secret" "secret" {
  cluster_id  = buildkite_cluster.primary.uuid
  key         = "DEPLOY_KEY"
  value       = "not-so-secret"
  description = "For deployments"
}

resource "buildkite_team" "platform" {
  name                = "Platform"
  description         = "Who runs the fleet"
  privacy             = "VISIBLE"
  default_team        = false
  default_member_role = "MEMBER"
}

resource "buildkite_cluster_maintainer" "team" {
  cluster_uuid = buildkite_cluster.primary.uuid
  team_uuid    = buildkite_team.platform.uuid
}

resource "buildkite_team_member" "member" {
  team_id = buildkite_team.platform.id
  user_id = base64encode("User---0190a000-0000-7000-8000-000000000002")
  role    = "MEMBER"
}

resource "buildkite_pipeline_template" "standard" {
  name          = "Standard"
  configuration = "steps:\n  - command: make\n"
  available     = true
}

resource "buildkite_pipeline" "app" {
  name                       = "App"
  repository                 = "https://example.com/acme/app.git"
  cluster_id                 = buildkite_cluster.primary.id
  default_branch             = "main"
  steps                      = "steps:\n  - command: make\n"
  cancel_intermediate_builds = true
  tags                       = ["go", "web"]
}

resource "buildkite_pipeline" "templated" {
  name                 = "Templated"
  repository           = "https://example.com/acme/templated.git"
  cluster_id           = buildkite_cluster.primary.id
  pipeline_template_id = buildkite_pipeline_template.standard.id
}

resource "buildkite_pipeline_team" "app" {
  pipeline_id  = buildkite_pipeline.app.id
  team_id      = buildkite_team.platform.id
  access_level = "BUILD_AND_READ"
}

resource "buildkite_pipeline_schedule" "nightly" {
  pipeline_id = buildkite_pipeline.app.id
  label       = "Nightly"
  cronline    = "@midnight"
  branch      = "main"
}

resource "buildkite_organization_rule" "trigger" {
  type = "pipeline.trigger_build.pipeline"
  value = jsonencode({
    source_pipeline = buildkite_pipeline.app.uuid
    target_pipeline = buildkite_pipeline.templated.uuid
  })
}

resource "buildkite_portal" "viewer" {
  slug  = "viewer-info"
  name  = "Viewer Information"
  query = "{ viewer { user { name } } }"
}

resource "buildkite_notification_service" "webhook" {
  provider_type = "webhook"
  description   = "Tells another program"
  enabled       = true
  scope         = "all"
  webhook = {
    url        = "https://example.com/events"
    token_mode = "signature"
    events     = ["build.finished"]
  }
}
