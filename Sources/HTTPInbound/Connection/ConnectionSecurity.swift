internal import EventIO
internal import HTTPModel

/// What the TLS handshake of a connection has established. Its requests share it.
final class ConnectionSecurity: Sendable {
    let version: TLSConfiguration.Version
    /// Nil if the client has shown none.
    let clientCertificate: ClientCertificate?

    init(version: TLSConfiguration.Version, clientCertificate: ClientCertificate? = nil) {
        self.version = version
        self.clientCertificate = clientCertificate
    }

    /// Reads what a stream knows after its handshake; nil before.
    convenience init?(_ stream: SocketStream) {
        guard let version = stream.tlsVersion else { return nil }
        let certificate = stream.clientCertificate.map {
            ClientCertificate(
                subject: $0.subject, dnsNames: $0.dnsNames, uris: $0.uris, sha256: $0.sha256,
                notAfter: $0.notAfter)
        }
        self.init(version: version, clientCertificate: certificate)
    }
}
