import ASCIIText

/// The certificate that a client has shown, and whose key it has. It was verified in a handshake, perhaps an
/// earlier one that this connection resumed.
public struct TLSClientCertificate: Sendable, Hashable {
    /// The subject as OpenSSL writes it in one line, at most 1024 bytes: `CN = partner, O = Example`.
    public let subject: String
    /// The DNS names of the subjectAltName, in lower case and without a final dot. Names with an asterisk are
    /// left out, because they do not say who the client is.
    public let dnsNames: [String]
    /// The URIs of the subjectAltName.
    public let uris: [String]
    /// The SHA-256 of the certificate, in 64 hexadecimal digits.
    public let sha256: String
    /// When it expires, in seconds since 1970.
    public let notAfter: Int

    /// Creates a certificate's facts, for tests.
    package init(subject: String, dnsNames: [String], uris: [String], sha256: String, notAfter: Int) {
        self.subject = subject
        self.dnsNames = dnsNames
        self.uris = uris
        self.sha256 = sha256
        self.notAfter = notAfter
    }

    init(_ certificate: OpaquePointer) {
        let names = CertificateFacts.names(of: certificate)
        self.init(
            subject: CertificateFacts.subject(of: certificate),
            dnsNames: CertificateNames.identities(names.dnsNames), uris: names.uris,
            sha256: CertificateFacts.sha256(of: certificate),
            notAfter: CertificateFacts.notAfter(of: certificate) ?? 0)
    }
}
