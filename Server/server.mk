# The server and the example, which are packages with build folders of their own.

SERVER = --package-path Server

.PHONY: server test-server test-clients test-restart install-server serve
server: dependencies ## Builds the server.
	$(SWIFT) build $(SERVER) $(RELEASE) --product facecrop-server

test-server: dependencies ## Builds and tests the server, and builds the example service.
	$(SWIFT) build $(SERVER) --build-tests
	$(SWIFT_TEST) $(SERVER) --skip-build --disable-xctest
	$(SWIFT) build --package-path Examples/AvatarService

.PHONY: timing-server
timing-server: dependencies ## Checks that refusing a signature takes constant time; needs an idle machine.
	$(SWIFT) build $(SERVER) --build-tests
	FACECROP_TIMING=1 $(SWIFT_TEST) $(SERVER) --skip-build --disable-xctest --filter SignatureTimingTests

CLIENTS = .build-clients

# TESTS selects tests by their names, as pytest's -k does.
test-clients: dependencies ## Tests the server with libthumbor, a store, nginx, 10,000 connections, and bombs.
	@$(call require,clients)
	$(SWIFT) build $(SERVER) --product facecrop-server
	test -x $(CLIENTS)/bin/python || /usr/bin/python3 -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Server/Tests/clients/requirements.txt
	$(CLIENTS)/bin/python -m pytest -q $(if $(TESTS),-k "$(TESTS)") Server/Tests/clients

test-restart: ## Restarts two servers behind nginx, one after the other, under load; no request may be lost.
	$(MAKE) test-clients TESTS=rolling_restart

install-server: server ## Installs the server and its man page under PREFIX.
	@$(call require,install)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -s --strip-program=$(CURDIR)/Packaging/strip -m 755 Server/.build/release/facecrop-server $(DESTDIR)$(PREFIX)/bin/facecrop-server
	docs/manual Server/.build/release/facecrop-server /dev/null /dev/null > $(DESTDIR)$(PREFIX)/share/man/man1/facecrop-server.1

serve: server ## Starts the server with its playground on the sample portrait.
	@echo "Open the URL below to see the playground; Ctrl-C ends the server."
	Server/.build/release/facecrop-server --folder Tests/Fixtures --unsafe --playground

.PHONY: test-review
test-review: release ## Does a photographer's tasks in a review of a batch, in headless Chromium.
	@$(call require,report)
	$(SWIFT) build $(SERVER) --product facecrop-server
	PYTHONDONTWRITEBYTECODE=1 Server/Tests/review Server/.build/debug/facecrop-server $(BINARY)

.PHONY: test-playground
test-playground: dependencies ## Does a web developer's tasks in the playground, in headless Chromium.
	@$(call require,report)
	$(SWIFT) build $(SERVER) --product facecrop-server
	PYTHONDONTWRITEBYTECODE=1 Server/Tests/playground Server/.build/debug/facecrop-server

.PHONY: load-server soak-server soak-scarce attack-server
load-server: dependencies ## Loads the server for three minutes and checks its limits.
	@$(call require,load)
	Server/Load/run

soak-server: server ## Asks the server for four times its capacity, for SECONDS (3,600), with images in SET.
	@test -n "$(SET)" || { echo "usage: make soak-server SET=folder [SECONDS=3600]" >&2; exit 64; }
	PYTHONPATH=Benchmarks python3 Server/Load/soak.py "$(SET)" --program Server/.build/release/facecrop-server \
	  $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JSON),--json $(JSON))

soak-scarce: server ## Loads the server with 1 MiB of disk, 2,000 idle connections and a collector, for SECONDS (3,600).
	@$(call require,python)
	python3 Server/Load/scarce.py --program Server/.build/release/facecrop-server \
	  $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JSON),--json $(JSON))

attack-server: server ## Sends attack files, also those in SETS, among the images in SET, for SECONDS (600).
	@test -n "$(SET)" || { echo "usage: make attack-server SET=folder [SETS=folder] [SECONDS=600]" >&2; exit 64; }
	$(SWIFT) build $(RELEASE) --product bench
	rm -rf $(ATTACKS) && mkdir -p $(ATTACKS)
	.build/release/bench --attacks $(ATTACKS)
	python3 Server/Load/attacks.py Server/.build/release/facecrop-server $(ATTACKS) $(SETS) \
	  --good "$(SET)" $(if $(SECONDS),--seconds $(SECONDS))
