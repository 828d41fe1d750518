import GatewayCore
import HTTPModel
import JSONBytes
import RxTesting
import Testing

@Suite("CORS", .noLeaks)
struct CORSTests {
    private func bench(_ policy: CORSPolicy?) -> Bench {
        let bench = Bench(cors: policy)
        bench.gateway.get("/page") { _ in .json(1) }
        bench.gateway.put("/page") { _ in .json(2) }
        return bench
    }

    private static let app = "https://app.example"

    private func cors(_ fields: HTTPFields) -> [String] {
        fields.map { "\($0.name): \($0.value)" }.filter {
            $0.hasPrefix("Access-Control") || $0.hasPrefix("Vary")
        }
    }

    private static let preflight: HTTPFields = [
        .origin: app, .accessControlRequestMethod: "PUT", .accessControlRequestHeaders: "content-type",
    ]

    @Test("CORS is off by default: no field is sent, and a preflight is an ordinary OPTIONS")
    func off() throws {
        let bench = bench(nil)
        #expect(cors(try bench.answer(.get, "/page", fields: [.origin: Self.app]).fields).isEmpty)
        let options = try bench.answer(.options, "/page", fields: Self.preflight)
        #expect(options.status == 204)
        #expect(cors(options.fields).isEmpty)
    }

    @Test("The policy's fields are there once, even if an endpoint or middleware sets them")
    func once() throws {
        let bench = Bench(cors: CORSPolicy(origins: .list([Self.app])))
        bench.gateway.before { $0.addAnswerField(.accessControlAllowOrigin, "*") }
        bench.gateway.get("/page") { _ in .json(1).field(.accessControlAllowOrigin, "*") }
        let own = try bench.answer(.get, "/page", fields: [.origin: Self.app]).fields
        #expect(own.values(of: .accessControlAllowOrigin) == [Self.app])
        let foreign = try bench.answer(.get, "/page", fields: [.origin: "https://evil.example"]).fields
        #expect(cors(foreign) == ["Vary: Origin"])
    }

    @Test("Pages of the same host may read answers, whatever their scheme and port")
    func sameHost() throws {
        let bench = bench(CORSPolicy(origins: .sameHost, exposedHeaders: []))
        func fields(_ origin: String?, host: String? = "shop.example:8080") throws -> [String] {
            var fields = HTTPFields()
            fields[.host] = host
            fields[.origin] = origin
            return cors(try bench.answer(.get, "/page", fields: fields).fields)
        }
        for origin in ["http://shop.example:3000", "https://shop.example", "http://SHOP.example:8080"] {
            #expect(try fields(origin) == ["Vary: Origin", "Access-Control-Allow-Origin: \(origin)"])
        }
        #expect(try fields("http://[::1]:3000", host: "[::1]:8080").count == 2)
        for origin in [
            "http://evil.example", "http://shop.example.evil.example", "http://shop.example@evil.example",
            "ftp://shop.example", "shop.example", "http://", "null", nil,
        ] {
            #expect(try fields(origin) == ["Vary: Origin"], "\(origin ?? "none")")
        }
        #expect(try fields("http://shop.example", host: nil) == ["Vary: Origin"])
    }

