import AccessControl
import HTTPModel
import JSONBytes
import Networking

/// One way in which clients prove who they are, ready for requests.
final class AuthEntry: Sendable {
    enum Kind: Sendable {
        case keys(KeyEntry)
        case tokens(TokenEntry)
        case authorizer(AuthorizerEntry)
        case certificate(CertificateEntry)
    }

    let name: String
    let kind: Kind
    let send: [SentField]

    init(name: String, kind: Kind, send: [SentField]) {
        self.name = name
        self.kind = kind
        self.send = send
    }

    /// What a client without a credential is told (RFC 9110 11.6.1).
    var challenge: String {
        switch kind {
        case .keys: "APIKey"
        case .tokens: "Bearer"
        // No scheme is registered for cookies and other fields. Clients ignore an unknown one.
        case .authorizer(let entry): entry.forward.contains(.authorization) ? "Bearer" : "Session"
        // Nor is one for certificates: the handshake asks for them.
        case .certificate: "ClientCertificate"
        }
    }

    /// Whether a browser sends the credential by itself, with requests of any page too: a cookie, or a
    /// certificate.
    var isSentByBrowsers: Bool {
        switch kind {
        case .certificate: true
        case .keys(let entry): entry.header == .cookie
        case .tokens(let entry): entry.cookie != nil
        case .authorizer(let entry): entry.forward.contains(.cookie)
        }
    }

    /// The fields of a request that have its credential.
    var fields: [HTTPFieldName] {
        switch kind {
        case .keys(let entry): [entry.header]
        case .tokens(let entry): [entry.cookie == nil ? .authorization : .cookie]
        case .authorizer(let entry): entry.forward
        case .certificate: []
        }
    }

    /// Where the entry looks for a credential, in words: `Bearer token in Authorization`.
    var credentials: [String] {
        switch kind {
        case .keys(let entry): [entry.header.description]
        case .tokens(let entry):
            [
                entry.cookie.map { "cookie \(String(decoding: $0, as: UTF8.self))" }
                    ?? "Bearer token in Authorization"
            ]
        case .authorizer(let entry): entry.forward.map(\.description)
        case .certificate(let entry):
            [entry.names == nil ? "certificate" : "certificate with a name of auth.\(name)"]
        }
    }

    func identity(_ claims: JSONFragment) -> Identity { Identity(entry: name, claims: claims, send: send) }
}

// Each kind is a class, so that a request that reads an entry copies one reference.

/// Keys of clients.
final class KeyEntry: Sendable {
    let header: HTTPFieldName
    private let table: APIKeyTable
    /// By the indices of the keys.
    private let identities: [Identity]

    init(_ name: String, _ header: HTTPFieldName, _ table: APIKeyTable, send: [SentField]) {
        self.header = header
        self.table = table
        identities = table.keys.map {
            Identity(entry: name, claims: $0.claims, send: send, key: $0.name)
        }
    }

    func find(_ key: ArraySlice<UInt8>) -> Identity? { table.index(of: key).map { identities[$0] } }
}

/// Signed tokens.
final class TokenEntry: Sendable {
    /// The name of the cookie; nil for `Authorization`.
    let cookie: [UInt8]?
    let verifier: TokenVerifier
    let keys: SigningKeys

    var issuer: String { verifier.rules.issuer }

    init(cookie: [UInt8]?, verifier: TokenVerifier, keys: SigningKeys) {
        self.cookie = cookie
        self.verifier = verifier
        self.keys = keys
    }
}

/// A service that decides.
final class AuthorizerEntry: Sendable {
    let provider: Provider<AccessTarget>
    let path: RequestPath
    /// Constant fields of each call, without those that the gateway sets itself.
    let headers: HTTPFields
    let forward: [HTTPFieldName]
    let take: [TakenField]
    let answer: [HTTPFieldName]
    let timeout: Duration

    init(_ settings: AuthorizerSettings, _ provider: Provider<AccessTarget>, headers: HTTPFields) {
        self.provider = provider
        self.headers = headers
        path = RequestPath(encoded: settings.get)
        forward = settings.forward
        take = settings.take
        answer = settings.answer
        timeout = settings.timeout
    }
}

/// A call that the gateway makes for itself: to an authorizer, or for signing keys.
struct AccessTarget: TargetType {
    var baseURL: String { "" }
    let path: RequestPath
    var headers: HTTPFields
    var timeout: Duration?

    init(_ path: RequestPath, _ headers: HTTPFields) {
        self.path = path
        self.headers = headers
    }
}
