import ASCIIText

/// The form in which upstreams learn of a request's client.
public struct ClientForwarding: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// They learn nothing.
    public static let none = ClientForwarding("none")
    /// `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`.
    public static let xForwarded = ClientForwarding("x-forwarded")
    /// `Forwarded` (RFC 7239).
    public static let forwarded = ClientForwarding("forwarded")

    /// All forms.
    public static let allCases: [ClientForwarding] = [.none, .xForwarded, .forwarded]

    /// The word in files and flags: `x-forwarded`.
    public let rawValue: String

    private init(_ word: String) { rawValue = word }

    /// Returns the form with this word; nil for another word.
    public init?(rawValue: String) {
        guard let form = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = form
    }

    private static let names = [CGIName(.forwarded), CGIName(.xRealIP)]
    private static let prefix = (name: CGIName("X-Forwarded-"), length: 12)

    /// Whether proxies tell each other of a client by this field, so that only the gateway may set it. `_`
    /// counts as `-`: CGI programs read both as one variable.
    package static func isField(_ name: HTTPFieldName) -> Bool {
        name.withBytes { name in
            names.contains { $0.matches(name) }
                || name.count > prefix.length
                    && prefix.name.matches(UnsafeRawBufferPointer(rebasing: name[..<prefix.length]))
        }
    }

    /// Why a field that `isField` knows is not taken from a client. Follows its name.
    package static let fieldRule = "which a client can forge; forwardClient tells upstreams of the client"
}

/// What upstreams may learn of a request's client.
package struct ClientFacts: Sendable {
    private let client: ForwardedClient?
    private let peer: IPAddress?
    private let scheme: String
    private let host: String?

    /// - Parameters:
    ///   - client: what trusted proxies tell; nil if the peer is the client.
    ///   - peer: the peer's address; nil if it has none, as on a Unix socket.
    ///   - scheme: of the request's URL.
    ///   - host: of the request's URL, with its port; nil if the client named none.
    package init(_ client: ForwardedClient?, peer: IPAddress?, scheme: String, host: String?) {
        self.client = client
        self.peer = peer?.unmapped
        self.scheme = scheme
        self.host = host
    }

    /// The client, the trusted proxies behind it, and the peer. What is left of the client may be forged.
    private var chain: [IPAddress] {
        let told = client?.address.map { [$0] + (client?.hops ?? []) } ?? []
        return told + (peer.map { [$0] } ?? [])
    }

    package func fields(in form: ClientForwarding) -> HTTPFields {
        var fields = HTTPFields()
        add(to: &fields, in: form)
        return fields
    }

    package func add(to fields: inout HTTPFields, in form: ClientForwarding) {
        switch form {
        case .xForwarded:
            let addresses = chain.map(\.description)
            if !addresses.isEmpty { fields.append(.xForwardedFor, addresses.joined(separator: ", ")) }
            fields.append(.xForwardedProto, scheme)
            if let host { fields.append(.xForwardedHost, host) }
        case .forwarded: fields.append(.forwarded, forwarded)
        default: break
        }
    }

    /// The client's element has the scheme and the host, as its proxy saw them.
    private var forwarded: String {
        var elements = chain.map { "for=\($0.isIPv4 ? "\($0)" : "\"[\($0)]\"")" }
        if elements.isEmpty { elements = ["for=unknown"] }
        elements[0] += ";proto=\(scheme)"
        if let host { elements[0] += ";host=\(Self.quoted(host))" }
        return elements.joined(separator: ", ")
    }

    /// A host has neither quotes nor backslashes.
    private static func quoted(_ host: String) -> String {
        !host.isEmpty && host.utf8.allSatisfy(ASCII.isTokenByte) ? host : "\"\(host)\""
    }
}
