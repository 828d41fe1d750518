import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Routing", .noLeaks)
struct RoutingTests {
    private let bench = Bench()

    init() {
        let gateway = bench.gateway
        gateway.get("/") { _ in .json("root") }
        gateway.get("/api/weights/charts") { _ in .json("charts") }
        gateway.put("/api/weights/{date}/{half}") { request in
            .json([try request.path("date", as: String.self), try request.path("half", as: String.self)])
        }
        gateway.delete("/api/weights/{date}/{half}") { _ in .json("deleted") }
        gateway.get("/users/me") { _ in .json("me") }
        gateway.get("/users/{name}") { request in .json(try request.path("name", as: String.self)) }
        gateway.delete("/users/{name}") { request in .json(try request.path("name", as: String.self)) }
        gateway.get("/a/{x}/b") { _ in .json("x/b") }
        gateway.get("/a/literal/c") { _ in .json("literal/c") }
        gateway.get("/체중/kg") { _ in .json("weight") }
        gateway.get("/marks/\u{301}/{x}") { request in .json(try request.path("x", as: String.self)) }
    }

    @Test(
        "A path that no endpoint matches gets 404",
        arguments: [
            "/nowhere", "/api", "/api/weights", "/api/weights/charts/", "/API/weights/charts",
            "//api/weights/charts", "/api//weights/charts", "/users/", "/users",
        ])
    func unknown(_ path: String) throws {
        let reply = try bench.answer(.get, path)
        #expect(reply.status == 404)
        #expect(reply["/code"] == #""NOT_FOUND""#)
        #expect(reply.summary.route == nil)
    }

    @Test("A slash in a template separates segments even before a combining mark")
    func combiningMark() throws {
        #expect(try bench.answer(.get, "/marks/%CC%81").status == 404)
        #expect(try bench.answer(.get, "/marks/%CC%81/1")["/data"] == #""1""#)
    }

    @Test("A method that the path does not support gets 405 with Allow, which includes HEAD and OPTIONS")
    func otherMethod() throws {
        let get = try bench.answer(.get, "/api/weights/2026-11-20/am")
        #expect(get.status == 405)
        #expect(get["/code"] == #""METHOD_NOT_ALLOWED""#)
        #expect(get.fields[.allow] == "PUT, DELETE, OPTIONS")
        #expect(
            get["/message"] == #""This path does not support GET, only PUT, DELETE, OPTIONS""#)
        #expect(try bench.answer(.post, "/api/weights/charts").fields[.allow] == "GET, HEAD, OPTIONS")
        #expect(try bench.answer(.post, "/users/me").fields[.allow] == "GET, HEAD, DELETE, OPTIONS")
        #expect(try bench.answer(.head, "/api/weights/2026-11-20/am").status == 405)
        #expect(try bench.answer(try #require(HTTPMethod(rawValue: "BREW")), "/users/me").status == 405)
    }

    @Test("HEAD is answered by the GET endpoint, OPTIONS with the list of methods")
    func automatic() throws {
        let head = try bench.answer(.head, "/api/weights/charts")
        #expect(head.status == 200)
        #expect(head["/data"] == #""charts""#)
        let options = try bench.answer(.options, "/users/me")
        #expect(options.status == 204)
        #expect(options.fields[.allow] == "GET, HEAD, DELETE, OPTIONS")
        #expect(options.body.isEmpty)
        #expect(options.fields.contains(.xRequestID))
        #expect(try bench.answer(.options, "/nowhere").status == 404)
        #expect(try bench.answer(.options, "*").status == 204)
    }

