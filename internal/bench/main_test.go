package main

import (
	"os"
	"testing"
	"time"
)

// TestMeasurementsRun runs every measurement with small figures: what it prepares and asks for has to fit the product.
func TestMeasurementsRun(t *testing.T) {
	for value, to := range map[*string]string{
		sizes: "40", registrySizes: "40", pipelineSizes: "40", graphqlSizes: "40", usageUsers: "100", agentSizes: "4", cacheSizes: "20", pageLines: "200",
		buildSizes: "20,40",
		streams:    "0", // these build the server
		writes:     "0",
	} {
		*value = to
	}
	*finishedBuilds, *waitingJobs, *rounds, *duration, *connections = 20, 20, 1, time.Millisecond, 2
	scalePipelines = 40
	pagePipelines, pageAgents, pageBuilds, pageJobs, pageViews = 40, 20, 40, 20, 1
	busyAgents, busyBuilds, busyJobs, fewBuilds, wideJobs, created, uploaders, uploadSteps, toldBuilds = 8, 2, 10, 1, 20, 5, 2, 20, 3
	if os.Getenv("PENSTOCK_TEST_POSTGRES") == "" {
		*engines = "sqlite"
	}
	if err := run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
