import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

/// Rules 18, 19 and 20: what upstreams learn of a caller, and what no client can make them believe.
@Suite("Fields about the caller", .noLeaks)
struct SentFieldTests {
    private let bench: AccessBench
    private let key = TestKey("ann", "plan=pro roles=[\"a\",\"b\"] level=3 org={\"id\":\"o1\"}")

    init() throws { bench = try AccessBench() }

    /// Returns a gateway whose entry sends these fields.
    private func gateway(_ send: KeyValuePairs<HTTPFieldName, String>) -> Gateway {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])), send: send)
        return gateway
    }

    /// Returns the fields that the upstream of `GET /list` gets.
    private func sent(
        _ send: KeyValuePairs<HTTPFieldName, String>, _ fields: HTTPFields = [:],
        target: UsersAPI = .list, _ options: [EndpointOption] = []
    ) throws -> HTTPFields {
        let gateway = gateway(send)
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        gateway.on(.get, "/list", [.require("shops", optional: true)] + options) { _ in
            Answer.parts(list: users.rx.request(target).fragment())
        }
        #expect(try gateway.responder().reply(.get, "/list", fields).status == 200)
        return try #require(bench.calls("/list").last)
    }

    @Test(
        "A template is text and claims: numbers as they are, lists of text with commas",
        arguments: [
            ("{claims.sub}", "ann"), ("user:{claims.sub}", "user:ann"), ("{claims.level}", "3"),
            ("{claims.roles}", "a,b"), ("{claims.org.id}/{claims.plan}", "o1/pro"), ("{{x}", "{x}"),
            ("{{x}}", "{x}}"),
            ("{claims.missing}", nil), ("a{claims.missing}b", nil),
        ] as [(String, String?)])
    func templates(_ template: String, _ value: String?) throws {
        #expect(try sent(["X-About": template], key.fields)["X-About"] == value)
    }

    @Test("Without an identity nothing is sent, whatever the client says")
    func anonymous() throws {
        let fields = try sent(["X-User-Id": "{claims.sub}"], ["X-User-Id": "root", "X_User_Id": "root"])
        #expect(!fields.contains("X-User-Id"))
        #expect(!fields.contains("X_User_Id"))
    }

    @Test("A field of the call with the same name gives way, with - and _ as equals")
    func replaces() throws {
        let own: HTTPFields = ["X_USER_ID": "root", "x-user-id": "root", "X-Kept": "1"]
        let fields = try sent(["X-User-Id": "{claims.sub}"], key.fields, target: .named(own))
        #expect(fields.values(of: "X-User-Id") == ["ann"])
        #expect(!fields.contains("X_USER_ID"))
        #expect(fields["X-Kept"] == "1")
    }

    @Test("The credential stops at the gateway")
    func credential() throws {
        let fields = try sent([:], key.fields.merging([.cookie: "a=1"]))
        #expect(!fields.contains("X-API-Key"))
        #expect(!fields.contains(.cookie))
        #expect(try sent([:], key.fields, [.forwards("X-API-Key")]).contains("X-API-Key"))
    }

    @Test(
        "A claim that does not fit into a field is 403",
        arguments: [
            #"org={"id":"o1"}"#, "roles=[\"a,b\"]", "text=\"a\\u000ab\"",
            "text=" + String(repeating: "x", count: 4097),
        ])
    func unfit(_ claim: String) throws {
        let key = TestKey("ann", claim)
        let name = claim.prefix { $0 != "=" }
        let gateway = bench.gateway()
        gateway.auth(
            "shops", .apiKeys(APIKeySettings(lines: [key.line])), send: ["X-About": "{claims.\(name)}"])
        gateway.get("/list", .require("shops")) { _ in Answer.json(1) }
        let reply = try gateway.responder().reply(.get, "/list", key.fields)
        #expect(reply.status == 403)
        #expect(reply.summary.access?.result == .forbidden)
    }

    @Test("A call that goes through gets them, too, in place of the client's")
    func proxy() throws {
        let gateway = gateway(["X-User-Id": "{claims.sub}", .acceptLanguage: "{claims.plan}"])
        let files = gateway.proxyUpstream("files")
        gateway.proxy("/files/{path...}", to: files, .require("shops"))
        gateway.proxy("/open/{path...}", to: files)
        let responder = try gateway.responder()
        let forged: HTTPFields = ["X-User-Id": "root", .acceptLanguage: "ko", "X_User_Id": "root"]
        _ = try responder.ask(.get, "/files/a", key.fields.merging(forged))
        let passed = try #require(bench.calls("/a").last)
        #expect(passed.values(of: "X-User-Id") == ["ann"])
        #expect(passed.values(of: .acceptLanguage) == ["pro"])
        #expect(!passed.contains("X_User_Id"))
        #expect(!passed.contains("X-API-Key"))
        _ = try responder.ask(.get, "/open/b", forged)
        let open = try #require(bench.calls("/b").last)
        #expect(!open.contains("X-User-Id"))
        // A standard field that an entry sends is never the client's.
        #expect(!open.contains(.acceptLanguage))
    }

    @Test("Authorization can be sent, and replaces the constant one of an upstream")
    func authorization() throws {
        let own: HTTPFields = [.authorization: "Basic internal"]
        let fields = try sent([.authorization: "Bearer {claims.sub}"], key.fields, target: .named(own))
        #expect(fields.values(of: .authorization) == ["Bearer ann"])
    }

    @Test("A call that may outlive the request carries none of them")
    func outliving() async throws {
        let gateway = gateway(["X-User-Id": "{claims.sub}"])
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        let shared = gateway.shared("list", for: .seconds(60)) { users.rx.request(.list).fragment() }
        gateway.get("/list", .require("shops")) { _ in .parts(list: shared) }
        gateway.get("/detached", .require("shops")) { _ in
            .parts(list: CallContext.detached { users.rx.request(.list).fragment().share() })
        }
        let responder = try gateway.responder()
        for path in ["/list", "/detached"] {
            let before = bench.calls("/list").count
            let waiting = try responder.ask(.get, path, key.fields)
            try await poll(
                while: {
                    bench.time.advance(by: .zero)
                    return bench.calls("/list").count == before || waiting.count == 0
                }()
            ) { "no call" }
            #expect(bench.calls("/list").last?.contains("X-User-Id") == false)
        }
    }

    @Test("Without a caller, a call in a task of its own is an ordinary one")
    func ownTask() async throws {
        let gateway = gateway(["X-User-Id": "{claims.sub}"])
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        gateway.get("/list", .require("shops", optional: true)) { _ in
            .json(try await Task { try await users.request(.list).statusCode }.value)
        }
        let responder = try gateway.responder()
        for (fields, status) in [([:], 200), (key.fields, 500)] as [(HTTPFields, Int)] {
            let waiting = try responder.ask(.get, "/list", fields)
            try await poll(
                while: {
                    bench.time.advance(by: .zero)
                    return waiting.count == 0
                }()
            ) { "no answer" }
            #expect(try waiting.reply().status == status)
        }
    }

    @Test("A redirect to another origin drops them")
    func redirect() throws {
        let gateway = gateway(["X-User-Id": "{claims.sub}"])
        var policy = CallPolicy()
        policy.redirects = .follow(hosts: ["other.test"])
        let users = gateway.provider(UsersAPI.self, upstream: "users", policy: policy)
        gateway.get("/list", .require("shops")) { _ in .parts(list: users.rx.request(.list).fragment()) }
        bench.transport.answer("/list", .response(302, fields: [.location: "http://other.test/there"]))
        #expect(try gateway.responder().reply(.get, "/list", key.fields).status == 200)
        #expect(bench.calls("/list").first?["X-User-Id"] == "ann")
        #expect(bench.calls("/there").first?.contains("X-User-Id") == false)
    }

    @Test("A claim is a value of plans; missing in a path it is 403, elsewhere it is left out")
    func plans() throws {
        let gateway = gateway([:])
        let users = gateway.plannedUpstream(
            "users", "http://users.test", policy: .once, envelope: .none, headers: [:], allowsEmptyBody: false
        )
        func add(_ path: String, _ claim: String) throws {
            var call = PlannedCall("users", .get, Located(text("/of/{claims.\(claim)}")))
            call.query = [("plan", .reference(reference("claims.missing")))]
            var endpoint = PlannedEndpoint(.get, path, parts: [PlannedPart("a", .call(call))])
            endpoint.settings.requirement = PlannedRequirement(["shops"])
            gateway.add(
                try EndpointPlan(endpoint, ["users": users]), [.require("shops")])
        }
        try add("/known", "sub")
        try add("/unknown", "missing")
        let responder = try gateway.responder()
        #expect(try responder.reply(.get, "/known", key.fields).status == 200)
        #expect(bench.transport.attempts.last?.call.target.text == "/of/ann")
        #expect(try responder.reply(.get, "/unknown", key.fields).status == 403)
    }
}
