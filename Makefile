# `make help` lists the targets. The Swift package manager builds everything; this file keeps the commands in one place.

SWIFT ?= swift
PORT ?= 8080
PACKAGES = libevent-dev libc-ares-dev libssl-dev libsqlite3-dev zlib1g-dev libbrotli-dev libyaml-dev libpcre2-dev libpsl-dev libhiredis-dev libmimalloc-dev curl
# Runs the tests.
RUNNER = python3
# Servers that tests talk to. Tests that need a missing one are skipped. pip downloads dnslib, the DNS server, and readers of
# YAML and of metrics. Of prometheus they need promtool, and of systemd systemd-analyze.
PEERS = nginx haproxy redis-server prometheus systemd libnginx-mod-http-brotli-filter python3-pip python3-brotli openssl tinyproxy
# An authority and a client of ACME. Old distributions lack them, and one missing package would keep out the other servers.
ACME = pebble lego
# `make test-browser` needs a browser, its driver, certutil and the fonts of the pages.
BROWSER = chromium chromium-driver libnss3-tools fonts-noto-cjk fonts-noto-color-emoji python3-pip
# Proofs under load need these, too.
SOAK = nginx openssl strace slowhttptest wrk prometheus redis-server
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
FUZZ_SECONDS ?= 60
# How often the tests run, to find those that fail now and then.
REPEAT ?= 1
# Targets to make beside the tests, which mostly wait for sockets.
BESIDE ?=
# Tests that the thread sanitizer leaves out.
SKIP_THREAD ?=
# Additional compiler flags of release and sanitizer builds.
FLAGS ?=
# Additional options of debug builds. A change of them recompiles everything.
DEBUG ?=
# Limits of heap allocations per request: two calls in a pipeline, and three parts.
CHARTS_ALLOCATIONS = 52
SCREEN_ALLOCATIONS = 35
# The program contains the Swift runtime, so it runs without a toolchain. Generic code is specialized across modules.
# Debug builds and tests check exclusive access to memory; the release build does not (checks cost a sixth of a request).
RELEASE = --static-swift-stdlib -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked $(FLAGS)

.PHONY: help setup libraries build demo run test test-sockets test-pure-1 test-pure-2 test-others test-browser screenshots lint format bench bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway bench-compression bench-coding bench-peers bench-typed bench-client bench-schema bench-tls schema-suite schema-peers contracts docs fuzz soak check-all sanitize build-thread sanitize-thread sanitize-address image image-check clean

help:
	@echo 'make demo          build, start the sample upstreams and the gateway on port $(PORT); over https: make demo TLS=self-signed'
	@echo 'make test          run all tests except those in a browser; ten times, to find unsteady ones: make test REPEAT=10'
	@echo ''
	@echo 'make setup         install missing libraries and the servers that tests talk to (Debian, Ubuntu)'
	@echo 'make build         build .build/release/sluice'
	@echo 'make run           build and run: make run ARGS="serve --upstream diary=http://127.0.0.1:9000"'
	@echo 'make lint          check the format; make format fixes it'
	@echo 'make docs          write the documentation as web sites to .build/docs'
	@echo 'make image         build the container image sluice:latest; make image-check tests it'
	@echo ''
	@echo 'make test-browser  test the demo and the console in Chromium; make screenshots saves pictures of them'
	@echo 'make bench         run the benchmarks of all layers; only one: make bench-rx'
	@echo '                   with peers: make bench-peers (nginx+Lua, Go, Node), bench-typed (Go), bench-client (libcurl, Go), bench-schema (ajv, jsonschema-rs),'
	@echo '                   bench-tls (nginx)'
	@echo 'make schema-peers  compare verdicts on generated schemas and values with jsonschema-rs, jsonschema and V8 (about an hour)'
	@echo 'make schema-suite  run the official suite of JSON Schema; another checkout of it: make schema-suite SUITE=FOLDER'
	@echo 'make contracts     compare the contracts of OpenAPI with other readers, and measure the load of large ones'
	@echo 'make fuzz          fuzz all parsers, FUZZ_SECONDS=$(FUZZ_SECONDS) each; only some: make fuzz FUZZ="JSON URLs"'
	@echo 'make sanitize      run the tests with the thread and the address sanitizer; only some: TARGETS=RxTests SKIP=DepthTests'
	@echo 'make check-all     run lint, docs, test, fuzz, test-browser and sanitize, in this order (under two hours on two cores)'
	@echo 'make soak          run the proofs under load (half an hour); only one: make soak PROOF=drain'
	@echo '                   (mixups memory idle readers newcomers exhaustion attacks drain loops bodies crowd addresses budget hosts'
	@echo '                   relay reload endpoints wakes records night capacity collector access store tls)'
	@echo 'make clean         remove build products'

