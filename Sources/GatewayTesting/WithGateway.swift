import Dispatch
import EventIO
public import GatewayCore
public import GatewayHTTP
import HTTPInbound
import HTTPOutbound
import Locking

/// Runs a gateway on a free port of loopback, with stub upstreams in the place of the real ones, for as long as
/// `body` runs; then drains it.
///
///     try await withGateway(upstreams: ["diary": diary], declare: declareEndpoints) { client in
///         let response = try await client.get("/api/weights/charts?fddDate=2026-11-20")
///         #expect(response.status == .ok)
///     }
///
/// - Parameters:
///   - upstreams: what answers for the upstreams by name; each is on a port of its own.
///   - configuration: limits and CORS to test with; host, port and logs are the helper's own.
///   - declare: declares the endpoints under test.
/// - Throws: `GatewayLeak` where the gateway does not come to its end after `body` has returned; else what
///   `declare` and `body` throw.
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

/// A gateway that did not end when it was drained: something it serves or calls is still under way.
public struct GatewayLeak: Error, CustomStringConvertible {
    public let description: String
}

/// Blocking work, away from the threads that tasks run on.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let handover = Handover()
    defer { handover.taken() }
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            let result = Result { try work() }
            handover.given()
            continuation.resume(with: result)
        }
    }
}

/// The running parts of a test: stubs and the test's own client on one loop, the gateway on another.
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
                throw GatewayLeak(description: "the gateway listens on no port")
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

    /// Drains the gateway; what is not over after two seconds is a leak.
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
            throw GatewayLeak(description: "requests were still under way two seconds after the drain")
        }
    }
}
