# Everything a developer types. The tools (linter, generator) are pinned in a module of their own, tools/go.mod, and run
# by `go tool`, so that nothing has to be installed and the product's go.mod stays light.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
# The nested modules with tests of their own; tools/ has none.
MODULES = $(patsubst ./%/go.mod,%,$(shell find . -mindepth 2 -name go.mod -not -path './tools/*'))
# What `make generate` writes. verify compares these, and only these, with what is committed.
GENERATED := 'api/**/zz_generated.deepcopy.go' 'api/crds/*.yaml' 'docs/api/*.md'

.PHONY: help
help: ## Print this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Interpret a FlinkDeployment offline, every operation; then tour a federation on this machine
	mkdir -p bin
	$(GO) build -o bin/dragoman ./cmd/dragoman
	bin/dragoman interpret --operation all --desired-file examples/flink/basic.yaml \
		--observed-file examples/flink/observed.yaml --status-file examples/flink/items.yaml --desired-replica 2
	PATH="$$PWD/bin:$$PATH" bin/dragoman up \
		--apply examples/federation,examples/flink/crd.yaml,examples/flink/basic.yaml -- examples/federation/tour.sh

.PHONY: test
test: ## Run every test, with the race detector
	$(GO) test -race -timeout 30m ./...
	for module in $(MODULES); do (cd $$module && $(GO) test -timeout 30m ./...); done

.PHONY: bench
bench: ## Run every benchmark and print how many times faster than its baseline each one is
	$(GO) run ./tests/benchtable $(BENCH)

IMAGE ?= dragoman-io/dragoman:devel
.PHONY: image
image: ## Build the container image that the Helm chart runs, as IMAGE
	docker build -t $(IMAGE) .

.PHONY: generate
generate: ## Generate deepcopy functions, CRDs and docs/api from the types in api/
	crds=$$(mktemp -d); \
	$(TOOL) controller-gen object crd paths=./api/... output:crd:dir=$$crds; \
	rm -f api/crds/*.yaml; \
	mv $$crds/*.yaml api/crds; \
	rmdir $$crds
	$(GO) run ./api/reference -to docs/api ./api/*/v*

.PHONY: lint
lint: ## Run the linters
	$(TOOL) golangci-lint run

.PHONY: fix
fix: ## Format, and mend what the linters can mend
	$(TOOL) golangci-lint run --fix

.PHONY: verify
verify: generate lint ## Check that generated files, formatting, lint and go.mod are as they should be
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff
	git diff --exit-code -- $(GENERATED)
	@new=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
		[[ -z $$new ]] || { echo "generated, but not committed: $$new" >&2; exit 1; }
	$(GO) test -run TestCommitted ./tests/openapi

.PHONY: update
update: generate ## Regenerate everything: deepcopy functions, CRDs, docs/api, Kubernetes' schemas, golden files
	$(GO) run ./tests/openapi -to openapi/kubernetes.json.gz
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' $(MODULES:%=':!%') | xargs -n1 dirname | sort -u | sed 's|^|./|') -update
	cd deploy/render && $(GO) test -update .

.PHONY: presubmit
presubmit: verify test ## What CI runs: verify, then test
