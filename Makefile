# A thin face over CMake and Ninja; `make help` lists what there is.
#
#   BUILD=build           folder of the plain build
#   PREFIX=/usr/local     where `make install` puts things (DESTDIR is honoured)
#   ASSAY_DEPS=.deps      folder that scripts/setup fills
#   JOBS=N                parallel jobs (number of processors)
#   CMAKE_FLAGS=          more flags for cmake, as -DASSAY_WERROR=ON
#   FUZZ_TIME=20          seconds for each target of `make fuzz`
#   BENCH=                words for bench/all, as --quick or --only=fuzz
#   SYSTEM_TESTS=         words for ctest in `make aarch64-system` (-L unit); SYSTEM=, for scripts/aarch64-system
#   SCRIPT_TESTS=         the same for `make aarch64-tests` (-L 'script|browser|slurm'), and SCRIPTS=
#   VERSIONS=ort@1.8.1 …  further versions for `make backends`: those that tests name

BUILD ?= build
PREFIX ?= /usr/local
ASSAY_DEPS ?= $(CURDIR)/.deps
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_TIME ?= 20
BENCH ?=
CMAKE_FLAGS ?=
SYSTEM_TESTS ?= -L unit
SYSTEM ?= --library ort
SCRIPT_TESTS ?= -L 'script|browser|slurm'
SCRIPTS ?= --library ort --library ort@1.20.1 --library openvino --library mnn --library ncnn
VERSIONS ?= ort@1.8.1 ort@1.20.1 mxnet@1.6.0 tf@2.12.0 tf@2.10.1 tf@2.4.1 tf@1.15.5 tf@1.12.0 openvino@2024.6.0

override ASSAY_DEPS := $(abspath $(ASSAY_DEPS))
export ASSAY_DEPS

configure = cmake -G Ninja -S . -DASSAY_DEPS="$(ASSAY_DEPS)" $(CMAKE_FLAGS) --log-level=WARNING
ninja = ninja -j $(JOBS)
ctest = ctest -j $(JOBS) --output-on-failure --no-tests=error $(CTEST_FLAGS)

.PHONY: all help setup configure defaults demo test test-corpus asan tsan backends bench check fuzz format clean
.PHONY: install uninstall wheel deb aarch64 build-aarch64-system aarch64-system aarch64-tests

all: configure ## build/assay (the default)
	@$(ninja) -C $(BUILD) assay workers

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1\t/p' Makefile | expand -t 16

setup: ## install or fetch what is missing
	@python3 scripts/setup

configure: setup
	@$(configure) -B $(BUILD) >/dev/null

defaults: all ## workers/python/onnx_defaults.py anew, from the operators' tables
	@$(BUILD)/assay ops --attributes --json | scripts/make-defaults >$(BUILD)/onnx_defaults.py
	@cp $(BUILD)/onnx_defaults.py workers/python/onnx_defaults.py

demo: all ## the tour: cross-check, localize, reduce and report a planted fault
	@scripts/demo $(BUILD)/assay

test: configure ## all tests, and the malformed files under AddressSanitizer and UBSan
	@$(ninja) -C $(BUILD)
	@cd $(BUILD) && $(ctest)
	@$(MAKE) --no-print-directory test-corpus

test-corpus: setup
	@$(configure) -B $(BUILD)-asan -DASSAY_SANITIZE=ON >/dev/null
	@$(ninja) -C $(BUILD)-asan corpus
	@cd $(BUILD)-asan && $(ctest) -L corpus

asan: setup ## unit and command-line tests and malformed files under AddressSanitizer and UBSan
	@$(configure) -B $(BUILD)-asan -DASSAY_SANITIZE=ON >/dev/null
	@$(ninja) -C $(BUILD)-asan
	@cd $(BUILD)-asan && $(ctest) -L 'unit|cli|corpus' -LE slow

# A report fails the run whichever process wrote it: workers and children of `fuzz`, too.
tsan: setup ## threads of libassay and of the program under ThreadSanitizer
	@$(configure) -B $(BUILD)-tsan -DASSAY_SANITIZE=thread >/dev/null
	@$(ninja) -C $(BUILD)-tsan tsan
	@rm -f $(BUILD)-tsan/report.*
	@cd $(BUILD)-tsan && $(ctest) -L tsan
	@! cat $(BUILD)-tsan/report.* 2>/dev/null

backends: configure ## install every library under test, the first locked version and VERSIONS, and examine them
	@$(ninja) -C $(BUILD) assay workers
	@$(BUILD)/assay backends install all $(VERSIONS)
	@$(BUILD)/assay backends doctor

bench: configure ## the bars of every verb, measured: docs/benchmarks.md (hours; BENCH=--quick: minutes)
	@$(ninja) -C $(BUILD) assay workers benches
	@bench/all $(BENCH)

check: ## the source tree's own rules: layers, rows, banned functions, format, pages of findings
	@python3 scripts/checksrc
	@python3 scripts/make-findings --check

