import ASCIIText
import HTTPModel
import JSONBytes

/// Certificates of clients, which the TLS handshake has verified. The claims are `sub`, `dns`, `uris` and
/// `sha256`.
struct CertificateEntry: Sendable {
    /// Nil for any certificate.
    let names: CertificateNames?

    init(_ settings: ClientCertificateSettings) {
        names = settings.names.isEmpty ? nil : CertificateNames(settings.names)
    }

    /// Returns what the certificate proves; nil if it has none of the names.
    func claims(of certificate: ClientCertificate) -> JSONFragment? {
        guard let subject = name(of: certificate) else { return nil }
        let claims: JSONLiteral = [
            "sub": JSONLiteral(subject), "dns": JSONLiteral(certificate.dnsNames.map { JSONLiteral($0) }),
            "uris": JSONLiteral(certificate.uris.map { JSONLiteral($0) }),
            "sha256": JSONLiteral(certificate.sha256),
        ]
        return claims.fragment
    }

    private func name(of certificate: ClientCertificate) -> String? {
        guard let names else { return certificate.name }
        return names.match(dnsNames: certificate.dnsNames, uris: certificate.uris)
    }
}

/// The certificates that one loop has looked at, with what they prove. Requests of one connection share a
/// certificate, so that its claims are made once.
struct KnownCertificates {
    private struct Key: Hashable {
        let certificate: ObjectIdentifier
        let entry: ObjectIdentifier
    }

    private struct Known {
        // Kept, so that no other object gets their identity.
        let certificate: ClientCertificate
        let entry: AuthEntry
        /// Nil if the entry does not know the certificate.
        let identity: Identity?
    }

    /// Beyond it, all are forgotten and looked at again.
    static let capacity = 1024

    private var known: [Key: Known] = [:]

    var count: Int { known.count }

    /// Returns whom an entry knows by a certificate; nil if it does not know it.
    mutating func identity(
        of certificate: ClientCertificate, by entry: AuthEntry, _ certificates: CertificateEntry
    ) -> Identity? {
        let key = Key(certificate: ObjectIdentifier(certificate), entry: ObjectIdentifier(entry))
        if let found = known[key] { return found.identity }
        let identity = certificates.claims(of: certificate).map(entry.identity)
        if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
        known[key] = Known(certificate: certificate, entry: entry, identity: identity)
        return identity
    }
}
