import GatewayCore
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Static files behind middleware", .timeLimit(.minutes(1)))
struct FileMiddlewareTests {
    private let fixture: FileFixture

    init() throws {
        fixture = try FileFixture()
        try fixture.write("index.html", "<p>page</p>")
        try fixture.write("large.bin", [UInt8](repeating: 65, count: 1 << 20))
    }

    /// Serves the folder behind a check for a key.
    private func serve(isAsync: Bool = false, _ body: (RawClient) throws -> Void) throws -> [JSONFragment] {
        try withLoggedGateway(
            configure: { $0.files = .folder(fixture.root) },
            declare: { gateway in
                let check: @Sendable (GatewayRequest) throws -> Void = { request in
                    request.addAnswerField("X-Checked", "yes")
                    guard request.header("X-API-Key") == "secret" else {
                        throw GatewayError.unauthorized("The API key is missing")
                    }
                }
                if isAsync {
                    gateway.before { request in
                        await Task.yield()
                        try check(request)
                    }
                } else {
                    gateway.before(check)
                }
                gateway.after { answer in answer.addField("X-Status", "\(answer.status.code) \(answer.code)")
                }
            }
        ) { try body(RawClient(port: $0.port)) }
    }

    @Test(
        "A file is not answered around a check, and the log has the code of the refusal",
        arguments: [false, true])
    func refused(isAsync: Bool) throws {
        let lines = try serve(isAsync: isAsync) { client in
            let reply = try client.ask("/")
            #expect(reply.status == 401)
            #expect(reply.values("X-Status") == ["401 UNAUTHORIZED"])
            #expect(reply.values("X-Checked") == ["yes"])
        }
        #expect(lines.map { $0[member: "code"]?.stringValue } == ["UNAUTHORIZED"])
    }

    @Test(
        "A file that passes has the fields of the middleware, whole, in pieces, for HEAD and as an error",
        arguments: [false, true])
    func passed(isAsync: Bool) throws {
        let lines = try serve(isAsync: isAsync) { client in
            for (method, path, status, text) in [
                ("GET", "/", 200, "200 OK"), ("GET", "/large.bin", 200, "200 OK"),
                ("HEAD", "/", 200, "200 OK"),
                ("GET", "/none", 404, "404 NOT_FOUND"), ("POST", "/", 405, "405 METHOD_NOT_ALLOWED"),
                ("GET", "/health/live", 200, nil),
            ] as [(String, String, Int, String?)] {
                let reply = try client.call(method, path, "X-API-Key: secret")
                #expect(reply.status == status, "\(method) \(path)")
                #expect(reply.value("X-Status") == text, "\(method) \(path)")
                #expect(reply.value("X-Checked") == text.map { _ in "yes" }, "\(method) \(path)")
                #expect(reply.values("X-Request-Id").count == 1)
            }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [200, 200, 200, 404, 405])
        #expect(Set(lines.map { $0[member: "requestId"]?.stringValue }).count == 5)
    }

    @Test(
        "An answer of middleware that is streamed arrives whole, and a missing file is in its group's style")
    func streamsAndStyles() throws {
        let lines = try withLoggedGateway(
            configure: { $0.files = .folder(fixture.root) },
            declare: { gateway in
                gateway.group("/old", .envelope(.bare(completeField: "X-Complete"))) { old in
                    old.before { request -> Answer? in
                        guard request.header("X-Early") != nil else { return nil }
                        let pieces = AsyncStream<[UInt8]> { continuation in
                            continuation.yield(Array("early".utf8))
                            continuation.finish()
                        }
                        return .stream(pieces, contentType: "text/plain")
                    }
                }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            #expect(try client.call("GET", "/old/none", "X-Early: yes").text == "early")
            let missing = try client.call("GET", "/old/none")
            #expect(missing.status == 404)
            #expect(missing.value("Content-Type") == "application/problem+json")
            #expect(missing.value("X-Complete") == "false")
        }
        #expect(lines.map { $0[member: "code"]?.stringValue } == ["OK", "NOT_FOUND"])
    }

    @Test("Requests for files that wait in middleware have a share of the requests in flight, and no more")
    func share() throws {
        let lines = try withLoggedGateway(
            stops: true,
            configure: { configuration in
                configuration.files = .folder(fixture.root)
                configuration.inbound.requestsInFlight = 8
            },
            declare: { gateway in
                gateway.group("/slow") { slow in slow.before { _ in try await untilCancelled() }
                }
                gateway.get("/page") { _ in .json("page") }
            }
        ) { server in
            let waiting = try (1...16).map { _ in
                let client = try RawClient(port: server.port)
                client.send("GET /slow/index.html HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            try spin(while: server.settled.refusedRequests == 0) {
                "no request was refused, \(server.settled.requests) are in flight"
            }
            #expect(try RawClient(port: server.port).ask("/page").status == 200)
            for client in waiting { client.close() }
        }
        #expect(lines.contains { $0[member: "status"]?.intValue == 503 })
    }

    @Test("A client that leaves during a check cancels it")
    func leaving() throws {
        let state = Lock((began: false, cancelled: false))
        let lines = try withLoggedGateway(
            stops: true, configure: { $0.files = .folder(fixture.root) },
            declare: { gateway in
                gateway.before { _ in
                    state.withLock { $0.began = true }
                    do {
                        try await untilCancelled()
                    } catch {
                        state.withLock { $0.cancelled = true }
                        throw error
                    }
                }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: state.withLock { !$0.began }) { "the middleware has not begun" }
            client.reset()
            try spin(while: state.withLock { !$0.cancelled }) { "the middleware was not cancelled" }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [499])
    }
}