setup: libraries
	@docker/setup $(RUNNER)
	@docker/setup $(PEERS) || echo "setup: tests that need a missing one of $(PEERS) are skipped"
	@docker/setup $(ACME) || echo "setup: the test of the recipe for Let's Encrypt is skipped without $(ACME)"
	@Tests/dnslib || echo 'setup: dnslib is missing: the tests of DNS are skipped'
	@Tests/yaml || echo 'setup: readers of YAML, JSON Schema, OpenAPI and metrics are missing: their tests are skipped'

libraries:
	@docker/setup $(PACKAGES)

build: libraries
	$(SWIFT) build -c release --product sluice $(RELEASE)

demo: build
	exec .build/release/sluice demo --port $(PORT) $(if $(TLS),--tls $(TLS))

run: build
	exec .build/release/sluice $(ARGS)

test: setup
	$(SWIFT) build --build-tests $(DEBUG)
	$(MAKE) --no-print-directory -j3 -O test-sockets test-pure-1 test-others $(BESIDE)

# Each process runs its tests one by one: a test that waits blocks its thread, and the test library has only one thread for each
# core. Tests of targets that need TestSupport wait for sockets and real time, so all of them run in one process.
test-sockets:
	tests=$$(Tests/package.py tests --with TestSupport --regex) && { [ -z "$$tests" ] || Tests/run --rounds $(REPEAT) sockets \
		$(BUNDLE) --no-parallel --filter "$$tests" --skip ^BrowserTests $(SKIPPED); }

# The other tests, in two processes.
test-pure-1 test-pure-2: test-pure-%:
	tests=$$(Tests/package.py tests --without TestSupport --part $*/2 --regex) && { [ -z "$$tests" ] || Tests/run \
		--rounds $(REPEAT) pure-$* $(BUNDLE) --no-parallel --filter "$$tests" $(SKIPPED); }

BUNDLE = .build/debug/sluicePackageTests.xctest
SKIPPED = $(if $(SKIP),--skip '$(SKIP)')

# The package of a user, Tests/Consumer, shares the build folder, so only its own targets are compiled. Their objects are removed
# first, because incremental builds have linked old objects, which called a function of Sluice by its old signature.
test-others: test-pure-2
	targets=$$(Tests/package.py targets Tests/Consumer) && for name in $$targets; do rm -rf ".build/debug/$$name.build"; done
	nice $(SWIFT) build --build-tests --package-path Tests/Consumer --scratch-path .build $(DEBUG)
	Tests/run --rounds $(REPEAT) consumer .build/debug/shop-gatewayPackageTests.xctest --parallel
	nice $(MAKE) --no-print-directory build
	Tests/Benchmarks/allocations .build/release/sluice charts $(CHARTS_ALLOCATIONS)
	Tests/Benchmarks/allocations .build/release/sluice screen $(SCREEN_ALLOCATIONS)
	nice $(SWIFT) build -c release --product RxBench $(RELEASE)
	.build/release/RxBench --allocations

test-browser: build
	@docker/setup $(RUNNER) $(BROWSER)
	@Tests/axe || echo 'test-browser: axe is missing: its test is skipped'
	$(SWIFT) build --build-tests $(DEBUG)
	$(IN_BROWSER) Tests/run --rounds $(REPEAT) browser $(BUNDLE) --filter ^BrowserTests --skip LoadTests
	$(IN_BROWSER) Tests/run --rounds $(REPEAT) load $(BUNDLE) --filter ^BrowserTests.InBrowser/LoadTests

IN_BROWSER = BROWSER_TESTS_PROGRAM=$(CURDIR)/.build/release/sluice

