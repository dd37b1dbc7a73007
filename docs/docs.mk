# The documentation.

.PHONY: docs
docs: dependencies ## Builds the library's documentation; fails on warnings and undocumented public symbols.
	@$(call require,python)
	Tests/Docs/run

.PHONY: site
SITE = .build/site
site: docs safeguards ## Builds all documentation as a static site with a search, for the path BASE (/) of a host.
	@$(call require,lint)
	test -x $(SITE)-tools/bin/python || /usr/bin/python3 -m venv $(SITE)-tools
	$(SITE)-tools/bin/python -m pip install --quiet --disable-pip-version-check --requirement docs/site/requirements.txt
	$(SITE)-tools/bin/python docs/site/build $(SITE) --docc "$$(dirname "$$(realpath "$$(command -v $(SWIFT))")")/docc" \
	  $(if $(BASE),--base $(BASE))

.PHONY: options
options: ## Writes docs/options.md from the stored helps and the man page's details. It is committed for its links.
	@$(call require,python)
	docs/options

PICTURE_TOOLS = .build/picture-tools

.PHONY: picture
picture: release ## Draws docs/outputs.jpg, the README's image; look at it before you commit it.
	@$(call require,lint)
	python3 -m venv $(PICTURE_TOOLS)
	$(PICTURE_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check pillow==12.3.0
	$(PICTURE_TOOLS)/bin/python docs/draw-outputs $(BINARY)

.PHONY: safeguards
safeguards: ## Writes docs/safeguards.md, a page of the site, from the headers of the mutations in Tests/Mutations.
	@$(call require,python)
	docs/safeguards

.PHONY: lint-english
lint-english: ## Counts hard sentences in documents and comments, and checks Markdown lines.
	@$(call require,python)
	Tests/English/check
