/// How connections to a server are encrypted, and whom it takes for the server. A value: two that are equal share one
/// `TLSContext`, and with it their sessions, as long as their files hold the same.
///
/// The defaults are what a client on the open Internet needs: the system's roots, the whole verification (chain, dates,
/// name), TLS 1.2 (RFC 5246) or 1.3 (RFC 8446), and HTTP/1.1 by ALPN (RFC 7301). Ciphers and curves are those of the
/// system's OpenSSL. Revocation lists and OCSP are not asked; early data (0-RTT) is never sent, since it can be replayed.
public struct TLSConfiguration: Sendable, Hashable {
    /// PEM text, by its bytes or by the file that holds it. Files are read as a context is made, and
    /// never again by it.
    public struct PEM: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case file(String)
            case bytes([UInt8])
        }

        let form: Form

        public static func file(_ path: String) -> PEM { PEM(form: .file(path)) }
        public static func bytes(_ bytes: [UInt8]) -> PEM { PEM(form: .bytes(bytes)) }
        public static func text(_ text: String) -> PEM { PEM(form: .bytes(Array(text.utf8))) }
    }

    /// Whose signatures are believed.
    public struct Trust: Sendable, Hashable {
        /// Nil for the system's.
        let authorities: PEM?

        /// The roots of the system: OpenSSL's default file and folder, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        public static let system = Trust(authorities: nil)
        /// These certificates and no others. One that is no root is an anchor too, as for curl.
        public static func authorities(_ authorities: PEM) -> Trust { Trust(authorities: authorities) }
    }

    /// What is asked of the server's certificate.
    public struct Verification: Sendable, Hashable {
        let isFull: Bool

        /// Its chain, its dates, its purpose, and that it is for the name that was asked for: a DNS name or IP address of
        /// its subjectAltName (RFC 9525; the subject's common name is not looked at).
        public static let full = Verification(isFull: true)
        /// Nothing, but for pins: whoever is on the way can read and change all. For tests of one's own.
        public static let insecureNone = Verification(isFull: false)
    }

    /// A version of TLS.
    public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// As it is on the wire: 0x0303 and 0x0304.
        let code: UInt16

        public static let tls12 = Version(code: 0x0303)
        public static let tls13 = Version(code: 0x0304)

        public static func < (one: Version, other: Version) -> Bool { one.code < other.code }

        public var description: String {
            switch self {
            case .tls12: "TLS 1.2"
            case .tls13: "TLS 1.3"
            default: "TLS version \(code)"
            }
        }
    }

    /// What this side shows to a server that asks who it is.
    public struct Identity: Sendable, Hashable {
        /// Its certificate, and behind it those that lead to an authority.
        public var certificateChain: PEM
        public var privateKey: PEM
        /// Of an encrypted key.
        public var password: String?

        public init(certificateChain: PEM, privateKey: PEM, password: String? = nil) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
            self.password = password
        }
    }

    /// Default: the system's roots.
    public var trust = Trust.system
    /// Default: the whole.
    public var verification = Verification.full
    /// Default: TLS 1.2. The highest is 1.3.
    public var minimumVersion = Version.tls12
    /// What is offered by ALPN, the preferred first, 1 to 255 bytes each. Default: HTTP/1.1; empty: no ALPN.
    public var applicationProtocols = ["http/1.1"]
    /// Default: none.
    public var identity: Identity?
    /// The keys of which one has to be in the server's chain (of the server itself where nothing is verified): the SHA-256
    /// of a SubjectPublicKeyInfo in base64 (RFC 7469 2.4), with or without curl's `sha256//` in front; several in one text
    /// are separated by `;`. Default: none, and any key will do.
    public var pins: Set<String> = []
    /// In place of the host that is connected to: for SNI (RFC 6066 3) and for the name in the certificate. Default: nil.
    public var serverName: String?

    public init() {}
}
