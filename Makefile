# Targets are named by `make help`. Everything is built by the Swift package manager; this file only says
# the commands in one place.

SWIFT ?= swift
# Says at its end what failed.
TEST = SWIFT='$(SWIFT)' Tests/run
PORT ?= 8080
PACKAGES = libevent-dev libssl-dev libsqlite3-dev zlib1g-dev libbrotli-dev libmimalloc-dev curl
# Servers that tests talk to; the tests that want one are skipped where it is missing.
PEERS = nginx libnginx-mod-http-brotli-filter python3 openssl tinyproxy
# A browser with its driver, and fonts for what the pages say: `make test-browser` fails without.
BROWSER = chromium chromium-driver fonts-noto-cjk fonts-noto-color-emoji
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
FUZZ_SECONDS ?= 60
# What a test expects in time is not to wait for others' turns: tests that talk to a server hold their thread, of which the
# test library has one a core, and hundreds of them are in line. No test is XCTest's, whose pass without tests ends with
# leaks of its own.
ONE_BY_ONE = --no-parallel --disable-xctest
# More for the compiler of what is built for release and with a sanitizer.
FLAGS ?=
# The most heap allocations that a charts request may cost.
ALLOCATIONS = 26
# The program contains the Swift runtime, so it runs without a toolchain. Generic code is specialized across modules.
# Debug builds and tests check exclusive access to memory; the release build does not (checks cost a sixth of a request).
RELEASE = --static-swift-stdlib -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked $(FLAGS)

.PHONY: help setup libraries build demo run test test-browser screenshots lint format bench bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway bench-typed bench-client docs fuzz soak sanitize sanitize-thread sanitize-address image image-check clean

help:
	@echo 'make setup     install the libraries that are missing, and the servers that tests talk to (Debian and Ubuntu; names'
	@echo '               them elsewhere)'
	@echo 'make build     .build/release/sluice'
	@echo 'make demo      build, start the sample upstreams and the gateway on port $(PORT)'
	@echo 'make run       build and run: make run ARGS="serve --upstream diary=http://127.0.0.1:9000"'
	@echo 'make test      all tests but those in a browser'
	@echo 'make test-browser  the pages of the demo in Chromium: what they do, and that everybody can use them; installs $(firstword $(BROWSER))'
	@echo '               make screenshots pictures them in Tests/Screenshots'
	@echo 'make lint      check the format; make format mends it'
	@echo 'make bench     benchmarks of the layers, from JSON to a whole request in the gateway'
	@echo '               beside peers: make bench-typed (a typed request, Go), make bench-client (the client, libcurl and Go)'
	@echo 'make docs      the documentation of Rx, of the client and of the gateway as web sites in .build/docs'
	@echo 'make fuzz      fuzz the parsers, the decoders, the JSON scanner and coders, values of fields, URLs, forms, routes and files, FUZZ_SECONDS=$(FUZZ_SECONDS) each, two at a time;'
	@echo '               some only: make fuzz FUZZ="JSON URLs". And random pipelines of Rx beside a reference model: 20 000 in a minute'
	@echo 'make soak      what is promised under load, faults and attack: a million requests, 10 000 idle clients, slow attacks,'
	@echo '               no descriptors, drains; a quarter of an hour of a quiet machine. One proof: make soak PROOF=drain; they'
	@echo '               are mixups memory idle readers exhaustion attacks drain loops bodies'
	@echo 'make sanitize  all tests under the thread and the address sanitizer; some only: make sanitize FILTER=RxTests SKIP=DepthTests'
	@echo 'make image     the container image sluice:latest, with Docker or podman, or without either on Debian'
	@echo '               make image-check starts it, asks it, ends it'

setup: libraries
	@docker/setup $(PEERS) || echo "setup: tests of those of $(PEERS) that are missing are skipped"

libraries:
	@docker/setup $(PACKAGES)

build: libraries
	$(SWIFT) build -c release --product sluice $(RELEASE)

demo: build
	exec .build/release/sluice demo --port $(PORT)

run: build
	exec .build/release/sluice $(ARGS)

test: setup
	$(SWIFT) build --build-tests
	$(TEST) --skip-build $(ONE_BY_ONE) --skip BrowserTests
	$(TEST) --package-path Tests/Consumer --scratch-path .build/consumer
	$(MAKE) --no-print-directory build
	Tests/Benchmarks/allocations .build/release/sluice $(ALLOCATIONS)
	$(SWIFT) build -c release --product RxBench $(RELEASE)
	.build/release/RxBench --allocations

