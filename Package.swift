// swift-tools-version: 6.2
import PackageDescription

// The modules. Each imports only what its target declares, and only from the layers below its own;
// Tests/RulesTests checks both.
//
//     layer  modules
//     9      SluiceCommand
//     8      SampleUpstreams
//     7      Sluice   GatewayTesting
//     6      GatewayHTTP
//     5      GatewayConfig   NetworkingCompatibility
//     4      GatewayCore   NetworkingSession   NetworkingTesting
//     3      EndpointPlans   OpenAPI   Networking   HTTPInbound   HTTPOutbound   LoopScheduling
//            AccessControl   SharedStore   RxTesting
//     2      EventIO   HTTPWire   JSONCoding   JSONSchema   RxCompatibility   RxBlocking   RxVirtualTime
//     1      Rx   HTTPModel   JSONBytes   ContentCoding   Resilience   Metrics   OTLP   Crypto
//     0      ASCIIText   Locking   Queues   Timers
//     -      CLibevent   CAres   COpenSSL   CSQLite   CZlib   CBrotli   CYAML   CPCRE2   CPSL
//            CCrypto   CHiredis   CLinux   CPages   CConsole

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The allocator of release builds: a request costs a few per cent less than with glibc's, and memory of a
// burst goes back to the system. Debug builds go without, since sanitizers bring their own.
let allocator: [LinkerSetting] = [
    .linkedLibrary("mimalloc", .when(platforms: [.linux], configuration: .release))
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func benchmark(
    _ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Benchmarks/\(name)", swiftSettings: settings,
        linkerSettings: linkerSettings)
}

