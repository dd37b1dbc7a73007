# Installation, packages, and other systems.

.PHONY: install
install: release ## Installs the command, its models, completions and man page under PREFIX.
	@$(call require,install)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/facecrop/models $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -s --strip-program=$(CURDIR)/Packaging/strip -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/facecrop
	install -m 755 Integrations/container/facecrop-shard $(DESTDIR)$(PREFIX)/bin/facecrop-shard
	install -m 644 docs/facecrop-shard.1 $(DESTDIR)$(PREFIX)/share/man/man1/facecrop-shard.1
	install -m 644 models/haarcascade_*.xml models/LICENSE.* models/README.md $(DESTDIR)$(PREFIX)/share/facecrop/models
	docs/manual $(BINARY) docs/manual-details.md docs/manual-tail.mdoc docs/reference.md > $(DESTDIR)$(PREFIX)/share/man/man1/facecrop.1
	$(BINARY) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/facecrop
	$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_facecrop
	$(BINARY) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/facecrop.fish

.PHONY: test-install
test-install: ## Installs into a temporary folder and tests the result.
	Tests/Install/run

DEB = $(CURDIR)/.build/deb

.PHONY: deb
deb: release ## Makes Debian packages in .build/deb and checks them with lintian.
	@$(call require,deb)
	rm -rf $(DEB) && mkdir -p $(DEB)
	debian/make-changelog
	DEB_FOLDER=$(DEB) dpkg-buildpackage --build=binary --no-sign \
	  --buildinfo-option=-u$(DEB) --buildinfo-file=$(DEB)/facecrop.buildinfo \
	  --changes-option=-u$(DEB) --changes-file=$(DEB)/facecrop.changes
	lintian --fail-on error,warning --tag-display-limit 0 $(DEB)/facecrop.changes

.PHONY: test-deb
test-deb: deb ## Installs the Debian packages in a fresh system of this release, tests and removes them.
	@$(call require,deb-test)
	$(SUDO) Tests/Deb/run $(DEB)

TARBALL = $(CURDIR)/.build/tarball
SYSTEMS ?= bookworm trixie

.PHONY: tarball test-tarball
tarball: release ## Makes an archive in .build/tarball that runs without installed packages.
	@$(call require,tarball)
	@Packaging/tarball $(TARBALL)

test-tarball: tarball ## Tests the archive in fresh SYSTEMS (bookworm trixie).
	@$(call require,systems)
	$(SUDO) Tests/Tarball/run $(TARBALL)/facecrop-*.tar.xz $(SYSTEMS)

WHEEL = $(CURDIR)/.build/wheel

.PHONY: wheel test-wheel
wheel: tarball python-dependencies ## Makes the Python wheel, which contains the command, in .build/wheel.
	PATH="$(CURDIR)/$(PYTHON)/bin:$$PATH" Packaging/wheel $(TARBALL)/facecrop-*.tar.xz $(WHEEL)

test-wheel: wheel ## Tests the wheel in fresh SYSTEMS (bookworm trixie) with only Python.
	@$(call require,systems)
	$(SUDO) Tests/Wheel/run $(WHEEL)/facecrop-*.whl $(SYSTEMS)

DISTRIBUTION = $(CURDIR)/.build/distribution

.PHONY: distribution
distribution: deb wheel ## Makes a release in .build/distribution: archive, install.sh, packages, wheel, SBOM, notes, checksums.
	@Packaging/distribution $(DISTRIBUTION) $(TARBALL)/facecrop-*.tar.xz $(WHEEL)/facecrop-*.whl $(DEB)/*.deb

.PHONY: test-distribution-twice
test-distribution-twice: ## Makes a release twice in fresh clones of the last commit, and compares the checksums.
	Tests/Distribution/twice

.PHONY: figures-archive
figures-archive: tarball ## Writes the size of the archive into the README.
	PYTHONPATH=Benchmarks python3 -m figures archive $(TARBALL)/facecrop-*.tar.xz

# debootstrap fills a folder under ROOTS, which is kept. The machine's Swift is mounted there.
SUITE ?= trixie
ROOTS ?= $(CURDIR)/.build-systems

.PHONY: on-debian
on-debian: ## Runs the targets WHAT (demo test) on a fresh Debian SUITE (trixie), from the last commit.
	@$(call require,systems)
	$(SUDO) Packaging/on-debian "$(SUITE)" "$(ROOTS)" "$(or $(WHAT),demo test)"
