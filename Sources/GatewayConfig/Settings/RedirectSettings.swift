/// A second port, for plain HTTP, of a gateway that speaks TLS. Its requests are answered with 308 to https,
/// at the same host and path.
///
///     configuration.redirect = RedirectSettings(port: 80)
///
/// It also answers `/health/*`, for probes that have no certificate.
public struct RedirectSettings: Sendable, Hashable {
    /// The port, at the gateway's own address; 0 takes any free one.
    public var port: Int
    /// The folder with the answers to challenges of an ACME client, which are served at
    /// `/.well-known/acme-challenge/NAME`. It must exist. Default nil: such requests are redirected, too.
    public var challenges: String?

    /// Creates settings for a port.
    public init(port: Int, challenges: String? = nil) {
        self.port = port
        self.challenges = challenges
    }
}
