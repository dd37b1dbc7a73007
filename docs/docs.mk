# The documentation.

.PHONY: docs
docs: dependencies ## Builds the library's documentation; fails on warnings and undocumented public symbols.
	@$(call require,python)
	Tests/Docs/run

.PHONY: options
options: ## Writes docs/options.md from the stored helps and the man page's details.
	@$(call require,python)
	docs/options

.PHONY: safeguards
safeguards: ## Writes docs/safeguards.md from the headers of the patches in Tests/Mutations.
	@$(call require,python)
	docs/safeguards

.PHONY: lint-english
lint-english: ## Counts hard sentences in documents and comments, and checks Markdown lines.
	@$(call require,python)
	Tests/English/check