let package = Package(
    name: "sluice",
    products: [
        .library(name: "Sluice", targets: ["Sluice"]),
        .library(name: "GatewayTesting", targets: ["GatewayTesting"]),
        .library(
            name: "Networking",
            targets: ["Networking", "NetworkingSession", "Rx", "HTTPModel", "JSONBytes", "JSONCoding"]),
        .library(name: "Rx", targets: ["Rx"]),
        .library(name: "NetworkingTesting", targets: ["NetworkingTesting", "RxVirtualTime"]),
        .library(name: "RxTesting", targets: ["RxTesting", "RxVirtualTime"]),
        .library(name: "RxVirtualTime", targets: ["RxVirtualTime"]),
        .library(name: "RxCompatibility", targets: ["RxCompatibility"]),
        .library(name: "RxBlocking", targets: ["RxBlocking"]),
        .library(name: "NetworkingCompatibility", targets: ["NetworkingCompatibility"]),
        .executable(name: "sluice", targets: ["SluiceCommand"]),
    ],
    targets: [
        .systemLibrary(name: "CLibevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CAres", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CPSL", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        // Linux system calls without a glibc function.
        .systemLibrary(name: "CLinux"),
        // Embeds the files of Public/ in the program.
        .target(name: "CPages"),
        // Embeds the console of the admin listener in every gateway.
        .target(name: "CConsole"),

        module("Locking"),
        module("Queues"),
        // Apart from Rx, because loops and sockets need timers, but no streams.
        module("Timers"),
        module("Rx", ["Timers", "Locking", "Queues"]),
        // Old spellings of RxSwift, and what needs all of Foundation, which the gateway does not link.
        module("RxCompatibility", ["Rx"]),
        // Blocks until a stream ends, while the main run loop runs: for tests and tools.
        module("RxBlocking", ["Rx", "Locking"]),
        // Apart from RxTesting, which needs a test library.
        module("RxVirtualTime", ["Rx", "Locking"]),
        module("RxTesting", ["RxVirtualTime", "Rx", "Locking"]),
        // Bytes of ASCII text: their names and classes, numbers, dates.
        module("ASCIIText"),
        module("HTTPModel", ["ASCIIText"]),
        module("JSONBytes", ["ASCIIText"]),
        module("JSONCoding", ["JSONBytes", "ASCIIText"]),

        module(
            "EventIO",
            [
                "CLibevent", "CAres", "COpenSSL", "CLinux", "Resilience", "Metrics", "ASCIIText", "Timers",
                "Locking",
            ]),
        module("HTTPWire", ["HTTPModel", "ASCIIText"]),
        // Decodes gzip, deflate and br as a stream; encodes gzip and br.
        module("ContentCoding", ["CZlib", "CBrotli"]),

        // Whether a JSON value follows a JSON Schema, and where it does not.
        module("JSONSchema", ["CPCRE2", "HTTPModel", "JSONBytes", "ASCIIText", "Locking"]),
        // Whether requests and responses follow an OpenAPI description.
        module("OpenAPI", ["JSONSchema", "HTTPModel", "JSONBytes", "ASCIIText", "Locking"]),

        // What an endpoint is: its parameters, calls, references and rules, as values.
        module("EndpointPlans", ["JSONSchema", "HTTPModel", "JSONBytes", "ASCIIText"]),

        // What the gateway counts, and the text in which Prometheus reads it.
        module("Metrics", ["Locking"]),
        // Spans of traces as bytes, for a collector.
        module("OTLP", ["ASCIIText"]),

        // Decides who gets how much, and whom to spare: values, with the time as a parameter.
        module("Resilience", ["Queues", "Locking"]),

        // Digests, signatures and random bytes.
        module("Crypto", ["CCrypto", "ASCIIText"]),
        // Who calls: tokens, keys and claims, as values, with the time as a parameter.
        module("AccessControl", ["Crypto", "JSONBytes", "ASCIIText"]),
        // Counts in Redis what several processes limit together.
        module(
            "SharedStore",
            ["CHiredis", "EventIO", "Crypto", "Resilience", "Queues", "ASCIIText", "Timers", "Locking"]),

        module("HTTPInbound", ["EventIO", "HTTPWire", "HTTPModel", "Metrics", "Queues", "Timers"]),
        module(
            "HTTPOutbound",
            [
                "EventIO", "HTTPWire", "ContentCoding", "HTTPModel", "Resilience", "Metrics", "ASCIIText",
                "Timers", "Locking",
            ]),

        // Loops as schedulers of streams.
        module("LoopScheduling", ["EventIO", "Rx", "Locking"]),

        module(
            "Networking",
            [
                "CPSL", "Rx", "HTTPModel", "JSONBytes", "JSONCoding", "Resilience", "ASCIIText", "Locking",
                "Queues",
            ]),
        // Connects the reactive client to the network, in any program and in the gateway.
        module(
            "NetworkingSession",
            [
                "Networking", "HTTPOutbound", "LoopScheduling", "EventIO", "HTTPModel", "JSONBytes",
                "Resilience", "Metrics",
                "ASCIIText", "Rx", "Locking",
            ]),
        // The one import of programs written for other clients: their names and errors, and NSError, which
        // needs all of Foundation.
        module(
            "NetworkingCompatibility",
            ["NetworkingSession", "Networking", "HTTPModel", "JSONCoding", "JSONBytes", "Rx"]),
        module("NetworkingTesting", ["Networking", "RxVirtualTime", "Rx", "HTTPModel", "Locking"]),
        module(
            "GatewayCore",
            [
                "EndpointPlans", "JSONSchema", "Networking", "AccessControl", "Crypto", "Resilience", "Rx",
                "ContentCoding", "HTTPModel", "JSONBytes", "JSONCoding", "Metrics", "ASCIIText", "Locking",
            ]),

        // The settings of a gateway, and the reader of its file (YAML), with a place for each problem.
        module(
            "GatewayConfig",
            [
                "CYAML", "GatewayCore", "AccessControl", "Crypto", "EndpointPlans", "JSONSchema",
                "NetworkingSession",
                "Networking", "HTTPInbound", "HTTPOutbound", "EventIO", "HTTPModel", "JSONBytes",
                "Resilience", "Metrics", "ASCIIText", "Rx",
            ]),
        module(
            "GatewayHTTP",
            [
                "CConsole", "GatewayCore", "SharedStore", "Crypto", "EndpointPlans",
                "GatewayConfig", "NetworkingSession", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO",
                "ContentCoding", "HTTPModel", "JSONBytes",
                "Resilience", "Metrics", "OTLP",
                "ASCIIText", "Rx", "Locking",
            ]),
        module(
            "Sluice",
            [
                "Rx", "Networking", "NetworkingSession", "GatewayCore", "GatewayHTTP", "JSONCoding",
                "JSONBytes", "HTTPModel",
            ]),
        module(
            "GatewayTesting",
            [
                "GatewayHTTP", "GatewayCore", "AccessControl", "Crypto", "Resilience", "NetworkingTesting",
                "Networking", "HTTPInbound", "HTTPOutbound", "LoopScheduling", "EventIO", "RxVirtualTime",
                "Rx", "HTTPModel", "JSONBytes", "Locking",
            ]),

        // The demo's upstream APIs, declared like the endpoints of any gateway.
        module(
            "SampleUpstreams",
            ["CSQLite", "Sluice", "HTTPInbound", "EventIO", "ASCIIText", "Locking"]),
        .executableTarget(
            name: "SluiceCommand",
            dependencies: [
                "GatewayHTTP", "GatewayCore", "AccessControl", "Networking", "SampleUpstreams", "EventIO",
                "Rx", "JSONBytes", "HTTPModel", "CPages",
            ],
            swiftSettings: settings,
            linkerSettings: allocator),

        // Shared by test suites: waiting with a deadline.
        .target(
            name: "TestWaiting", dependencies: ["Locking"], path: "Tests/Waiting", swiftSettings: settings),
        // Other programs, their folders, and compressed bytes: what tests without sockets need, too.
        .target(
            name: "TestTools", dependencies: ["TestWaiting", "CZlib", "Locking"], path: "Tests/Tools",
            swiftSettings: settings),
        // Raw sockets that misbehave, certificates, real peers.
        .target(
            name: "TestSupport",
            dependencies: ["TestTools", "TestWaiting", "EventIO", "COpenSSL", "Locking"],
            path: "Tests/Support",
            swiftSettings: settings),

        // Compares random pipelines of Rx with a reference model: for its tests and
        // `make fuzz FUZZ=Pipelines`.
        .target(
            name: "Pipelines", dependencies: ["Rx", "RxTesting", "Locking"], path: "Tests/Fuzz/Pipelines",
            swiftSettings: settings),

        tests("RulesTests", []),
        benchmark(
            "GatewayBench",
            [
                "GatewayCore", "AccessControl", "Crypto", "Resilience", "EndpointPlans", "Networking", "Rx",
                "JSONBytes", "HTTPModel",
            ]),
        benchmark("JSONBench", ["JSONBytes", "JSONCoding"]),
        benchmark("SchemaBench", ["JSONSchema", "JSONBytes"], linkerSettings: allocator),
        benchmark("CompressionBench", ["ContentCoding"], linkerSettings: allocator),
        benchmark("OutboundBench", ["HTTPOutbound", "EventIO", "HTTPModel", "Rx"]),
        benchmark("StreamBench", ["HTTPOutbound", "EventIO", "HTTPModel", "Rx"]),
        benchmark(
            "TypedBench", ["GatewayHTTP", "GatewayCore", "Networking", "Rx", "JSONBytes", "HTTPModel"],
            linkerSettings: allocator),
        benchmark(
            "ClientBench", ["NetworkingSession", "Networking", "HTTPOutbound", "EventIO", "HTTPModel", "Rx"],
            linkerSettings: allocator),
        // Also measures over simulated links, which tests use, too.
        benchmark(
            "CodingBench", ["GatewayHTTP", "GatewayCore", "Networking", "Rx", "HTTPModel", "TestSupport"],
            linkerSettings: allocator),
        benchmark("WireBench", ["HTTPWire", "HTTPModel"]),
        benchmark("RxBench", ["LoopScheduling", "EventIO", "RxVirtualTime", "Rx"]),

        // Runs the official suite of JSON Schema: `Tests/schema-suite`.
        .executableTarget(
            name: "SchemaSuite", dependencies: ["JSONSchema", "JSONBytes"], path: "Tests/Suites/SchemaSuite",
            swiftSettings: settings),

        // Reads descriptions of APIs, and judges requests and responses: `Tests/contracts`.
        .executableTarget(
            name: "ContractSuite", dependencies: ["OpenAPI", "JSONSchema", "HTTPModel", "JSONBytes"],
            path: "Tests/Suites/ContractSuite", swiftSettings: settings, linkerSettings: allocator),

        // The process that `make soak PROOF=bodies` measures.
        .executableTarget(
            name: "BodySoak", dependencies: ["NetworkingSession", "Networking", "HTTPModel"],
            path: "Tests/Soak/BodySoak", swiftSettings: settings),

        // A gateway that asks a different upstream for each request: for its tests, and for the process that
        // `make soak PROOF=hosts` measures.
        .target(
            name: "HostCrowd",
            dependencies: [
                "GatewayHTTP", "GatewayCore", "NetworkingSession", "Networking", "HTTPInbound",
                "HTTPOutbound",
                "EventIO", "HTTPModel", "JSONBytes", "Rx",
            ],
            path: "Tests/Soak/HostCrowd", swiftSettings: settings),
        .executableTarget(
            name: "HostSoak",
            dependencies: ["HostCrowd", "GatewayHTTP", "NetworkingSession"],
            path: "Tests/Soak/HostSoak", swiftSettings: settings, linkerSettings: allocator),

        // What the next four have in common.
        .target(
            name: "SoakGateway", dependencies: ["GatewayHTTP"], path: "Tests/Soak/SoakGateway",
            swiftSettings: settings),

        // The gateway with low limits that `make soak PROOF=budget` measures.
        .executableTarget(
            name: "BudgetSoak", dependencies: ["SoakGateway", "GatewayHTTP"],
            path: "Tests/Soak/BudgetSoak", swiftSettings: settings, linkerSettings: allocator),

        // The gateway whose wakes `make soak PROOF=wakes` measures.
        .executableTarget(
            name: "WakeSoak", dependencies: ["SoakGateway", "GatewayHTTP"],
            path: "Tests/Soak/WakeSoak", swiftSettings: settings, linkerSettings: allocator),

        // The gateway that blocks in `make soak PROOF=night`.
        .executableTarget(
            name: "NightSoak", dependencies: ["SoakGateway", "GatewayHTTP", "GatewayCore", "GatewayConfig"],
            path: "Tests/Soak/NightSoak", swiftSettings: settings, linkerSettings: allocator),

        // The gateway that `make soak PROOF=relay` measures.
        .executableTarget(
            name: "RelaySoak", dependencies: ["SoakGateway", "GatewayHTTP", "GatewayCore"],
            path: "Tests/Soak/RelaySoak", swiftSettings: settings, linkerSettings: allocator),

        tests("TestWaitingTests", ["TestWaiting"]),
        tests("LockingTests", ["Locking", "TestWaiting"]),
        tests("QueuesTests", ["Queues"]),
        tests("RxTests", ["Rx", "RxTesting", "Locking", "TestWaiting"]),
        tests("PipelinesTests", ["Pipelines"]),
        tests("RxTestingTests", ["RxTesting", "Rx", "Locking", "TestWaiting"]),
        tests("RxCompatibilityTests", ["RxCompatibility", "RxTesting", "Locking", "TestWaiting"]),
        tests("RxBlockingTests", ["RxBlocking", "Rx", "Locking"]),
        tests("ASCIITextTests", ["ASCIIText"]),
        tests("ResilienceTests", ["Resilience"]),
        tests("CryptoTests", ["Crypto", "CCrypto"], resources: [.copy("Vectors")]),
        tests(
            "AccessControlTests", ["AccessControl", "Crypto", "JSONBytes"], resources: [.copy("Vectors")]),
        tests(
            "SharedStoreTests",
            ["SharedStore", "EventIO", "Crypto", "Resilience", "Locking", "TestSupport"]),
        tests("MetricsTests", ["Metrics", "TestTools"]),
        tests("OTLPTests", ["OTLP", "TestTools"]),
        tests("HTTPModelTests", ["HTTPModel", "ASCIIText"]),
        tests("JSONBytesTests", ["JSONBytes"]),
        tests("JSONCodingTests", ["JSONCoding", "JSONBytes"]),
        tests("JSONSchemaTests", ["JSONSchema", "JSONBytes", "ASCIIText"]),
        tests("OpenAPITests", ["OpenAPI", "JSONSchema", "HTTPModel", "JSONBytes"]),
        tests("EventIOTests", ["LoopScheduling", "EventIO", "COpenSSL", "Rx", "Locking", "TestSupport"]),
        tests("HTTPWireTests", ["HTTPWire", "HTTPModel", "ASCIIText"], resources: [.copy("Vectors")]),
        tests(
            "GatewayConfigTests",
            [
                "GatewayConfig", "GatewayCore", "AccessControl", "EndpointPlans", "JSONSchema",
                "NetworkingSession", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO", "Resilience",
                "HTTPModel",
                "JSONBytes", "ASCIIText", "Rx",
                "TestTools",
            ],
            resources: [.copy("Complaints"), .copy("Examples"), .copy("Printed")]),
        tests("ContentCodingTests", ["ContentCoding", "TestTools"]),
        tests(
            "HTTPInboundTests", ["HTTPInbound", "EventIO", "HTTPWire", "HTTPModel", "Locking", "TestSupport"]),
        tests(
            "HTTPOutboundTests",
            [
                "HTTPOutbound", "LoopScheduling", "EventIO", "HTTPWire", "HTTPModel", "Resilience", "Rx",
                "Locking",
                "TestSupport",
            ]),
        tests(
            "NetworkingCompatibilityTests",
            ["NetworkingCompatibility", "NetworkingTesting", "Networking", "Rx", "Locking"]),
        tests(
            "NetworkingTests",
            [
                "NetworkingCompatibility", "NetworkingTesting", "Networking", "Rx", "RxTesting", "HTTPModel",
                "JSONCoding", "JSONBytes", "Locking", "TestWaiting",
            ]),
        tests(
            "NetworkingSessionTests",
            [
                "NetworkingSession", "NetworkingTesting", "Networking", "HTTPOutbound", "EventIO",
                "Resilience", "Rx", "RxBlocking", "RxTesting", "HTTPModel", "JSONBytes", "Locking",
                "TestSupport",
            ]),
        // Compiles and runs the code of the client's documentation.
        tests(
            "NetworkingDocumentationTests",
            [
                "NetworkingSession", "NetworkingCompatibility", "NetworkingTesting", "Networking", "Rx",
                "RxTesting", "HTTPModel", "JSONBytes", "Locking", "TestSupport",
            ]),
        tests(
            "GatewayCoreTests",
            [
                "GatewayCore", "AccessControl", "Crypto", "Resilience", "EndpointPlans", "JSONSchema",
                "NetworkingTesting", "Networking", "Rx", "RxTesting", "HTTPModel", "JSONBytes", "Locking",
                "TestWaiting",
            ]),
        tests(
            "SampleUpstreamsTests",
            ["SampleUpstreams", "Sluice", "EventIO", "Locking", "TestSupport"]),
        tests(
            "GatewayHTTPTests",
            [
                "GatewayHTTP", "GatewayCore", "AccessControl", "SharedStore", "Crypto", "EndpointPlans",
                "JSONSchema",
                "GatewayConfig", "NetworkingSession", "Networking", "GatewayTesting", "HTTPInbound",
                "HTTPOutbound", "HTTPWire", "ContentCoding", "EventIO",
                "Resilience", "Metrics", "Rx", "HTTPModel", "JSONBytes", "Locking", "TestSupport",
                "TestTools", "HostCrowd",
            ]),
        // The tests below Documentation/ compile and run the code of the product's documentation.
        tests(
            "GatewayTestingTests",
            [
                "GatewayTesting", "GatewayHTTP", "GatewayCore", "Crypto", "NetworkingSession", "Networking",
                "HTTPOutbound", "EventIO", "Rx", "HTTPModel", "JSONBytes", "Locking", "TestSupport",
            ]),
        tests(
            "FaultTests",
            [
                "GatewayHTTP", "GatewayCore", "NetworkingSession", "Networking", "HTTPInbound",
                "HTTPOutbound",
                "EventIO", "Rx",
                "HTTPModel", "JSONBytes", "Locking", "TestSupport",
            ]),
        tests(
            "SluiceCommandTests",
            ["SluiceCommand", "GatewayHTTP", "EventIO", "JSONBytes", "Locking", "TestSupport"]),
        // Tests the pages in a real browser, by WebDriver over our own client: `make test-browser`.
        tests(
            "BrowserTests",
            [
                "SluiceCommand", "NetworkingSession", "Networking", "HTTPOutbound", "HTTPModel", "JSONBytes",
                "Rx",
                "Locking", "TestSupport",
            ],
            resources: [.copy("Scripts")]),
    ],
    swiftLanguageModes: [.v6]
)

extension Package {
    /// Removes all targets but these and what they need.
    func keep(_ names: [String]) {
        let known = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var kept: Set<String> = []
        func keep(_ name: String) {
            guard let target = known[name] else { fatalError("SLUICE_TARGETS: there is no target \(name)") }
            guard kept.insert(name).inserted else { return }
            for case .byNameItem(let dependency, _) in target.dependencies { keep(dependency) }
        }
        names.forEach(keep)
        targets.removeAll { !kept.contains($0.name) }
        products = []
    }
}

// A sanitizer's build contains only what the tests need:
// `make sanitize-thread TARGETS="RxTests EventIOTests"`.
if let names = Context.environment["SLUICE_TARGETS"] {
    package.keep(names.split(separator: " ").map(String.init))
}
