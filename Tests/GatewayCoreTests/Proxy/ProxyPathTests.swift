import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Paths through a proxy", .noLeaks)
struct ProxyPathTests {
    private let bench = Bench()

    init() {
        bench.upstreamAnswers()
        let images = bench.images("http://images.test:9002/v1")
        bench.gateway.proxy("/images/{path...}", to: images)
        bench.gateway.proxy("/pictures/{path...}", to: images, at: "/deep/folder/")
        bench.gateway.proxy("/users/{user}/files/{path...}", to: images)
        bench.gateway.proxy("/logo", to: images, at: "/logo.png")
        bench.gateway.proxy("/top", to: images)
    }

    @Test(
        "The upstream gets the rest of the path and the query as the client sent them",
        arguments: [
            ("/images/a/b.png", "/v1/a/b.png"), ("/images/", "/v1/"), ("/images/a/", "/v1/a/"),
            ("/images/a//b", "/v1/a//b"),
            ("/images/%ea%b9%80%20x", "/v1/%ea%b9%80%20x"), ("/images/a?b=%2F&c=..%2f..#", nil),
            ("/images/a?", "/v1/a?"),
            ("/images/a?b=../../c", "/v1/a?b=../../c"), ("/images/~a!$&'()*+,;=:@", "/v1/~a!$&'()*+,;=:@"),
            ("/images/...", "/v1/..."), ("/images/.a/..b", "/v1/.a/..b"), ("/images/a;b=1/c", "/v1/a;b=1/c"),
            ("/images/http://other.test/", "/v1/http://other.test/"),
            ("/images/%252e%252e/a", "/v1/%252e%252e/a"),
            ("/pictures/a", "/v1/deep/folder/a"), ("/pictures/", "/v1/deep/folder/"),
            ("/users/x/files/a", "/v1/a"),
            ("/logo?size=1", "/v1/logo.png?size=1"), ("/top", "/v1"),
            ("/images/@other.test/a", "/v1/@other.test/a"),
        ] as [(String, String?)])
    func mapping(target: String, sent: String?) throws {
        guard RequestTarget(target) != nil else { return #expect(sent == nil) }
        #expect(try bench.targetSent(for: target) == sent)
    }

    @Test(
        "A path that could leave its prefix is refused, and the upstream gets no call",
        arguments: [
            "/images/..", "/images/../secret", "/images/a/../../secret", "/images/.", "/images/a/./b",
            "/images/%2e%2e/secret",
            "/images/%2E./secret", "/images/.%2e", "/images/a%2fb", "/images/..%2fsecret", "/images/%2fetc",
            "/images/a%5cb",
            "/images/..\\secret", "/images/..%5csecret", "/images/..;/secret", "/images/..;a=b/secret",
            "/images/a/..;",
            "/images/.;/secret", "/images/%2e%2e;/secret", "/images/..%3b/secret", "/images/%2e%2e%3bx/y",
            "/images//etc/passwd",
            "/images//other.test/", "/images/a%00b", "/images/a%0d%0ab", "/images/a%7f", "/images/%",
            "/images/%zz", "/images/%ff",
            "/images/%c0%ae%c0%ae/secret", "/users/../files/a", "/users/%2e%2e/files/a",
        ])
    func attacks(target: String) throws {
        guard RequestTarget(target) != nil else { return }
        let reply = try bench.answer(.get, target)
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(bench.transport.attempts.isEmpty)
        #expect(bench.incidents.isEmpty)
    }

    @Test("A path with the upstream's base path too long is refused")
    func tooLong() throws {
        let path = String(repeating: "a", count: 70_000)
        let reply = try bench.answer(.get, "/images/\(path)")
        #expect(reply.status >= 400)
        #expect(bench.transport.attempts.isEmpty)
    }

    // MARK: - Location

    @Test(
        "A location of the upstream becomes one of the gateway",
        arguments: [
            ("http://images.test:9002/v1/b?c=d#e", "/images/b?c=d#e"),
            ("HTTP://IMAGES.TEST:9002/v1/b", "/images/b"),
            ("/v1/b", "/images/b"), ("/v1/", "/images/"), ("/v1", "/top"),
            ("//images.test:9002/v1/b", "/images/b"),
            ("/v1/a/../b", "/images/b"),
            ("/v1/%ea%b9%80", "/images/%ea%b9%80"), ("b", "b"), ("../b", "../b"), ("?c=d", "?c=d"),
            ("#e", "#e"), ("./b", "./b"),
        ])
    func ownLocation(location: String, seen: String) throws {
        #expect(try bench.location(location, for: "/images/a") == seen)
    }

    @Test(
        "A location that the gateway has no path for is left out",
        arguments: [
            "/other", "/v12/b", "http://images.test:9002/", "http://images.test:9002/other",
            "/v1/../admin", "/v1/%2e%2e/admin",
            "http://images.test:9002.evil.test/v1/", "http:/images.test:9002/other",
            "http://images.test:0/v1/b", "ht\ttp://images.test:9002/v1/b",
        ])
    func hiddenLocation(location: String) throws {
        bench.upstreamAnswers(302, [.location: location])
        let reply = try bench.answer(.get, "/images/a")
        #expect(reply.status == 302)
        #expect(reply.fields[.location] == nil)
    }

    @Test(
        "A location elsewhere passes as it is",
        arguments: [
            "http://other.test/v1/b", "https://images.test:9002/v1/b", "http://images.test/v1/b",
            "//evil.test/v1/b",
            "/\\evil.test/b", "mailto:a@b.test",
        ])
    func elsewhere(location: String) throws {
        #expect(try bench.location(location, for: "/images/a") == location)
    }

    @Test("The prefix of a location is that of the request, with its parameters as they were sent")
    func parameters() throws {
        #expect(try bench.location("/v1/b", for: "/users/%ea%b9%80/files/a") == "/users/%ea%b9%80/files/b")
        #expect(try bench.location("/v1/deep/folder/b", for: "/pictures/a") == "/pictures/b")
        #expect(try bench.location("/v1/b", for: "/pictures/a") == "/images/b")
    }

    @Test("A proxy of one path knows only that path of its upstream")
    func fixed() throws {
        let bench = Bench()
        bench.gateway.proxy("/logo", to: bench.images("http://images.test:9002/v1"), at: "/logo.png")
        #expect(try bench.location("/v1/logo.png?size=2", for: "/logo") == "/logo?size=2")
        #expect(try bench.location("/v1/logo.png.old", for: "/logo") == nil)
        #expect(try bench.location("/v1/logo.png/x", for: "/logo") == nil)
    }

    @Test(
        "A location never becomes one that a browser takes for another host",
        arguments: ["/v1//evil.test/", "http://images.test:9002/v1//evil.test/", "/v1/\\evil.test/"])
    func notAHost(location: String) throws {
        bench.gateway.proxy(
            "/{path...}", to: bench.gateway.proxyUpstream("all", baseURL: "http://images.test:9002/v1"))
        #expect(try bench.location(location, for: "/other/a") == nil)
        let seen = try bench.location(location, for: "/images/a")
        #expect(seen == nil || seen?.hasPrefix("/images/") == true)
    }

    @Test("A location with the upstream's name and credentials does not pass")
    func credentials() throws {
        let seen = try bench.location("http://user:secret@images.test:9002/v1/b", for: "/images/a")
        #expect(seen == nil || seen == "/images/b")
    }
}
