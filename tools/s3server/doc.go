// Package s3server is empty: go.mod beside it names the S3-compatible server that tests run, which
// internal/testkit/s3server builds. It is a module of its own, so that neither the product nor the linter depends on
// what the server is made of.
package s3server
