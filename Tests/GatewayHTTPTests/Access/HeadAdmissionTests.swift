import GatewayConfig
import GatewayCore
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Callers that are refused at the head of their requests", .timeLimit(.minutes(1)))
struct HeadAdmissionTests {
    @Sendable private func declare(_ gateway: Gateway) {
        gateway.post("/items", .require("partners"), .bodyLimit(1000)) { .json($0.body.count) }
        gateway.post("/stream", .require("partners"), .streamsBody) { _ in .json(1) }
    }

    private static let expectation = "Expect: 100-continue\r\n"

    @Test(
        "A client that waits for a 100 gets its refusal instead, without a byte of the body",
        arguments: ["/items", "/stream"], ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"])
    func noContinue(target: String, framing: String) throws {
        try withAccessGateway(declare: declare) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            let reply = try client.reply(to: target, framing + Self.expectation, method: "POST")
            #expect(reply.status == 401)
            #expect(code(of: reply) == "UNAUTHORIZED")
            #expect(reply.value("Connection") == "close")
            #expect(client.reachesEnd())
        }
    }

    @Test("If a store has to count a stranger, the body is read first, as it is for a caller")
    func bodyBeforeStore() throws {
        try withAccessGateway(
            configure: {
                $0.stores["main"] = RedisStore("unix:/nowhere/redis")
                $0.logLevel = .error
            },
            declare: { gateway in
                gateway.rateLimit(
                    "strangers", RateLimit(key: [.client], rate: 1, per: .seconds(3600), store: "main"))
                gateway.post("/items", .require("partners"), .rateLimits("strangers"), .bodyLimit(1000)) {
                    .json($0.body.count)
                }
            }
        ) { gateway throws in
            // Neither answer tells whether the credential is right.
            for fields in ["", gateway.keyField] {
                let client = try RawClient(port: gateway.server.port)
                let fields = fields + "Content-Length: 5000\r\n" + Self.expectation
                #expect(try client.reply(to: "/items", fields, method: "POST").status == 413)
                #expect(client.reachesEnd())
            }
            for status in [401, 429] {
                let client = try RawClient(port: gateway.server.port)
                let fields = "Content-Length: 5\r\n" + Self.expectation
                #expect(try client.reply(to: "/items", fields, method: "POST").status == 100)
                client.send("hello")
                #expect(try client.reply().status == status)
                client.close()
            }
        }
    }

    @Test("A head that its endpoint refuses is told to callers only, with what their limits have left")
    func refusedHead() throws {
        let endpoint = """
            endpoints:
            - post: /items
              require: [partners, web]
              rateLimits: perClient
              body: {type: object}
              data: {value: 1}

            """
        try withAccessFile { file throws in
            try file.gateway.reload(
                file.text.replacing("endpoints:\n", with: endpoint).replacing(
                    "auth:\n",
                    with: "auth:\n  web: {authorize: {upstream: parts, get: /auth, forward: [X-Session]}}\n"))
            let fields = "Content-Length: 5\r\nContent-Type: text/plain\r\n" + Self.expectation
            let known = try RawClient(port: file.server.port)
            let refusal = try known.reply(to: "/items", file.keyField + fields, method: "POST")
            #expect(refusal.status == 415)
            #expect(refusal.value("RateLimit")?.hasPrefix("\"perClient\";r=") == true)
            let stranger = try RawClient(port: file.server.port)
            #expect(try stranger.reply(to: "/items", fields, method: "POST").status == 401)
            // Whether the authorizer admits the caller is not known yet.
            let unknown = try RawClient(port: file.server.port)
            let session = "X-Session: 1\r\n" + fields
            #expect(try unknown.reply(to: "/items", session, method: "POST").status == 100)
            unknown.close()
        }
    }

