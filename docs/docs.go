// Package docs holds the documents that the product shows of itself. It imports nothing of ours.
package docs

import "embed"

// Base is the base URL in the documents' examples. Who shows them puts the installation's own in its place.
const Base = "https://penstock.example.com"

// Files are the documents, in Markdown.
//
//go:embed authentication.md graphql.md operations.md policies.md
var Files embed.FS