    @Test("An unlisted origin gets Vary and no CORS field")
    func foreign() throws {
        let bench = bench(CORSPolicy(origins: .list([Self.app])))
        for origin in ["https://app.example.evil", "http://app.example", "https://APP.example", "null"] {
            #expect(
                cors(try bench.answer(.get, "/page", fields: [.origin: origin]).fields) == ["Vary: Origin"])
            var preflight = Self.preflight
            preflight[.origin] = origin
            #expect(cors(try bench.answer(.options, "/page", fields: preflight).fields) == ["Vary: Origin"])
        }
        #expect(cors(try bench.answer(.get, "/page").fields) == ["Vary: Origin"])
    }

    @Test("A listed origin may read successes and failures, with credentials if they are allowed")
    func listed() throws {
        let plain = bench(CORSPolicy(origins: .list(["https://b.example", Self.app])))
        let expected = [
            "Vary: Origin", "Access-Control-Allow-Origin: https://app.example",
            "Access-Control-Expose-Headers: X-Request-Id",
        ]
        #expect(cors(try plain.answer(.get, "/page", fields: [.origin: Self.app]).fields) == expected)
        let missing = try plain.answer(.get, "/nowhere", fields: [.origin: Self.app])
        #expect(missing.status == 404)
        #expect(cors(missing.fields) == expected)
        let credentials = bench(
            CORSPolicy(origins: .list([Self.app]), exposedHeaders: [], allowsCredentials: true))
        #expect(
            cors(try credentials.answer(.get, "/page", fields: [.origin: Self.app]).fields) == [
                "Vary: Origin", "Access-Control-Allow-Origin: https://app.example",
                "Access-Control-Allow-Credentials: true",
            ])
    }

    @Test("A preflight lists the allowed methods of the path, the allowed fields and the maximum age")
    func preflight() throws {
        let bench = bench(
            CORSPolicy(
                origins: .list([Self.app]), methods: [.get, .put, .delete], headers: [.contentType, "X-Own"],
                maxAge: .seconds(60)))
        let reply = try bench.answer(.options, "/page", fields: Self.preflight)
        #expect(reply.status == 204)
        #expect(reply.body.isEmpty)
        #expect(
            cors(reply.fields) == [
                "Vary: Origin", "Access-Control-Allow-Origin: https://app.example",
                "Vary: Access-Control-Request-Method, Access-Control-Request-Headers",
                "Access-Control-Allow-Methods: GET, PUT", "Access-Control-Allow-Headers: Content-Type, X-Own",
                "Access-Control-Max-Age: 60",
            ])
        #expect(try bench.answer(.options, "/nowhere", fields: Self.preflight).status == 404)
    }

    @Test("If any origin is allowed, every answer has Access-Control-Allow-Origin: * and no Vary: Origin")
    func any() throws {
        let bench = bench(CORSPolicy(origins: .any))
        for fields: HTTPFields in [[:], [.origin: Self.app], [.origin: "null"]] {
            for (method, path) in Self.requests {
                #expect(
                    cors(try bench.answer(method, path, fields: fields).fields) == [
                        "Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: X-Request-Id",
                    ], "\(method) \(path) \(fields)")
            }
        }
        let preflight = try bench.answer(.options, "/page", fields: Self.preflight)
        #expect(preflight.fields[.accessControlAllowOrigin] == "*")
        #expect(preflight.fields[.accessControlAllowMethods] == "GET, HEAD, PUT")
        #expect(
            preflight.fields.values(of: .vary) == [
                "Access-Control-Request-Method, Access-Control-Request-Headers"
            ])
    }

    /// One request for each kind of answer: a success, a HEAD, 404, 405, 400, OPTIONS of a path and of the
    /// server.
    private static let requests: [(HTTPMethod, String)] = [
        (.get, "/page"), (.head, "/page"), (.get, "/nowhere"), (.delete, "/page"), (.get, "/a%2fb"),
        (.options, "/page"), (.options, "*"),
    ]

    @Test(
        "If origins are listed, every answer, even an error, has Vary: Origin, whatever the request's Origin"
    )
    func varies() throws {
        let bench = bench(CORSPolicy(origins: .list([Self.app])))
        for fields: HTTPFields in [[:], [.origin: Self.app], [.origin: "https://evil.example"]] {
            for (method, path) in Self.requests {
                let reply = try bench.answer(method, path, fields: fields)
                #expect(reply.fields.values(of: .vary) == ["Origin"], "\(method) \(path) \(fields)")
                let allowed = fields[.origin] == Self.app ? Self.app : nil
                #expect(reply.fields[.accessControlAllowOrigin] == allowed, "\(method) \(path) \(fields)")
            }
        }
        let unread = Reply(try bench.gateway.responder().render(.invalidRequest("the head is malformed")))
        #expect(cors(unread.fields) == ["Vary: Origin"])
    }

    @Test(
        "An origin that no browser sends is a declaration fault",
        arguments: ["app.example", "https://app.example/", "https://*.example", "https://", "://x", ""])
    func faults(_ origin: String) {
        let bench = bench(CORSPolicy(origins: .list([origin])))
        #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
    }
}
