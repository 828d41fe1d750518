import Crypto
import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import TestWaiting
import Testing

/// A gateway with callers, its stub upstreams and its clock, over several generations.
final class AccessBench: Sendable {
    let time = VirtualTime()
    let transport: StubTransport
    let state = AccessState()
    let issuer: TestIssuer
    private let log = EventLog()

    private final class EventLog: Sendable {
        let events = Lock<[String]>([])
        let reasons = Lock<[String]>([])
    }

    /// What the log says about signing keys.
    var events: [String] { log.events.withLock { $0 } }
    /// Why signing keys could not be fetched, and why some are not used.
    var reasons: [String] { log.reasons.withLock { $0 } }

    /// The addresses of all upstreams, also if only entries name them.
    static let addresses = [
        "id": "https://id.test", "users": "http://users.test", "session": "http://session.test",
        "files": "http://files.test", "plain": "http://plain.test", "near": "http://127.0.0.1:8080",
        "named": "http://id.localhost:8080",
    ]

    init() throws {
        transport = StubTransport(scheduler: time)
        issuer = try TestIssuer(time)
        transport.answer(by: { _ in .json("[]") })
        transport.answer("/jwks.json", .json(issuer.keySet))
    }

    /// Returns a gateway without endpoints.
    ///
    /// - Parameter isFirst: whether it takes effect as soon as its responder is made.
    func gateway(
        isFirst: Bool = true, cors: CORSPolicy? = nil, limits: GatewayLimits = GatewayLimits(),
        stores: [String: any RateLimitStore] = [:]
    ) -> Gateway {
        var environment = GatewayEnvironment(transport: transport)
        environment.otherUpstreams = { name in Self.addresses[name].map { UpstreamURLs($0) } }
        environment.access = state
        environment.appliesDeclarations = isFirst
        environment.rateLimitStores = stores
        environment.reportAccess = { [log] event in
            let (text, reason): (String, String?) =
                switch event {
                case .keysAreGone(let entry, let reason): ("\(entry) gone", reason)
                case .keysAreBack(let entry): ("\(entry) back", nil)
                case .keysSkipped(let entry, let reasons): ("\(entry) skips", reasons)
                }
            log.events.withLock { $0.append(text) }
            if let reason { log.reasons.withLock { $0.append(reason) } }
        }
        return Gateway(environment, limits: limits, cors: cors)
    }

    /// Serves the issuer's present keys to later fetches.
    func serveKeys(_ fields: HTTPFields = [:], after delay: Duration = .zero) {
        transport.answer("/jwks.json", .response(200, fields: fields, body: issuer.keySet, after: delay))
    }

    /// The settings of the issuer's tokens.
    func tokens(_ change: (inout TokenSettings) -> Void = { _ in }) -> AuthMethod {
        var settings = TokenSettings(
            keys: .upstream("id", get: "/jwks.json"), algorithms: [.es256], issuer: "https://id.test",
            audience: ["app"])
        change(&settings)
        return .jwt(settings)
    }

    /// Returns a responder for `GET` and `POST` `/me`, which answers with the caller's name, with these
    /// options.
    func responder(
        cors: CORSPolicy? = nil, stores: [String: any RateLimitStore] = [:], _ options: EndpointOption...,
        declare: (Gateway) throws -> Void
    ) throws -> GatewayResponder {
        let gateway = gateway(cors: cors, stores: stores)
        try declare(gateway)
        for method in [HTTPMethod.get, .post] {
            gateway.on(method, "/me", options) { request in
                Answer.json(request.identity?.subject ?? "nobody")
            }
        }
        return try gateway.responder()
    }

    /// Calls by path, with the fields that they carry.
    func calls(_ path: String) -> [HTTPFields] {
        transport.attempts.filter { $0.call.path == path }.map(\.call.allFields)
    }

    /// The number of fetches of keys.
    var fetches: Int { calls("/jwks.json").count }
}

