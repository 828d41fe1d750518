/// How connections to a server are encrypted and the server is verified. Equal configurations share one
/// `TLSContext` and its sessions, while the content of their files is the same.
///
/// The defaults suit a client on the open Internet: the system's roots, full verification (chain, dates,
/// name), TLS 1.2 (RFC 5246) or 1.3 (RFC 8446), and HTTP/1.1 by ALPN (RFC 7301). The system's OpenSSL chooses
/// ciphers and curves. Revocation lists and OCSP are not checked. Early data (0-RTT) is never sent, since it
/// can be replayed.
public struct TLSConfiguration: Sendable, Hashable {
    /// PEM text, given as bytes or as the path of a file, which is read once, when a context is created.
    public struct PEM: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case file(String)
            case bytes([UInt8])
        }

        let form: Form

        /// The path of its file; nil for bytes.
        package var path: String? {
            if case .file(let path) = form { path } else { nil }
        }

        /// PEM in a file, which is read when a context is created.
        public static func file(_ path: String) -> PEM { PEM(form: .file(path)) }
        /// PEM as bytes.
        public static func bytes(_ bytes: [UInt8]) -> PEM { PEM(form: .bytes(bytes)) }
        /// PEM as text.
        public static func text(_ text: String) -> PEM { PEM(form: .bytes(Array(text.utf8))) }
    }

    /// The certificates that a server's chain may end at.
    public struct Trust: Sendable, Hashable {
        let authorities: PEM?

        /// The system's roots: OpenSSL's default file and folder, or `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        public static let system = Trust(authorities: nil)
        /// Only these certificates. As in curl, an intermediate is a trust anchor as well.
        public static func authorities(_ authorities: PEM) -> Trust { Trust(authorities: authorities) }
    }

    /// How much of a server's certificate is verified.
    public struct Verification: Sendable, Hashable {
        let isFull: Bool

        /// Chain, dates, purpose, and the name: a DNS name or IP address in its subjectAltName (RFC 9525).
        /// The subject's common name is ignored.
        public static let full = Verification(isFull: true)
        /// No verification except pins. Anyone on the network path can read and change everything. For tests
        /// only.
        public static let insecureNone = Verification(isFull: false)
    }

    /// A version of TLS.
    public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The number on the wire.
        let code: UInt16

        /// TLS 1.2 (RFC 5246).
        public static let tls12 = Version(code: 0x0303)
        /// TLS 1.3 (RFC 8446).
        public static let tls13 = Version(code: 0x0304)

        /// Whether the left value comes first.
        public static func < (one: Version, other: Version) -> Bool { one.code < other.code }

        /// The value as text, for logs and messages.
        public var description: String {
            switch self {
            case .tls12: "TLS 1.2"
            case .tls13: "TLS 1.3"
            default: "TLS version \(code)"
            }
        }
    }

    /// A client certificate, shown to servers that request one.
    public struct Identity: Sendable, Hashable {
        /// The certificate, followed by its intermediates.
        public var certificateChain: PEM
        /// The private key of the first certificate.
        public var privateKey: PEM
        /// The password of an encrypted key.
        public var password: String?

        /// Creates an identity from a certificate with its intermediates and the key.
        public init(certificateChain: PEM, privateKey: PEM, password: String? = nil) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.password = password
        }
    }

    /// Default: the system's roots.
    public var trust = Trust.system
    /// Default: full.
    public var verification = Verification.full
    /// Default: TLS 1.2. The highest supported version is 1.3.
    public var minimumVersion = Version.tls12
    /// The protocols offered by ALPN, preferred first, 1 to 255 bytes each. Default: HTTP/1.1. Empty: no
    /// ALPN.
    public var applicationProtocols = ["http/1.1"]
    /// The client certificate. Default: none.
    public var identity: Identity?
    /// Public keys, one of which must be in the server's chain (in its own certificate if nothing is
    /// verified). Each is the base64 SHA-256 of a SubjectPublicKeyInfo (RFC 7469, section 2.4), with or
    /// without curl's prefix `sha256//`. One string may hold several, separated by `;`. Default: none, which
    /// accepts any key.
    public var pins: Set<String> = []
    /// Replaces the host for SNI (RFC 6066, section 3) and for the name in the certificate. Default: nil.
    public var serverName: String?

    /// Creates the default values.
    public init() {}

    /// The paths of its files.
    package var files: [String] {
        [trust.authorities, identity?.certificateChain, identity?.privateKey].compactMap { $0?.path }
    }
}
