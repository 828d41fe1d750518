import GatewayCore
import HTTPModel
import Networking
import Rx
import RxTesting
import Testing

private struct OrderAPI: TargetType {
    var baseURL: String { "http://shop.test:9002" }
    var path: RequestPath { "/v1/orders/new" }
    var method: HTTPMethod { .post }
}

/// Addresses of an upstream in its responses, over all proxies of the upstream.
@Suite("Addresses through several proxies", .noLeaks)
struct ProxyAddressTests {
    private let bench = Bench()
    private static let url = "http://shop.test:9002"

    init() {
        let gateway = bench.gateway
        let shop = gateway.proxyUpstream("shop", baseURL: Self.url, policy: .once)
        gateway.proxy("/app/{path...}", to: shop, at: "/app")
        gateway.proxy("/login", to: shop, at: "/session/new")
        gateway.proxy("/checkout", to: shop, at: "/v1/checkout", methods: [.post])
        gateway.group("/my") { my in
            my.proxy("/orders/{path...}", to: shop, at: "/v1/orders")
        }
        gateway.proxy("/everything/{path...}", to: shop, at: "/v1", methods: [.post])
        gateway.proxy("/주문/{path...}", to: shop, at: "/v0/orders")
        gateway.proxy("/users/{user}/cart", to: shop, at: "/v2/cart")
        let other = gateway.proxyUpstream("other", baseURL: "http://other.test", policy: .once)
        gateway.proxy("/other/{path...}", to: other)
    }

    private func answer(_ path: String, _ fields: HTTPFields, method: HTTPMethod = .get) throws -> Reply {
        bench.upstreamAnswers(fields.contains(.location) ? 303 : 200, fields)
        return try bench.answer(method, path)
    }

    @Test(
        "A location that another proxy of the upstream has becomes that proxy's path",
        arguments: [
            ("/app/x", "/session/new?return=/app/x", "/login?return=/app/x"),
            ("/login", "/app/home", "/app/home"),
            ("/login", "/app/#top", "/app/#top"), ("/app/x", "http://shop.test:9002/session/new", "/login"),
            ("/app/x", "http://SHOP.test.:9002/session/new", "/login"),
            ("/app/x", "/v1/orders/7", "/my/orders/7"), ("/login", "/v1/orders/", "/my/orders/"),
            ("/app/x", "/v0/orders/7", "/%EC%A3%BC%EB%AC%B8/7"),
            ("/users/kim/cart", "/v2/cart?page=2", "/users/kim/cart?page=2"),
            ("/users/kim/cart", "/app/y", "/app/y"),
        ])
    func location(path: String, location: String, seen: String) throws {
        let reply = try answer(path, [.location: location, .contentLocation: location])
        #expect(reply.fields.values(of: .location) == [seen])
        #expect(reply.fields.values(of: .contentLocation) == [seen])
    }

    @Test("A proxy that passes GET is preferred, then the longer path of the upstream")
    func preference() throws {
        #expect(try answer("/app/x", [.location: "/v1/orders/7"]).fields[.location] == "/my/orders/7")
        #expect(try answer("/app/x", [.location: "/v1/other"]).fields[.location] == "/everything/other")
        #expect(try answer("/app/x", [.location: "/v1/checkout"]).fields[.location] == "/checkout")
    }

    @Test("The answer to a POST names the created resource by the gateway's path")
    func created() throws {
        bench.upstreamAnswers(201, [.location: "/v1/orders/7"])
        #expect(try bench.answer(.post, "/checkout").fields[.location] == "/my/orders/7")
    }

    @Test("The path of the request itself precedes other proxies")
    func itself() throws {
        let bench = Bench()
        let shop = bench.gateway.proxyUpstream("shop", baseURL: Self.url, policy: .once)
        bench.gateway.proxy("/a/{path...}", to: shop)
        bench.gateway.proxy("/b/{path...}", to: shop)
        bench.gateway.proxy("/deep/{path...}", to: shop, at: "/deep")
        #expect(try bench.location("/deep/x", for: "/a/y") == "/a/deep/x")
        #expect(try bench.location("/deep/x", for: "/b/y") == "/b/deep/x")
    }

    @Test(
        "What no proxy of the upstream has is left out",
        arguments: ["/session", "/v1x", "/v2/cart", "/session/new/x", "http://shop.test:9002/admin"])
    func unknown(location: String) throws {
        let reply = try answer("/app/x", [.location: location, .contentLocation: location])
        #expect(reply.status == 303)
        #expect(!reply.fields.contains(.location))
        #expect(!reply.fields.contains(.contentLocation))
    }

