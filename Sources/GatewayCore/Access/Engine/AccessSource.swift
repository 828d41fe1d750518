package import HTTPModel

/// What the check of a caller needs to know besides a request's head.
package struct AccessSource: Sendable {
    /// The client's address, as trusted proxies or the connection tell it; nil for a Unix socket.
    package let client: IPAddress?
    /// The tokens that the loop has verified; nil for requests that come over no loop.
    package let loop: AccessLoop?
    /// The client's certificate, which the TLS handshake has verified; nil without one.
    package let certificate: ClientCertificate?

    package init(client: IPAddress?, loop: AccessLoop? = nil, certificate: ClientCertificate? = nil) {
        self.client = client
        self.loop = loop
        self.certificate = certificate
    }

    /// - Parameters:
    ///   - remote: the peer's address, as `GatewayRequest.remoteAddress` has it.
    ///   - told: what trusted proxies tell; nil if the peer is the client.
    ///   - loop: see `loop`.
    ///   - certificate: see `certificate`.
    package init(
        remote: String, told: ForwardedClient? = nil, loop: AccessLoop? = nil,
        certificate: ClientCertificate? = nil
    ) {
        self.init(client: told?.address ?? IPAddress(peer: remote), loop: loop, certificate: certificate)
    }
}