screenshots: build
	@docker/setup $(RUNNER) $(BROWSER) optipng
	$(SWIFT) build --build-tests $(DEBUG)
	mkdir -p Tests/Screenshots
	BROWSER_TESTS_SCREENSHOTS=$(CURDIR)/Tests/Screenshots $(IN_BROWSER) \
		Tests/run screenshots $(BUNDLE) --filter ^BrowserTests.InBrowser/ScreenshotTests
	optipng -quiet -o2 Tests/Screenshots/*.png

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

bench: bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway bench-compression bench-coding

bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway bench-compression bench-coding: bench-%:
	$(SWIFT) build -c release --product $(firstword $(BENCHMARK_$*)) $(RELEASE)
	.build/release/$(BENCHMARK_$*)

# These need peers: nginx (with Lua), wrk, Go, Node.js, gcc, libcurl's headers, openssl. Each names what is missing.
bench-peers: build
	Tests/Benchmarks/peers .build/release/sluice

bench-typed:
	$(SWIFT) build -c release --product TypedBench $(RELEASE)
	Tests/Benchmarks/typed .build/release/TypedBench --require 0.9

bench-client:
	$(SWIFT) build -c release --product ClientBench $(RELEASE)
	Tests/Benchmarks/client .build/release/ClientBench --require 0.7

bench-schema:
	$(SWIFT) build -c release --product SchemaBench $(RELEASE)
	Tests/Benchmarks/schema .build/release/SchemaBench --require
	.build/release/SchemaBench --hostile

# PYTHON must have jsonschema, jsonschema-rs and hypothesis-jsonschema.
schema-peers: libraries
	$(SWIFT) build -c release --product SchemaSuite $(RELEASE)
	$(or $(PYTHON),python3) Tests/Suites/SchemaPeers/run .build/release/SchemaSuite

bench-tls: build
	Tests/Benchmarks/tls .build/release/sluice --require

schema-suite: libraries
	Tests/schema-suite $(SUITE)

contracts: libraries
	Tests/contracts documents
	Tests/contracts load
	Tests/contracts agreement

BENCHMARK_json = JSONBench 2 --require 800
BENCHMARK_compression = CompressionBench --most 1500
BENCHMARK_rx = RxBench
BENCHMARK_wire = WireBench
BENCHMARK_outbound = OutboundBench
BENCHMARK_stream = StreamBench 1024 --most 512
BENCHMARK_gateway = GatewayBench
BENCHMARK_coding = CodingBench

# Fails on broken links and undocumented parameters.
docs: libraries
	$(SWIFT) build --target GatewayTesting $(DEBUG)
	rm -rf .build/docs
	$(call document,Rx,Rx RxVirtualTime)
	$(call document,Networking,Networking NetworkingSession NetworkingTesting)
	$(call document,GatewayCore,GatewayCore GatewayHTTP GatewayTesting JSONBytes)

# Builds a module's catalog with the public symbols of the listed modules, and the policies that MODULE re-exports: $(call document,MODULE,MODULES).
define document
mkdir -p .build/docs/symbols/$(1)
for module in $(2); do swift-symbolgraph-extract -module-name $$module -I $$($(SWIFT) build --show-bin-path)/Modules \
	$(patsubst %,-Xcc -fmodule-map-file=%,$(wildcard Sources/C*/module.modulemap Sources/C*/include/module.modulemap)) \
	-target $$(uname -m)-unknown-linux-gnu -minimum-access-level public -skip-synthesized-members \
	$$([ $$module != $(1) ] || echo -experimental-allowed-reexported-modules=Resilience) \
	-output-dir .build/docs/symbols/$(1) || exit 1; done
docc convert Sources/$(1)/$(1).docc --additional-symbol-graph-dir .build/docs/symbols/$(1) --warnings-as-errors \
	--fallback-display-name $(1) --fallback-bundle-identifier $(1) --output-path .build/docs/$(1)
endef

fuzz: libraries
	@docker/setup $(RUNNER)
	Tests/Fuzz/run $(if $(FUZZ_BASE),--base '$(FUZZ_BASE)') $(FUZZ_SECONDS) $(FUZZ)

soak: build
	@docker/setup $(SOAK) || echo 'soak: proofs that need a missing one of $(SOAK) fail'
	$(if $(or $(if $(PROOF),,all),$(filter bodies,$(PROOF))),$(SWIFT) build -c release --product BodySoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter hosts,$(PROOF))),$(SWIFT) build -c release --product HostSoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter budget,$(PROOF))),$(SWIFT) build -c release --product BudgetSoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter relay,$(PROOF))),$(SWIFT) build -c release --product RelaySoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter wakes,$(PROOF))),$(SWIFT) build -c release --product WakeSoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter night,$(PROOF))),$(SWIFT) build -c release --product NightSoak $(RELEASE))
	$(if $(or $(if $(PROOF),,all),$(filter tls,$(PROOF))),@Tests/sslyze || echo 'soak: sslyze is missing: the proof tls fails')
	Tests/Soak/run $(PROOF)

# All that CI does, without its limits. The cheapest step is the first.
check-all:
	@MAKE='$(MAKE)' Tests/steps lint docs test fuzz test-browser sanitize-thread sanitize-address

sanitize: sanitize-thread sanitize-address

build-thread: setup
	$(SANITIZED) nice $(SWIFT) build --build-tests --sanitize=thread --scratch-path .build/thread \
		-Xswiftc -DTHREAD_SANITIZER $(FLAGS) $(DEBUG)

sanitize-thread: build-thread
	$(SANITIZED) TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/thread $(RUN_SANITIZED) \
		$(if $(SKIP_THREAD),SKIP='$(SKIP_THREAD)')

sanitize-address: setup
	$(SANITIZED) $(SWIFT) build --build-tests --sanitize=address --scratch-path .build/address \
		-Xswiftc -DADDRESS_SANITIZER $(FLAGS) $(DEBUG)
	$(SANITIZED) ASAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/address \
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leak:print_suppressions=0 $(RUN_SANITIZED)

# Package.swift leaves out all other targets.
SANITIZED = $(if $(TARGETS),SLUICE_TARGETS='$(TARGETS)')
RUN_SANITIZED = nice $(MAKE) --no-print-directory -j3 -O test-sockets test-pure-1 test-pure-2 \
	BUNDLE=.build/$(@:sanitize-%=%)/debug/sluicePackageTests.xctest

image:
	@docker/image $(ENGINE)

image-check:
	@docker/check $(ENGINE)

clean:
	$(SWIFT) package clean
	[ ! -e .build/image ] || $(SUDO) rm -rf .build/image
