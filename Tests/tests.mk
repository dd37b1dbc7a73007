# Tests, fuzzers, and checks of the sources by the compiler.

SANITIZE = --scratch-path .build-sanitize --sanitize address -Xswiftc -O \
  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xcxx -fsanitize=undefined -Xcxx -fno-sanitize=vptr
IDENTITY_REGIONS ?= 1000000

.PHONY: quick
quick: ## Builds without optimization, and runs the suites of the files that differ from BASE (main).
	@SWIFT=$(SWIFT) Tests/quick

.PHONY: test-facecrop
test-facecrop: test-dependencies ## Runs the tests of the library and the command.
	@Tests/devices
	$(SWIFT) build --build-tests $(TESTED)
	$(SWIFT_TEST) --skip-build --disable-xctest $(TESTED)

# SwiftPM counts the lines of Swift alone.
COUNTED_C = $(foreach language,-Xcc -Xcxx,$(language) -fprofile-instr-generate $(language) -fcoverage-mapping)

.PHONY: coverage
coverage: test-dependencies ## Runs the tests of the library and the command, and prints the coverage of each folder.
	@Tests/devices
	-$(SWIFT_TEST) -c release -Xswiftc -enable-testing --enable-code-coverage --disable-xctest --scratch-path .build-coverage \
	  $(COUNTED_C)
	Tests/coverage .build-coverage

# Freed memory is kept for a while, to find its use. The process that decodes JPEG XL has a bound of memory, so it is little.
ASAN = allocator_may_return_null=1:quarantine_size_mb=16

.PHONY: sanitize
sanitize: test-dependencies ## Runs the library's tests and replays the fuzz corpora under two sanitizers.
	$(SWIFT) build --build-tests $(SANITIZE)
	ASAN_OPTIONS=$(ASAN) LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitize/leaks.txt:print_suppressions=0 \
	  $(SWIFT_TEST) --skip-build --disable-xctest $(SANITIZE) --filter 'FaceCropTests|FuzzTests'

SHARED_PICTURES ?= 1000

.PHONY: sanitize-threads
sanitize-threads: test-dependencies ## Runs the tests of shared state under ThreadSanitizer.
	$(SWIFT) build --build-tests --scratch-path .build-thread --sanitize thread
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitize/threads.txt:print_suppressions=0 \
	  FACECROP_SHARED_PICTURES=$(SHARED_PICTURES) $(SWIFT_TEST) --skip-build --disable-xctest \
	  --scratch-path .build-thread --sanitize thread --filter 'DetectorTests|FaceCropTests.(RunningRequests|ImageManager|CachingImage|ImageImporter)'

.PHONY: identity
identity: test-dependencies ## Compares a million random regions with the full decode.
	$(SWIFT) build --build-tests $(TESTED)
	FACECROP_IDENTITY_REGIONS=$(IDENTITY_REGIONS) $(SWIFT_TEST) --skip-build --disable-xctest $(TESTED) \
	  --filter "IdentityTests|RealPictureTests"

.PHONY: test-batch
test-batch: test-dependencies ## Kills a batch of 2,000 images twenty times, and compares it with an undisturbed one.
	$(SWIFT) build --build-tests $(TESTED)
	FACECROP_BATCH_PICTURES=2000 FACECROP_BATCH_KILLS=20 $(SWIFT_TEST) --skip-build --disable-xctest $(TESTED) \
	  --filter BatchEndurance

CONFORMANCE = .build/conformance

.PHONY: conformance
conformance: release ## Compares each image of the folders SETS with decoders that are not ours.
	@test -n "$(SETS)" || { echo "usage: make conformance SETS=folder" >&2; exit 64; }
	@$(call require,conformance)
	python3 -m venv $(CONFORMANCE)
	$(CONFORMANCE)/bin/python -m pip install --quiet --requirement Tests/Conformance/requirements.txt
	$(CONFORMANCE)/bin/python Tests/Conformance/run $(BINARY) $(SETS)

ATTACKS = .build/attacks

