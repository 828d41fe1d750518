// swift-tools-version: 6.2
import PackageDescription

// The modules and who may import whom. Nothing points up; Tests/RulesTests checks the imports themselves.
//
//     5  SluiceCommand
//     4  GatewayHTTP        SampleUpstreams
//     3  GatewayCore  ->  Networking  <-  NetworkingSession
//     2  HTTPInbound   HTTPOutbound
//     1  EventIO   HTTPWire   ContentCoding   JSONCoding   RxFoundation   RxBlocking   RxTesting
//     0  Rx   HTTPModel   JSONBytes   Locking
//     -  CLibevent   COpenSSL   CSQLite   CZlib   CBrotli   CLinux   CPages

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// malloc and free of the built programs: a request costs a few per cent less than with glibc's, and what a burst took goes back
// to the system. Sanitizers bring their own, hence not in debug builds.
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
        .library(name: "RxTesting", targets: ["RxTesting"]),
        .library(name: "RxFoundation", targets: ["RxFoundation"]),
        .library(name: "RxBlocking", targets: ["RxBlocking"]),
        .library(name: "NetworkingFoundation", targets: ["NetworkingFoundation"]),
        .executable(name: "sluice", targets: ["SluiceCommand"]),
    ],
    targets: [
        .systemLibrary(name: "CLibevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
        // Calls of Linux that glibc has no function for.
        .systemLibrary(name: "CLinux"),
        // The files of Public/, within the program.
        .target(name: "CPages"),

        module("Locking"),
        module("Rx", ["Locking"]),
        // What of Rx needs the whole of Foundation, which the gateway does without.
        module("RxFoundation", ["Rx"]),
        // Waiting for a stream, which serves the main run loop: for tests and tools.
        module("RxBlocking", ["Rx", "Locking"]),
        module("RxTesting", ["Rx", "Locking"]),
        module("HTTPModel"),
        module("JSONBytes"),
        module("JSONCoding", ["JSONBytes"]),

        module("EventIO", ["CLibevent", "COpenSSL", "CLinux", "Rx", "Locking"]),
        module("HTTPWire", ["HTTPModel"]),
        // gzip, deflate and br, undone in pieces; gzip, made.
        module("ContentCoding", ["CZlib", "CBrotli"]),

        module("HTTPInbound", ["EventIO", "HTTPWire", "HTTPModel", "Rx"]),
        module("HTTPOutbound", ["EventIO", "HTTPWire", "ContentCoding", "HTTPModel", "Rx", "Locking"]),

        module("Networking", ["Rx", "HTTPModel", "JSONBytes", "JSONCoding", "Locking"]),
        // The reactive client on the wire: for providers outside a gateway, and under it.
        module(
            "NetworkingSession",
            ["Networking", "HTTPOutbound", "EventIO", "HTTPModel", "JSONBytes", "Rx", "Locking"]),
        // The client's errors as NSError, which needs the whole of Foundation.
        module("NetworkingFoundation", ["Networking"]),
        module("GatewayCore", ["Networking", "Rx", "HTTPModel", "JSONBytes", "JSONCoding", "Locking"]),

        module(
            "GatewayHTTP",
            [
                "GatewayCore", "NetworkingSession", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO",
                "ContentCoding", "HTTPModel", "JSONBytes", "Rx", "Locking",
            ]),
        module(
            "SampleUpstreams",
            ["CSQLite", "HTTPInbound", "EventIO", "HTTPModel", "JSONBytes", "Rx", "Locking"]),
        .executableTarget(
            name: "SluiceCommand",
            dependencies: [
                "GatewayHTTP", "GatewayCore", "Networking", "SampleUpstreams", "EventIO", "Rx", "JSONBytes",
                "HTTPModel", "CPages",
            ],
            swiftSettings: settings,
            linkerSettings: allocator),

        module(
            "Sluice",
            [
                "Rx", "Networking", "NetworkingSession", "GatewayCore", "GatewayHTTP", "JSONCoding",
                "JSONBytes", "HTTPModel",
            ]),
        module(
            "GatewayTesting",
            [
                "GatewayHTTP", "GatewayCore", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO", "Rx",
                "HTTPModel", "JSONBytes", "Locking",
            ]),

        // What several suites need: raw sockets that do what no HTTP library would.
        .target(
            name: "TestSupport", dependencies: ["COpenSSL", "CZlib", "Locking"], path: "Tests/Support",
            swiftSettings: settings),

        // Random pipelines of Rx beside a reference model, for their tests and for `make fuzz FUZZ=Pipelines`.
        .target(
            name: "Pipelines", dependencies: ["Rx", "RxTesting", "Locking"], path: "Tests/Fuzz/Pipelines",
            swiftSettings: settings),

        tests("RulesTests", []),
        benchmark("GatewayBench", ["GatewayCore", "Networking", "Rx", "JSONBytes", "HTTPModel"]),
        benchmark("JSONBench", ["JSONBytes", "JSONCoding"]),
        benchmark("OutboundBench", ["HTTPOutbound", "EventIO", "HTTPModel", "Rx"]),
        benchmark("StreamBench", ["HTTPOutbound", "EventIO", "HTTPModel", "Rx"]),
        benchmark(
            "TypedBench", ["GatewayHTTP", "GatewayCore", "Networking", "Rx", "JSONBytes", "HTTPModel"],
            linkerSettings: allocator),
        benchmark(
            "ClientBench", ["NetworkingSession", "Networking", "HTTPOutbound", "EventIO", "HTTPModel", "Rx"],
            linkerSettings: allocator),
        benchmark("WireBench", ["HTTPWire", "HTTPModel"]),
        benchmark("RxBench", ["EventIO", "Rx"]),

        // What `make soak PROOF=bodies` measures, in a process of its own.
        .executableTarget(
            name: "BodySoak", dependencies: ["NetworkingSession", "Networking", "HTTPModel"],
            path: "Tests/Soak/BodySoak", swiftSettings: settings),

        tests("LockingTests", ["Locking"]),
        tests("RxTests", ["Rx", "RxTesting", "Locking"]),
        tests("PipelinesTests", ["Pipelines"]),
        tests("RxTestingTests", ["RxTesting", "Rx", "Locking"]),
        tests("RxFoundationTests", ["RxFoundation", "Rx"]),
        tests("RxBlockingTests", ["RxBlocking", "Rx", "Locking"]),
        tests("HTTPModelTests", ["HTTPModel"]),
        tests("JSONBytesTests", ["JSONBytes"]),
        tests("JSONCodingTests", ["JSONCoding", "JSONBytes"]),
        tests("EventIOTests", ["EventIO", "COpenSSL", "Rx", "Locking", "TestSupport"]),
        tests("HTTPWireTests", ["HTTPWire", "HTTPModel"], resources: [.copy("Vectors")]),
        tests("ContentCodingTests", ["ContentCoding", "TestSupport"]),
        tests(
            "HTTPInboundTests", ["HTTPInbound", "EventIO", "HTTPWire", "HTTPModel", "Locking", "TestSupport"]),
        tests(
            "HTTPOutboundTests",
            ["HTTPOutbound", "EventIO", "HTTPWire", "HTTPModel", "Rx", "Locking", "TestSupport"]),
        tests("NetworkingFoundationTests", ["NetworkingFoundation", "Networking", "Rx"]),
        tests(
            "NetworkingTests",
            ["Networking", "Rx", "RxTesting", "HTTPModel", "JSONCoding", "JSONBytes", "Locking"]),
        tests(
            "NetworkingSessionTests",
            [
                "NetworkingSession", "Networking", "HTTPOutbound", "EventIO", "Rx", "RxTesting", "HTTPModel",
                "JSONBytes", "Locking", "TestSupport",
            ]),
        // The code of the client's documentation, as it stands there.
        tests(
            "NetworkingDocumentationTests",
            [
                "NetworkingSession", "Networking", "Rx", "RxTesting", "HTTPModel", "JSONBytes", "Locking",
                "TestSupport",
            ]),
        tests(
            "GatewayCoreTests",
            ["GatewayCore", "Networking", "Rx", "RxTesting", "HTTPModel", "JSONBytes", "Locking"]),
        tests(
            "SampleUpstreamsTests",
            ["SampleUpstreams", "EventIO", "HTTPModel", "JSONBytes", "Locking", "TestSupport"]),
        tests(
            "GatewayHTTPTests",
            [
                "GatewayHTTP", "GatewayCore", "NetworkingSession", "Networking", "GatewayTesting",
                "HTTPInbound", "HTTPOutbound", "HTTPWire", "ContentCoding", "EventIO", "Rx", "HTTPModel",
                "JSONBytes", "Locking", "TestSupport",
            ]),
        tests(
            "FaultTests",
            [
                "GatewayHTTP", "GatewayCore", "NetworkingSession", "Networking", "HTTPInbound",
                "HTTPOutbound",
                "EventIO", "Rx",
                "HTTPModel", "JSONBytes", "Locking", "TestSupport",
            ]),
        tests("SluiceCommandTests", ["SluiceCommand", "GatewayHTTP", "JSONBytes", "TestSupport"]),
        // The pages in a real browser, by a WebDriver client over our own: `make test-browser`.
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
