# The main entry point. Each target installs what it needs, builds and runs; the
# details are in CMakePresets.json and tools/.

PREFIX ?= /usr/local
# Not every shell expands a ~ after the equals sign.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
export JOBS ?= $(shell nproc)
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)
# Labels of the suites that run only in `make test-all`.
HEAVY = ^(slow|npm|browser|database|shells|mpi)$$

.DEFAULT_GOAL := help
.PHONY: help run build test test-all test-slow python check format asan tsan fuzz bench \
  bench-peers models package install clean

help: ## show this list
	@echo 'Lamarck: evolves networks, programs and thoughts.'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \2/p' Makefile | \
	  awk '{ printf "  make %-12s", $$2; $$1 = $$2 = ""; print }'

run: build ## build and evolve a network for the iris data
	@build/release/bin/lamarck evolve net tests/data/iris.csv \
	  --target species --out build/iris-net
	@tools/what-next

build: ## build the release program, build/release/bin/lamarck
	@tools/install-deps build
	@tools/install-deps page || echo 'Building without the page.'
	@tools/build release

test: ## build and run all fast tests
	@tools/install-deps build test
	@tools/install-deps page || echo 'Building without the page.'
	@tools/build dev
	@$(CTEST) --test-dir build/dev -LE '$(HEAVY)'

test-all: test test-slow ## run every test: make test, then make test-slow

test-slow: ## build and run the slow suites and those that need npm, a shell, a browser, a database, MPI
	@tools/install-deps build test shells database mpi npm browser types
	@tools/install-deps page || echo 'Building without the page.'
	@tools/build dev
	@$(CTEST) --test-dir build/dev -L '$(HEAVY)'
	@$(MAKE) --no-print-directory python

python: ## build and test the Python package, build/release/python/lamarck
	@tools/install-deps build python
	@tools/build python
	@$(CTEST) --test-dir build/release -L python

check: ## check format, layers, names, self-contained sources, clang-tidy
	@tools/install-deps build test check bench
	@tools/check

format: ## apply clang-format to every source file
	@tools/install-deps check
	@tools/check_format.py --fix

asan: ## run the tests under AddressSanitizer and UBSan
	@tools/install-deps build test
	@tools/build asan
	@$(CTEST) --test-dir build/asan -LE '$(HEAVY)'

tsan: ## run the tests under ThreadSanitizer
	@tools/install-deps build test
	@tools/build tsan
	@$(CTEST) --test-dir build/tsan -LE '$(HEAVY)'

fuzz: ## run each fuzzer for FUZZ_SECONDS=60, with clang
	@tools/install-deps build test fuzz
	@tools/build fuzz
	@tools/run_fuzzers.py

bench: ## run the benchmarks
	@tools/install-deps build bench
	@tools/build bench
	@bench/run_benchmarks.py

bench-peers: ## install other libraries, compare with them and print ratios
	@bench/run_peers.py
	@bench/graph_bench
	@bench/thought_bench

models: build ## fetch the models that the program can run: MiniLM and Needle
	@build/release/bin/lamarck models fetch minilm
	@build/release/bin/lamarck models fetch needle

package: python ## build .deb, tar.zst, wheel and npm package, with SBOM, into build/packages-out
	@tools/install-deps package
	@packaging/make_packages.py

install: build ## install program, library, CMake package, man page to PREFIX=/usr/local
	@cmake --install build/release --prefix '$(PREFIX)' >build/install.log || \
	  { tail -n 3 build/install.log; echo 'Cannot install to $(PREFIX); use sudo, or a folder you may write to: PREFIX=~/.local.'; exit 1; }
	@echo 'Installed to $(PREFIX).'

clean: ## remove all build output
	@rm -rf build
