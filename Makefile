# make demo   sets up, builds, installs into .venv, and classifies handwritten digits
# make test   the same set-up, then every test
# make fuzz   every fuzz target under address and undefined-behaviour sanitizers, MINUTES each (10); installs clang-19
# make trial  random models, run every way there is and by ONNX Runtime, for MINUTES (10); see tests/trial/README.md
# make sanitize  the C++ tests under address and undefined-behaviour sanitizers, those of threads under the thread one
# make bench-kernels  kernels beside their floors and the others of their tables (bench/README.md); installs
#   libbenchmark-dev; ARGS="--benchmark_filter=conv"
# make format  every C++ file as .clang-format has it
# make lint   clang-tidy on the library, the command and the module, or on FILES="src/check/types.cc ..."
# Both first ones do only what is still to be done. Parallelism: make demo JOBS=4.

BUILD := build/release
JOBS ?=
PYTHON := .venv/bin/python
cmake_build = cmake --build $(BUILD) $(if $(JOBS),--parallel $(JOBS))

.PHONY: demo test fuzz trial sanitize bench-kernels format lint \
  setup-demo setup-test setup-trial setup-lint setup-bench \
  build-demo build-test clean help

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: build-demo
	@echo "== norn run examples/digits/digits_cnn.onnx"
	@.venv/bin/norn run examples/digits/digits_cnn.onnx \
	  --images examples/digits/images.npy --labels examples/digits/labels.npy

test: build-test
	@echo "== C++ tests"
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(or $(JOBS),$(shell nproc))
	@echo "== Python tests"
	@$(PYTHON) -m pytest -q tests

setup-demo setup-test setup-trial setup-lint setup-bench: setup-%:
	@tools/setup.sh $*

# One build tree serves both: what was configured once is only extended.
build-demo: setup-demo
	@tools/build.sh $(BUILD) demo $(JOBS)
build-test: setup-test
	@tools/build.sh $(BUILD) test $(JOBS)

MINUTES ?= 10
# Seeds of some targets are drawn by the package.
fuzz: setup-test build-demo
	@tools/fuzz.sh $(MINUTES) $(TARGETS)

# SEED=5 draws that one alone, ONLY=mix,turn some of the modes; JOBS is how many processes draw, by default one for each
# core.
trial: setup-trial build-demo
	@PYTHONPATH=tests $(PYTHON) -m trial --minutes $(MINUTES) $(if $(JOBS),--jobs $(JOBS)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(ONLY),--only $(ONLY))

threaded := norn_base_tests norn_format_tests norn_check_tests norn_runtime_tests
sanitize: setup-test
	@cmake --preset asan && cmake --build --preset asan $(if $(JOBS),--parallel $(JOBS)) && ctest --preset asan
	@cmake --preset tsan && cmake --build --preset tsan $(if $(JOBS),--parallel $(JOBS)) --target $(threaded)
	@for t in $(threaded); do build/tsan/tests/$$t || exit 1; done

bench-kernels: setup-bench
	@tools/build.sh $(BUILD) bench $(JOBS)
	@$(BUILD)/bench/kernels/norn_kernel_bench $(ARGS)

format: setup-test
	@git ls-files '*.cc' '*.h' | xargs .venv/bin/clang-format -i

lint: setup-lint
	@$(PYTHON) tools/lint.py $(FILES)

clean:
	rm -rf build
