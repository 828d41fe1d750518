import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Rule 22: a page of another site cannot write with a cookie.
@Suite("Writes from other sites", .noLeaks)
struct CrossOriginTests {
    private let bench: AccessBench

    init() throws { bench = try AccessBench() }

    private func responder(
        _ cors: CORSPolicy? = CORSPolicy(origins: .list(["https://app.test", "null"])),
        _ options: EndpointOption...
    ) throws -> GatewayResponder {
        let gateway = bench.gateway(cors: cors)
        gateway.auth("web", bench.tokens { $0.cookie = "session" })
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            gateway.on(method, "/me", [.require("web")] + options) { _ in Answer.json(1) }
        }
        return try gateway.responder()
    }

    private func status(
        _ fields: HTTPFields, _ responder: GatewayResponder? = nil, method: HTTPMethod = .post
    ) throws -> Int {
        let cookie: HTTPFields = [.host: "shop.test:8080", .cookie: "session=\(try bench.issuer.token())"]
        return try (responder ?? self.responder()).reply(method, "/me", cookie.merging(fields)).status
    }

    private static let site: HTTPFieldName = "Sec-Fetch-Site"

    @Test(
        "A listed origin, the gateway's own pages and clients that are no browsers may write",
        arguments: [
            [.origin: "https://app.test"], [.origin: "https://app.test", site: "cross-site"],
            [site: "same-origin"], [site: "none"], [.origin: "https://shop.test:8080"],
            [.origin: "http://SHOP.test:8080"], [:],
        ] as [HTTPFields])
    func allowed(_ fields: HTTPFields) throws { #expect(try status(fields) == 200) }

    @Test(
        "Everything else is 403, also an origin that only looks like the gateway's",
        arguments: [
            [site: "cross-site"], [site: "same-site"], [site: ""], [.origin: "https://evil.test"],
            [.origin: "null"], [.origin: "https://shop.test"], [.origin: "https://shop.test:8080.evil.test"],
            [.origin: "https://evil.test", site: "same-site"], [.origin: "shop.test:8080"], [.origin: ""],
        ] as [HTTPFields])
    func refused(_ fields: HTTPFields) throws { #expect(try status(fields) == 403) }

    @Test("An older browser's same-origin write passes although Sec-Fetch-Site is missing")
    func older() throws { #expect(try status([.origin: "http://shop.test:8080"]) == 200) }

    @Test("Fields that occur twice are refused")
    func twice() throws {
        var origins: HTTPFields = [.origin: "https://evil.test"]
        origins.append(.origin, "https://app.test")
        #expect(try status(origins) == 403)
        var sites: HTTPFields = [Self.site: "same-origin"]
        sites.append(Self.site, "cross-site")
        #expect(try status(sites) == 403)
    }

    @Test(
        "All methods that write are checked, and reads are not",
        arguments: [
            (.get, 200), (.post, 403), (.put, 403), (.patch, 403), (.delete, 403),
        ] as [(HTTPMethod, Int)])
    func methods(_ method: HTTPMethod, _ expected: Int) throws {
        #expect(try status([Self.site: "cross-site"], method: method) == expected)
    }

    @Test("Of endpoints that pass a cookie on, only those that write are checked")
    func plans() throws {
        let gateway = bench.gateway()
        _ = gateway.provider(UsersAPI.self, upstream: "users")
        for method in [HTTPMethod.get, .post] {
            gateway.on(method, "/open", [.forwardsCookies(to: "users")]) { _ in Answer.json(1) }
        }
        let responder = try gateway.responder()
        #expect(try responder.reply(.get, "/open").summary.access == nil)
        #expect(try responder.reply(.post, "/open").summary.access != nil)
    }

    @Test("A policy for any origin says who may read, not who may write")
    func anyOrigin() throws {
        let responder = try responder(CORSPolicy(origins: .any))
        #expect(try status([.origin: "https://evil.test"], responder) == 403)
    }

    @Test("The refusal can be read by the page that made the request, if it may read at all")
    func readable() throws {
        let responder = try responder(CORSPolicy(origins: .list(["https://app.test"])))
        let reply = try responder.reply(.post, "/me", [.origin: "https://app.test"])
        #expect(reply.status == 401)
        #expect(reply.fields[.accessControlAllowOrigin] == "https://app.test")
        let foreign = try responder.reply(.post, "/me", [.origin: "https://evil.test"])
        #expect(foreign.status == 403)
        #expect(
            foreign.message
                == "A page of another site must not make this request: its origin is not among cors.origins")
        #expect(foreign.summary.access?.result == .crossSite)
        #expect(!foreign.fields.contains(.accessControlAllowOrigin))
    }

    @Test(
        "The log names the origin and the rule that it missed",
        arguments: [
            (
                [.origin: "https://evil.test", site: "cross-site"],
                "Origin https://evil.test is not among cors.origins and Sec-Fetch-Site is cross-site, not "
                    + "same-origin or none"
            ),
            (
                [.origin: "https://evil.test"],
                "Origin https://evil.test is not among cors.origins and does not have the host and port of "
                    + "Host, shop.test:8080"
            ),
            (
                [site: "same-site"],
                "the request has no Origin and Sec-Fetch-Site is same-site, not same-origin or none"
            ),
            (
                [.origin: "https://\(String(repeating: "x", count: 100))\u{202E}", site: ""],
                "Origin https://\(String(repeating: "x", count: 52))... is not among cors.origins and "
                    + "Sec-Fetch-Site is , not same-origin or none"
            ),
        ] as [(HTTPFields, String)])
    func reason(_ fields: HTTPFields, _ reason: String) throws {
        let responder = try responder()
        let all = ([.host: "shop.test:8080"] as HTTPFields).merging(fields)
        let access = try responder.reply(.post, "/me", all).summary.access
        #expect(access?.reason == reason)
        #expect(access?.result == .crossSite)
        #expect(access?.entry == nil)
    }

    @Test("The log says that a policy for any origin lets nobody write, and that a field occurs twice")
    func otherReasons() throws {
        let any = try responder(CORSPolicy(origins: .any))
        let reply = try any.reply(.post, "/me", [.origin: "https://evil.test", Self.site: "cross-site"])
        #expect(
            reply.summary.access?.reason
                == "Origin https://evil.test may only read, because cors.origins lists no origin by name and "
                + "Sec-Fetch-Site is cross-site, not same-origin or none")
        var origins: HTTPFields = [.origin: "https://evil.test"]
        origins.append(.origin, "https://app.test")
        #expect(try any.reply(.post, "/me", origins).summary.access?.reason == "Origin occurs twice")
    }

    @Test("It can be turned off")
    func off() throws {
        #expect(try status([Self.site: "cross-site"], try responder(nil, .csrf(false))) == 200)
    }

    @Test("A proxy that passes a cookie on is checked, and another one is not")
    func proxies() throws {
        let gateway = bench.gateway()
        let files = gateway.proxyUpstream("files")
        gateway.proxy("/with/{path...}", to: files, fields: .standard.adding(request: .cookie))
        gateway.proxy("/off/{path...}", to: files, fields: .standard.adding(request: .cookie), .csrf(false))
        gateway.proxy("/without/{path...}", to: files)
        let responder = try gateway.responder()
        let fields: HTTPFields = [Self.site: "cross-site", .cookie: "session=1"]
        #expect(try responder.reply(.post, "/with/a", fields).status == 403)
        #expect(bench.calls("/a").isEmpty)
        for (index, path) in ["/off/a", "/without/a"].enumerated() {
            _ = try responder.ask(.post, path, fields)
            #expect(bench.calls("/a").count == index + 1)
        }
        _ = try responder.ask(.post, "/with/a", [Self.site: "same-origin", .cookie: "session=1"])
        #expect(bench.calls("/a").last?[.cookie] == "session=1")
    }

    @Test("Endpoints that pass a cookie on are checked, and those that read no cookie are not")
    func where_() throws {
        let gateway = bench.gateway()
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        gateway.auth("mobile", bench.tokens())
        gateway.post("/passes", .forwardsCookies(to: "users")) { _ in
            .parts(a: users.rx.request(.list).fragment())
        }
        gateway.post("/tokens", .require("mobile")) { _ in Answer.json(1) }
        gateway.post("/open") { _ in Answer.json(1) }
        let responder = try gateway.responder()
        let fields: HTTPFields = [Self.site: "cross-site"]
        #expect(try responder.reply(.post, "/passes", fields).status == 403)
        #expect(try responder.reply(.post, "/tokens", fields.merging(bench.issuer.bearer())).status == 200)
        #expect(try responder.reply(.post, "/open", fields).status == 200)
    }
}