    @Test("A client that is admitted gets its 100, and then its answer")
    func admitted() throws {
        try withAccessGateway(declare: declare) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            let fields = gateway.keyField + "Content-Length: 5\r\n" + Self.expectation
            #expect(try client.reply(to: "/items", fields, method: "POST").status == 100)
            client.send("hello")
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.data == "5")
            client.close()
        }
    }

    @Test("The body of a refused request is discarded, and the connection serves the next request")
    func keepsConnection() throws {
        try withAccessGateway(declare: declare) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            for body in [
                "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            ] {
                client.send("POST /items HTTP/1.1\r\nHost: test\r\n\(body)")
                let reply = try client.reply()
                #expect(reply.status == 401)
                #expect(reply.value("Connection") == nil)
                #expect(gateway.server.settled.requestBodyBytes == 0)
                #expect(try client.reply(to: "/me", gateway.keyField).data == #""shop""#)
            }
            client.close()
        }
    }

    @Test("Pipelined requests of a stranger and of a caller get their own answers, in their order")
    func pipelined() throws {
        try withAccessGateway(declare: declare) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            let stranger = "GET /me HTTP/1.1\r\nHost: test\r\n\r\n"
            let caller = "GET /me HTTP/1.1\r\nHost: test\r\n\(gateway.keyField)\r\n"
            client.send(stranger + caller + stranger + caller)
            for status in [401, 200, 401, 200] { #expect(try client.reply().status == status) }
            client.close()
        }
    }

    @Test("A body that is too large is not read: the stranger gets 401, and the caller 413")
    func tooLarge() throws {
        try withAccessGateway(declare: declare) { gateway throws in
            for (fields, status) in [("", 401), (gateway.keyField, 413)] {
                let client = try RawClient(port: gateway.server.port)
                let fields = fields + "Content-Length: 100000000\r\n"
                let reply = try client.reply(to: "/items", fields, method: "POST")
                #expect(reply.status == status)
                #expect(reply.value("Connection") == "close")
                #expect(client.reachesEnd())
            }
        }
    }

    @Test("The handler of a refused request does not run, and its upstream is not called")
    func notCalled() throws {
        try withAccessGateway { gateway throws in
            for fields in ["", "Authorization: Bearer a.b.c\r\n", "Authorization: Basic YTpi\r\n"] {
                #expect(try gateway.server.ask("/page", fields).status == 401)
            }
            #expect(gateway.upstream.requests.isEmpty)
            let reply = try gateway.server.ask("/page", gateway.provider.field("ann"))
            #expect(reply.status == 200)
            #expect(gateway.upstream.requests.count == 1)
            #expect(gateway.upstream.requests[0].contains("X-User-Id: ann\r\n"))
            #expect(!gateway.upstream.requests[0].contains("Authorization"))
        }
    }

    @Test("HEAD is refused as GET is, without a body")
    func head() throws {
        try withAccessGateway { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            let refused = try client.reply(to: "/me", method: "HEAD")
            #expect(refused.status == 401)
            #expect(refused.value("WWW-Authenticate") != nil)
            #expect(try client.reply(to: "/me", gateway.keyField, method: "HEAD").status == 200)
            #expect(try client.reply(to: "/me", gateway.keyField).status == 200)
            client.close()
        }
    }

    @Test("Paths are no secret: 404, 405, OPTIONS and health checks come before the caller is asked for")
    func pathsFirst() throws {
        try withAccessGateway(declare: declare) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            #expect(try client.reply(to: "/none").status == 404)
            #expect(try client.reply(to: "/me", method: "DELETE").status == 405)
            #expect(try client.reply(to: "/me", method: "OPTIONS").status == 204)
            #expect(try client.reply(to: "/health/live").status == 200)
            client.close()
        }
    }

    @Test("An endpoint without room refuses everybody, and a request without room uses up no limit")
    func roomFirst() throws {
        let started = Signal()
        let go = Signal()
        try withAccessGateway(declare: { gateway in
            gateway.rateLimit("two", RateLimit(key: [.endpoint], rate: 2, per: .seconds(3600)))
            gateway.get("/slow", .require("partners"), .rateLimits("two"), .concurrency(1)) { request in
                try await request.blocking {
                    started.fire()
                    try? go.waitBlocking()
                }
                return .json(1)
            }
        }) { gateway throws in
            let first = try RawClient(port: gateway.server.port)
            first.send("GET /slow HTTP/1.1\r\nHost: test\r\n\(gateway.keyField)\r\n")
            try started.waitBlocking()
            for fields in ["", gateway.keyField] {
                #expect(try gateway.server.ask("/slow", fields).status == 503)
            }
            go.fire()
            #expect(try first.reply().status == 200)
            first.close()
            #expect(gateway.server.settled.access.limits["two"] == RateLimitReport(allowed: 1))
            go.fire()
            #expect(try gateway.server.ask("/slow", gateway.keyField).status == 200)
            #expect(try gateway.server.ask("/slow", gateway.keyField).status == 429)
        }
    }
}
