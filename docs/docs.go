// Package docs holds the documents that the product shows of itself. It imports nothing of ours.
package docs

import "embed"

// Base is the base URL in the documents' examples. Who shows them puts the installation's own in its place.
const Base = "https://penstock.example.com"

// Files are the documents, in Markdown, and their pictures.
//
//go:embed agents.md authentication.md bootstrap.md builds.md cache-registries.md clusters.md concepts.md
//go:embed first-build.md graphql.md operations.md
//go:embed notifications.md organizations.md pipelines.md policies.md portals.md
//go:embed repositories.md rest.md rules.md schedules.md secrets.md teams.md templates.md testing.md *.svg
var Files embed.FS
