# The Python package, Spark, and their lint.

PYTHON = .build-python
IN_PYTHON = PYTHONPATH=Integrations/python/src:Integrations $(PYTHON)/bin/python

.PHONY: python-dependencies python-test
python-dependencies: release ## Installs the requirements of the Python package's tests.
	@$(call require,python-package)
	test -x $(PYTHON)/bin/python || /usr/bin/python3 -m venv $(PYTHON)
	$(PYTHON)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/python/requirements.txt

python-test: python-dependencies ## Runs the Python package's tests.
	FACECROP=$(CURDIR)/$(BINARY) $(IN_PYTHON) -m pytest -c Integrations/python/pyproject.toml Integrations/python/tests

# Spark has a virtual environment of its own, because it takes 1 GB and needs Java.
SPARK = .build-spark
RECORDS ?= 20000
IN_SPARK = PYTHONPATH=Integrations/python/src:Integrations/spark/src:Integrations:Benchmarks PYSPARK_PYTHON=$(CURDIR)/$(SPARK)/bin/python \
  SPARK_LOCAL_IP=127.0.0.1 $(SPARK)/bin/python

.PHONY: spark-dependencies spark-demo spark-test spark-bench
spark-dependencies: release ## Installs Spark and the requirements of its tests; needs Java.
	@$(call require,spark)
	test -x $(SPARK)/bin/python || /usr/bin/python3 -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check --requirement Integrations/spark/requirements.txt

spark-demo: spark-dependencies ## Crops generated images on Spark's local[2].
	$(IN_SPARK) -m samples.spark_demo $(BINARY) demo/spark

spark-test: spark-dependencies ## Runs the Spark package's tests, one of them with RECORDS (20,000) images.
	FACECROP=$(CURDIR)/$(BINARY) RECORDS=$(RECORDS) $(IN_SPARK) -m pytest -c Integrations/spark/pyproject.toml Integrations/spark/tests

spark-bench: test-dependencies spark-dependencies ## Measures Spark's local[2] beside one batch, on 200 images of 12 MP.
	$(SWIFT) build $(RELEASE) --product bench
	$(IN_SPARK) -m samples.spark_bench --facecrop $(BINARY) --bench .build/release/bench $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: test-compose
test-compose: ## Builds and runs compose.yaml, and requests an avatar through nginx; says SKIPPED without containers.
	Integrations/container/test-compose

.PHONY: lint-integrations
lint-integrations: lint-tools ## Checks Integrations: Python, YAML, Kubernetes' schema, container recipes.
	$(LINT)/bin/ruff check Integrations Server Benchmarks/server Examples
	$(LINT)/bin/ruff format --check Integrations Server Benchmarks/server Examples
	$(LINT)/bin/mypy --config-file Integrations/python/pyproject.toml Integrations/python/src
	@# The blocks of the README as one module, with the name that the text around them defines.
	{ echo "upload: bytes = b''"; sed -n '/^```python$$/,/^```$$/{s/^```.*//;p}' Integrations/python/README.md; } > $(LINT)/recipes_of_python.py
	MYPYPATH=Integrations/python/src $(LINT)/bin/mypy --config-file Integrations/python/pyproject.toml $(LINT)/recipes_of_python.py
	$(LINT)/bin/basedpyright --project Integrations/python/pyproject.toml
	MYPYPATH=Integrations/python/src $(LINT)/bin/mypy --config-file Integrations/spark/pyproject.toml Integrations/spark/src
	$(LINT)/bin/yamllint --strict --config-file Integrations/.yamllint Integrations/kubernetes Integrations/monitoring Integrations/container/compose.yaml
	$(LINT)/bin/python Integrations/monitoring/lint.py
	$(LINT)/bin/kubernetes-validate --strict Integrations/kubernetes/*.yaml
	$(LINT)/bin/hadolint --config Integrations/.hadolint.yaml Integrations/container/Containerfile Integrations/container/Containerfile.server
