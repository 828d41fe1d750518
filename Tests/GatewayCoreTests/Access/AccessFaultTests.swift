import GatewayCore
import HTTPModel
import JSONBytes
import NetworkingTesting
import RxTesting
import Testing

/// What is wrong with declarations is said before the first request.
@Suite("Faults of entries and requirements", .noLeaks)
struct AccessFaultTests {
    private let bench: AccessBench
    private let key = TestKey("shop")

    init() throws { bench = try AccessBench() }

    /// Expects that the declarations have this fault.
    private func expect(
        _ fault: String, sourceLocation: SourceLocation = #_sourceLocation, _ declare: (Gateway) -> Void
    ) {
        let gateway = bench.gateway()
        declare(gateway)
        do {
            _ = try gateway.responder()
            Issue.record("no fault", sourceLocation: sourceLocation)
        } catch {
            #expect(error.faults.contains { $0.contains(fault) }, "\(error)", sourceLocation: sourceLocation)
        }
    }

    private var keys: AuthMethod { .apiKeys(APIKeySettings(lines: [key.line])) }

    @Test("Names of entries and limits are known and fit into fields")
    func names() {
        expect("requires the unknown entry \"mobil\"; did you mean \"mobile\"?") {
            $0.auth("mobile", keys)
            $0.get("/me", .require("mobil")) { _ in Answer.json(1) }
        }
        expect("has the unknown limit \"each\"") {
            $0.get("/me", .rateLimits("each")) { _ in Answer.json(1) }
        }
        expect("auth.mobile is declared twice") {
            $0.auth("mobile", keys)
            $0.auth("mobile", keys)
        }
        let rule = "1 to 64 letters, digits, _ and -, with a letter first"
        expect("\"1st\" is not a name for an entry of auth: \(rule)") { $0.auth("1st", keys) }
        expect("\"2nd\" is not a name for a limit: \(rule)") {
            $0.rateLimit("2nd", RateLimit(key: [.client], rate: 1, per: .seconds(1)))
        }
        expect("auth has 17 entries, more than 16") { for index in 0..<17 { $0.auth("e\(index)", keys) } }
    }

    @Test("A requirement names an entry, or says that everybody may call")
    func emptyRequirement() throws {
        for option in [EndpointOption.require(), .require(optional: true), .require(Requirement(any: []))] {
            expect("GET /me requires no entry; .require(.none) admits everybody") {
                $0.get("/me", option) { _ in Answer.json(1) }
            }
        }
        expect("GET /me requires scopes or claims, but names no entry") {
            $0.get("/me", .require(scopes: ["read"])) { _ in Answer.json(1) }
        }
        let gateway = bench.gateway()
        gateway.get("/me", .require(.none)) { _ in Answer.json(1) }
        #expect(try gateway.responder().reply(.get, "/me").status == 200)
    }

    @Test("Keys over plain http could be replaced on the network path")
    func insecureKeys() {
        func tokens(_ upstream: String) -> AuthMethod {
            bench.tokens { $0.keys = .upstream(upstream, get: "/jwks.json") }
        }
        expect(
            "auth.mobile.jwt.keys: the upstream \"plain\" is reached by http, so anyone on the network path could "
                + "replace the keys: use https, a Unix socket or an address of this machine"
        ) { $0.auth("mobile", tokens("plain")) }
        expect("the upstream \"nowhere\" has no address") { $0.auth("mobile", tokens("nowhere")) }
        for near in ["near", "named"] {
            let gateway = bench.gateway()
            gateway.auth("mobile", tokens(near))
            #expect(throws: Never.self) { try gateway.responder() }
        }
    }

    @Test("HS256 stands alone, and its secrets are in a file")
    func secrets() {
        expect("with HS256 and RS256 together, a public key could sign tokens") {
            $0.auth("mobile", bench.tokens { $0.algorithms = [.rs256, .hs256] })
        }
        expect("the keys of HS256 are secrets, so they must be in a file") {
            $0.auth("mobile", bench.tokens { $0.algorithms = [.hs256] })
        }
    }

    @Test("An entry needs what it reads: files, issuer, audience")
    func incomplete() {
        expect("auth.shops.apiKeys: the file /nowhere/keys cannot be read") {
            $0.auth("shops", .apiKeys(file: "/nowhere/keys"))
        }
        // A file without an end.
        expect("auth.shops.apiKeys: the file /dev/zero is larger than 65536 KiB") {
            $0.auth("shops", .apiKeys(file: "/dev/zero"))
        }
        expect("auth.mobile.jwt.keys: the file /dev/zero is larger than 256 KiB") {
            $0.auth("mobile", bench.tokens { $0.keys = .file("/dev/zero") })
        }
        expect("auth.shops.apiKeys: line 1:") {
            $0.auth("shops", .apiKeys(APIKeySettings(lines: ["shop nohex"])))
        }
        expect("auth.mobile.jwt needs an issuer") { $0.auth("mobile", bench.tokens { $0.issuer = "" }) }
        expect("auth.mobile.jwt needs an audience") { $0.auth("mobile", bench.tokens { $0.audience = [] }) }
        expect("auth.mobile.jwt.keys: it must be an upstream or a file") {
            $0.auth("mobile", bench.tokens { $0.keys = nil })
        }
    }