# The cross compiler and the emulator are Debian packages; libraries for aarch64 come from scripts/sysroot.  All is
# built; tests/emulated.txt names the tests that are not run.  The two programs must say the same of ONNX's own tests; a
# case that those have wrong is status 1 of both.
configure_aarch64 = env -u LDFLAGS $(configure) -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake \
	-DASSAY_SYSROOT="$(ASSAY_DEPS)/aarch64/root"
conform_node = conform --threads 1 "$(ASSAY_DEPS)/onnx-tests/node"
aarch64: all ## cross build for Linux on aarch64; unit tests, and ONNX's, under qemu-user
	@python3 scripts/setup --aarch64
	@python3 scripts/sysroot "$(ASSAY_DEPS)/aarch64"
	@$(configure_aarch64) -B $(BUILD)-aarch64 >/dev/null
	@$(ninja) -C $(BUILD)-aarch64 all benches
	@cd $(BUILD)-aarch64 && $(ctest) -L emulated
	@$(BUILD)/assay $(conform_node) >$(BUILD)-aarch64/here.txt; test $$? -le 1
	@$(BUILD)-aarch64/assay $(conform_node) >$(BUILD)-aarch64/there.txt; test $$? -le 1
	@diff $(BUILD)-aarch64/here.txt $(BUILD)-aarch64/there.txt
	@sed -n 's/^\([0-9]* cases: .*\)/ONNX on both: \1/p' $(BUILD)-aarch64/there.txt
	@cat $(BUILD)-aarch64/not-run.txt

# Tests start Python themselves: that of the emulated machine is Debian's.
build-aarch64-system:
	@python3 scripts/setup --aarch64-system
	@python3 scripts/sysroot "$(ASSAY_DEPS)/aarch64"
	@$(configure_aarch64) -B $(BUILD)-aarch64-system -DASSAY_EMULATOR=OFF \
		-DPython3_EXECUTABLE=/usr/bin/python3 >/dev/null
	@$(ninja) -C $(BUILD)-aarch64-system

aarch64-system: build-aarch64-system ## unit tests on an emulated machine with a Linux kernel for aarch64 (slow)
	@python3 scripts/sysroot --system "$(ASSAY_DEPS)/aarch64-system"
	@scripts/aarch64-system $(SYSTEM) $(BUILD)-aarch64-system -- $(SYSTEM_TESTS)

aarch64-tests: build-aarch64-system ## installation, packages, scripts, pages and Slurm on such a machine (very slow)
	@python3 scripts/sysroot --tests "$(ASSAY_DEPS)/aarch64-tests"
	@scripts/aarch64-system --tests --memory 8G $(SCRIPTS) $(BUILD)-aarch64-system -- $(SCRIPT_TESTS)

fuzz: setup ## libFuzzer on every reader, FUZZ_TIME seconds each (clang)
	@$(configure) -B $(BUILD)-fuzz -DASSAY_FUZZ=ON -DCMAKE_C_COMPILER=clang >/dev/null
	@$(ninja) -C $(BUILD)-fuzz fuzzers
	@tests/fuzz/run $(BUILD)-fuzz $(FUZZ_TIME)

format: ## clang-format over all C files
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

install: all ## the program, its workers, the library, the manual page, shell completion
	@$(ninja) -C $(BUILD) libassay completions manual
	@cmake -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -P $(BUILD)/cmake_install.cmake

# Python leaves compiled modules beside the workers; libraries of a user may lie in share/assay/backends and stay.
uninstall: ## what the last `make install` of this build folder put there
	@test -f $(BUILD)/install_manifest.txt || { echo "nothing was installed from $(BUILD)" >&2; exit 1; }
	@sed 's|^|$(DESTDIR)|' $(BUILD)/install_manifest.txt | tr '\n' '\0' | xargs -0 rm -f
	@sed -n 's|^\(.*/share/assay\)/workers/python/worker.py$$|\1|p; s|^\(.*/libexec/assay\)/workers/.*|\1|p' \
		$(BUILD)/install_manifest.txt | sort -u | while read -r at; do \
		rm -rf "$(DESTDIR)$$at/workers/python/__pycache__"; find "$(DESTDIR)$$at" -type d -empty -delete; done

wheel: all ## $(BUILD)/wheel/assay-….whl for pip: the program, what it needs, and the Python package
	@$(ninja) -C $(BUILD) completions manual
	@scripts/make-wheel $(BUILD) $(BUILD)/wheel

deb: all ## $(BUILD)/deb/assay_….deb, and libassay-dev_….deb
	@$(ninja) -C $(BUILD) libassay completions manual
	@cd $(BUILD) && cpack --config CPackConfig.cmake -B deb >deb.log || { cat deb.log; exit 1; }
	@ls $(BUILD)/deb/*.deb

clean: ## remove what was built (.deps stays)
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-aarch64 $(BUILD)-aarch64-system
