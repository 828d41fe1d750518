/// What a server's certificate says, for reports and warnings.
public struct ServerCertificate: Sendable, Hashable {
    /// Its place in `TLSServerConfiguration.certificates`.
    public let index: Int
    /// The subject as OpenSSL writes it in one line: `CN = example.com`.
    public let subject: String
    /// The DNS names of the subjectAltName, in lower case.
    public let dnsNames: [String]
    /// The IP addresses of the subjectAltName.
    public let addresses: [String]
    /// The type of its key: `EC`, `RSA` or `Ed25519`.
    public let keyKind: String
    /// From when it is valid, in seconds since 1970.
    public let notBefore: Int
    /// When it expires, in seconds since 1970.
    public let notAfter: Int
    /// Whether clients get its issuer, or need none because it is signed with its own key.
    public let hasIssuer: Bool
    /// Whether it requires a stapled OCSP response (RFC 7633), which the server does not send.
    public let mustStaple: Bool
    /// The SHA-256 of the certificate, in 64 hexadecimal digits.
    public let sha256: String

    /// The DNS names, then the addresses.
    public var names: [String] { dnsNames + addresses }

    /// Whether a certificate for `name`, which may have `*` for its first label, is valid for this host.
    package static func covers(_ name: String, host: String) -> Bool { ServerNames.covers(name, host) }

    /// Whether it is valid for this host: a DNS name in any case, or an IP address.
    public func serves(host: String) -> Bool {
        if let address = SocketAddress(host: host, port: 0) { return addresses.contains(address.host) }
        return dnsNames.contains { ServerNames.covers($0, host) }
    }
}
