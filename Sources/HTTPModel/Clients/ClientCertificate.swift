/// The certificate of a client, which the server has verified in the TLS handshake. The requests of one
/// connection share it.
public final class ClientCertificate: Sendable {
    /// The subject as OpenSSL writes it in one line: `CN = shop, O = Example`. Anybody may have any subject:
    /// names are in `dnsNames` and `uris`.
    public let subject: String
    /// The DNS names of its subjectAltName, in lower case and without a final dot. Names with an asterisk are
    /// left out, because they do not say who the client is.
    public let dnsNames: [String]
    /// The URIs of its subjectAltName, such as `spiffe://example.com/shop`.
    public let uris: [String]
    /// The SHA-256 of the certificate: 64 hexadecimal digits, as `openssl x509 -fingerprint -sha256` has them
    /// between its colons, in lower case.
    public let sha256: String
    /// When it expires, in seconds since 1970.
    public let notAfter: Int

    /// Creates the facts of a certificate. A server makes them of one that it has verified.
    public init(subject: String, dnsNames: [String], uris: [String], sha256: String, notAfter: Int) {
        self.subject = subject
        self.dnsNames = dnsNames
        self.uris = uris
        self.sha256 = sha256
        self.notAfter = notAfter
    }

    /// The first name: a DNS name, else a URI, else the subject.
    public var name: String { dnsNames.first ?? uris.first ?? subject }
}
