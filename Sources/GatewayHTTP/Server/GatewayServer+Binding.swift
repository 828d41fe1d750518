import EventIO
import GatewayConfig

extension GatewayServer {
    /// How often to try an address if its occupant does not answer.
    static let bindAttempts = 8

    /// The listeners of a gateway, one for each loop.
    struct Bound: Sendable {
        /// Of the port itself.
        let listeners: [Listener]
        /// Of the port for plain HTTP; empty without one.
        let redirects: [Listener]
        /// Held for the ports that are taken over from a draining gateway.
        let claims: [TakeoverClaim]
    }

    static func bind(_ configuration: GatewayServerConfiguration) throws -> Bound {
        func address(_ port: Int) throws(GatewayStartError) -> SocketAddress {
            guard let address = SocketAddress(host: configuration.host, port: port) else {
                throw GatewayStartError("'\(configuration.host)' is not a numeric address to listen on")
            }
            return address
        }
        let redirect = try configuration.redirect.map { settings throws(GatewayStartError) in
            try address(settings.port)
        }
        // A gateway that asks for certificates tells on these ports whether it is draining.
        let open =
            (redirect.map { [$0] } ?? [])
            + configuration.admin.addresses.map(\.socketAddress).filter { $0.port != 0 }
        let (listeners, claim) = try bind(try address(configuration.port), configuration, others: open)
        guard let redirect else {
            return Bound(listeners: listeners, redirects: [], claims: claim.map { [$0] } ?? [])
        }
        let (redirects, other) = try bind(redirect, configuration, others: [])
        return Bound(
            listeners: listeners, redirects: redirects, claims: [claim, other].compactMap { $0 })
    }

    /// - Parameter others: addresses of the same gateway that ask no client for a certificate.
    private static func bind(
        _ address: SocketAddress, _ configuration: GatewayServerConfiguration, others: [SocketAddress]
    ) throws -> ([Listener], TakeoverClaim?) {
        // A gateway that is closing its listeners does not answer, and will be gone in a moment.
        for _ in 0..<bindAttempts {
            do throws(SocketError) {
                return (try Listener.group(bind: address, count: configuration.loops), nil)
            } catch {
                guard error.isAddressInUse else {
                    throw GatewayStartError("cannot listen on \(address): \(error)")
                }
            }
            switch HealthProbe.occupant(
                of: address, within: configuration.occupantTimeout, others: others)
            {
            case .drainingGateway: return try join(address, count: configuration.loops)
            case .other: throw isTaken(address)
            case .silent: break
            }
        }
        throw isTaken(address)
    }

    /// Shares a port with a draining gateway, so that a restart refuses no client: until the old gateway has
    /// closed its listeners, the kernel distributes the connections between the two.
    private static func join(_ address: SocketAddress, count: Int) throws -> ([Listener], TakeoverClaim?) {
        let claim: TakeoverClaim
        do {
            claim = try TakeoverClaim(of: address)
        } catch {
            guard error.isAddressInUse else {
                throw GatewayStartError("cannot take over \(address): \(error)")
            }
            throw GatewayStartError("\(address) is taken: another gateway is taking it over already")
        }
        do {
            return (try Listener.group(bind: address, count: count, joining: true), claim)
        } catch {
            // For example, the kernel forbids sharing the port of another user's gateway.
            throw GatewayStartError(
                "\(address) is taken by a draining gateway and cannot be shared: \(error)")
        }
    }

    private static func isTaken(_ address: SocketAddress) -> GatewayStartError {
        GatewayStartError("\(address) is taken: another program listens there")
    }
}
