/// Certificates of clients that the TLS handshake has verified: whom an entry knows by them.
public struct ClientCertificateSettings: Sendable, Hashable {
    /// The names of the subjectAltName that count: DNS names, also `*.example.com` with one label for the
    /// asterisk, or URIs such as `spiffe://example.com/shop`. The claim `sub` is the first name of the
    /// certificate that is among them. Empty: any certificate, by its first name, or else by its subject.
    public var names: [String]

    /// Creates settings.
    public init(names: [String] = []) { self.names = names }
}