    @Test(
        "An unsafe path gets 400, encoded or not, even if no endpoint matches it",
        arguments: [
            "/users/..", "/users/.", "/users/%2e%2e", "/users/%2E", "/users/.%2e", "/./users/me",
            "/users/a%2fb",
            "/users/a%2Fb", "/users/a\\b", "/users/a%5Cb", "/users/a%00", "/users/a%0a", "/users/a%1f",
            "/users/a%7f",
            "/users/%ff", "/users/%c3%28", "/users/%", "/users/%2", "/users/%zz", "/nowhere/..",
        ])
    func unsafe(_ path: String) throws {
        let reply = try bench.answer(.get, path)
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(try #require(reply["/message"]).hasPrefix("\"The path must "))
    }

    @Test(
        "Path parameters are percent-decoded segment by segment",
        arguments: [
            ("/users/kim", "\"kim\""), ("/users/%EC%B2%B4", "\"체\""), ("/users/a%20b", "\"a b\""),
            ("/users/a+b", "\"a+b\""), ("/users/...", "\"...\""), ("/users/a%3Fb%23c", "\"a?b#c\""),
            ("/users/%2525", "\"%25\""), ("/users/m%65", "\"me\""),
        ])
    func decoding(_ path: String, _ value: String) throws {
        #expect(try bench.answer(.get, path)["/data"] == value)
    }

    @Test("A literal matches after decoding and wins over a parameter, unless it leads to no endpoint")
    func preference() throws {
        #expect(try bench.answer(.get, "/")["/data"] == #""root""#)
        #expect(try bench.answer(.get, "/api/weights/charts?fddDate=2026-11-20")["/data"] == #""charts""#)
        #expect(try bench.answer(.get, "/%61pi/weights/charts")["/data"] == #""charts""#)
        #expect(try bench.answer(.get, "/users/me")["/data"] == #""me""#)
        #expect(try bench.answer(.delete, "/users/me")["/data"] == #""me""#)
        #expect(try bench.answer(.get, "/a/literal/b")["/data"] == #""x/b""#)
        #expect(try bench.answer(.get, "/a/literal/c")["/data"] == #""literal/c""#)
        #expect(try bench.answer(.get, "/%EC%B2%B4%EC%A4%91/kg")["/data"] == #""weight""#)
        #expect(try bench.answer(.put, "/api/weights/2026-11-20/am")["/data"] == #"["2026-11-20","am"]"#)
        #expect(try bench.answer(.get, "http://other.example/users/me")["/data"] == #""me""#)
    }

    @Test("Routing finds the endpoint and its body limit before the body arrives")
    func decision() throws {
        bench.gateway.post("/upload", .bodyLimit(10)) { _ in .json(1) }
        let responder = try bench.gateway.responder()
        func route(_ method: HTTPMethod, _ target: String) throws -> GatewayResponder.Decision {
            try responder.route(
                HTTPRequestHead(method: method, target: try #require(RequestTarget(target))))
        }
        guard case .endpoint(let upload) = try route(.post, "/upload"),
            case .endpoint(let user) = try route(.delete, "/users/kim")
        else {
            Issue.record("a request has no endpoint")
            return
        }
        #expect(upload.bodyLimit == 10)
        #expect(user.bodyLimit == 1024 * 1024)
        let missing = #expect(throws: GatewayError.self) { try route(.get, "/nowhere") }
        #expect(missing?.code == .notFound)
        let long = try bench.answer(.post, "/upload", body: "12345678901")
        #expect(long.status == 413)
        #expect(long["/message"] == #""The request body exceeds 10 bytes""#)
        #expect(try bench.answer(.post, "/upload", body: "1234567890").status == 200)
    }

    @Test("A request with the gateway's own name four times in Via gets 508; three times are allowed")
    func loops() throws {
        func status(_ fields: HTTPFields) throws -> Int {
            try bench.answer(.get, "/users/me", fields: fields).status
        }
        let three = "1.1 sluice, 1.0 other, HTTP/1.1 Sluice (again), 1.0\tSLUICE"
        for fourth in ["1.1 sluice", "1.1 other (, 1.1 sluice", "HTTP/1.1 sLuIcE\t(x)"] {
            #expect(try status([.via: "\(three), \(fourth)"]) == 508)
            #expect(try status([.via: three, HTTPFieldName.via: fourth]) == 508)
        }
        for other in ["1.1 sluicegate", "sluice", "1.1 sluice:80", "1.1 s\u{c}uice", "1.1 3luice", ""] {
            #expect(try status([.via: "\(three), \(other)"]) == 200)
        }
        let reply = try bench.answer(.get, "/nowhere", fields: [.via: "\(three), 1.1 sluice"])
        #expect(reply["/code"] == #""LOOP_DETECTED""#)
    }
}

@Suite("Declarations", .noLeaks)
struct DeclarationTests {
    @Test(
        "An invalid path is a declaration fault with its reason",
        arguments: [
            ("weights", "does not begin with a slash"), ("", "does not begin with a slash"),
            ("/a/", "has an empty segment; a path does not end with a slash"),
            ("/a//b", "has an empty segment; a path does not end with a slash"),
            ("/{a", "has a segment with braces in it; a parameter is a whole segment, {name} or {name...}"),
            ("/{}", "has a segment with braces in it; a parameter is a whole segment, {name} or {name...}"),
            ("/{1}", "has a segment with braces in it; a parameter is a whole segment, {name} or {name...}"),
            ("/x{a}", "has a segment with braces in it; a parameter is a whole segment, {name} or {name...}"),
            ("/{a}/{a}", "has the parameter {a} twice"),
            ("/..", "has the segment .., which no request can match"),
            ("/a b", "has a segment with one of % ? # { } \\ or a blank"),
            ("/a%20", "has a segment with one of % ? # { } \\ or a blank"),
            ("/a?b", "has a segment with one of % ? # { } \\ or a blank"),
            ("//\u{301}", "has an empty segment; a path does not end with a slash"),
            (
                "/{a}\u{301}",
                "has a segment with braces in it; a parameter is a whole segment, {name} or {name...}"
            ),
        ])
    func templates(_ path: String, _ complaint: String) throws {
        let bench = Bench()
        bench.gateway.get(path) { _ in .json(1) }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(error?.faults.count == 1)
        #expect(try #require(error).description.hasPrefix("the path \(path) \(complaint)"))
    }

    @Test("Declaring an endpoint twice is a fault, even with different parameter names")
    func twice() throws {
        let bench = Bench()
        bench.gateway.get("/users/{name}") { _ in .json(1) }
        bench.gateway.get("/users/{id}") { _ in .json(2) }
        bench.gateway.put("/users/{id}") { _ in .json(3) }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(error?.faults == ["GET /users/{id} is declared twice"])
    }

    @Test("An address for an unknown upstream is a fault that lists the declared upstreams")
    func unknownOverride() throws {
        let bench = Bench(overrides: ["dairy": "http://127.0.0.1:1"])
        _ = bench.gateway.provider(DiaryAPI.self, upstream: "weather")
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.description
                == "an address is set for the unknown upstream \"dairy\" (declared: diary, weather)")
    }

    @Test("TLS settings for an unknown upstream are a fault that lists the declared upstreams")
    func unknownSettings() throws {
        let transport = StubTransport(scheduler: HistoricalScheduler())
        func error(_ names: Set<String>) -> GatewayDeclarationError? {
            let gateway = Gateway(GatewayEnvironment(transport: transport, configuredUpstreams: names))
            _ = gateway.provider(DiaryAPI.self, upstream: "weather")
            do {
                _ = try gateway.responder()
                return nil
            } catch {
                return error
            }
        }
        #expect(
            error(["dairy", "DiaryAPI", "weather"])?.faults == [
                "TLS or DNS is set for the unknown upstream \"DiaryAPI\" (declared: weather)",
                "TLS or DNS is set for the unknown upstream \"dairy\" (declared: weather)",
            ])
        #expect(error(["weather"]) == nil)
    }

    @Test("An invalid address is a fault, and all faults are reported at once")
    func everything() throws {
        let bench = Bench(
            cors: CORSPolicy(origins: .any, allowsCredentials: true),
            overrides: ["diary": "ftp://x", "b": "http://x"])
        bench.gateway.get("x") { _ in .json(1) }
        bench.gateway.get("/y", .forwards(.cookie)) { _ in .json(1) }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(error?.faults.count == 5)
        #expect(
            error?.faults.first
                == "the address of upstream diary, 'ftp://x', is invalid: a URL begins with http:// or https://"
        )
    }

