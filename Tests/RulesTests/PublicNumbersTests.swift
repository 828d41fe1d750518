import Testing

@Suite("Numbers from users")
struct PublicNumbersTests {
    /// Declarations whose numbers come from the library, from the compiler or from Sluice's gateway.
    private static let internals: Set<String> = [
        "debug(_:trimOutput:file:line:function:)", "init(highWatermark:lowWatermark:weigh:)",
        "init(literalCapacity:interpolationCount:)", "init(integerLiteral:)", "init(floatLiteral:)",
        "init(rawValue:)", "init(code:message:status:data:)", "var status",
        "init(envelope:allowsEmptyBody:timeout:)",
        "init(requestID:name:traceparent:tracestate:via:deadline:forwarding:authorizationUpstreams:"
            + "cookieUpstreams:)",
        "lateBeginning(of:)", "lateBeginning(ofPart:)", "partBegan(at:)", "nanoseconds(from:to:)",
        "isCircuitOpen(of:for:)", "willSend(_:attempt:)", "retry(_:dueTo:retryCount:)", "send(_:within:for:)",
        "var concurrency", "var slowStart", "var attemptsInFlight", "var openings", "var refusals",
        "var names", "var pools", "var unreachable", "var upstreams",
    ]

    private func covered(by paths: [String]) throws -> Set<String> {
        let literals = try paths.flatMap { try SourceTree.file($0).text.matches(of: /"([^"]*)"/) }
        return Set(literals.map { String($0.output.1) })
    }

    private func uncovered(_ folders: [String], by tests: [String]) throws -> [String] {
        let files = try SourceTree.sources.filter { file in folders.contains { file.path.hasPrefix($0) } }
        let names = files.reduce(into: Set<String>()) { $0.formUnion(PublicNumbers.names(in: $1)) }
        #expect(names.count > 40)
        return try names.subtracting(covered(by: tests)).subtracting(Self.internals).sorted()
    }

    @Test("Each number or time that a user passes to Rx is tested with extreme values")
    func rx() throws {
        let missing = try uncovered(
            ["Sources/Rx/", "Sources/RxVirtualTime/"], by: ["Tests/RxTests/Support/ExtremeCases.swift"])
        #expect(missing == [], "add them to ExtremeCases.swift")
    }

    @Test("Each number or time that a user passes to the client is tested with extreme values")
    func client() throws {
        let missing = try uncovered(
            [
                "Sources/Networking/", "Sources/NetworkingSession/", "Sources/NetworkingTesting/",
                "Sources/HTTPOutbound/OutboundLimits.swift", "Sources/EventIO/Resolving/DNSSettings.swift",
            ], by: ["Tests/NetworkingSessionTests/ExtremeSettings.swift"])
        #expect(missing == [], "add them to ExtremeSettings.swift")
    }

    @Test("A number is found in a function, an initializer and a property, and nowhere else")
    func found() {
        let text = """
            public struct A {
                public var count = 3
                public var total: Double? = nil
                public var time: Duration = .seconds(1) {
                    didSet {}
                }
                public var name = "a"
                public private(set) var seen = 0
                public var computed: Int { 1 }
                // public func commented(_ count: Int) {}
                public init(
                    name: String, _ count: Int = 1 << 2, body: (Int) -> Void
                ) {}
                @inlinable
                public consuming func take<T>(for time: RxTimeInterval, on queue: S<T, Int>) -> Int { 0 }
                public func plain(_ values: [Int], _ map: [String: Int]) -> Int { 0 }
                func hidden(_ count: Int) {}
            }
            """
        #expect(
            PublicNumbers.names(in: SourceFile(path: "Sources/Rx/A.swift", text: text)) == [
                "var count", "var total", "var time", "init(name:_:body:)", "take(for:on:)",
            ])
    }
}