    @Test("Two entries on one field would make the order decide who somebody is")
    func oneField() {
        expect(
            "requires a and b, which both read X-API-Key: require one of them, or give one a header or cookie "
                + "of its own"
        ) {
            $0.auth("a", keys)
            $0.auth("b", keys)
            $0.get("/me", .require("a", "b")) { _ in Answer.json(1) }
        }
        for cookie in [nil, "session"] {
            expect("requires a and b, which both read \(cookie == nil ? "Authorization" : "Cookie")") {
                $0.auth("a", bench.tokens { $0.cookie = cookie })
                $0.auth("b", bench.tokens { $0.cookie = cookie })
                $0.get("/me", .require("a", "b")) { _ in Answer.json(1) }
            }
        }
        expect("requires a and b, which both read Authorization") {
            $0.auth("a", bench.tokens())
            $0.auth("b", .authorize(AuthorizerSettings(upstream: "session", get: "/auth")))
            $0.get("/me", .require("a", "b")) { _ in Answer.json(1) }
        }
    }

    @Test("A field that is sent cannot come from a client, with - and _ as equals")
    func forged() {
        func declare(_ gateway: Gateway, _ option: EndpointOption) {
            gateway.auth("shops", keys, send: ["X-User-Id": "{claims.sub}"])
            gateway.get("/open", option) { _ in Answer.json(1) }
        }
        expect("GET /open forwards X-User-Id, which auth.shops sends, so a client's would be taken for it") {
            declare($0, .forwards("X-User-Id"))
        }
        expect("GET /open forwards x_user_id, which auth.shops sends") {
            declare($0, .forwards("x_user_id"))
        }
        expect("auth.web.authorize forwards x_user_id, which auth.shops sends, so a client's would be taken")
        {
            $0.auth("shops", keys, send: ["X-User-Id": "{claims.sub}"])
            var settings = AuthorizerSettings(upstream: "session", get: "/auth")
            settings.forward = [.cookie, "x_user_id"]
            $0.auth("web", .authorize(settings))
        }
        expect("the proxy /files/{path...} passes on X_User_Id, which auth.shops sends") {
            $0.auth("shops", keys, send: ["X-User-Id": "{claims.sub}"])
            $0.proxy(
                "/files/{path...}", to: $0.proxyUpstream("files"),
                fields: .standard.adding(request: "X_User_Id"))
        }
    }

    @Test(
        "A sent field has a name that a call can have, and claims that exist",
        arguments: [
            ("Host", "x", "sends Host"), ("Via", "x", "sends Via"),
            ("X-Forwarded-For", "x", "sends X-Forwarded-For"),
            ("X-A", "{path.id}", "only claims can be sent"), ("X-A", "{claims.sub", "not closed"),
            ("X-A", "{claims}", "names no claim"), ("X-A", "{claims.a[*]}", "[*] is not supported"),
        ])
    func sentFields(_ name: String, _ template: String, _ fault: String) throws {
        let name = try #require(HTTPFieldName(name))
        expect(fault) { $0.auth("shops", keys, send: [SentField(name, template)]) }
    }

    @Test("A limit by identity needs an endpoint that asks who calls, and a store that exists")
    func limits() {
        expect(
            "rateLimits.each: no endpoint with this limit requires an identity: add require, or count by client"
        ) {
            $0.rateLimit("each", RateLimit(key: [.identity], rate: 1, per: .seconds(1)))
            $0.get("/me", .rateLimits("each")) { _ in Answer.json(1) }
        }
        expect("rateLimits.each: the store \"main\" is not declared") {
            $0.rateLimit("each", RateLimit(key: [.client], rate: 1, per: .seconds(1), store: "main"))
        }
    }

    @Test("An authorizer's fields are ones that a client and a response can have")
    func authorizer() {
        func declare(_ gateway: Gateway, _ change: (inout AuthorizerSettings) -> Void) {
            var settings = AuthorizerSettings(upstream: "session", get: "/auth")
            change(&settings)
            gateway.auth("web", .authorize(settings))
        }
        expect("auth.web.authorize.forward: the gateway itself sets X-Forwarded-For") {
            declare($0) { $0.forward = [.xForwardedFor] }
        }
        expect("auth.web.authorize.forward: the gateway itself sets X_Forwarded_Uri") {
            declare($0) { $0.forward = ["X_Forwarded_Uri"] }
        }
        expect("auth.web.authorize.answer: the gateway itself sets access_control_allow_origin") {
            declare($0) { $0.answer = ["access_control_allow_origin"] }
        }
        expect("auth.web.authorize.answer: the gateway itself sets Content-Length") {
            declare($0) { $0.answer = [.contentLength] }
        }
        expect("\"auth\" is not a path") { declare($0) { $0.get = "auth" } }
        expect("needs at least one field") { declare($0) { $0.forward = [] } }
    }
}
