package import HTTPModel

/// What the check of a caller needs to know besides a request's head.
package struct AccessSource: Sendable {
    /// The client's address, as trusted proxies or the connection tell it; nil for a Unix socket.
    package let client: IPAddress?
    /// The tokens that the loop has verified; nil for requests that come over no loop.
    package let loop: AccessLoop?

    package init(client: IPAddress?, loop: AccessLoop? = nil) {
        self.client = client
        self.loop = loop
    }

    /// - Parameters:
    ///   - remote: the peer's address, as `GatewayRequest.remoteAddress` has it.
    ///   - told: what trusted proxies tell; nil if the peer is the client.
    ///   - loop: see `loop`.
    package init(remote: String, told: ForwardedClient? = nil, loop: AccessLoop? = nil) {
        self.init(client: told?.address ?? IPAddress(peer: remote), loop: loop)
    }
}