    @Test(
        "An invalid address that several providers share is one fault, with the password hidden")
    func oneAddress() throws {
        let bench = Bench(overrides: ["diary": "http://me:secret@x"])
        _ = bench.gateway.provider(DiaryAPI.self, upstream: "diary")
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "the address of upstream diary, 'http://me:***@x', is invalid: "
                    + "a URL has no user name or password before its host"
            ])
    }

    @Test("An address override moves only the calls of its own upstream")
    func override() throws {
        let bench = Bench(overrides: ["diary": "http://127.0.0.1:9/moved"])
        let other = bench.gateway.provider(DiaryAPI.self, upstream: "other")
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment(), b: other.rx.request(.recent).fragment())
        }
        bench.transport.answer(.data("1"))
        #expect(try bench.answer(.get, "/page").status == 200)
        let calls = bench.transport.attempts.map(\.call)
        #expect(calls.map(\.path) == ["/moved/recent", "/food-diary/recent"])
        #expect(calls.map(\.upstream.name) == ["diary", "other"])
    }

    @Test("Addresses of one upstream that do not fit together are a fault")
    func unfitAddresses() throws {
        let bench = Bench(overrides: ["diary": ["http://a.test", "http://b.test/v1"]])
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "the address of upstream diary, 'http://b.test/v1', is invalid: "
                    + "the path differs from the first base URL, http://a.test/"
            ])
    }

    @Test("An override may have several addresses")
    func addresses() throws {
        let bench = Bench(overrides: ["diary": ["http://127.0.0.1:9/moved", "http://127.0.0.1:10/moved"]])
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.transport.answer(.data("1"))
        #expect(try bench.answer(.get, "/page").status == 200)
        let call = try #require(bench.transport.attempts.first?.call)
        #expect(call.path == "/moved/recent")
        #expect(call.upstream.baseURLs.map(\.port) == [9, 10])
    }

    @Test("Forwarding credentials to every upstream or to an unknown one is a fault")
    func credentials() throws {
        let bench = Bench()
        bench.gateway.get("/a", .forwards(.authorization)) { _ in .json(1) }
        bench.gateway.get("/b", .forwardsAuthorization(to: "diary", "dairy"), .forwardsCookies(to: "other")) {
            _ in .json(1)
        }
        bench.gateway.get("/c", .forwardsAuthorization(to: "later"), .forwardsCookies(to: "diary")) { _ in
            .json(1)
        }
        // An upstream may be declared after an endpoint that names it.
        _ = bench.gateway.provider(DiaryAPI.self, upstream: "later")
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "GET /a forwards credentials to every upstream; "
                    + "use forwardsAuthorization(to:) or forwardsCookies(to:)",
                #"GET /b forwards Authorization to the unknown upstream "dairy" (declared: diary, later)"#,
                #"GET /b forwards Cookie to the unknown upstream "other" (declared: diary, later)"#,
            ])
    }

    @Test(
        "Forwarding a field that describes the client's body is a fault: a call would have it twice, or without a body",
        arguments: ["content-type", "Content-Encoding", "Content-Range", "Repr-Digest"])
    func bodyFields(name: String) throws {
        let bench = Bench()
        bench.gateway.get("/a", .forwards(.acceptLanguage, try #require(HTTPFieldName(name)))) { _ in .json(1)
        }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "GET /a forwards \(name), which describes the client's body; calls have bodies of their own"
            ])
    }

    @Test("A part without a name, or with another part's name, gives 500 and an incident")
    func partNames() throws {
        let bench = Bench()
        bench.gateway.get("/twice") { _ in .parts(a: 1, a: 2) }
        bench.gateway.get("/unnamed") { _ in .parts(1) }
        #expect(try bench.answer(.get, "/twice").status == 500)
        #expect(try bench.answer(.get, "/unnamed").status == 500)
        #expect(bench.incidents.map { "\($0.error)" } == ["two parts are named a", "part 1 has no name"])
    }

    @Test("Each of thousands of paths is found, though they differ in one byte, and others are not")
    func thousands() throws {
        let bench = Bench()
        for number in 0..<3000 {
            bench.gateway.get("/\(number)/list") { _ in .json("list \(number)") }
            bench.gateway.get("/below/\(number)/{id}") { request in
                .json("\(number) \(try request.path("id", as: String.self))")
            }
        }
        // All requests use one router, because building it takes a while.
        let responder = try bench.gateway.responder()
        func answer(_ path: String, _ method: HTTPMethod = .get) throws -> Reply {
            try bench.answer(method, path, responder: responder)
        }
        for number in stride(from: 0, to: 3000, by: 7) {
            #expect(try answer("/\(number)/list")["/data"] == "\"list \(number)\"")
            #expect(try answer("/below/\(number)/x")["/data"] == "\"\(number) x\"")
        }
        for path in ["/3000/list", "/0/lisT", "/below/3000/x", "/below/-1/x", "/00/list", "/below//x"] {
            #expect(try answer(path).status == 404, "\(path)")
        }
        #expect(try answer("/below/2999/x", .post).status == 405)
    }
}
