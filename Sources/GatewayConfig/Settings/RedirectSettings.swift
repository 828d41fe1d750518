/// A second port, for plain HTTP, of a gateway that speaks TLS. Its requests are answered with 308 to https,
/// at the same host and path.
///
///     configuration.redirect = RedirectSettings(port: 80)
///
/// It also answers `/health/ready` and `/health/live`, for probes that have no certificate.
public struct RedirectSettings: Sendable, Hashable {
    /// The port, at the gateway's own address; 0 takes any free one.
    public var port: Int
    /// The port that browsers are sent to. Default nil: the gateway's own. It differs where the gateway is
    /// published by another port, such as the 443 of a container's host, which `Location` leaves out.
    public var targetPort: Int?
    /// The folder of the files with the answers to challenges of an ACME client, which are served at
    /// `/.well-known/acme-challenge/NAME`. It must exist; links in it are not followed. Default nil: such
    /// requests are redirected, too.
    public var challenges: String?

    /// Creates settings for a port.
    public init(port: Int, targetPort: Int? = nil, challenges: String? = nil) {
        self.port = port
        self.targetPort = targetPort
        self.challenges = challenges
    }
}

extension GatewayServerConfiguration {
    /// Completes `listen.redirect.port ...` if both listeners have the same port; nil otherwise.
    package var redirectPortFault: String? {
        guard let redirect, redirect.port == port, port != 0 else { return nil }
        return "is the port of the gateway itself (\(port))"
    }
}