test-browser: build
	@docker/setup $(BROWSER)
	$(SWIFT) build --build-tests
	BROWSER_TESTS_PROGRAM=$(CURDIR)/.build/release/sluice $(TEST) --skip-build --filter BrowserTests

# Pictures of the pages, for the README and for who changes them.
screenshots: build
	@docker/setup $(BROWSER) optipng
	$(SWIFT) build --build-tests
	mkdir -p Tests/Screenshots
	BROWSER_TESTS_SCREENSHOTS=$(CURDIR)/Tests/Screenshots BROWSER_TESTS_PROGRAM=$(CURDIR)/.build/release/sluice \
		$(TEST) --skip-build --filter BrowserTests.InBrowser/ScreenshotTests
	optipng -quiet -o2 Tests/Screenshots/*.png

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

bench: bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway

bench-json bench-rx bench-wire bench-outbound bench-stream bench-gateway: bench-%:
	$(SWIFT) build -c release --product $(firstword $(BENCHMARK_$*)) $(RELEASE)
	.build/release/$(BENCHMARK_$*)

# Beside peers, which have to be installed: nginx, wrk, Go, gcc, libcurl's headers, openssl.
bench-typed:
	$(SWIFT) build -c release --product TypedBench $(RELEASE)
	Tests/Benchmarks/typed .build/release/TypedBench --require 0.9

bench-client:
	$(SWIFT) build -c release --product ClientBench $(RELEASE)
	Tests/Benchmarks/client .build/release/ClientBench --require 0.7

BENCHMARK_json = JSONBench 2 --require 800
BENCHMARK_rx = RxBench
BENCHMARK_wire = WireBench
BENCHMARK_outbound = OutboundBench
BENCHMARK_stream = StreamBench 1024 --most 512
BENCHMARK_gateway = GatewayBench

# A link that leads nowhere and a parameter without a word fail it.
docs:
	$(SWIFT) build --target Rx
	$(SWIFT) build --target NetworkingSession
	$(SWIFT) build --target GatewayHTTP
	rm -rf .build/docs
	$(call document,Rx,Rx)
	$(call document,Networking,Networking NetworkingSession)
	$(call document,GatewayCore,GatewayCore GatewayHTTP)

# A module's catalog with the public names of the modules that it tells of: $(call document,MODULE,MODULES).
define document
mkdir -p .build/docs/symbols/$(1)
for module in $(2); do swift-symbolgraph-extract -module-name $$module -I $$($(SWIFT) build --show-bin-path)/Modules \
	$(patsubst %,-Xcc -fmodule-map-file=%,$(wildcard Sources/C*/module.modulemap)) \
	-target $$(uname -m)-unknown-linux-gnu -minimum-access-level public -skip-synthesized-members \
	-output-dir .build/docs/symbols/$(1) || exit 1; done
docc convert Sources/$(1)/$(1).docc --additional-symbol-graph-dir .build/docs/symbols/$(1) --warnings-as-errors \
	--fallback-display-name $(1) --fallback-bundle-identifier $(1) --output-path .build/docs/$(1)
endef

fuzz:
	Tests/Fuzz/run $(FUZZ_SECONDS) $(FUZZ)

soak: build
	$(if $(or $(if $(PROOF),,all),$(filter bodies,$(PROOF))),$(SWIFT) build -c release --product BodySoak $(RELEASE))
	Tests/Soak/run $(PROOF)

sanitize: sanitize-thread sanitize-address

sanitize-thread:
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/thread $(TEST) $(SANITIZE) --sanitize=thread \
		--scratch-path .build/thread -Xswiftc -DTHREAD_SANITIZER

sanitize-address:
	ASAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/address \
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leak:print_suppressions=0 \
	$(TEST) $(SANITIZE) --sanitize=address --scratch-path .build/address -Xswiftc -DADDRESS_SANITIZER

SANITIZE = $(ONE_BY_ONE) --skip BrowserTests $(if $(SKIP),--skip '$(SKIP)') $(if $(FILTER),--filter '$(FILTER)') $(FLAGS)

image:
	@docker/image $(ENGINE)

image-check:
	@docker/check $(ENGINE)

clean:
	$(SWIFT) package clean
	[ ! -e .build/image ] || $(SUDO) rm -rf .build/image
