import Dispatch
import EventIO
public import GatewayCore
public import GatewayHTTP
import HTTPInbound
import HTTPOutbound
import Locking

/// Runs a gateway on a free loopback port, with stubs for its upstreams, while `body` runs; then drains it.
///
///     try await withGateway(upstreams: ["diary": diary], declare: declareEndpoints) { client in
///         let response = try await client.get("/api/weights/charts?fddDate=2026-11-20")
///         #expect(response.status == .ok)
///     }
///
/// - Parameters:
///   - upstreams: the stubs by upstream name, each on its own port.
///   - configuration: limits and CORS to test with; host, port, loops and logs are overridden.
///   - declare: declares the endpoints under test.
///   - body: the test.
/// - Throws: `GatewayLeak` if the gateway does not end after `body` has returned, and any error of `declare` and `body`.
public func withGateway<Result: Sendable>(
    upstreams: [String: StubUpstream] = [:],
    configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
    declare: @escaping @Sendable (Gateway) throws -> Void,
    _ body: (TestClient) async throws -> Result
) async throws -> Result {
    let fixture = try await onThread { try GatewayFixture(upstreams, configuration, declare) }
    do {
        let result = try await body(fixture.client)
        try await onThread { try fixture.end() }
        return result
    } catch {
        try? await onThread { try fixture.end() }
        throw error
    }
}

/// A gateway that did not end when it was drained, because a request or a call is still in progress.
public struct GatewayLeak: Error, CustomStringConvertible {
    public let description: String
}

/// Runs blocking work outside the threads of tasks.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let happensBefore = HappensBeforeEdge()
    defer { happensBefore.acquire() }
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            let result = Result { try work() }
            happensBefore.release()
            continuation.resume(with: result)
        }
    }
}

/// The running gateway of a test, with the stubs and the test's client on another loop.
private final class GatewayFixture: Sendable {
    let client: TestClient
    private let httpClient: HTTPClient
    private let group: EventLoopGroup
    private let stubs: [LoopBound<StubServer>]
    private let server: GatewayServer

    init(
        _ upstreams: [String: StubUpstream], _ base: GatewayServerConfiguration,
        _ declare: (Gateway) throws -> Void
    ) throws {
        group = try EventLoopGroup(count: 1, name: "stubs")
        let loop = group.loops[0]
        var configuration = base
        configuration.host = "127.0.0.1"
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        do {
            var stubs: [LoopBound<StubServer>] = []
            for (name, stub) in upstreams {
                let listener = try Listener(bind: .loopback())
                configuration.upstreams[name] = "http://\(listener.address)"
                stubs.append(
                    loop.runBlocking {
                        let server = StubServer(stub, listener: listener)
                        server.start(on: loop)
                        return LoopBound(server, loop: loop)
                    })
            }
            self.stubs = stubs
            server = try GatewayServer.start(configuration, declare: declare)
            guard let port = UInt16(exactly: server.port), let origin = Origin(host: "127.0.0.1", port: port)
            else {
                throw GatewayLeak(description: "the gateway has no port")
            }
            var limits = OutboundLimits()
            limits.firstByteTimeout = .seconds(30)
            limits.totalTimeout = .seconds(30)
            let httpClient = loop.runBlocking { [limits] in HTTPClient(loop: loop, limits: limits) }
            self.httpClient = httpClient
            client = TestClient(url: server.url, gateway: loop.runBlocking { httpClient.origin(origin) })
        } catch {
            group.shutdown()
            throw error
        }
    }

    /// Drains the gateway. Throws `GatewayLeak` if that takes more than two seconds.
    func end() throws {
        group.loops[0].runBlocking { [httpClient] in httpClient.close() }
        server.drain()
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [server] in
            server.waitUntilStopped()
            ended.signal()
        }
        let isOver = ended.wait(timeout: .now() + .seconds(2)) == .success
        if !isOver {
            server.stop()
            ended.wait()
        }
        for stub in stubs { stub.loop.runBlocking { stub.value.stop() } }
        group.shutdown()
        if !isOver {
            throw GatewayLeak(description: "requests were still in progress two seconds after the drain")
        }
    }
}
