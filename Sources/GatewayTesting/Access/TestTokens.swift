public import Crypto
public import HTTPModel
public import JSONBytes
import Locking

/// Signs tokens for tests, as an identity provider does, and has the key set by which a gateway verifies
/// them.
///
///     let tokens = try TestTokens(issuer: "https://id.example", audience: "app")
///     upstreams["id"].on(.get, "/jwks.json").answer { _ in .json(tokens.keySet) }
///     try await withGateway(.virtualTime, file: "sluice.yaml", upstreams: upstreams) { client in
///         let response = try await client.get("/me", tokens.bearer("ann", ["scope": "read"]))
///         #expect(response.status == .ok)
///     }
///
/// The tokens are real ones: a claim that the gateway does not accept is refused in the test, too. A token
/// that another `TestTokens` has signed is a forged one.
public final class TestTokens: Sendable {
    private struct Keys: Sendable {
        /// The last one signs.
        var all: [(id: String, key: SigningKey)] = []
        var made = 0
    }

    private let issuer: String
    private let audience: String
    private let makeKey: @Sendable () throws -> SigningKey
    private let keys = Lock(Keys())

    /// The second at which tokens expire unless they say otherwise: in 2100. Virtual time begins in 2001.
    private static let expiry = 4_102_444_800

    /// - Parameters:
    ///   - issuer: what tokens have as `iss`.
    ///   - audience: what they have as `aud`.
    ///   - algorithm: `.es256` or `.ed25519`.
    /// - Throws: the error of the cryptographic library for another algorithm.
    public init(
        issuer: String, audience: String, algorithm: SignatureAlgorithm = .es256
    ) throws {
        self.issuer = issuer
        self.audience = audience
        switch algorithm {
        case .es256: makeKey = { try SigningKey.makeEllipticCurve() }
        case .ed25519: makeKey = { try SigningKey.makeEd25519() }
        default: throw UnsupportedAlgorithm(algorithm: algorithm)
        }
        try rotate()
    }

    private struct UnsupportedAlgorithm: Error, CustomStringConvertible {
        let algorithm: SignatureAlgorithm

        var description: String { "tokens of tests are signed by ES256 or Ed25519, not \(algorithm.name)" }
    }

    /// The key set (RFC 7517) of all keys, as JSON.
    public var keySet: String {
        let keys = keys.withLock { $0.all }
        let texts = keys.map { id, key in
            let members = key.publicMembers + [("kid", id), ("use", "sig")]
            return "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        }
        return "{\"keys\":[\(texts.joined(separator: ","))]}"
    }

    /// Signs later tokens with a new key.
    ///
    /// - Parameter keepsOld: whether the key set still has the earlier keys.
    public func rotate(keepingOld keepsOld: Bool = true) throws {
        let key = try makeKey()
        keys.withLock { keys in
            keys.made += 1
            if !keepsOld { keys.all = [] }
            keys.all.append((id: "test-\(keys.made)", key: key))
        }
    }

    /// Returns a token.
    ///
    /// - Parameters:
    ///   - subject: the claim `sub`; nil for a token without one.
    ///   - claims: further claims. They replace `iss`, `aud` and `exp`, which is far in the future otherwise:
    ///     `["exp": 0]` makes an expired token.
    ///   - type: `typ` of the header.
    public func token(
        _ subject: String?, _ claims: KeyValuePairs<String, JSONLiteral> = [:], type: String = "JWT"
    ) throws -> String {
        guard let (id, key) = keys.withLock({ $0.all.last }) else { return "" }
        let header = Self.object([
            ("alg", JSONLiteral(key.algorithm.name)), ("kid", JSONLiteral(id)), ("typ", JSONLiteral(type)),
        ])
        var members: [(String, JSONLiteral)] = [
            ("iss", JSONLiteral(issuer)), ("aud", JSONLiteral(audience)), ("exp", JSONLiteral(Self.expiry)),
        ]
        if let subject { members.append(("sub", JSONLiteral(subject))) }
        for (name, value) in claims {
            members.removeAll { $0.0 == name }
            members.append((name, value))
        }
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(Self.object(members))
        return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)[...]))
    }

    /// Returns the field of a request with a token: `Authorization: Bearer`.
    ///
    /// - Parameters:
    ///   - subject: the claim `sub`; nil for a token without one.
    ///   - claims: further claims, as of `token(_:_:type:)`.
    public func bearer(
        _ subject: String?, _ claims: KeyValuePairs<String, JSONLiteral> = [:]
    ) throws -> HTTPFields {
        [.authorization: "Bearer \(try token(subject, claims))"]
    }

    private static func object(_ members: [(String, JSONLiteral)]) -> [UInt8] {
        Array(JSONLiteral(members: members).fragment.bytes)
    }
}
