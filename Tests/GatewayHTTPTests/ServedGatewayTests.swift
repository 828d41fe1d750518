import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import Testing

@testable import GatewayHTTP

/// An upstream with two paths.
enum PartsAPI: TargetType {
    case first, second

    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { self == .first ? "/first" : "/second" }
}

@Suite("A running gateway")
struct ServedGatewayTests {
    /// Declares `/page` with a required and an optional part.
    @Sendable static func declarePage(on gateway: Gateway) {
        let parts = gateway.provider(PartsAPI.self, upstream: "parts")
        gateway.get("/page") { _ in
            .parts(
                first: parts.rx.request(.first).fragment(),
                second: parts.rx.request(.second).fragment().optional())
        }
    }

    @Test("An upstream that refuses connections gives 502 with connection_refused within 50 ms")
    func aRefusingUpstreamIsTold() async throws {
        // No server listens on port 1 of loopback.
        var configuration = GatewayServerConfiguration()
        configuration.upstreams["parts"] = "http://127.0.0.1:1"
        configuration.upstreamPolicy.breaker = nil
        try await withGateway(configuration: configuration, declare: Self.declarePage) { client in
            _ = try await client.get("/nothing")
            let clock = ContinuousClock()
            var fastest = Int.max
            // A busy machine may delay a round, so only the fastest is measured. The reason must be the same
            // in all.
            for _ in 0..<5 {
                let began = clock.now
                let response = try await client.get("/page")
                let elapsed = clock.now - began
                #expect(response.status == .badGateway)
                let error = try #require(try response.json[member: "errors"]?[element: 0])
                #expect(error[member: "part"]?.stringValue == "first")
                #expect(error[member: "reason"]?.stringValue == "connection_refused")
                #expect(error[member: "attempts"]?.intValue ?? 0 > 1)
                #expect(error[member: "notRetried"] == nil)
                let told = try #require(error[member: "elapsedMs"]?.intValue)
                fastest = min(fastest, told)
                // The gateway's own measurement counts; the test's clock checks that it is plausible.
                #expect(elapsed >= .milliseconds(told))
            }
            #expect(fastest <= 50)
        }
    }

    @Test("An upstream that accepts and stays silent gives 504 at the first-byte limit")
    func aSilentUpstreamIsTimedOut() async throws {
        let silent = StubUpstream { _ in .hangs }
        @Sendable func declare(on gateway: Gateway) {
            var policy = CallPolicy()
            policy.attemptLimits.firstByte = .milliseconds(60)
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
        try await withGateway(upstreams: ["parts": silent], declare: declare) { client in
            let response = try await client.get("/page")
            #expect(response.status == .gatewayTimeout)
            let error = try #require(try response.json[member: "errors"]?[element: 0])
            #expect(error[member: "reason"]?.stringValue == "connection_read_timeout")
            #expect(error[member: "attempts"]?.intValue == 1)
            #expect(error[member: "notRetried"]?.stringValue == "reason")
            let elapsed = try #require(error[member: "elapsedMs"]?.intValue)
            #expect(elapsed >= 60)
        }
        #expect(silent.requests.count == 1)
    }

    @Test("If a connection is reset, its optional part is null, and the next request succeeds")
    func aResetConnectionLeavesTheNextRequestRight() async throws {
        final class Switch: Sendable {
            let isOn = Lock(true)
        }
        let broken = Switch()
        let upstream = StubUpstream { request in
            if request.path == "/second", broken.isOn.withLock({ $0 }) { return .resets }
            return .json("{\"from\":\"\(request.path)\"}")
        }
        try await withGateway(upstreams: ["parts": upstream], declare: Self.declarePage) { client in
            let partial = try await client.get("/page")
            #expect(partial.status == .ok)
            #expect(try partial.json[member: "code"]?.stringValue == "PARTIAL")
            #expect(try partial.json[member: "data"]?[member: "second"]?.isNull == true)
            broken.isOn.withLock { $0 = false }
            let whole = try await client.get("/page")
            #expect(
                try whole.json[member: "data"]?.description
                    == #"{"first":{"from":"/first"},"second":{"from":"/second"}}"#)
        }
    }

    @Test("A call from a thread outside the loops is made on a loop")
    func aCallOutsideTheLoopsIsCarried() async throws {
        let upstream = StubUpstream { _ in .json("[1]") }
        // The task may wait for a thread that other tests keep busy.
        var configuration = GatewayServerConfiguration()
        configuration.limits.deadline = .seconds(50)
        @Sendable func declare(on gateway: Gateway) {
            var policy = CallPolicy()
            policy.totalTimeout = .seconds(50)
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in
                .parts(
                    first: Part.task {
                        try await Task.detached(executorPreference: OtherThread()) {
                            try await parts.rx.request(.first).fragment().value
                        }.value
                    })
            }
        }
        try await withGateway(
            upstreams: ["parts": upstream], configuration: configuration, declare: declare
        ) { client in
            let response = try await client.get("/page")
            #expect(try response.json[member: "data"]?.description == #"{"first":[1]}"#)
        }
    }

    @Test("A large answer arrives byte for byte")
    func aLargeAnswerComesOutToTheByte() async throws {
        let large = "[" + (0..<200_000).map(String.init).joined(separator: ",") + "]"
        let upstream = StubUpstream { _ in .json(large) }
        try await withGateway(upstreams: ["parts": upstream], declare: Self.declarePage) { client in
            let response = try await client.get("/page")
            let data = try #require(try response.json[member: "data"])
            #expect(data[member: "first"]?.description == large)
            #expect(data[member: "second"]?.description == large)
        }
    }

    @Test(
        "A taken address, an invalid address or an undeclared upstream is a start error that names it"
    )
    func whatCannotBeStartedSaysWhy() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        let first = try GatewayServer.start(configuration, declare: Self.declarePage)
        defer {
            first.stop()
            first.waitUntilStopped()
        }
        var taken = configuration
        taken.port = first.port
        #expect(try message(taken).contains("127.0.0.1:\(first.port) is taken"))
        var nowhere = configuration
        nowhere.host = "example"
        #expect(try message(nowhere).contains("'example' is not a numeric address"))
        var unknown = configuration
        unknown.upstreams = ["part": "http://127.0.0.1:1"]
        #expect(try message(unknown).contains("an address is set for the unknown upstream \"part\""))
        #expect(try message(unknown).contains("parts"))
    }

    private func message(_ configuration: GatewayServerConfiguration) throws -> String {
        let error = #expect(throws: (any Error).self) {
            try GatewayServer.start(configuration, declare: Self.declarePage)
        }
        return "\(try #require(error))"
    }
}