extension GatewayResponder {
    /// Sends a request without waiting.
    func ask(
        _ method: HTTPMethod = .get, _ target: String = "/me", _ fields: HTTPFields = [:], body: String = ""
    ) throws -> Pending {
        let head = HTTPRequestHead(
            method: method, target: try #require(RequestTarget(target)), fields: fields)
        return Pending(respond(to: ReceivedRequest(head: head, body: Array(body.utf8)[...])))
    }

    /// Returns the answer to a request that waits for nothing.
    func reply(
        _ method: HTTPMethod = .get, _ target: String = "/me", _ fields: HTTPFields = [:], body: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Reply {
        try ask(method, target, fields, body: body).reply(sourceLocation: sourceLocation)
    }
}

/// Signs tokens, as an identity provider does, at virtual times.
final class TestIssuer: Sendable {
    private let time: VirtualTime
    private let keys: Lock<[(id: String, key: SigningKey)]>

    init(_ time: VirtualTime) throws {
        self.time = time
        keys = Lock([("1", try SigningKey.makeEllipticCurve())])
    }

    /// Signs later tokens with another key.
    func rotate(keepingOld: Bool = true) throws {
        let key = try SigningKey.makeEllipticCurve()
        keys.withLock { keys in
            let id = "\((keys.last.flatMap { Int($0.id) } ?? 0) + 1)"
            keys = (keepingOld ? keys : []) + [(id, key)]
        }
    }

    var keySet: String {
        let texts = keys.withLock { keys in
            keys.map { id, key in
                let members = key.publicMembers + [("kid", id), ("use", "sig")]
                return "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
            }
        }
        return "{\"keys\":[\(texts.joined(separator: ","))]}"
    }

    /// Returns a token that expires after this many seconds.
    ///
    /// - Parameters:
    ///   - claims: more members of the payload, as JSON: `"scope":"read"`.
    ///   - issuer: `iss`.
    func token(
        _ subject: String = "ann", _ claims: String = "", expiresIn seconds: Int = 3600,
        issuer: String = "https://id.test", keyID: String? = nil
    ) throws -> String {
        let (id, key) = try #require(keys.withLock { $0.last })
        let now = Int(time.now.timeIntervalSince1970)
        let payload = """
            {"iss":"\(issuer)","aud":"app","sub":"\(subject)","exp":\(now + seconds)\
            \(claims.isEmpty ? "" : "," + claims)}
            """
        let header = "{\"alg\":\"ES256\",\"kid\":\"\(keyID ?? id)\"}"
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)[...]))
    }

    func bearer(
        _ subject: String = "ann", _ claims: String = "", expiresIn seconds: Int = 3600
    ) throws -> HTTPFields {
        [.authorization: "Bearer \(try token(subject, claims, expiresIn: seconds))"]
    }
}

/// An API key and its line in the file.
struct TestKey {
    let key: String
    let line: String

    init(_ name: String, _ claims: String = "") {
        key = "sluice_" + Base64URL.encode(SecureRandom.bytes(32))
        line = "\(name) \(SHA256Digest(of: key).hexadecimal) \(claims)"
    }

    var fields: HTTPFields { ["X-API-Key": key] }
}

/// A store of limits that answers when a test says so.
final class ScriptedStore: RateLimitStore {
    private let calls = Lock<[@Sendable (StoreOutcome) -> Void]>([])
    let asked = Lock<[[String]]>([])

    func take(
        _ limits: [StoreLimitRequest], within _: Int64, deliver: @escaping @Sendable (StoreOutcome) -> Void
    ) {
        asked.withLock { $0.append(limits.map(\.name)) }
        calls.withLock { $0.append(deliver) }
    }

    /// Answers the oldest call.
    func answer(_ outcome: StoreOutcome) {
        let call = calls.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        call?(outcome)
    }
}

/// An upstream of the endpoints.
enum UsersAPI: TargetType {
    case list
    case named(HTTPFields)

    var baseURL: String { "http://users.test" }
    var path: RequestPath { "/list" }
    var headers: HTTPFields { if case .named(let fields) = self { fields } else { [:] } }
}