    @Test("Proxies of another upstream do not count")
    func others() throws {
        #expect(try answer("/other/x", [.location: "/a/b"]).fields[.location] == "/other/a/b")
        let bench = Bench()
        let gateway = bench.gateway
        gateway.proxy("/one/{path...}", to: gateway.proxyUpstream("one", baseURL: Self.url), at: "/one")
        gateway.proxy("/two/{path...}", to: gateway.proxyUpstream("two", baseURL: Self.url), at: "/two")
        #expect(try bench.location("/two/x", for: "/one/x") == nil)
    }

    @Test("A response that a handler passes on is mapped as well")
    func handler() throws {
        let orders = bench.gateway.provider(OrderAPI.self, upstream: "shop", policy: .once)
        bench.gateway.post("/buy") { _ in .proxy(orders.call(OrderAPI())) }
        bench.upstreamAnswers(201, [.location: "http://shop.test:9002/v1/orders/7"])
        #expect(try bench.answer(.post, "/buy").fields[.location] == "/my/orders/7")
    }

    @Test(
        "Targets and anchors of links are mapped, and links to nowhere are left out",
        arguments: [
            ("</v1/orders/?page=2>; rel=\"next\"", "</my/orders/?page=2>; rel=\"next\""),
            (
                "<http://shop.test:9002/session/new>;rel=login , </app/a,b>; title=\"a, <b> \\\" c\"; rel=x",
                "</login>;rel=login, </app/a,b>; title=\"a, <b> \\\" c\"; rel=x"
            ),
            ("</admin>; rel=up, </v1/orders/1>; rel=first", "</my/orders/1>; rel=first"),
            ("<http://shop.test:9002/admin>; rel=up", nil),
            ("</app/a>; rel=x; anchor=\"/v1/orders/3\"", "</app/a>; rel=x; anchor=\"/my/orders/3\""),
            ("</app/a>; rel=x; Anchor = /session/new", "</app/a>; rel=x; Anchor = /login"),
            ("</app/a>; rel=x; anchor=\"/admin\", </app/b>", "</app/b>"),
            (
                "</app/a>; rel=x; title=\"anchor=/v1/orders/3; anchor=/admin\"",
                "</app/a>; rel=x; title=\"anchor=/v1/orders/3; anchor=/admin\""
            ),
            ("<?page=2>;rel=next,<b>", "<?page=2>;rel=next,<b>"),
            ("<https://cdn.test/a>;  rel=x", "<https://cdn.test/a>;  rel=x"),
            ("nothing", "nothing"), ("<open", "<open"), ("", ""), (",,", ",,"),
            ("</session/new>,", "</login>, "),
        ] as [(String, String?)])
    func links(value: String, seen: String?) throws {
        let reply = try answer("/app/x", [.link: value])
        let trimmed = seen.map { $0.hasSuffix(", ") ? String($0.dropLast()) : $0 }
        #expect(reply.fields.values(of: .link) == (trimmed.map { [$0] } ?? []))
    }

    @Test(
        "A relative path becomes the gateway's if it would lead elsewhere from the client's path",
        arguments: [
            ("/login", "done", "/signed/done"), ("/login", "./done?a=b#c", "/signed/done?a=b#c"),
            ("/login", "new?again", "/login?again"), ("/login", "../app/x", "/app/x"),
            ("/login", "?again", "?again"), ("/login", "#top", "#top"),
            ("/login", "../nowhere", "../nowhere"),
            ("/app/x", "y", "y"), ("/app/x/", "../y", "/app/y"), ("/app/x", "%2e%2e/session/new", "/login"),
        ])
    func relative(path: String, location: String, seen: String) throws {
        let shop = bench.gateway.proxyUpstream("shop", baseURL: Self.url, policy: .once)
        bench.gateway.proxy("/signed/{path...}", to: shop, at: "/session")
        #expect(try answer(path, [.location: location]).fields[.location] == seen)
    }

    @Test("Several lines of links keep their order")
    func lines() throws {
        var fields = HTTPFields()
        for value in ["</v1/orders/1>", "</admin>", "<https://cdn.test/a>"] { fields.append(.link, value) }
        #expect(
            try answer("/app/x", fields).fields.values(of: .link) == [
                "</my/orders/1>", "<https://cdn.test/a>",
            ])
    }
}
