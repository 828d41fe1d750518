import EventIO
import GatewayCore
import GatewayTesting
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Makes blocking calls in a handler, on its loop. None of them stops the program or the loop.
@Suite("Blocking calls in handlers", .timeLimit(.minutes(1)))
struct BlockingInHandlerTests {
    private struct Page: TargetType {
        let baseURL: String
        var path: RequestPath = "/page"
    }

    /// Serves on `loops` loops until `body` returns.
    private func serve(
        loops: Int, declare: (Gateway) throws -> Void, _ body: (GatewayServer) throws -> Void
    ) throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = loops
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        let server = try GatewayServer.start(configuration, declare: declare)
        let result = Result { try body(server) }
        server.stop()
        server.waitUntilStopped()
        try result.get()
    }

    private func get(_ path: String, from server: GatewayServer) throws -> String {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return String(decoding: client.readToEnd().bytes, as: UTF8.self)
    }

    @Test(
        "Handlers on two loops can each open a session, call over it, read its report and close it")
    func sessionInHandler() throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .again,
        ])
        let target = Page(baseURL: "http://127.0.0.1:\(upstream.port)")
        let loops = Lock<Set<String>>([])
        try serve(
            loops: 2,
            declare: { gateway in
                gateway.get("/session") { _ in
                    loops.withLock { _ = $0.insert(EventLoop.current?.name ?? "none") }
                    var configuration = Session.Configuration()
                    configuration.connections.proxy = .none
                    let session = try Session(configuration)
                    #expect(session.report == PoolReport())
                    let call = Provider<Page>(session: session).rx.request(target).fragment()
                    return .parts(
                        page: call.do(afterSuccess: { _ in
                            #expect(session.report.opened == 1)
                            session.close()
                            #expect(session.report == PoolReport())
                        }))
                }
            }
        ) { server in
            // The kernel assigns a connection to a loop by a hash of its ports.
            for _ in 0..<200 where loops.withLock({ $0.count }) < 2 {
                let answer = try get("/session", from: server)
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
            #expect(loops.withLock { $0 } == ["sluice-0", "sluice-1"])
        }
        upstream.stop()
    }

    @Test("A gateway with fewer than one loop does not start", arguments: [0, -1, Int.min])
    func noLoop(loops: Int) {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = loops
        #expect(throws: GatewayStartError.self) { try GatewayServer.start(configuration) { _ in } }
    }

    @Test("A handler can start another gateway; waiting for its own gateway to stop returns at once")
    func gatewayInHandler() throws {
        let own = Lock<GatewayServer?>(nil)
        try serve(
            loops: 1,
            declare: { gateway in
                gateway.get("/another") { _ in
                    var configuration = GatewayServerConfiguration()
                    configuration.port = 0
                    configuration.loops = 1
                    configuration.accessLog = false
                    configuration.logLevel = .error
                    let another = try GatewayServer.start(configuration) { gateway in
                        gateway.get("/") { _ in .json(1) }
                    }
                    defer { another.stop() }
                    return .json(HealthProbe.check(another.url) ?? "ready")
                }
                gateway.get("/wait") { _ in
                    own.withLock { $0 }?.waitUntilStopped()
                    return .json("went on")
                }
            }
        ) { server in
            own.withLock { $0 = server }
            let another = try get("/another", from: server)
            #expect(another.contains("\"ready\""))
            let waited = try get("/wait", from: server)
            #expect(waited.contains("\"went on\""))
        }
        own.withLock { $0 = nil }
    }
}