.PHONY: attacks
attacks: test-dependencies release ## Bounds time and memory of the command on hostile files, also on those in SETS.
	$(SWIFT) build $(RELEASE) --product bench
	rm -rf $(ATTACKS) && mkdir -p $(ATTACKS)
	.build/release/bench --attacks $(ATTACKS)
	Tests/Attacks/run $(ATTACKS) $(SETS)

# Only every N-th call fails.
EVERY ?= 1

.PHONY: test-failures test-failures-memory test-failures-server
test-failures: test-dependencies release ## Fails each file operation of crop, batch and resume once.
	Tests/Failures/run files --every $(EVERY)

test-failures-memory: test-dependencies release ## Fails each allocation of the shims and their libraries once.
	Tests/Failures/run memory --every $(EVERY)

test-failures-server: test-dependencies server ## Fails each file operation of a server with a cache once.
	Tests/Failures/run server --every $(EVERY)

.PHONY: fuzz
fuzz: test-dependencies ## Fuzzes every parser of untrusted bytes, each target for SECONDS (60).
	SECONDS_TO_RUN=$(or $(SECONDS),60) Tests/Fuzz/run

.PHONY: fuzz-corpus
fuzz-corpus: test-dependencies ## Reduces the fuzz corpora to the smallest set with the same coverage.
	Tests/Fuzz/run --keep

.PHONY: test-consumer
test-consumer: dependencies ## Builds and runs a package that depends on the last commit by version.
	Tests/Consumer/run

.PHONY: test-traits
test-traits: dependencies ## Builds without HEIC and AVIF, and tests their errors.
	Tests/Traits/run

.PHONY: test-arm64
test-arm64: ## Compiles the C and C++ for arm64, and runs parts in an emulator.
	@$(call require,arm64)
	Tests/Arm64/run

.PHONY: test-shards
test-shards: release ## Compares a batch in shards with an undivided one.
	Tests/Shards/run $(BINARY)

.PHONY: test-report
test-report: release ## Corrects frames in a report of 10,000 entries in headless Chromium.
	@$(call require,report)
	Tests/Report/run

.PHONY: check-gain-maps
check-gain-maps: release ## Compares the gain maps of crops of the JPEG files in SET with the originals.
	@test -n "$(SET)" || { echo "usage: make check-gain-maps SET=folder" >&2; exit 64; }
	@$(call require,gain-maps)
	Tests/gain-maps $(BINARY) "$(SET)"

.PHONY: test-mutations
test-mutations: test-dependencies ## Removes each safeguard in turn; a test must fail each time.
	Tests/Mutations/run

.PHONY: test-random-mutations
test-random-mutations: test-dependencies ## Makes COUNT (20) random mutants per folder, and lists those that no test detects.
	@$(call require,python)
	Tests/Mutations/random --count $(or $(COUNT),20)

.PHONY: test-api
test-api: dependencies ## Fails if the API breaks callers of BASE (the newest release) without a migration in the changelog.
	Tests/API/run $(BASE)

.PHONY: lint-layers
lint-layers: dependencies ## Checks that no folder of the library or command uses one above it, in the debug build BUILD if given.
	@$(call require,python)
	$(if $(BUILD),,$(SWIFT) build --product facecrop)
	Tests/Layers/check $(BUILD)

LINT = .build-lint
SHELL_SCRIPTS = $(shell git grep -lIE '^\#!.*[/ ](ba)?sh$$')

.PHONY: lint-tools lint-project
lint-tools:
	@$(call require,lint)
	test -x $(LINT)/bin/python || /usr/bin/python3 -m venv $(LINT)
	$(LINT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/requirements-lint.txt

lint-project: lint-tools ## Checks shell scripts, workflows, issue forms, fuzzing and release files, and versions.
	shellcheck --severity=warning $(SHELL_SCRIPTS)
	$(LINT)/bin/yamllint --strict --config-file Tests/Project/yamllint.yaml .github .spi.yml Tests/Fuzz/oss-fuzz
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(LINT)/bin/hadolint --config Integrations/.hadolint.yaml .devcontainer/Dockerfile Tests/Fuzz/oss-fuzz/Dockerfile
	$(LINT)/bin/python Tests/Project/check
	Tests/Deb/limits --lines
	Tests/Distribution/run
	Tests/Figures/run
