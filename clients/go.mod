module penstock/clients

go 1.26.0

require github.com/buildkite/go-buildkite/v4 v4.23.0

require (
	github.com/cenkalti/backoff v1.1.1-0.20171020064038-309aa717adbf // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	golang.org/x/net v0.38.0 // indirect
)
