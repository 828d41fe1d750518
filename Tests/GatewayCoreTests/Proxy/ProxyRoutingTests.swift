import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Routes of a proxy", .noLeaks)
struct ProxyRoutingTests {
    private let bench = Bench()

    init() { bench.upstreamAnswers(200) }

    @Test("{name...} matches the rest of a path, which a handler gets decoded")
    func rest() throws {
        bench.gateway.get("/files/{path...}") { request in .json(try request.path("path", as: String.self)) }
        for (path, rest) in [
            ("/files/", ""), ("/files/a", "a"), ("/files/a/b/", "a/b/"), ("/files/a//b", "a//b"),
            ("/files/%41%20", "A "),
            ("/files//a", "/a"),
        ] {
            #expect(try bench.answer(.get, path)["/data"] == "\"\(rest)\"", "\(path)")
        }
        #expect(try bench.answer(.get, "/files").status == 404)
        #expect(try bench.answer(.get, "/filesystem/a").status == 404)
    }

    @Test("Literals and parameters are preferred to the rest of a path")
    func precedence() throws {
        let gateway = bench.gateway
        gateway.get("/{all...}") { _ in .json("all") }
        gateway.get("/a/{rest...}") { _ in .json("rest") }
        gateway.get("/a/{one}") { _ in .json("one") }
        gateway.get("/a/b") { _ in .json("literal") }
        gateway.get("/a/{one}/c") { _ in .json("c") }
        for (path, name) in [
            ("/", "all"), ("/a", "all"), ("/b/c", "all"), ("/a/", "rest"), ("/a/x", "one"),
            ("/a/b", "literal"),
            ("/a/b/c", "c"), ("/a/b/d", "rest"), ("/a/x/c/", "rest"),
        ] {
            #expect(try bench.answer(.get, path)["/data"] == "\"\(name)\"", "\(path)")
        }
    }

    @Test("A method of the rest gives way to other methods of a literal path")
    func otherMethods() throws {
        bench.gateway.get("/a/b") { _ in .json("literal") }
        bench.gateway.post("/a/{rest...}") { _ in .json("rest") }
        #expect(try bench.answer(.post, "/a/b")["/data"] == #""rest""#)
        #expect(try bench.answer(.get, "/a/c").fields[.allow] == "POST, OPTIONS")
        #expect(try bench.answer(.put, "/a/b").fields[.allow] == "GET, HEAD, POST, OPTIONS")
    }

    @Test("A proxy passes GET, HEAD, POST, PUT, PATCH and DELETE, or the methods that it lists")
    func methods() throws {
        let images = bench.images()
        bench.gateway.proxy("/images/{path...}", to: images)
        bench.gateway.proxy("/readable/{path...}", to: images, methods: [.get])
        for method in Gateway.proxiedMethods {
            #expect(try bench.answer(method, "/images/a").status == 200)
            #expect(bench.transport.attempts.last?.call.method == method)
        }
        #expect(try bench.answer(.head, "/images/a").status == 200)
        #expect(bench.transport.attempts.last?.call.method == .head)
        let calls = bench.transport.attempts.count
        let refused = try bench.answer(.post, "/readable/a")
        #expect(refused.status == 405)
        #expect(refused.fields[.allow] == "GET, HEAD, OPTIONS")
        #expect(
            try bench.answer(.options, "/images/a").fields[.allow]
                == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        #expect(bench.transport.attempts.count == calls)
    }

    // MARK: - Faults

    private func faults(_ declare: (Gateway) -> Void) -> [String] {
        let gateway = Bench().gateway
        declare(gateway)
        let error = #expect(throws: GatewayDeclarationError.self) { try gateway.responder() }
        return error?.faults ?? []
    }

    @Test(
        "A rest of a path that is not at its end, or has no name, is a fault",
        arguments: [
            ("/a/{rest...}/b", "has a segment after {rest...}, which must be the last"),
            ("/{a...}/{b...}", "has a segment after {a...}"),
            ("/a/{...}", "has a segment with braces in it; a parameter is a whole segment"),
            ("/a/x{b...}", "has a segment with braces in it"),
            ("/{a}/{a...}", "has the parameter {a} twice"),
        ])
    func badRest(path: String, complaint: String) throws {
        let faults = faults { gateway in gateway.get(path) { _ in .json(1) } }
        #expect(faults.count == 1)
        #expect(try #require(faults.first).hasPrefix("the path \(path) \(complaint)"), "\(faults)")
    }

    @Test("A group below the rest of a path is a fault")
    func group() {
        let faults = faults { gateway in
            gateway.group("/a/{rest...}") { group in
                group.get("/b") { _ in .json(1) }
            }
        }
        #expect(!faults.isEmpty)
    }

    @Test("Two rests of one path are declared twice, whatever their names")
    func twice() {
        let faults = faults { gateway in
            gateway.get("/a/{b...}") { _ in .json(1) }
            gateway.get("/a/{c...}") { _ in .json(2) }
        }
        #expect(faults == ["GET /a/{c...} is declared twice"])
    }

    @Test("An upstream without an address is a fault, and so is an invalid one")
    func address() {
        let missing = faults { gateway in
            gateway.proxy("/images/{path...}", to: gateway.proxyUpstream("images"))
        }
        #expect(missing.count == 1)
        #expect(missing.first?.hasPrefix("the upstream \"images\" of a proxy has no address") == true)
        #expect(!faults { _ = $0.proxyUpstream("images", baseURL: "images.test") }.isEmpty)
    }

    @Test("The environment's address takes the place of the declared one")
    func override() throws {
        let bench = Bench(overrides: ["images": "http://other.test/v2"])
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers()
        #expect(try bench.targetSent(for: "/images/a") == "/v2/a")
        #expect(bench.transport.attempts.last?.call.upstream.baseURL.host == "other.test")
    }

    @Test(
        "An upstream's path that is not one is a fault",
        arguments: ["pictures", "/../secret", "/a%2Fb", "/a%", "/a\\b", "/a?b", "/a#b", "/a b"])
    func upstreamPath(path: String) throws {
        let faults = faults { gateway in
            gateway.proxy(
                "/images/{path...}", to: gateway.proxyUpstream("images", baseURL: "http://i.test"), at: path)
        }
        #expect(
            faults == [
                "the proxy /images/{path...} continues at \(path), which is not a percent-encoded path"
            ])
    }

    @Test(
        "A field that belongs to one connection, or that the gateway sets, is a fault of the declaration",
        arguments: [
            "Connection", "TE", "Transfer-Encoding", "Upgrade", "Content-Length", "Host", "Expect", "Via",
            "X-Request-Id",
        ])
    func requestField(name: String) throws {
        let field = try #require(HTTPFieldName(name))
        let faults = faults { gateway in
            gateway.proxy(
                "/images/{path...}", to: gateway.proxyUpstream("images", baseURL: "http://i.test"),
                fields: .standard.adding(request: field))
        }
        #expect(faults == ["the proxy /images/{path...} passes on \(field), which each hop sets itself"])
    }

    @Test(
        "The same holds for fields of responses",
        arguments: ["Keep-Alive", "Trailer", "Content-Length", "Proxy-Authenticate"])
    func responseField(name: String) throws {
        let field = try #require(HTTPFieldName(name))
        let faults = faults { gateway in
            gateway.proxy(
                "/images/{path...}", to: gateway.proxyUpstream("images", baseURL: "http://i.test"),
                fields: .standard.adding(response: field))
        }
        #expect(faults.count == 1)
    }
}
