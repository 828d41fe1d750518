import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

private struct Session: Equatable {
    var user: String
}

@Suite("Middleware and groups", .noLeaks)
struct MiddlewareTests {
    private let bench = Bench()

    /// Refuses requests without the right key.
    private func requireKey(_ gateway: Gateway) {
        gateway.before { request in
            guard request.header("X-API-Key") == "secret" else {
                throw GatewayError.unauthorized("The API key is missing or wrong", challenge: "APIKey")
            }
        }
    }

    private let key: HTTPFields = ["X-API-Key": "secret"]

    // MARK: Before

    @Test("A check that throws refuses the request, and the handler does not run")
    func refusal() throws {
        requireKey(bench.gateway)
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 401)
        #expect(reply["/code"] == #""UNAUTHORIZED""#)
        #expect(reply.fields[.wwwAuthenticate] == "APIKey")
        #expect(bench.transport.attempts.isEmpty)
        bench.upstream("/recent", .data("1"))
        #expect(try bench.answer(.get, "/page", fields: key)["/data/a"] == "1")
    }

    @Test("A value that middleware puts into a request is in its summary, whatever becomes of the request")
    func summary() throws {
        bench.gateway.before { request in request[Session.self] = Session(user: "green") }
        bench.gateway.get("/page") { _ in .json("page") }
        bench.gateway.get("/failure") { _ in throw GatewayError.forbidden("No") }
        bench.gateway.get("/slow") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .silence)
        for path in ["/page", "/failure", "/none"] {
            #expect(try bench.answer(.get, path).summary[Session.self] == Session(user: "green"), "\(path)")
            #expect(try bench.answer(.get, path).summary[Int.self] == nil)
        }
        let head = HTTPRequestHead(method: .get, target: try #require(RequestTarget("/slow")), fields: [:])
        let ongoing = try bench.gateway.responder().respond(to: ReceivedRequest(head: head)) { _ in }
        #expect(ongoing?.cancel()[Session.self] == Session(user: "green"))
    }

    @Test("An error that is no GatewayError is 500 INTERNAL and an incident")
    func unexpected() throws {
        struct Failure: Error {}
        bench.gateway.before { (_: GatewayRequest) throws -> Void in throw Failure() }
        bench.gateway.get("/page") { _ in .json("page") }
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("Paths, methods and OPTIONS without an endpoint are not answered around a check")
    func unmatched() throws {
        requireKey(bench.gateway)
        bench.gateway.get("/page") { _ in .json("page") }
        for (method, path, status, code) in [
            (HTTPMethod.get, "/none", 404, #""NOT_FOUND""#),
            (.delete, "/page", 405, #""METHOD_NOT_ALLOWED""#),
            (.options, "/page", 204, nil),
        ] as [(HTTPMethod, String, Int, String?)] {
            #expect(try bench.answer(method, path).status == 401, "\(method) \(path)")
            let reply = try bench.answer(method, path, fields: key)
            #expect(reply.status == status, "\(method) \(path)")
            if let code { #expect(reply["/code"] == code) }
            if status != 404 { #expect(reply.fields[.allow] == "GET, HEAD, OPTIONS") }
        }
    }

    @Test("A preflight needs no key, because browsers send none with it")
    func preflight() throws {
        let bench = Bench(cors: CORSPolicy(origins: .any))
        requireKey(bench.gateway)
        bench.gateway.get("/page") { _ in .json("page") }
        let preflight: HTTPFields = [.origin: "https://app.example", .accessControlRequestMethod: "GET"]
        #expect(try bench.answer(.options, "/page", fields: preflight).status == 204)
        #expect(try bench.answer(.options, "/none", fields: preflight).status == 404)
        #expect(try bench.answer(.options, "/page", fields: [.origin: "https://app.example"]).status == 401)
        let refusal = try bench.answer(.get, "/page", fields: [.origin: "https://app.example"])
        #expect(refusal.fields[.accessControlAllowOrigin] == "*")
    }

    @Test(
        "Checks run in the order of their declaration until one answers, and may be declared after the endpoints"
    )
    func order() throws {
        let log = Lock<[String]>([])
        bench.gateway.get("/page") { _ in
            log.withLock { $0.append("handler") }
            return .json("page")
        }
        bench.gateway.before { _ in log.withLock { $0.append("first") } }
        bench.gateway.before { request -> Answer? in
            log.withLock { $0.append("second") }
            return request.header("X-Early") == nil ? nil : .text("early")
        }
        bench.gateway.before { _ in log.withLock { $0.append("third") } }
        #expect(try bench.answer(.get, "/page")["/data"] == #""page""#)
        #expect(log.withLock { $0 } == ["first", "second", "third", "handler"])
        log.withLock { $0 = [] }
        #expect(try bench.answer(.get, "/page", fields: ["X-Early": "yes"]).body == "early")
        #expect(log.withLock { $0 } == ["first", "second"])
    }

    @Test("A value of a type passes from middleware to the handler")
    func values() throws {
        bench.gateway.before { request in
            request[Session.self] = Session(user: "guest")
            request[Int.self] = 7
        }
        bench.gateway.before { request in request[Session.self]?.user = "kim" }
        bench.gateway.get("/page") { request in
            .json([try request.require(Session.self).user, "\(request[Int.self] ?? 0)"])
        }
        bench.gateway.get("/missing") { request in .json(try request.require(String.self)) }
        #expect(try bench.answer(.get, "/page")["/data"] == #"["kim","7"]"#)
        #expect(try bench.answer(.get, "/missing").status == 500)
        #expect(bench.incidents.map { "\($0.error)" } == ["no middleware has put a String into the request"])
    }

    @Test("A field that an answer has once stays one, whoever adds it")
    func singleFields() throws {
        bench.gateway.before { request in
            request.addAnswerField(.cacheControl, "max-age=60")
            request.addAnswerField(.location, "/middleware")
        }
        bench.gateway.after { $0.addField(.retryAfter, "9") }
        bench.gateway.get("/default") { _ in .json(1) }
        bench.gateway.get("/own") { _ in
            .json(1).field(.cacheControl, "no-cache").field(.location, "/own")
        }
        bench.gateway.get("/failure") { _ in throw GatewayError.upstreamUnavailable("No", retryAfter: 2) }
        for (path, cacheControl, location) in [
            ("/default", "max-age=60", "/middleware"), ("/own", "no-cache", "/own"),
            ("/failure", "no-store", "/middleware"),
        ] {
            let fields = try bench.answer(.get, path).fields
            #expect(fields.values(of: .cacheControl) == [cacheControl], "\(path)")
            #expect(fields.values(of: .location) == [location], "\(path)")
            #expect(fields.values(of: .retryAfter) == ["9"], "\(path)")
        }
    }

    @Test("Fields that a check adds are in the answer, whatever it is, but not the gateway's own")
    func answerFields() throws {
        bench.gateway.before { request in
            request.addAnswerField("X-Shard", "7")
            request.addAnswerField(.contentType, "text/html")
        }
        bench.gateway.get("/page") { _ in .json("page") }
        bench.gateway.get("/failure") { _ in throw GatewayError.conflict("No") }
        for path in ["/page", "/failure", "/none"] {
            let reply = try bench.answer(.get, path)
            #expect(reply.fields.values(of: "X-Shard") == ["7"], "\(path)")
            #expect(reply.fields.values(of: .contentType) == ["application/json; charset=utf-8"])
        }
    }

    @Test(
        "An answer with a field or status that cannot be sent is 500 INTERNAL and an incident that names it")
    func unsendable() throws {
        bench.gateway.get("/field") { _ in .json("page").field("X-Own", "a\nb") }
        bench.gateway.get("/status") { _ in .status(.switchingProtocols) }
        #expect(try bench.answer(.get, "/field").status == 500)
        #expect(try bench.answer(.get, "/status").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "the value of the field X-Own has a control character", "101 is not the status of an answer",
            ])
    }

    @Test("A field of middleware that cannot be sent is an incident that names it, and is not sent")
    func unsendableByMiddleware() throws {
        bench.gateway.group("/before") { group in
            group.before { request in request.addAnswerField("X-Own", "a\nb") }
            group.get("/success") { _ in .json("page") }
            group.get("/failure") { _ in throw GatewayError.conflict("No") }
        }
        bench.gateway.group("/after") { group in
            group.after { answer in answer.setField("X-Own", "a\nb") }
            group.get("/success") { _ in .json("page") }
        }
        for (path, status) in [("/before/success", 500), ("/before/failure", 409), ("/after/success", 200)] {
            let reply = try bench.answer(.get, path)
            #expect(reply.status == status, "\(path)")
            #expect(!reply.fields.contains("X-Own"))
        }
        let fault = "the value of the field X-Own has a control character"
        #expect(bench.incidents.map { "\($0.error)" } == [fault, fault])
    }

    // MARK: Async

    @Test("A check may call an upstream and wait for it")
    func asyncCheck() async throws {
        bench.upstream("/users/kim", .data(#"{"name":"Kim"}"#))
        bench.gateway.before { [diary = bench.diary] request in
            let user = try await diary.rx.request(.user("kim")).fragment().value
            request[Session.self] = Session(user: user[member: "name"]?.stringValue ?? "")
        }
        bench.gateway.get("/page") { request in .json(try request.require(Session.self).user) }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply["/data"] == #""Kim""#)
    }

    @Test("A failed call of a check is answered like a handler's own")
    func asyncFailure() async throws {
        bench.upstream("/users/kim", .response(503))
        bench.gateway.before { [diary = bench.diary] request in
            _ = try await diary.rx.request(.user("kim")).fragment().value
        }
        bench.gateway.get("/page") { _ in .json("page") }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 503)
        #expect(reply["/errors/0/part"] == "null")
    }

    // MARK: After

    @Test("Middleware after the handler sees status, code and parts, and may add fields")
    func after() throws {
        let seen = Lock<[String]>([])
        bench.gateway.after { answer in
            let parts = answer.summary.parts.map { "\($0.name ?? "-") \($0.kind?.rawValue ?? "-")" }
            seen.withLock {
                $0.append("\(answer.request.route ?? "none") \(answer.status.code) \(answer.code) \(parts)")
            }
            answer.addField("X-Frame-Options", "DENY")
            answer.setField(.cacheControl, "no-cache")
            answer.addField(.contentLength, "12")
        }
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment(), b: diary.rx.request(.total).fragment().optional())
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .response(500))
        for path in ["/page", "/none"] {
            let reply = try bench.answer(.get, path)
            #expect(reply.fields.values(of: "X-Frame-Options") == ["DENY"])
            #expect(reply.fields.values(of: .cacheControl) == ["no-cache"])
            #expect(!reply.fields.contains(.contentLength))
        }
        #expect(
            seen.withLock { $0 } == [
                #"/page 200 PARTIAL ["a success", "b serverErr"]"#, "none 404 NOT_FOUND []",
            ])
    }

    @Test("Middleware after the handler runs for refused requests too, from the inner group outwards")
    func afterOrder() throws {
        bench.gateway.after { $0.addField("X-Order", "gateway") }
        bench.gateway.group("/api") { api in
            api.after { $0.addField("X-Order", "first") }
            api.after { $0.addField("X-Order", "second") }
            requireKey(api)
            api.get("/page") { _ in .json("page") }
        }
        let reply = try bench.answer(.get, "/api/page")
        #expect(reply.status == 401)
        #expect(reply.fields.values(of: "X-Order") == ["first", "second", "gateway"])
    }

    // MARK: Groups

    @Test("A group's prefix, options and middleware apply to its endpoints only")
    func group() throws {
        bench.gateway.get("/open") { _ in .json("open") }
        bench.gateway.group("/api", .bodyLimit(4)) { api in
            requireKey(api)
            api.get("") { _ in .json("root") }
            api.post("/page") { _ in .json("page") }
            api.post("/large", .bodyLimit(8)) { _ in .json("large") }
            api.group("/{shop}") { shop in
                shop.before { request in request[Session.self] = Session(user: try request.path("shop")) }
                shop.get("/name") { request in .json(try request.require(Session.self).user) }
            }
        }
        #expect(try bench.answer(.get, "/open")["/data"] == #""open""#)
        #expect(try bench.answer(.get, "/api").status == 401)
        #expect(try bench.answer(.get, "/api", fields: key)["/data"] == #""root""#)
        #expect(try bench.answer(.post, "/api/page", fields: key, body: "12345").status == 413)
        #expect(try bench.answer(.post, "/api/large", fields: key, body: "12345")["/data"] == #""large""#)
        #expect(try bench.answer(.get, "/api/books/name", fields: key)["/data"] == #""books""#)
    }

    @Test("A path without an endpoint passes through the group with the most specific prefix")
    func unmatchedInGroups() throws {
        bench.gateway.group("/api") { api in
            api.get("/page") { _ in .json("page") }
        }
        bench.gateway.group("/api") { api in
            requireKey(api)
            api.get("/private") { _ in .json("private") }
        }
        bench.gateway.group("/api/{shop}") { shop in
            shop.before { request in request.addAnswerField("X-Shop", try request.path("shop")) }
            shop.get("/name") { _ in .json("name") }
        }
        #expect(try bench.answer(.get, "/none").status == 404)
        #expect(try bench.answer(.get, "/apis").status == 404)
        #expect(try bench.answer(.get, "/api/page").status == 200)
        #expect(try bench.answer(.delete, "/api/page").status == 405)
        #expect(try bench.answer(.delete, "/api/private").status == 401)
        #expect(try bench.answer(.get, "/api").status == 401)
        let reply = try bench.answer(.get, "/api/books/none")
        #expect(reply.status == 404)
        #expect(reply.fields["X-Shop"] == "books")
    }

    @Test(
        "A path without an endpoint prefers the check of a literal prefix to a longer prefix with a parameter"
    )
    func literalFirst() throws {
        bench.gateway.group("/admin") { requireKey($0) }
        bench.gateway.group("/{tenant}/x") { $0.get("/y") { _ in .json("y") } }
        #expect(try bench.answer(.get, "/admin/x/secret").status == 401)
        #expect(try bench.answer(.get, "/shop/x/secret").status == 404)
        #expect(try bench.answer(.get, "/admin/x/y").status == 200)
    }

    @Test("No further check runs after the deadline, even if one ignores its cancellation")
    func stubborn() async throws {
        let ran = Lock(0)
        let signal = AsyncStream<Void>.makeStream()
        bench.gateway.defaults(.deadline(.seconds(1)))
        bench.gateway.before { _ in
            for await _ in signal.stream { break }
            ran.withLock { $0 += 1 }
        }
        bench.gateway.before { _ in ran.withLock { $0 += 10 } }
        bench.gateway.get("/page") { _ in .json("page") }
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply().status == 504)
        signal.continuation.yield()
        signal.continuation.finish()
        try await poll(while: ran.withLock { $0 } == 0) { "the check has not ended" }
        await Task.yield()
        #expect(ran.withLock { $0 } == 1)
    }

    @Test("Defaults apply to every endpoint of a gateway, and an inner option overrides an outer one")
    func defaults() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.gateway.group("", .deadline(.seconds(2))) { group in
            group.get("/two") { [diary = bench.diary] _ in .parts(a: diary.rx.request(.recent).fragment()) }
        }
        bench.gateway.defaults(.deadline(.seconds(1)))
        bench.upstream("/recent", .silence)
        let page = try bench.ask(.get, "/page")
        let two = try bench.ask(.get, "/two")
        bench.time.advance(by: .seconds(1))
        #expect(try page.reply().status == 504)
        #expect(two.count == 0)
        bench.time.advance(by: .seconds(1))
        #expect(try two.reply().status == 504)
    }

    @Test("An invalid prefix and a path declared in two groups are reported")
    func faults() throws {
        bench.gateway.group("api") { $0.get("/page") { _ in .json("page") } }
        bench.gateway.group("/shop") { $0.get("/page") { _ in .json("page") } }
        bench.gateway.get("/shop/page") { _ in .json("page") }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "the path api/page does not begin with a slash", "GET /shop/page is declared twice",
                "the path api does not begin with a slash",
            ])
    }

    // MARK: The end of a request

    @Test("The deadline covers checks, and no handler runs after it")
    func deadline() throws {
        bench.gateway.defaults(.deadline(.seconds(1)))
        bench.gateway.before { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }
        bench.gateway.get("/page") { _ in .json("page") }
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply().status == 504)
        #expect(bench.incidents.isEmpty)
    }
}
