import ASCIIText

/// How a server's connections are encrypted, and which clients it accepts.
///
/// The rest cannot be chosen. Ciphers are Mozilla's "intermediate" profile 5.7 without DHE: TLS 1.3, and TLS
/// 1.2 with ECDHE and AES-GCM or ChaCha20. Groups are X25519, P-256 and P-384. The client's order decides.
/// The server refuses renegotiation, compression and early data (0-RTT), which can be replayed.
public struct TLSServerConfiguration: Sendable, Hashable {
    /// Which clients must or may show a certificate.
    public struct Clients: Sendable, Hashable {
        /// The certificates that a client's chain may end at. An intermediate is a trust anchor as well.
        public var authorities: TLSConfiguration.PEM
        /// The names of the subjectAltName, one of which a certificate must have: DNS names, also
        /// `*.example.com`, or URIs. Empty: any certificate of the authorities will do.
        public var names: [String]
        /// Whether a client without a certificate is refused.
        public var isRequired: Bool

        /// Creates a policy.
        public init(authorities: TLSConfiguration.PEM, names: [String] = [], isRequired: Bool = true) {
            self.authorities = authorities
            self.names = names
            self.isRequired = isRequired
        }
    }

    /// The most certificates.
    public static let mostCertificates = 64

    /// The certificates, 1 to 64. Each is a leaf with its issuers behind it, and the leaf's key. A client
    /// that names no server, or an unknown one, gets the first.
    public var certificates: [TLSConfiguration.Identity]
    /// Default: TLS 1.2. The highest supported version is 1.3.
    public var minimumVersion = TLSConfiguration.Version.tls12
    /// Default: no certificate is requested of clients.
    public var clients: Clients?
    /// The protocols that the server selects by ALPN, preferred first. A client that offers others only is
    /// refused with the alert `no_application_protocol`. Default: HTTP/1.1, then HTTP/1.0.
    public var applicationProtocols = ["http/1.1", "http/1.0"]

    /// Creates a configuration with these certificates.
    public init(certificates: [TLSConfiguration.Identity]) {
        self.certificates = certificates
    }

    /// Whether the text can be one of `Clients.names`.
    public static func isClientName(_ text: String) -> Bool { CertificateNames.fault(of: text) == nil }

    /// The paths of its files.
    package var files: [String] {
        let all = certificates.flatMap { [$0.certificateChain, $0.privateKey] }
        return (all + [clients?.authorities].compactMap { $0 }).compactMap(\.path)
    }
}
