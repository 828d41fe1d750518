import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayHTTP

/// Checks timelines with upstreams on real sockets.
@Suite("The timeline over connections")
struct ServedTimelineTests {
    private static let asked: HTTPFields = [.prefer: "timeline"]

    private static var configuration: GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.limits.allowsTimeline = true
        return configuration
    }

    /// An attempt in the JSON of a timeline.
    private struct Attempt {
        let json: JSONFragment

        subscript(name: String) -> Double? {
            json[member: name].flatMap { Double($0.description) }
        }

        var connection: String? { json[member: "connection"]?.stringValue }
        var reason: String? { json[member: "reason"]?.stringValue }

        /// Whether exactly these times are present, in order, and the others are null.
        func isInOrder(_ names: String...) -> Bool {
            let times = names.compactMap { self[$0] }
            let others = Set(["beganMs", "sentMs", "firstByteMs", "endMs"]).subtracting(names)
            return times.count == names.count && times == times.sorted()
                && others.allSatisfy { json[member: $0]?.isNull == true }
        }
    }

    private static func attempts(_ response: TestResponse, part: Int = 0, call: Int = 0) throws -> [Attempt] {
        let timeline = try #require(try response.json[member: "meta"]?[member: "timeline"])
        let calls = try #require(timeline[element: part]?[member: "calls"])
        return try #require(calls[element: call]?[member: "attempts"]).elements.map { Attempt(json: $0) }
    }

    /// An upstream that begins a response and then stays silent.
    private static func cutShort() throws -> (
        upstream: RawUpstream, configuration: GatewayServerConfiguration
    ) {
        let upstream = try RawUpstream.saying(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        var configuration = configuration
        configuration.upstreams["parts"] = UpstreamURLs(upstream.url)
        return (upstream, configuration)
    }

    @Test("An attempt whose connect is refused has neither a connection kind nor a sent time")
    func refused() async throws {
        // No server listens on port 1 of loopback.
        var configuration = Self.configuration
        configuration.upstreams["parts"] = "http://127.0.0.1:1"
        try await withGateway(
            configuration: configuration, declare: ServedGatewayTests.declarePage
        ) { client in
            let response = try await client.get("/page", Self.asked)
            #expect(response.status == .badGateway)
            let attempts = try Self.attempts(response)
            #expect(attempts.count > 1)
            for attempt in attempts {
                #expect(attempt.isInOrder("beganMs", "endMs"))
                #expect(attempt.connection == nil)
                #expect(attempt.reason == "connection_refused")
            }
            #expect(try !#require(response.fields[.serverTiming]).contains("127.0.0.1"))
            #expect(try !response.json.description.contains("127.0.0.1"))
        }
    }

    @Test(
        "A connection is new at its first use and reused later; an attempt that ends with a reset has a sent time"
    )
    func connections() async throws {
        // Separate upstreams, because a retry of one part could reuse a connection of the other.
        let good = StubUpstream { _ in .json("1").after(.milliseconds(20)) }
        let broken = StubUpstream { _ in .resets }
        @Sendable func declare(on gateway: Gateway) {
            let good = gateway.provider(PartsAPI.self, upstream: "good")
            let broken = gateway.provider(PartsAPI.self, upstream: "broken")
            gateway.get("/page") { _ in
                .parts(
                    first: good.rx.request(.first).fragment(),
                    second: broken.rx.request(.second).fragment().optional())
            }
        }
        try await withGateway(
            upstreams: ["good": good, "broken": broken], configuration: Self.configuration, declare: declare
        ) { client in
            let first = try await client.get("/page", Self.asked)
            let answered = try #require(try Self.attempts(first).first)
            #expect(answered.connection == "new")
            #expect(answered.isInOrder("beganMs", "sentMs", "firstByteMs", "endMs"))
            #expect(answered["status"] == 200)
            #expect(answered.reason == nil)
            let waited = try #require(answered["firstByteMs"]) - #require(answered["sentMs"])
            // The upstream's timer has a resolution of milliseconds.
            #expect(waited >= 19)
            for attempt in try Self.attempts(first, part: 1) {
                #expect(attempt.connection == "new")
                #expect(attempt.isInOrder("beganMs", "sentMs", "endMs"))
                #expect(attempt.reason == "connection_terminated")
            }
            let second = try #require(try Self.attempts(try await client.get("/page", Self.asked)).first)
            #expect(second.connection == "reused")
            #expect(second["sentMs"] == second["beganMs"])
            // The timeline is missing without the preference.
            let plain = try await client.get("/page")
            #expect(try plain.json[member: "meta"]?[member: "timeline"] == nil)
            #expect(!plain.fields.contains(.serverTiming))
        }
    }

    @Test("An attempt that fails after its first byte has both times, in order")
    func firstByte() async throws {
        let (upstream, configuration) = try Self.cutShort()
        @Sendable func declare(on gateway: Gateway) {
            var policy = CallPolicy()
            policy.attemptLimits.firstByte = .milliseconds(500)
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
        try await withGateway(configuration: configuration, declare: declare) { client in
            let attempt = try #require(try Self.attempts(try await client.get("/page", Self.asked)).first)
            #expect(attempt.isInOrder("beganMs", "sentMs", "firstByteMs", "endMs"))
            #expect(attempt.reason == "connection_read_timeout")
            let gap = try #require(attempt["endMs"]) - #require(attempt["firstByteMs"])
            #expect(gap >= 499)
        }
        _ = upstream
    }

    @Test("An attempt in progress at the deadline has its connection and first byte, but no end")
    func deadline() async throws {
        let (upstream, configuration) = try Self.cutShort()
        @Sendable func declare(on gateway: Gateway) {
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/late", .deadline(.milliseconds(500))) { _ in
                .parts(first: parts.rx.request(.first).fragment().optional())
            }
        }
        try await withGateway(configuration: configuration, declare: declare) { client in
            let response = try await client.get("/late", Self.asked)
            #expect(response.status == .ok)
            let attempt = try #require(try Self.attempts(response).first)
            #expect(attempt.isInOrder("beganMs", "sentMs", "firstByteMs"))
            #expect(attempt.connection == "new")
            #expect(attempt.reason == nil)
        }
        _ = upstream
    }

    @Test(
        "A call of an async handler belongs to no part; a call in a task belongs to the task's part"
    )
    func tasks() async throws {
        let upstream = StubUpstream { _ in .json("1") }
        @Sendable func declare(on gateway: Gateway) {
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ async throws in
                _ = try await parts.request(.first)
                return .parts(
                    task: Part.task { try await parts.request(.second).fragment() },
                    elsewhere: Part.task {
                        await Task.yield()
                        return try await Task(executorPreference: OtherThread()) {
                            try await parts.request(.first).fragment()
                        }.value
                    })
            }
        }
        try await withGateway(
            upstreams: ["parts": upstream], configuration: Self.configuration, declare: declare
        ) { client in
            let response = try await client.get("/page", Self.asked)
            #expect(response.status == .ok)
            let timeline = try #require(try response.json[member: "meta"]?[member: "timeline"]).elements
            #expect(timeline.map { $0[member: "part"]?.stringValue } == [nil, "task", "elsewhere"])
            #expect(timeline.map { $0[member: "calls"]?.elements.count } == [1, 1, 1])
            #expect(timeline.allSatisfy { $0[member: "endMs"]?.isNull == false })
        }
    }
}
