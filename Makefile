# The front door. Each target installs what it needs, builds and runs; the work
# itself is in CMakePresets.json and tools/.

PREFIX ?= /usr/local
# Not every shell expands a ~ there.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
export JOBS ?= $(shell nproc)
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)
# Suites that `make test` leaves to `make test-all`.
HEAVY = ^(slow|npm|browser|database|shells)$$

.DEFAULT_GOAL := help
.PHONY: help run build test test-all check format asan tsan fuzz bench \
  bench-peers install clean

help: ## this list
	@echo 'Lamarck: networks, programs, thoughts and skills that evolve and inherit.'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \2/p' Makefile | \
	  awk '{ printf "  make %-12s", $$2; $$1 = $$2 = ""; print }'

run: build ## build and do the main job
	@build/release/bin/lamarck evolve net tests/data/iris.csv \
	  --target species --out build/iris-net
	@tools/what-next

build: ## build the release program, build/release/bin/lamarck
	@tools/install-deps build
	@tools/build release

test: ## build and run all fast tests
	@tools/install-deps build test
	@tools/build dev
	@$(CTEST) --test-dir build/dev -LE '$(HEAVY)'

test-all: test ## make test, then slow suites and those that need npm, a shell, a database
	@tools/install-deps shells npm
	@$(CTEST) --test-dir build/dev -L '$(HEAVY)'

check: ## format, layers, names, sources that compile alone, clang-tidy
	@tools/install-deps build test check bench
	@tools/check

format: ## apply clang-format to every source file
	@tools/install-deps check
	@tools/check_format.py --fix

asan: ## the tests under AddressSanitizer and UBSan
	@tools/install-deps build test
	@tools/build asan
	@$(CTEST) --test-dir build/asan -LE '$(HEAVY)'

tsan: ## the tests under ThreadSanitizer
	@tools/install-deps build test
	@tools/build tsan
	@$(CTEST) --test-dir build/tsan -LE '$(HEAVY)'

fuzz: ## each fuzzer for FUZZ_SECONDS=60, by clang
	@tools/install-deps build test fuzz
	@tools/build fuzz
	@tools/run_fuzzers.py

bench: ## the benchmarks
	@tools/install-deps build bench
	@tools/build bench
	@bench/run_benchmarks.py

bench-peers: ## install the peers we compare with and print ratios
	@bench/run_peers.py
	@bench/graph_bench
	@bench/thought_bench

install: build ## install program, library, CMake package, man page: PREFIX=/usr/local
	@cmake --install build/release --prefix '$(PREFIX)' >build/install.log || \
	  { tail -n 3 build/install.log; echo 'Not installed: may $(PREFIX) be written? Try sudo, or PREFIX=~/.local.'; exit 1; }
	@echo 'Installed to $(PREFIX).'

clean: ## remove everything built
	@rm -rf build
