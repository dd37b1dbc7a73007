# The first lines of the README are `make setup demo` and `make test`. `make help` lists all targets. Each folder has a
# file of its own targets, which is included at the end.

SWIFT ?= swift
# Repeats the failures at the end.
SWIFT_TEST = Tests/failures-last $(SWIFT) test
# Parallel tests. With more, they wait for each other until images reach their timeouts.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 3
# Optimized like the release: the build takes longer, and the tests much less. Traps of arithmetic and bounds stay.
TESTED = -c release --scratch-path .build-test -Xswiftc -enable-testing
PREFIX ?= /usr/local
DESTDIR ?=

# Checks that the packages of some groups of Packaging/packages.txt are installed.
require = Packaging/packages $(1)
SUDO = $(if $(filter 0,$(shell id -u)),,sudo)

# The binary contains Swift's standard library, so that it runs without Swift. The linker is Swift's own, the same on every
# system. Its tables are filled at the start and read-only afterwards. Relative relocations are packed (glibc 2.36). It
# exports no symbols, since nothing links with it. No library is searched beside the binary.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic --disable-local-rpath
BINARY = .build/release/facecrop

.PHONY: help
help: ## Lists the targets.
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 24

.PHONY: setup dependencies test-dependencies
setup: ## Installs the packages for a build and its tests with apt (and sudo if needed).
	@INSTALL=1 $(call require,build test)
dependencies: ## Lists missing packages of a build; as root, or with INSTALL=1, installs them.
	@Packaging/check-swift
	@$(call require,build)
test-dependencies: ## Does the same for the packages of the tests.
	@Packaging/check-swift
	@$(call require,build test)

.PHONY: demo
demo: release ## Builds the command and crops the sample portrait.
	@mkdir -p demo
	@$(BINARY) crop Tests/Fixtures/astronaut.jpg -o demo/astronaut-crop.jpg --padding 0.5 --aspect 4:5 --quality 92
	@echo "The portrait Tests/Fixtures/astronaut.jpg was cropped to its face: demo/astronaut-crop.jpg"

.PHONY: test
test: test-facecrop test-server ## Runs every test.

.PHONY: release
release: dependencies ## Builds the command.
	$(SWIFT) build $(RELEASE) --product facecrop

.PHONY: lint
lint: lint-english lint-project ## Checks formats, mutations, licenses, generated pages, figures, links, English and project files.
	@$(call require,lint)
	$(SWIFT) format lint --strict --recursive Sources Tests Benchmarks Examples Server/Package.swift Server/Sources Server/Tests Package.swift
	Tests/Mutations/run --check
	Tests/Licenses/run
	docs/options --check
	docs/safeguards --check
	PYTHONPATH=Benchmarks python3 -m figures check
	Tests/Links/check

.PHONY: format
format: ## Formats the Swift sources.
	$(SWIFT) format --in-place --recursive Sources Tests Benchmarks Examples Server/Package.swift Server/Sources Server/Tests Package.swift

# .ci/steps.txt lists the steps of both.
.PHONY: check nightly
check: ## Runs every check of a change: lint, layers, demo, tests with fuzz replay, attack files.
	@.ci/steps check

nightly: ## Runs the rest: sanitizers, packages, clients, other systems, failures, mutations, fuzzing, coverage.
	@.ci/steps nightly

.PHONY: clean
clean: ## Removes all build folders.
	rm -rf .build .build-* demo docs-archive Examples/AvatarService/.build Server/.build

include docs/docs.mk
include Integrations/integrations.mk
include Packaging/packaging.mk
include Server/server.mk
include Tests/tests.mk
include Benchmarks/benchmarks.mk
