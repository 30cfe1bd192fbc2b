# Needs Go and make; what else a target needs, it installs by itself.

SHELL    := bash
VERSION  ?= $(or $(shell git describe --tags --always --dirty 2>/dev/null),dev)
FUZZTIME ?= 10s
ARGS     ?=

.PHONY: help build assets screenshots run agent forge clients test system endtoend thorough race lint verify bench attacks faults scenarios fuzz clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build the static binary bin/penstock
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/penstock ./cmd/penstock

assets: ## Fetch what others wrote for browsers, by lockfile, to be embedded by the next build
	@scripts/with-node scripts/assets

screenshots: ## Take the pictures of the web interface in docs/screenshots again
	@scripts/with-node scripts/with-chromium scripts/screenshots

run: ## Build with all that pages use, then start a server on a temporary database with example data
	@scripts/with-node scripts/assets || echo 'Going on without htmx and the GraphQL console: pages work all the same.'
	@echo 'Building bin/penstock: a minute or two the first time.'
	@$(MAKE) --no-print-directory build
	@forge=$$(scripts/forge --where); [ ! -x "$$forge/gitea" ] || set -- --forge "$$forge"; bin/penstock demo "$$@" $(ARGS)

agent: ## Build the real agent and connect it to the server that make run started (ARGS: flags for buildkite-agent start)
	@scripts/agent $(ARGS)

forge: ## Build a real Gitea outside the tree, which tests of repository hosts then use (some ten minutes, needs a C compiler)
	@scripts/forge

clients: ## Point programs that others wrote at a new installation, and say how many of their tests pass (scripts/clients says which)
	@scripts/clients

test: ## Run the tests on SQLite and PostgreSQL, but those of system and endtoend (ARGS='-run Name': flags for go test)
	@scripts/with-postgres scripts/with-node scripts/with-chromium scripts/test -skip '^TestEndToEnd$$' $(ARGS)

system: ## Run built servers: commands, signals, crashes, upgrades, and scenarios with real agents (ARGS='-run Name')
	@scripts/with-postgres scripts/with-node scripts/with-chromium scripts/test --system $(ARGS)

endtoend: ## Do in a real Chromium what people do, and look at every page (ARGS='-run TestEndToEnd/name')
	@scripts/with-node scripts/assets || true
	@CI=true GOGC=400 scripts/with-node scripts/with-chromium go test -count=1 -timeout 30m -run '^TestEndToEnd$$' $(ARGS) ./internal/web

thorough: ## Run the tests whole that make test runs on a sample: every hostile value as every input, every page in other fonts (an hour)
	@PENSTOCK_THOROUGH=1 scripts/with-postgres scripts/with-node scripts/with-chromium scripts/test -timeout 90m -run 'Hostile|TestEndToEnd' $(ARGS)

race: ## Run all tests under the race detector (needs a C compiler)
	@CGO_ENABLED=1 scripts/with-postgres scripts/with-node scripts/with-chromium scripts/test -race -timeout 30m $(ARGS)
	@CGO_ENABLED=1 scripts/with-postgres scripts/with-node scripts/with-chromium scripts/test --system -race -timeout 30m $(ARGS)

lint: ## Run golangci-lint (the first run builds it: minutes)
	@scripts/lint $(ARGS)

verify: ## Check that generated files, go.mod files and docs/conformance.md are current
	@scripts/verify

bench: ## Measure SQLite and a durable PostgreSQL (ARGS: flags for internal/bench)
	@scripts/with-postgres --durable go run ./internal/bench $(ARGS)
	@go -C internal/bench/peers run .
	@go test -run '^$$' -bench . -benchmem ./internal/policy

attacks: ## Attack a built server on SQLite, and say how an innocent caller and its memory fare (ARGS='-run TestAttackName')
	@PENSTOCK_ATTACKS=1 go test -count=1 -parallel=1 -timeout 30m -v -run '^TestAttack' $(ARGS) ./cmd/penstock

faults: ## Kill, fill up, cut off and break a built server's storage, and compare what is there with what was acknowledged
	@PENSTOCK_FAULTS=1 scripts/with-postgres go test -count=1 -parallel=1 -timeout 30m -v -run '^TestFault[A-Z]' $(ARGS) ./cmd/penstock

scenarios: ## Run the long scenarios with real agents, such as a server that is killed amid 50 jobs (docs/scenarios.md)
	@scripts/with-postgres go test -count=1 -parallel=8 -timeout 60m -v -tags scenarios -run '^TestScenario[A-Z]' $(ARGS) ./internal/scenarios

fuzz: ## Run each fuzz target for FUZZTIME=10s
	@scripts/fuzz $(FUZZTIME)

clean: ## Remove what the build made
	rm -rf bin internal/web/assets/node_modules internal/web/assets/dist/{*.js,*.css,*.txt,made-of}
